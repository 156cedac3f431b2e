// Filter and sort: cards say in data attributes what they are sorted and filtered by.
const place = document.getElementById("tasks");
const cards = [...place.children];
const get = (name) => document.getElementById(name);
function show() {
  const text = get("find").value.trim().toLowerCase();
  const state = get("state").value, proposer = get("proposer").value;
  const order = get("order").value, sign = get("reverse").checked ? -1 : 1;
  let n = 0;
  for (const card of cards) {
    const is = card.dataset;
    card.hidden = !is.task.toLowerCase().includes(text) || (state && is.state !== state) || (proposer && is.proposer !== proposer);
    n += !card.hidden;
  }
  // The surest first; what has no number comes last, whatever the order.
  const key = (card) => card.dataset[order] === "" ? Infinity : sign * (order === "confidence" ? -1 : 1) * Number(card.dataset[order]);
  const byTask = (a, b) => (a.dataset.task < b.dataset.task ? -1 : 1) * (order === "task" ? sign : 1);
  const compare = order === "task" ? byTask : (a, b) => { const x = key(a), y = key(b); return x < y ? -1 : x > y ? 1 : byTask(a, b); };
  place.append(...cards.sort(compare));
  get("shown").textContent = `${n} shown`;
}
for (const name of ["find", "state", "proposer", "order", "reverse"]) get(name).addEventListener("input", show);
show();
