// @ts-check
// The search for the task of a page.
import { watchSolving } from "./draw_solve.js";
import { fromFile } from "./draw_store.js";
import { byId } from "./elements.js";
import { get } from "./requests.js";

const task = fromFile(await get(byId("solving").dataset.start ?? ""));
watchSolving(() => task);
document.documentElement.dataset.ready = "yes";
