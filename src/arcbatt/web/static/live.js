// @ts-check
// Keep the numbers, charts and log of a running run current.

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

const MS_PER_NEWS = 2000;
const live = /** @type {HTMLElement} */ (document.getElementById("live"));
let spreadAt = 0;

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

/** Have gallery and charts read their data again, but not with every event.
 * @param {boolean} isLast */
function spread(isLast) {
  if (!isLast && Date.now() - spreadAt < MS_PER_NEWS) return;
  spreadAt = Date.now();
  document.dispatchEvent(new CustomEvent("arcbatt-news"));
}

/** The open event stream; null while the page is hidden and after the run has ended. @type {EventSource | null} */
let source = null;
let isOver = false;

function stop() {
  source?.close();
  source = null;
}

/** Show that the run has ended.
 * @param {string} state @param {string} why */
function end(state, why) {
  isOver = true;
  stop();
  say("state", state);
  say("doing", why);
}

/** @param {Progress} progress */
function show(progress) {
  say("fitted", String(progress.fitted));
  say("elapsed", String(progress.elapsed_s));
  if (progress.running) {
    say("state", "running");
    say("doing", progress.doing);
  } else end("ended", "ended; reload the page for its numbers");
  const bar = document.getElementById("bar");
  if (bar instanceof HTMLProgressElement) bar.value = progress.fitted;
  list(progress.entries);
  void spread(!progress.running);
}

function listen() {
  const made = new EventSource(live.dataset.events ?? "");
  source = made;
  made.addEventListener("message", (event) => show(JSON.parse(event.data)));
  made.addEventListener("trouble", (event) => end("not known", JSON.parse(event.data)));
  made.addEventListener("error", () => {
    // If the connection is not closed, the browser reconnects.
    if (made.readyState === EventSource.CLOSED) end("not known", "the server no longer reports it; reload the page");
    else say("state", "no answer");
  });
}

// A browser has few connections to a server, so hidden pages close theirs.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stop();
  else if (!isOver && !source) listen();
});
if (!document.hidden) listen();
