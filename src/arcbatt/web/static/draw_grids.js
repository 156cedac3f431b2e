// @ts-check
// Operations of the task editor on grids. No grid is changed in place.

/** @typedef {import("./grid.js").Grid} Grid */
/**
 * @typedef {object} Box
 * @property {number} row
 * @property {number} column
 * @property {number} height
 * @property {number} width
 */

/** @param {number} height @param {number} width @param {number} [color] @returns {number[][]} */
export const blank = (height, width, color = 0) => Array.from({ length: height }, () => Array(width).fill(color));

/** @param {Grid} grid */
export const heightOf = (grid) => grid.length;
/** @param {Grid} grid */
export const widthOf = (grid) => grid[0]?.length ?? 0;

/** @param {Grid} grid @returns {Box} */
export const whole = (grid) => ({ row: 0, column: 0, height: heightOf(grid), width: widthOf(grid) });

/** @param {Grid} one @param {Grid} other */
export const same = (one, other) => one === other || (one.length === other.length && one.every((row, r) => row.join() === other[r]?.join()));

/** The box with two cells at its corners.
 * @param {readonly [number, number]} one @param {readonly [number, number]} other @returns {Box} */
export function boxOf([r1, c1], [r2, c2]) {
  return { row: Math.min(r1, r2), column: Math.min(c1, c2), height: Math.abs(r1 - r2) + 1, width: Math.abs(c1 - c2) + 1 };
}

/** @param {Box} box @param {number} row @param {number} column */
export const holds = (box, row, column) =>
  row >= box.row && row < box.row + box.height && column >= box.column && column < box.column + box.width;

/** @param {Grid} grid @param {Iterable<readonly [number, number]>} cells @param {number} color @returns {number[][]} */
export function paint(grid, cells, color) {
  const painted = grid.map((row) => [...row]);
  for (const [r, c] of cells) {
    const row = painted[r];
    if (row && c >= 0 && c < row.length) row[c] = color;
  }
  return painted;
}

/** All cells on the line between two, so that a quick stroke has no gaps.
 * @param {readonly [number, number]} from @param {readonly [number, number]} to @returns {[number, number][]} */
export function lineOf([r1, c1], [r2, c2]) {
  const steps = Math.max(Math.abs(r2 - r1), Math.abs(c2 - c1), 1);
  return Array.from({ length: steps + 1 }, (_, k) => [Math.round(r1 + ((r2 - r1) * k) / steps), Math.round(c1 + ((c2 - c1) * k) / steps)]);
}

/** Flood-fill from a cell.
 * @param {Grid} grid @param {readonly [number, number]} at @param {number} color @returns {number[][]} */
export function flood(grid, at, color) {
  const filled = grid.map((row) => [...row]);
  const old = filled[at[0]]?.[at[1]];
  if (old === undefined || old === color) return filled;
  const todo = [at];
  for (let cell = todo.pop(); cell; cell = todo.pop()) {
    const [r, c] = cell;
    const row = filled[r];
    if (!row || row[c] !== old) continue;
    row[c] = color;
    todo.push([r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]);
  }
  return filled;
}

/** @param {Grid} grid @param {Box} box @returns {number[][]} */
export const cut = (grid, box) => grid.slice(box.row, box.row + box.height).map((row) => row.slice(box.column, box.column + box.width));

/** @param {Grid} grid @param {Box} box @param {number} color @returns {number[][]} */
export const fillBox = (grid, box, color) => grid.map((row, r) => row.map((cell, c) => (holds(box, r, c) ? color : cell)));

/** Lay a patch on a grid, clipped at its edges.
 * @param {Grid} grid @param {Grid} patch @param {number} row @param {number} column @returns {number[][]} */
export const lay = (grid, patch, row, column) => grid.map((line, r) => line.map((cell, c) => patch[r - row]?.[c - column] ?? cell));

/** @param {Grid} grid @returns {number[][]} */
export const mirrored = (grid) => grid.map((row) => [...row].reverse());
/** @param {Grid} grid @returns {number[][]} */
export const upsideDown = (grid) => grid.map((row) => [...row]).reverse();
/** Turned to the right by 90 degrees.
 * @param {Grid} grid @returns {number[][]} */
export const turned = (grid) => Array.from({ length: widthOf(grid) }, (_, c) => grid.map((row) => row[c] ?? 0).reverse());

/** Resize a grid: cut off, or extend with black, at the right and bottom.
 * @param {Grid} grid @param {number} height @param {number} width @returns {number[][]} */
export const resized = (grid, height, width) => lay(blank(height, width), grid, 0, 0);

/** The grid as text for the clipboard, one line per row.
 * @param {Grid} grid */
export const toText = (grid) => grid.map((row) => row.join("")).join("\n");

/** Parse clipboard text as a grid: rows of digits, separated or not, or JSON.
 * @param {string} text @param {number} maxSide @returns {number[][] | null} */
export function fromText(text, maxSide) {
  const lines = text.replace(/\]\s*,\s*\[/g, "\n").replace(/[[\]]/g, "").trim().split("\n");
  const rows = lines.map((line) => {
    const parts = line.trim().split(/[\s,;]+/);
    // Separated numbers are one cell each, so a 10 is invalid, not two cells.
    return parts.length === 1 ? [...line.trim()] : parts;
  });
  const width = rows[0]?.length ?? 0;
  if (!width || width > maxSide || rows.length > maxSide) return null;
  if (!rows.every((row) => row.length === width && row.every((cell) => /^\d$/.test(cell)))) return null;
  return rows.map((row) => row.map(Number));
}
