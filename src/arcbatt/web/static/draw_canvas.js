// @ts-check
// An editable grid on a canvas, controlled by pointer and keys.
import { boxOf, cut, fillBox, flood, fromText, heightOf, holds, lay, lineOf, mirrored, paint, resized, same, toText, turned, upsideDown, whole, widthOf } from "./draw_grids.js";
import { cellSize, COLOR_NAMES, drawGrid } from "./grid.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./draw_grids.js").Box} Box */
/** @typedef {readonly [number, number]} Cell row and column */
/**
 * The tools shared by all grids of a page, and callbacks to it.
 * @typedef {object} Tools
 * @property {"paint" | "fill" | "select" | "pick"} tool
 * @property {number} color
 * @property {Grid | null} clipboard
 * @property {number} maxSide
 * @property {(editor: GridEditor, grid: Grid, joins: boolean) => void} onChange a change that joins is undone with the one before
 * @property {(editor: GridEditor) => void} onFocus
 * @property {(color: number) => void} chooseColor
 * @property {(tool: Tools["tool"]) => void} chooseTool
 * @property {(words: string) => void} say
 */

const MOST_PIXELS = 340;
const LARGEST_CELL = 30;
/** The space beside a grid in a narrow window. */
const MARGIN = 66;
const STEPS = Object.freeze({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });
const TOOL_KEYS = Object.freeze({ p: "paint", f: "fill", s: "select", k: "pick" });

export class GridEditor {
  /** @param {HTMLCanvasElement} canvas @param {Tools} tools @param {string} label @param {Grid} grid */
  constructor(canvas, tools, label, grid) {
    this.canvas = canvas;
    this.tools = tools;
    this.label = label;
    this.grid = grid;
    /** @type {Cell} */
    this.cursor = [0, 0];
    /** @type {Cell} where a selection by keys began */
    this.anchor = [0, 0];
    /** @type {Box | null} */
    this.selection = null;
    /** The lifted selection, and the grid under it. @type {{patch: Grid, under: Grid} | null} */
    this.lifted = null;
    /** @type {{from: Cell, at: Cell, kind: "paint" | "select" | "move"} | null} */
    this.drag = null;
    /** Whether the current stroke or move has changed anything. */
    this.hasChanged = false;
    this.cell = 1;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-describedby", "keys");
    canvas.addEventListener("pointerdown", (event) => this.#begin(event));
    canvas.addEventListener("pointermove", (event) => this.#goOn(event));
    canvas.addEventListener("pointerup", () => (this.drag = null));
    canvas.addEventListener("pointercancel", () => (this.drag = null));
    canvas.addEventListener("keydown", (event) => this.#onKey(event));
    canvas.addEventListener("focus", () => {
      tools.onFocus(this);
      this.draw();
    });
    canvas.addEventListener("blur", () => this.draw());
    this.draw();
  }

  /** Show a grid that another source has changed; clears the selection.
   * @param {Grid} grid */
  show(grid) {
    if (grid === this.grid) return;
    this.grid = grid;
    this.selection = this.lifted = null;
    this.hasChanged = false;
    this.#moveTo(this.cursor);
    this.draw();
  }

  draw() {
    const room = Math.min(MOST_PIXELS, document.documentElement.clientWidth - MARGIN);
    this.cell = cellSize(this.grid, room, LARGEST_CELL);
    drawGrid(this.canvas, this.grid, { cell: this.cell });
    this.canvas.setAttribute("aria-label", `${this.label}: grid of ${heightOf(this.grid)} rows and ${widthOf(this.grid)} columns, to draw on`);
    if (this.selection) this.#frame(this.selection, [5, 4]);
    if (document.activeElement === this.canvas) this.#frame({ row: this.cursor[0], column: this.cursor[1], height: 1, width: 1 }, []);
  }

  /** Draw a frame that is visible on any color.
   * @param {Box} box @param {number[]} dashes */
  #frame(box, dashes) {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const { cell } = this;
    const place = /** @type {const} */ ([box.column * cell + 1.5, box.row * cell + 1.5, box.width * cell - 2, box.height * cell - 2]);
    context.setLineDash([]);
    context.lineWidth = 3;
    context.strokeStyle = "#14171C";
    context.strokeRect(...place);
    context.setLineDash(dashes);
    context.lineWidth = 1.5;
    context.strokeStyle = "#FFFFFF";
    context.strokeRect(...place);
    context.setLineDash([]);
  }

  /** @param {Grid} grid @param {boolean} [joins] */
  #change(grid, joins = false) {
    if (!same(grid, this.grid)) {
      this.grid = grid;
      this.tools.onChange(this, grid, joins && this.hasChanged);
      this.hasChanged = true;
    }
    this.draw();
  }

  /** @param {PointerEvent} event @returns {Cell} */
  #cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const clamp = (/** @type {number} */ value, /** @type {number} */ size) => Math.max(0, Math.min(size - 1, Math.floor(value / this.cell)));
    return [clamp(event.clientY - box.top, heightOf(this.grid)), clamp(event.clientX - box.left, widthOf(this.grid))];
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    const at = this.#cellAt(event);
    this.cursor = this.anchor = at;
    this.hasChanged = this.hasChanged && this.lifted !== null;
    const { tool } = this.tools;
    if (tool === "select") {
      const moves = this.selection && holds(this.selection, ...at);
      this.drag = { from: at, at, kind: moves ? "move" : "select" };
      if (!moves) this.select(boxOf(at, at));
      return;
    }
    this.#use(at);
    if (tool === "paint") this.drag = { from: at, at, kind: "paint" };
  }

