// @ts-check
// A run that goes on: events in, numbers, curve and log kept current.

/**
 * @typedef {object} Entry
 * @property {number} number
 * @property {number} elapsed_s
 * @property {string} proposer
 * @property {string} item
 * @property {number} fitted
 * @property {number} pairs
 */
/**
 * @typedef {object} Progress
 * @property {boolean} running
 * @property {number} tasks
 * @property {number} fitted
 * @property {number} elapsed_s
 * @property {string} doing
 * @property {Entry[]} entries
 */

const MS_A_DRAWING = 2000;
const live = /** @type {HTMLElement} */ (document.getElementById("live"));
let drawnAt = 0;

/** @param {string} id @param {string} text */
function say(id, text) {
  const element = document.getElementById(id);
  if (element) element.textContent = text;
}

/** @param {Entry[]} entries */
function list(entries) {
  const rows = entries.map((entry) => {
    const row = document.createElement("tr");
    const texts = [`${entry.elapsed_s} s`, entry.proposer, entry.item, String(entry.fitted), entry.pairs.toLocaleString("en")];
    texts.forEach((text, place) => {
      const cell = row.insertCell();
      cell.textContent = text;
      if (place === 1 || place === 2) cell.className = "words";
    });
    return row;
  });
  document.getElementById("log")?.replaceChildren(...rows);
}

/** Draw the curve anew, but not with every event.
 * @param {boolean} isLast */
async function draw(isLast) {
  if (!isLast && Date.now() - drawnAt < MS_A_DRAWING) return;
  drawnAt = Date.now();
  document.dispatchEvent(new CustomEvent("arcbatt-news"));
  const answer = await fetch(live.dataset.chart ?? "");
  if (!answer.ok) return;
  const drawing = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  document.getElementById("chart")?.replaceChildren(document.importNode(drawing, true));
}

/** Say that nothing more will come of it.
 * @param {string} why */
function end(why) {
  source.close();
  say("state", "not known");
  say("doing", why);
}

const source = new EventSource(live.dataset.events ?? "");
source.addEventListener("trouble", (event) => end(JSON.parse(event.data)));
source.addEventListener("error", () => {
  // Otherwise the browser asks again.
  if (source.readyState === EventSource.CLOSED) end("the server does not tell of it any more; open the page anew");
  else say("state", "no answer");
});
source.addEventListener("message", (event) => {
  const progress = /** @type {Progress} */ (JSON.parse(event.data));
  say("fitted", String(progress.fitted));
  say("elapsed", String(progress.elapsed_s));
  say("doing", progress.running ? progress.doing : "ended; open the page anew for its numbers");
  say("state", progress.running ? "running" : "ended");
  const bar = document.getElementById("bar");
  if (bar instanceof HTMLProgressElement) bar.value = progress.fitted;
  list(progress.entries);
  void draw(!progress.running);
  if (!progress.running) source.close();
});
