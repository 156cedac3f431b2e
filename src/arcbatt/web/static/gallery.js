// @ts-check
// The gallery: rows about tasks in, thumbnails out that can be filtered and walked through by keys.
import { cellSize, makeGrid, unpack } from "./grid.js";

/**
 * @typedef {object} Row
 * @property {string} task
 * @property {string} input
 * @property {string} output
 * @property {number} demos
 * @property {number} tests
 * @property {number} side
 * @property {number[]} colors
 */

const THUMBNAIL_SIDE = 66;

const place = /** @type {HTMLElement} */ (document.getElementById("tasks"));
const get = (/** @type {string} */ id) => /** @type {HTMLInputElement | HTMLSelectElement} */ (document.getElementById(id));
/** @type {Map<HTMLElement, Row>} */
const rows = new Map();

const drawer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const row = rows.get(/** @type {HTMLElement} */ (entry.target));
      if (!entry.isIntersecting || !row) continue;
      drawer.unobserve(entry.target);
      const pair = entry.target.querySelector(".pair");
      const grids = [unpack(row.input), unpack(row.output)];
      const cell = Math.min(...grids.map((grid) => cellSize(grid, THUMBNAIL_SIDE, 12)));
      pair?.replaceChildren(...grids.map((grid) => makeGrid(grid, { cell })));
    }
  },
  { rootMargin: "400px" },
);

/** @param {Row} row @param {string} address @returns {HTMLElement} */
function makeCard(row, address) {
  const card = document.createElement("a");
  card.className = "thumb";
  card.href = address + encodeURIComponent(row.task);
  const name = document.createElement("b");
  name.textContent = row.task;
  const pair = document.createElement("span");
  pair.className = "pair";
  const facts = document.createElement("span");
  facts.className = "facts";
  facts.textContent = `${row.demos} demos`;
  card.append(name, pair, facts);
  rows.set(card, row);
  return card;
}

function filter() {
  const text = get("find").value.trim().toLowerCase();
  let n = 0;
  for (const [card, row] of rows) {
    card.hidden = !row.task.toLowerCase().includes(text);
    if (!card.hidden) n += 1;
  }
  const shown = document.getElementById("shown");
  if (shown) shown.textContent = `${n} of ${rows.size} tasks`;
}

/** Arrows walk through what is shown, a row up or down too.
 * @param {KeyboardEvent} event */
function walk(event) {
  const cards = [...rows.keys()].filter((card) => !card.hidden);
  const at = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (at < 0) return;
  const top = cards[0]?.offsetTop;
  const perRow = Math.max(cards.findIndex((card) => card.offsetTop !== top), 1);
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow, Home: -at, End: cards.length - 1 - at };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  cards[Math.max(0, Math.min(cards.length - 1, at + step))]?.focus();
}

async function start() {
  const answer = await fetch(place.dataset.from ?? "");
  const content = await answer.json();
  if (!answer.ok) {
    place.textContent = content.error;
    return;
  }
  for (const row of content.tasks) place.append(makeCard(row, content.address));
  for (const card of rows.keys()) drawer.observe(card);
  filter();
  get("find").addEventListener("input", filter);
  get("place").addEventListener("change", () => location.assign(get("place").value));
  place.addEventListener("keydown", walk);
  document.documentElement.dataset.ready = "yes";
}

await start();
