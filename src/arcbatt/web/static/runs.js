// @ts-check
// The list of runs: sort it, name and delete runs.
import { byId } from "./elements.js";
import { post, wordsOf } from "./requests.js";

const table = /** @type {HTMLTableElement} */ (byId("runs"));
const body = /** @type {HTMLTableSectionElement} */ (table.tBodies[0]);

/** @param {HTMLTableRowElement} row @param {number} column */
const valueOf = (row, column) => row.cells[column]?.dataset.value ?? row.cells[column]?.textContent ?? "";

/** Sort by a column: numbers from the largest, words from a to z; again the other way.
 * @param {HTMLTableCellElement} head */
function sortBy(head) {
  const rows = [...body.rows];
  const isNumber = rows.every((row) => !Number.isNaN(Number(valueOf(row, head.cellIndex) || "0")));
  const isAgain = head.hasAttribute("aria-sort");
  const isAscending = isAgain ? head.getAttribute("aria-sort") === "descending" : !isNumber;
  const order = (/** @type {HTMLTableRowElement} */ a, /** @type {HTMLTableRowElement} */ b) => {
    const [one, other] = [valueOf(a, head.cellIndex), valueOf(b, head.cellIndex)];
    return isNumber ? Number(one) - Number(other) : one.localeCompare(other);
  };
  for (const each of table.querySelectorAll("[aria-sort]")) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
  body.append(...rows.sort((a, b) => (isAscending ? order(a, b) : order(b, a))));
}

/** Show a dialog; return what was chosen.
 * @param {HTMLDialogElement} dialog @returns {Promise<string>} */
function ask(dialog) {
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

/** @param {string} run @param {HTMLElement} button */
async function note(run, button) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("noting"));
  const name = /** @type {HTMLInputElement} */ (dialog.querySelector("[name=name]"));
  const text = /** @type {HTMLTextAreaElement} */ (dialog.querySelector("[name=note]"));
  name.value = button.dataset.name ?? "";
  text.value = button.dataset.note ?? "";
  if ((await ask(dialog)) !== "keep") return;
  await post(`/api/runs/${run}/notes`, JSON.stringify({ name: name.value.trim(), note: text.value.trim() }));
  location.reload();
}

/** @param {string} run */
async function remove(run) {
  byId("doomed").textContent = run;
  if ((await ask(/** @type {HTMLDialogElement} */ (byId("deleting")))) !== "delete") return;
  await post(`/api/runs/${run}/delete`, "{}");
  location.reload();
}

for (const button of table.querySelectorAll("[data-sort]"))
  button.addEventListener("click", () => sortBy(/** @type {HTMLTableCellElement} */ (button.closest("th"))));
table.addEventListener("click", async (event) => {
  const button = event.target instanceof HTMLElement ? /** @type {HTMLElement | null} */ (event.target.closest("[data-do]")) : null;
  const run = /** @type {HTMLElement | null | undefined} */ (button?.closest("[data-run]"))?.dataset.run;
  if (!button || !run) return;
  try {
    await (button.dataset.do === "note" ? note(run, button) : remove(run));
  } catch (error) {
    byId("trouble").textContent = wordsOf(error);
    byId("trouble").hidden = false;
  }
});
document.documentElement.dataset.ready = "yes";
