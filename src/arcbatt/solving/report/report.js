// @ts-check
// Filter and sort: cards say in data attributes what they are sorted and filtered by.
const place = /** @type {HTMLElement} */ (document.getElementById("tasks"));
const cards = /** @type {HTMLElement[]} */ ([...place.children]);
const get = (/** @type {string} */ name) => /** @type {HTMLInputElement | null} */ (document.getElementById(name));
const chosen = (/** @type {string} */ name) => get(name)?.value ?? "";

function show() {
  const text = chosen("find").trim().toLowerCase();
  const order = chosen("order");
  const sign = get("reverse")?.checked ? -1 : 1;
  let n = 0;
  for (const card of cards) {
    const is = card.dataset;
    card.hidden = !(is.task ?? "").toLowerCase().includes(text) || ["state", "verdict", "proposer"].some((name) => chosen(name) && is[name] !== chosen(name));
    if (!card.hidden) n += 1;
  }
  // The surest first; what has no number comes last, whatever the order.
  const key = (/** @type {HTMLElement} */ card) => (card.dataset[order] === "" ? Infinity : sign * (order === "confidence" ? -1 : 1) * Number(card.dataset[order]));
  const byTask = (/** @type {HTMLElement} */ a, /** @type {HTMLElement} */ b) => ((a.dataset.task ?? "") < (b.dataset.task ?? "") ? -1 : 1) * (order === "task" ? sign : 1);
  const compare = (/** @type {HTMLElement} */ a, /** @type {HTMLElement} */ b) => {
    if (order === "task" || key(a) === key(b)) return byTask(a, b);
    return key(a) < key(b) ? -1 : 1;
  };
  place.append(...cards.sort(compare));
  const shown = get("shown");
  if (shown) shown.textContent = `${n} shown`;
}
for (const name of ["find", "state", "verdict", "proposer", "order", "reverse"]) get(name)?.addEventListener("input", show);
get("filters")?.addEventListener("submit", (event) => event.preventDefault());
show();
