// @ts-check
// The gallery: thumbnails of tasks that can be filtered and navigated by keys.
// The filters are part of the address, so that it can be bookmarked and shared.
import { make } from "./elements.js";
import { cellSize, makeGrid, makeThumbnail, unpack, wantsDigits } from "./grid.js";
import { get, wordsOf } from "./requests.js";

/**
 * @typedef {object} Row
 * @property {string} task
 * @property {string} key what stands for it in addresses
 * @property {string} input
 * @property {string} output
 * @property {number} demos
 * @property {number} tests
 * @property {number} side
 * @property {number[]} colors
 * @property {string} [state]
 * @property {string} [verdict]
 * @property {string} [proposer]
 * @property {number | null} [confidence]
 * @property {number | null} [found_s]
 * @property {number | null} [size]
 */

const THUMBNAIL_SIDE = 66;
const MAX_CELL = 12;
/** Digits need larger cells. */
const DIGITS_SIDE = 144;
const MAX_DIGIT_CELL = 18;
/** The most time per frame for drawing, in ms. */
const MS_PER_FRAME = 5;
/** @type {Record<string, string>} */
const STATES = { fits: "fits", partial: "fits some", nothing: "fits none" };
/** @type {Record<string, string>} */
const VERDICTS = { right: "✓ solved", wrong: "✗ wrong" };

const place = /** @type {HTMLElement} */ (document.getElementById("tasks"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("filters"));
/** @type {Map<string, { card: HTMLAnchorElement, row: Row }>} */
const shown = new Map();

/** Visible cards that are not drawn yet. @type {Set<Element>} */
const waiting = new Set();

/** Draw waiting cards, briefly enough to keep scrolling smooth. */
function drawSome() {
  const until = performance.now() + MS_PER_FRAME;
  for (const card of waiting) {
    waiting.delete(card);
    const row = shown.get(/** @type {HTMLElement} */ (card).dataset.task ?? "")?.row;
    if (!row) continue;
    const grids = [unpack(row.input), unpack(row.output)];
    const [side, most] = wantsDigits() ? [DIGITS_SIDE, MAX_DIGIT_CELL] : [THUMBNAIL_SIDE, MAX_CELL];
    const cell = Math.min(...grids.map((grid) => cellSize(grid, side, most)));
    const drawn = grids.map((grid) => (wantsDigits() ? makeGrid(grid, { cell }) : makeThumbnail(grid, cell)));
    card.querySelector(".pair")?.replaceChildren(...drawn);
    if (performance.now() > until) break;
  }
  if (waiting.size) requestAnimationFrame(drawSome);
}

const drawer = new IntersectionObserver(
  (entries) => {
    if (!waiting.size) requestAnimationFrame(drawSome);
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) {
        waiting.delete(target); // it has been scrolled past
      } else if (!target.querySelector("canvas")) {
        waiting.add(target);
      }
    }
  },
  { rootMargin: "300px" },
);

/** Show the facts about a task on its card.
 * @param {HTMLElement} card @param {Row} row */
function showFacts(card, row) {
  const facts = /** @type {HTMLElement} */ (card.querySelector(".facts"));
  const parts = [];
  if (row.verdict) parts.push(make("span", VERDICTS[row.verdict] ?? row.verdict, `mark ${row.verdict}`));
  if (row.state) parts.push(make("span", STATES[row.state] ?? row.state, `mark ${row.state}`));
  if (row.proposer) parts.push(make("span", row.proposer));
  if (typeof row.confidence === "number") parts.push(make("span", row.confidence.toFixed(2)));
  if (!row.state) parts.push(make("span", `${row.demos} demos, up to ${row.side}x${row.side}`));
  facts.replaceChildren(...parts);
}

/** @param {Row} row @param {string} address @returns {HTMLAnchorElement} */
function makeCard(row, address) {
  const card = document.createElement("a");
  card.className = "thumb";
  card.dataset.task = row.task;
  card.href = address + row.key;
  card.append(make("b", row.task), make("span", "", "pair"), make("span", "", "facts"));
  showFacts(card, row);
  return card;
}

/** The chosen filters, as in the address. @returns {URLSearchParams} */
function choices() {
  const chosen = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) chosen.append(name, String(value));
  return chosen;
}

