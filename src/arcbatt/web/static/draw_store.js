// @ts-check
// The task that is drawn: as a file has it, in this browser, and in addresses.
import { same } from "./draw_grids.js";
import { unpack } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{input: Grid, output: Grid | null}} DrawnPair a test may have no output */
/** @typedef {{train: readonly DrawnPair[], test: readonly DrawnPair[]}} Drawn */

const KEY = "arcbatt-drawn";
/** Of an address: the pairs set apart by commas, their sides by dots, as digits; demos, then tests. */
const PREFIX = "#task=";

/** @param {Grid} grid */
const pack = (grid) => grid.map((row) => row.join("")).join("_");

/** The task as a task file has it; answers only where they are asked for.
 * @param {Drawn} drawn @param {boolean} withAnswers */
export function toFile(drawn, withAnswers) {
  const side = (/** @type {DrawnPair} */ pair, /** @type {boolean} */ isWhole) =>
    isWhole && pair.output ? { input: pair.input, output: pair.output } : { input: pair.input };
  return { train: drawn.train.map((pair) => side(pair, true)), test: drawn.test.map((pair) => side(pair, withAnswers)) };
}

/** @param {any} content what the server has checked @returns {Drawn} */
export function fromFile(content) {
  const pair = (/** @type {any} */ each) => ({ input: each.input, output: each.output ?? null });
  return { train: content.train.map(pair), test: content.test.map(pair) };
}

/** Keep a task in this browser, for when the page is opened again and for the page of programs.
 * @param {Drawn} drawn */
export function keep(drawn) {
  try {
    localStorage.setItem(KEY, JSON.stringify(toFile(drawn, true)));
  } catch {
    // It is then lost with the page; a file can be saved all the same.
  }
}

/** The text of the task that was kept.
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

/** The task in an address, as the text of a file; what is wrong with it the server says.
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
