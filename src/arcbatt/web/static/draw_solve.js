// @ts-check
// A live search for the drawn task, which ends when it is stopped or the page is closed.
import { same } from "./draw_grids.js";
import { toFile } from "./draw_store.js";
import { byId, make } from "./elements.js";
import { cellSize, makeGrid } from "./grid.js";
import { listen, wordsOf } from "./requests.js";

/** @typedef {import("./draw_store.js").Drawn} Drawn */
/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{grid: Grid, proposer: string | null, program: string | null}} Attempt */
/** @typedef {{fits: boolean, confidence: number, tests: {confidence: number, n_grids: number, attempts: Attempt[]}[]}} Attempts */

const MOST_PIXELS = 220;
const TICK_MS = 200;

const solveButton = /** @type {HTMLButtonElement} */ (byId("solve"));
const stopButton = /** @type {HTMLButtonElement} */ (byId("stop"));
const bar = /** @type {HTMLProgressElement} */ (byId("progress"));

/** @param {Attempt} attempt @param {number} number @param {Grid | null} answer the answer drawn for the test, which the search does not see */
function showAttempt(attempt, number, answer) {
  const figure = make("figure");
  const caption = make("figcaption", `attempt ${number} `);
  if (!attempt.program) caption.append(make("span", "a stand-in: nothing was found", "mark none"));
  else if (answer) {
    const isRight = same(attempt.grid, answer);
    caption.append(make("span", isRight ? "right" : "wrong", `mark ${isRight ? "right" : "wrong"}`));
  } else caption.append(make("span", `by ${attempt.proposer}`, "quiet"));
  const room = Math.min(MOST_PIXELS, document.documentElement.clientWidth - 90);
  figure.append(caption, makeGrid(attempt.grid, { cell: cellSize(attempt.grid, room, 24) }));
  return figure;
}

/** @param {Attempts} result @param {Drawn} task as it was when the search began */
function showAttempts(result, task) {
  const parts = result.tests.flatMap((test, k) => {
    const row = make("div", undefined, "attempt-row");
    const answer = task.test[k]?.output ?? null;
    row.append(...test.attempts.map((attempt, number) => showAttempt(attempt, number + 1, answer)));
    const title = make("h3", `Test ${k + 1} `);
    title.append(make("span", `confidence ${test.confidence.toFixed(2)}, ${test.n_grids} ${test.n_grids === 1 ? "grid" : "grids"} offered`, "quiet"));
    return [title, row];
  });
  const programs = [...new Set(result.tests.flatMap((test) => test.attempts.map((attempt) => attempt.program)))];
  for (const program of programs) {
    if (!program) continue;
    const details = make("details");
    details.append(make("summary", programs.indexOf(program) ? "Another program behind them" : "The program behind the first attempt"), make("pre", program));
    const link = /** @type {HTMLAnchorElement} */ (make("a", "Show the value of each line, or edit it", "button"));
    link.href = `/write#program=${encodeURIComponent(program)}`;
    details.append(link);
    parts.push(details);
  }
  const open = [...byId("attempts").querySelectorAll("details")].map((each) => each.open);
  byId("attempts").replaceChildren(...parts);
  byId("attempts").querySelectorAll("details").forEach((each, k) => (each.open = open[k] ?? false));
}

/** Connect the buttons that start and stop the search.
 * @param {() => Drawn} drawn what is drawn now */
export function watchSolving(drawn) {
  /** @type {AbortController | null} */
  let running = null;
  stopButton.addEventListener("click", () => running?.abort());
  solveButton.addEventListener("click", async () => {
    running = new AbortController();
    solveButton.disabled = true;
    stopButton.disabled = false;
    stopButton.focus();
    byId("solve-trouble").hidden = true;
    byId("attempts").replaceChildren();
    try {
      await solve(drawn(), running);
    } catch (error) {
      if (running.signal.aborted) byId("state").textContent = `Stopped. ${byId("attempts").childElementCount ? "Found so far:" : "Nothing was found."}`;
      else {
        byId("solve-trouble").textContent = wordsOf(error);
        byId("solve-trouble").hidden = false;
        byId("state").textContent = "";
      }
    } finally {
      running = null;
      solveButton.disabled = false;
      stopButton.disabled = true;
      byId("doing").textContent = "";
      bar.value = 0;
    }
  });
}

/** @param {Drawn} task @param {AbortController} running */
async function solve(task, running) {
  const budgetS = Number(/** @type {HTMLSelectElement} */ (byId("budget")).value);
  let beganMs = performance.now();
  const tick = () => {
    bar.value = Math.min((performance.now() - beganMs) / 1000 / budgetS, 1);
  };
  byId("state").textContent = "The search is starting.";
  const ticking = setInterval(tick, TICK_MS);
  try {
    const library = /** @type {HTMLInputElement} */ (byId("library")).checked;
    const body = JSON.stringify({ task: toFile(task, false), budget_s: budgetS, library });
    for await (const { name, data } of listen("/api/solve", body, running.signal)) {
      if (name === "progress") {
        beganMs = performance.now() - data.elapsed_s * 1000;
        const words = `${data.n_proposed.toLocaleString("en")} ${data.n_proposed === 1 ? "program" : "programs"} tried, ${data.n_kept} kept${data.proposer ? `; ${data.proposer}` : ""}${data.message ? `: ${data.message}` : ""}`;
        // Not in the status, which screen readers announce: this changes constantly.
        byId("doing").textContent = words;
      } else if (name === "attempts") {
        byId("state").textContent = data.fits ? "A program fits all demos." : "No program fits all demos yet.";
        showAttempts(data, task);
      } else if (name === "solved") {
        const early = data.elapsed_s < budgetS ? ", since there is nothing more to try" : "";
        byId("state").textContent = `Done after ${data.elapsed_s.toFixed(1)} s${early}: ${data.says}.`;
        if (data.rules.length) byId("attempts").prepend(make("pre", data.rules.join("\n"), "rule"));
      } else if (name === "failed") {
        byId("solve-trouble").textContent = data.message;
        byId("solve-trouble").hidden = false;
        byId("state").textContent = "";
      }
    }
  } finally {
    clearInterval(ticking);
  }
}