/** @param {Row} row @param {URLSearchParams} chosen @returns {boolean} */
function matches(row, chosen) {
  const of = (/** @type {string} */ name) => chosen.get(name) ?? "";
  if (!row.task.toLowerCase().includes(of("find").trim().toLowerCase())) return false;
  if (of("state") && row.state !== of("state")) return false;
  if (of("verdict") === "fits-wrong" ? row.verdict !== "wrong" || row.state !== "fits" : of("verdict") && row.verdict !== of("verdict")) return false;
  if (of("proposer") && (row.proposer || "none") !== of("proposer")) return false;
  const least = Number(of("confidence"));
  if (least > 0 && (row.confidence ?? 0) < least) return false;
  if (least < 0 && (row.confidence ?? 0) >= -least) return false;
  if (of("side") && row.side > Number(of("side"))) return false;
  return chosen.getAll("colors").every((color) => row.colors.includes(Number(color)));
}

function show() {
  const chosen = choices();
  const order = chosen.get("order") ?? "";
  let n = 0;
  for (const { card, row } of shown.values()) {
    card.hidden = !matches(row, chosen);
    if (!card.hidden) n += 1;
  }
  // Highest confidence first, any other order ascending; tasks without a value come last.
  const key = (/** @type {Row} */ row) => {
    if (order === "colors") return row.colors.length;
    if (order === "confidence") return -(row.confidence ?? -Infinity);
    const value = row[/** @type {"side" | "found_s" | "size"} */ (order)];
    return value ?? Infinity;
  };
  const all = [...shown.values()];
  all.sort((a, b) => (order ? key(a.row) - key(b.row) || 0 : 0) || (a.row.task < b.row.task ? -1 : 1));
  if (all.some(({ card }, at) => place.children[at] !== card)) place.append(...all.map(({ card }) => card));
  const status = document.getElementById("shown");
  if (status) status.textContent = `${n} of ${shown.size} tasks`;
  const query = chosen.toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
}

/** Navigate the cards by arrow keys.
 * @param {KeyboardEvent} event */
function walk(event) {
  const cards = /** @type {HTMLElement[]} */ ([...place.children]).filter((card) => !card.hidden);
  const at = cards.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (at < 0) return;
  const top = cards[0]?.offsetTop;
  const below = cards.findIndex((card) => card.offsetTop !== top);
  const perRow = below < 0 ? cards.length : below;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow, Home: -at, End: cards.length - 1 - at };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  cards[Math.max(0, Math.min(cards.length - 1, at + step))]?.focus();
}

/** Copy the filters of the address to the form. */
function restore() {
  const asked = new URLSearchParams(location.search);
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = asked.getAll(field.name).includes(field.value);
    else if ((field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && asked.has(field.name)) field.value = asked.get(field.name) ?? "";
  }
}

async function load() {
  let content;
  const trouble = document.getElementById("trouble");
  try {
    content = await get(place.dataset.from ?? "");
    trouble?.remove();
  } catch (error) {
    // Keep existing cards.
    const said = trouble ?? make("p", "", "error");
    said.id = "trouble";
    said.textContent = wordsOf(error);
    place.before(said);
    return;
  }
  for (const row of /** @type {Row[]} */ (content.tasks)) {
    const known = shown.get(row.task);
    if (known) {
      known.row = row;
      showFacts(known.card, row);
    } else {
      const card = makeCard(row, content.address);
      shown.set(row.task, { card, row });
      place.append(card);
      drawer.observe(card);
    }
  }
  show();
}

restore();
await load();
form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(show));
const chooser = document.getElementById("place");
if (chooser instanceof HTMLSelectElement) chooser.addEventListener("change", () => location.assign(chooser.value));
place.addEventListener("keydown", walk);
// Redraw when the reader turns digits on or off.
document.addEventListener("arcbatt-switch", () => {
  for (const { card } of shown.values()) {
    card.querySelector(".pair")?.replaceChildren();
    drawer.unobserve(card);
    drawer.observe(card);
  }
});
// A running run announces news.
document.addEventListener("arcbatt-news", () => void load());
document.documentElement.dataset.ready = "yes";