  /** @param {PointerEvent} event */
  #goOn(event) {
    if (!this.drag) return;
    const at = this.#cellAt(event);
    const last = this.drag.at;
    if (at[0] === last[0] && at[1] === last[1]) return;
    this.cursor = this.drag.at = at;
    if (this.drag.kind === "paint") this.#change(paint(this.grid, lineOf(last, at), this.tools.color), true);
    else if (this.drag.kind === "select") this.select(boxOf(this.drag.from, at));
    else this.move(at[0] - last[0], at[1] - last[1]);
  }

  /** Use the current tool on a cell.
   * @param {Cell} at */
  #use(at) {
    const { tool, color } = this.tools;
    if (tool === "select") {
      this.select(boxOf(at, at));
      return;
    }
    if (tool === "pick") {
      this.tools.chooseColor(this.grid[at[0]]?.[at[1]] ?? 0);
      this.tools.chooseTool("paint");
      return;
    }
    this.selection = this.lifted = null;
    this.#change(tool === "fill" ? flood(this.grid, at, color) : paint(this.grid, [at], color));
  }

  /** @param {Box | null} box */
  select(box) {
    this.selection = box;
    this.lifted = null;
    this.draw();
    this.tools.say(box ? `selected ${box.height}x${box.width}` : "nothing selected");
  }

  /** Move the selection and uncover the cells under it.
   * @param {number} down @param {number} right */
  move(down, right) {
    const box = this.selection;
    if (!box) return;
    const { patch, under } = this.#lift(box);
    // Part of it stays on the grid, so that it can be grabbed again.
    const row = Math.max(1 - box.height, Math.min(heightOf(under) - 1, box.row + down));
    const column = Math.max(1 - box.width, Math.min(widthOf(under) - 1, box.column + right));
    this.selection = { ...box, row, column };
    this.#change(lay(under, patch, row, column), true);
  }

  /** Lift the selection, if it is not lifted yet; the cells under it are black.
   * @param {Box} box */
  #lift(box) {
    if (!this.lifted) {
      this.lifted = { patch: cut(this.grid, box), under: fillBox(this.grid, box, 0) };
      this.hasChanged = false;
    }
    return this.lifted;
  }

  /** Paste a patch at the selection or the cursor; it can then be moved.
   * @param {Grid} patch */
  paste(patch) {
    const row = this.selection?.row ?? this.cursor[0];
    const column = this.selection?.column ?? this.cursor[1];
    this.selection = { row, column, height: heightOf(patch), width: widthOf(patch) };
    this.lifted = { patch, under: this.grid };
    this.hasChanged = false;
    this.#change(lay(this.grid, patch, row, column));
    this.tools.say(`pasted ${heightOf(patch)}x${widthOf(patch)}`);
  }

  /** The selection, or the whole grid.
   * @returns {Grid} */
  chosen() {
    return this.selection ? cut(this.grid, this.#inside(this.selection)) : this.grid;
  }

  /** The part of a box that is on the grid.
   * @param {Box} box @returns {Box} */
  #inside(box) {
    const row = Math.max(box.row, 0);
    const column = Math.max(box.column, 0);
    const height = Math.min(box.row + box.height, heightOf(this.grid)) - row;
    return { row, column, height, width: Math.min(box.column + box.width, widthOf(this.grid)) - column };
  }

  /** Mirror or turn the selection, or the whole grid.
   * @param {(grid: Grid) => Grid} transform */
  transform(transform) {
    if (!this.selection) {
      this.#change(transform(this.grid));
      this.#moveTo(this.cursor);
      return;
    }
    const box = this.selection;
    const { patch: before, under } = this.#lift(box);
    const patch = transform(before);
    this.lifted = { patch, under };
    this.selection = { ...box, height: heightOf(patch), width: widthOf(patch) };
    this.#change(lay(under, patch, box.row, box.column), true);
  }

  /** @param {number} color */
  fillChosen(color) {
    this.lifted = null;
    this.#change(fillBox(this.grid, this.selection ?? whole(this.grid), color));
  }

  /** @param {number} height @param {number} width */
  resize(height, width) {
    this.selection = this.lifted = null;
    this.#change(resized(this.grid, height, width));
    this.#moveTo(this.cursor);
  }

  /** @param {string} text the clipboard of the system @returns {boolean} whether there was a grid to paste */
  pasteText(text) {
    const patch = fromText(text, this.tools.maxSide);
    if (patch) this.paste(patch);
    return patch !== null;
  }

  /** @returns {string} text for the clipboard of the system */
  copy() {
    this.tools.clipboard = this.chosen();
    this.tools.say(`copied ${heightOf(this.tools.clipboard)}x${widthOf(this.tools.clipboard)}`);
    return toText(this.tools.clipboard);
  }

  /** @param {Cell} at */
  #moveTo([row, column]) {
    this.cursor = [Math.max(0, Math.min(heightOf(this.grid) - 1, row)), Math.max(0, Math.min(widthOf(this.grid) - 1, column))];
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "a") return;
      event.preventDefault();
      this.select(whole(this.grid));
      return;
    }
    if (this.#doKey(event)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was handled */
  #doKey(event) {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    if (step) {
      const [down = 0, right = 0] = step;
      if (event.altKey) {
        if (!this.selection) this.select(boxOf(this.cursor, this.cursor));
        this.move(down, right);
      }
      this.#moveTo([this.cursor[0] + down, this.cursor[1] + right]);
      const [row, column] = this.cursor;
      if (event.shiftKey && !event.altKey) this.select(boxOf(this.anchor, this.cursor));
      else {
        this.anchor = this.cursor;
        this.tools.say(`row ${row + 1}, column ${column + 1}: ${COLOR_NAMES[this.grid[row]?.[column] ?? 0]}`);
      }
      return true;
    }
    if (event.altKey) return false;
    if (/^[0-9]$/.test(event.key)) {
      this.tools.chooseColor(Number(event.key));
      if (this.selection) this.fillChosen(Number(event.key));
      else this.#change(paint(this.grid, [this.cursor], Number(event.key)));
      return true;
    }
    const tool = TOOL_KEYS[/** @type {keyof typeof TOOL_KEYS} */ (event.key)];
    if (tool) {
      this.tools.chooseTool(/** @type {Tools["tool"]} */ (tool));
      return true;
    }
    switch (event.key) {
      case "Enter":
      case " ":
        this.#use(this.cursor);
        return true;
      case "Escape":
        this.select(null);
        return true;
      case "Delete":
      case "Backspace":
        this.fillChosen(0);
        return true;
      case "h":
        this.transform(mirrored);
        return true;
      case "v":
        this.transform(upsideDown);
        return true;
      case "r":
        this.transform(turned);
        return true;
      default:
        return false;
    }
  }
}
