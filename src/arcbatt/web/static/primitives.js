// @ts-check
// Filter the list of primitives by words, and open the one in the address.
import { byId } from "./elements.js";

const field = /** @type {HTMLInputElement} */ (byId("words"));
const all = [...document.querySelectorAll(".primitive")].map((each) => /** @type {HTMLDetailsElement} */ (each));
const texts = new Map(all.map((each) => [each, `${each.dataset.names} ${each.textContent}`.toLowerCase()]));

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all.filter((each) => {
    each.hidden = !words.every((word) => texts.get(each)?.includes(word));
    return !each.hidden;
  });
  for (const family of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".family")))
    if (family.querySelector(".primitive")) family.hidden = !family.querySelector(".primitive:not([hidden])");
  byId("shown").textContent = `${shown.length} ${shown.length === 1 ? "primitive" : "primitives"}`;
}

function openNamed() {
  const named = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  if (!(named instanceof HTMLDetailsElement)) return;
  named.open = true;
  named.scrollIntoView();
}

field.addEventListener("input", filter);
field.form?.addEventListener("submit", (event) => event.preventDefault());
globalThis.addEventListener("hashchange", openNamed);
filter();
openNamed();
document.documentElement.dataset.ready = "yes";
