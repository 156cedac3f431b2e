// @ts-check
// Draw grids on canvases.

/** @typedef {readonly (readonly number[])[]} Grid */
/**
 * @typedef {object} Look
 * @property {number} cell pixels of a cell's side, as the page counts them
 * @property {boolean} [digits] whether a cell has its number written in it; otherwise as the reader chose
 * @property {boolean} [lines] whether there are lines between cells
 * @property {Iterable<readonly [number, number]>} [marked] (row, column) of cells to mark
 */

/** The name, fill and text color of each color; every page has them from the server. */
const PALETTE = (document.querySelector('meta[name="arcbatt-colors"]')?.getAttribute("content") ?? "")
  .split(";")
  .map((part) => part.split(" "));
/** @type {readonly string[]} */
export const COLOR_NAMES = Object.freeze(PALETTE.map(([name]) => name ?? ""));
/** @type {readonly string[]} */
export const COLORS = Object.freeze(PALETTE.map(([, fill]) => fill ?? ""));
/** The fill of numbers outside the colors. */
const ODD = "#D8D2C4";
/** The smallest cell that can show a digit, in pixels. */
const MIN_DIGIT_CELL = 6;
/** In a small cell, the digit fills the cell. */
const digitSize = (/** @type {number} */ cell) => Math.max(cell * 0.66, Math.min(cell, 8));

/** Whether the reader wants to see digits in cells.
 * @returns {boolean} */
export function wantsDigits() {
  return document.documentElement.dataset.cells === "digits";
}

/** Black or white, whichever is readable on a color.
 * @param {number} color @returns {string} */
export function textOn(color) {
  return PALETTE[color]?.[2] ?? "#000000";
}

/** Unpack a grid from digits, with rows separated by spaces.
 * @param {string} text @returns {number[][]} */
export function unpack(text) {
  return text.split(" ").map((row) => [...row].map(Number));
}

/** The cell size at which a grid fits into a square of this side.
 * @param {Grid} grid @param {number} side @param {number} [most] @returns {number} */
export function cellSize(grid, side, most = 26) {
  const longest = Math.max(grid.length, grid[0]?.length ?? 0, 1);
  return Math.max(2, Math.min(most, Math.floor(side / longest)));
}

/** Draw a grid; the canvas takes its size.
 * @param {HTMLCanvasElement} canvas @param {Grid} grid @param {Look} look */
export function drawGrid(canvas, grid, look) {
  const { cell, lines = true, digits = wantsDigits(), marked = [] } = look;
  const height = grid.length;
  const width = grid[0]?.length ?? 0;
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round((width * cell + 1) * scale);
  canvas.height = Math.round((height * cell + 1) * scale);
  // Sizes are set one by one: the policy of pages allows no style in markup.
  canvas.style.width = `${width * cell + 1}px`;
  canvas.style.height = `${height * cell + 1}px`;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  grid.forEach((row, r) =>
    row.forEach((color, c) => {
      context.fillStyle = COLORS[color] ?? ODD;
      context.fillRect(c * cell, r * cell, cell + 1, cell + 1);
    }),
  );
  if (lines && cell > 2) {
    context.fillStyle = "#55555599";
    for (let r = 0; r <= height; r++) context.fillRect(0, r * cell, width * cell + 1, 1);
    for (let c = 0; c <= width; c++) context.fillRect(c * cell, 0, 1, height * cell + 1);
  }
  if (digits && cell >= MIN_DIGIT_CELL) {
    context.font = `600 ${digitSize(cell)}px ui-monospace, Menlo, Consolas, monospace`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    grid.forEach((row, r) =>
      row.forEach((color, c) => {
        context.fillStyle = textOn(color);
        context.fillText(String(color), (c + 0.5) * cell + 0.5, (r + 0.55) * cell + 0.5);
      }),
    );
  }
  for (const [r, c] of marked) markCell(context, r, c, cell);
}

/** Draw a frame around a cell, visible on any color.
 * @param {CanvasRenderingContext2D} context @param {number} row @param {number} column @param {number} cell */
function markCell(context, row, column, cell) {
  const wide = Math.max(1, Math.round(cell / 8));
  for (const [color, width, inset] of /** @type {const} */ ([["#14171C", wide * 2, wide], ["#FFFFFF", wide, wide / 2]])) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.strokeRect(column * cell + inset + 0.5, row * cell + inset + 0.5, cell - 2 * inset, cell - 2 * inset);
  }
}

/** The colors as bytes of a picture. */
const bytesOf = (/** @type {string} */ fill) => [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16));
const BYTES = COLORS.map(bytesOf);

/** Create a picture of a grid with one pixel per cell, which the page scales up.
 * @param {Grid} grid @param {number} cell @returns {HTMLElement} */
export function makeThumbnail(grid, cell) {
  const height = grid.length;
  const width = grid[0]?.length ?? 0;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.style.width = `${width * cell}px`;
  canvas.style.height = `${height * cell}px`;
  const pixels = new ImageData(width, height);
  grid.flat().forEach((color, at) => pixels.data.set([...(BYTES[color] ?? bytesOf(ODD)), 255], 4 * at));
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  const frame = document.createElement("i");
  frame.className = `g c${cell}`;
  frame.setAttribute("role", "img");
  frame.setAttribute("aria-label", describeGrid(grid));
  frame.append(canvas);
  return frame;
}

/** A description of a grid for screen readers.
 * @param {Grid} grid @returns {string} */
export function describeGrid(grid) {
  return `${grid.length}x${grid[0]?.length ?? 0} grid`;
}

/** The redraw functions of the canvases of this page. @type {WeakMap<HTMLCanvasElement, () => void>} */
const redraws = new WeakMap();
document.addEventListener("arcbatt-switch", () => {
  for (const canvas of document.querySelectorAll("canvas")) redraws.get(canvas)?.();
});

/** Create a canvas of a grid, redrawn when the reader turns digits on or off.
 * @param {Grid} grid @param {Look} look @returns {HTMLCanvasElement} */
export function makeGrid(grid, look) {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", describeGrid(grid));
  drawGrid(canvas, grid, look);
  redraws.set(canvas, () => drawGrid(canvas, grid, look));
  return canvas;
}
