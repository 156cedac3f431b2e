// @ts-check
// The drawn task: in files, in browser storage, and in addresses.
import { same } from "./draw_grids.js";
import { unpack } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{input: Grid, output: Grid | null}} DrawnPair a test may have no output */
/** @typedef {{train: readonly DrawnPair[], test: readonly DrawnPair[]}} Drawn */

const KEY = "arcbatt-drawn";
/** In an address: pairs separated by commas, their sides by dots, as digits; demos, then tests. */
const PREFIX = "#task=";

/** @param {Grid} grid */
const pack = (grid) => grid.map((row) => row.join("")).join("_");

/** The task in the format of a task file, with answers only on request.
 * @param {Drawn} drawn @param {boolean} withAnswers */
export function toFile(drawn, withAnswers) {
  const side = (/** @type {DrawnPair} */ pair, /** @type {boolean} */ isWhole) =>
    isWhole && pair.output ? { input: pair.input, output: pair.output } : { input: pair.input };
  return { train: drawn.train.map((pair) => side(pair, true)), test: drawn.test.map((pair) => side(pair, withAnswers)) };
}

/** @param {any} content validated by the server @returns {Drawn} */
export function fromFile(content) {
  const pair = (/** @type {any} */ each) => ({ input: each.input, output: each.output ?? null });
  return { train: content.train.map(pair), test: content.test.map(pair) };
}

/** Store a task in this browser, for the next visit and for the program editor.
 * @param {Drawn} drawn */
export function keep(drawn) {
  try {
    localStorage.setItem(KEY, JSON.stringify(toFile(drawn, true)));
  } catch {
    // Without storage, the task is lost with the page; it can still be saved to a file.
  }
}

/** The text of the stored task.
 * @returns {string | null} */
export function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The address of a page with this task in it.
 * @param {Drawn} drawn */
export function addressOf(drawn) {
  const pairs = (/** @type {readonly DrawnPair[]} */ all) =>
    all.map((pair) => pack(pair.input) + (pair.output ? `.${pack(pair.output)}` : "")).join(",");
  return `/draw${PREFIX}${pairs(drawn.train)};${pairs(drawn.test)}`;
}

/** The task in an address, as the text of a file; the server validates it.
 * @param {string} hash @returns {string | null} */
export function fromAddress(hash) {
  if (!hash.startsWith(PREFIX)) return null;
  const [train = "", test = ""] = hash.slice(PREFIX.length).split(";");
  const grid = (/** @type {string} */ text) => unpack(text.replaceAll("_", " "));
  const pairs = (/** @type {string} */ text) =>
    text.split(",").filter(Boolean).map((each) => {
      const [input = "", output] = each.split(".");
      return output === undefined ? { input: grid(input) } : { input: grid(input), output: grid(output) };
    });
  return JSON.stringify({ train: pairs(train), test: pairs(test) });
}

/** @param {Drawn} one @param {Drawn} other */
export function sameTask(one, other) {
  const alike = (/** @type {readonly DrawnPair[]} */ a, /** @type {readonly DrawnPair[]} */ b) =>
    a.length === b.length &&
    a.every((pair, k) => {
      const twin = /** @type {DrawnPair} */ (b[k]);
      const answers = pair.output && twin.output ? same(pair.output, twin.output) : pair.output === twin.output;
      return same(pair.input, twin.input) && answers;
    });
  return alike(one.train, other.train) && alike(one.test, other.test);
}
