// @ts-check
// The task editor: pairs of grids, drawing tools, undo and files.
import { GridEditor } from "./draw_canvas.js";
import { blank, heightOf, mirrored, turned, upsideDown, widthOf } from "./draw_grids.js";
import { addressOf, fromAddress, fromFile, keep, kept, sameTask, toFile } from "./draw_store.js";
import { watchSolving } from "./draw_solve.js";
import { byId, check, linkTo, makeButton, onFile, saveFile, walkByArrows } from "./elements.js";
import { COLOR_NAMES, textOn } from "./grid.js";
import { get, post, wordsOf } from "./requests.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {import("./draw_store.js").Drawn} Drawn */
/** @typedef {import("./draw_store.js").DrawnPair} DrawnPair */
/** @typedef {"train" | "test"} Part */
/** @typedef {"input" | "output"} Side */

const MAX_UNDO = 500;
const NEW_SIDE = 3;
const WORDS = Object.freeze({ train: "demo", test: "test" });

const root = byId("draw");
const limits = { train: Number(root.dataset.maxDemos), test: Number(root.dataset.maxTests) };
const maxSide = Number(root.dataset.maxSide);

/** @returns {Drawn} */
const makeNew = () => ({
  train: [{ input: blank(NEW_SIDE, NEW_SIDE), output: blank(NEW_SIDE, NEW_SIDE) }],
  test: [{ input: blank(NEW_SIDE, NEW_SIDE), output: null }],
});

/** The undo history, and the position in it. */
let history = [makeNew()];
let at = 0;
/** @type {Map<string, GridEditor>} */
const editors = new Map();
/** @type {GridEditor | null} */
let current = null;
/** The editor of the last change that was not undone. @type {GridEditor | null} */
let lastChanged = null;
const drawn = () => /** @type {Drawn} */ (history[at]);
const keyOf = (/** @type {Part} */ part, /** @type {number} */ number, /** @type {Side} */ side) => `${part}-${number}-${side}`;

/** @type {import("./draw_canvas.js").Tools} */
const tools = {
  tool: "paint",
  color: 1,
  clipboard: null,
  maxSide,
  onChange: (editor, grid, joins) => {
    const key = [...editors].find(([, each]) => each === editor)?.[0] ?? "";
    const [part, number, side] = /** @type {[Part, string, Side]} */ (key.split("-"));
    change(withGrid(drawn(), part, Number(number), side, grid), joins && editor === lastChanged);
    lastChanged = editor;
  },
  onFocus: (editor) => {
    current = editor;
    for (const each of editors.values()) each.canvas.classList.toggle("current", each === editor);
  },
  chooseColor: (color) => {
    tools.color = color;
    check(byId("colors"), (each) => each.dataset.color === String(color));
  },
  chooseTool: (tool) => {
    tools.tool = tool;
    check(byId("tools"), (each) => each.dataset.tool === tool);
  },
  say: (words) => (byId("said").textContent = words),
};

/** @param {Drawn} task @param {Part} part @param {number} number @param {Side} side @param {Grid | null} grid @returns {Drawn} */
function withGrid(task, part, number, side, grid) {
  const pairs = task[part].map((pair, k) => (k === number ? /** @type {DrawnPair} */ ({ ...pair, [side]: grid }) : pair));
  return { ...task, [part]: pairs };
}

/** Replace the current task.
 * @param {Drawn} task @param {boolean} [joins] whether it is undone with what was before */
function change(task, joins = false) {
  lastChanged = null;
  if (joins && at > 0) history[at] = task;
  else {
    history = [...history.slice(Math.max(0, at + 2 - MAX_UNDO), at + 1), task];
    at = history.length - 1;
  }
  show();
  keep(task);
}

/** @param {number} step */
function travel(step) {
  if (!history[at + step]) {
    tools.say(step < 0 ? "nothing to undo" : "nothing to redo");
    return;
  }
  at += step;
  lastChanged = null;
  tools.say(step < 0 ? "undone" : "done again");
  show();
  keep(drawn());
}

let shape = "";
function show() {
  const task = drawn();
  const nextShape = JSON.stringify([task.train.length, task.test.map((pair) => pair.output !== null)]);
  if (nextShape !== shape) {
    shape = nextShape;
    build(task);
  }
  for (const part of /** @type {const} */ (["train", "test"]))
    task[part].forEach((pair, number) => {
      for (const side of /** @type {const} */ (["input", "output"])) {
        const grid = pair[side];
        const editor = editors.get(keyOf(part, number, side));
        if (!grid || !editor) continue;
        editor.show(grid);
        const box = editor.canvas.closest(".side");
        for (const [name, size] of /** @type {const} */ ([["rows", heightOf(grid)], ["columns", widthOf(grid)]])) {
          const input = /** @type {HTMLInputElement | null | undefined} */ (box?.querySelector(`[data-size=${name}]`));
          if (input && document.activeElement !== input) input.value = String(size);
        }
      }
    });
  button("undo").disabled = at === 0;
  button("redo").disabled = at === history.length - 1;
  button("add-demo").disabled = task.train.length >= limits.train;
  button("add-test").disabled = task.test.length >= limits.test;
}

const button = (/** @type {string} */ action) => /** @type {HTMLButtonElement} */ (root.querySelector(`[data-do="${action}"]`));

/** Rebuild the pairs after their number has changed.
 * @param {Drawn} task */
function build(task) {
  editors.clear();
  current = null;
  for (const part of /** @type {const} */ (["train", "test"]))
    byId(part).replaceChildren(...task[part].map((pair, number) => makePair(task, part, number, pair)));
  const first = editors.get("train-0-input");
  if (first) tools.onFocus(first);
}

/** @param {Drawn} task @param {Part} part @param {number} number @param {DrawnPair} pair */
function makePair(task, part, number, pair) {
  const name = `${WORDS[part]} ${number + 1}`;
  const card = document.createElement("article");
  card.className = "pair card";
  card.dataset.pair = name;
  const header = document.createElement("header");
  const title = document.createElement("h3");
  title.textContent = name;
  const remove = makeButton("Remove", () => {
    change({ ...drawn(), [part]: drawn()[part].filter((_, k) => k !== number) });
    button(part === "train" ? "add-demo" : "add-test").focus();
  }, `Remove ${name}`);
  remove.disabled = task[part].length === 1;
  header.append(title, remove);
  const sides = document.createElement("div");
  sides.className = "sides";
  for (const side of /** @type {const} */ (["input", "output"])) sides.append(makeSide(part, number, side, pair[side]));
  card.append(header, sides);
  return card;
}

/** @param {Part} part @param {number} number @param {Side} side @param {Grid | null} grid */
function makeSide(part, number, side, grid) {
  const isAnswer = part === "test" && side === "output";
  const label = `${WORDS[part]} ${number + 1} ${isAnswer ? "answer" : side}`;
  const box = document.createElement("div");
  box.className = "side";
  const row = document.createElement("div");
  row.className = "row";
  const word = document.createElement("span");
  word.textContent = isAnswer ? "answer" : side;
  row.append(word);
  box.append(row);
  const setGrid = (/** @type {Grid | null} */ next) => change(withGrid(drawn(), part, number, side, next));
  const input = () => /** @type {DrawnPair} */ (drawn()[part][number]).input;
  if (!grid) {
    const about = document.createElement("p");
    about.className = "quiet";
    about.textContent = "is what the search looks for";
    box.append(about, makeButton("Draw the answer", () => setGrid(input()), `Draw the answer to test ${number + 1}; the search does not see it`));
    return box;
  }
  const canvas = document.createElement("canvas");
  const editor = new GridEditor(canvas, tools, label, grid);
  editors.set(keyOf(part, number, side), editor);
  const sizes = /** @type {const} */ (["rows", "columns"]).map((name) => {
    const field = document.createElement("input");
    Object.assign(field, { type: "number", min: "1", max: String(maxSide), inputMode: "numeric" });
    field.dataset.size = name;
    field.setAttribute("aria-label", `${label}: ${name}`);
    return field;
  });
  const resize = () => {
    const [height = 0, width = 0] = sizes.map((field) => Number(field.value));
    if ([height, width].every((size) => Number.isInteger(size) && size >= 1 && size <= maxSide)) editor.resize(height, width);
    else {
      tools.say(`a grid has 1 to ${maxSide} rows and columns`);
      sizes.forEach((field, k) => (field.value = String(k ? widthOf(editor.grid) : heightOf(editor.grid))));
    }
  };
  for (const field of sizes) field.addEventListener("change", resize);
  row.append(/** @type {HTMLElement} */ (sizes[0]), " × ", /** @type {HTMLElement} */ (sizes[1]));
  if (side === "output") row.append(makeButton("as input", () => setGrid(input()), `${label}: the same grid as the input`));
  if (isAnswer) row.append(makeButton("remove", () => setGrid(null), `Remove the answer to test ${number + 1}`));
  box.append(canvas);
  return box;
}

/** @param {unknown} error */
function complain(error) {
  byId("trouble").textContent = error === null ? "" : wordsOf(error);
  byId("trouble").hidden = error === null;
}

/** Load a task from the text of a file, which the server validates.
 * @param {string} text */
async function open(text) {
  try {
    const task = fromFile(await post("/api/draw/open", text));
    if (!sameTask(task, drawn())) change(task);
    complain(null);
  } catch (error) {
    complain(error);
  }
}

/** @param {Part} part */
function add(part) {
  const last = /** @type {DrawnPair} */ (drawn()[part].at(-1)).input;
  const grid = blank(heightOf(last), widthOf(last));
  change({ ...drawn(), [part]: [...drawn()[part], { input: grid, output: part === "train" ? grid : null }] });
  editors.get(keyOf(part, drawn()[part].length - 1, "input"))?.canvas.focus();
}

/** Actions of buttons; those for one grid apply to the last one used. @type {Record<string, () => unknown>} */
const actions = {
  undo: () => travel(-1),
  redo: () => travel(1),
  copy: () => toClipboard("copy"),
  cut: () => toClipboard("cut"),
  paste: () => (tools.clipboard ? current?.paste(tools.clipboard) : tools.say("nothing was copied")),
  flip: () => current?.transform(mirrored),
  flop: () => current?.transform(upsideDown),
  turn: () => current?.transform(turned),
  "add-demo": () => add("train"),
  "add-test": () => add("test"),
  save: () => saveFile("task.json", JSON.stringify(toFile(drawn(), true)), "application/json"),
  link: async () => tools.say(await linkTo(addressOf(drawn()))),
  new: () => change(makeNew()),
};

/** Copy or cut from the last grid used, as its keys do.
 * @param {"copy" | "cut"} kind */
function toClipboard(kind) {
  current?.canvas.focus();
  document.execCommand(kind);
}

const focused = () => [...editors.values()].find((each) => each.canvas === document.activeElement);

function listen() {
  for (const [name, act] of Object.entries(actions)) button(name).addEventListener("click", act);
  for (const tool of /** @type {NodeListOf<HTMLElement>} */ (byId("tools").querySelectorAll("[data-tool]")))
    tool.addEventListener("click", () => tools.chooseTool(/** @type {any} */ (tool.dataset.tool)));
  COLOR_NAMES.forEach((name, color) => {
    const made = makeButton(String(color), () => tools.chooseColor(color), `${color}, ${name}`);
    made.className = `color-${color}`;
    made.style.color = textOn(color);
    made.dataset.color = String(color);
    made.setAttribute("role", "radio");
    made.title = `${name} (key ${color})`;
    byId("colors").append(made);
  });
  for (const group of ["tools", "colors"]) walkByArrows(byId(group));
  document.addEventListener("keydown", (event) => {
    const isText = event.target instanceof HTMLInputElement && event.target.type !== "file";
    if (!(event.ctrlKey || event.metaKey) || event.altKey || isText) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    travel(key === "y" || event.shiftKey ? 1 : -1);
  });
  for (const kind of /** @type {const} */ (["copy", "cut"]))
    document.addEventListener(kind, (event) => {
      const editor = focused();
      if (!editor) return;
      event.preventDefault();
      event.clipboardData?.setData("text/plain", editor.copy());
      if (kind === "cut") editor.fillChosen(0);
    });
  document.addEventListener("paste", (event) => {
    const editor = focused();
    if (!editor) return;
    event.preventDefault();
    if (!editor.pasteText(event.clipboardData?.getData("text/plain") ?? "")) tools.say("the clipboard has no grid: rows of digits of one length");
  });
  onFile(byId("open"), open);
  // The program editor uses the task as drawn here, changed or not.
  root.addEventListener("click", (event) => {
    if (event.target instanceof HTMLAnchorElement && event.target.pathname === "/write") keep(drawn());
  });
  const redraw = () => editors.forEach((each) => each.draw());
  globalThis.addEventListener("resize", redraw);
  document.addEventListener("arcbatt-switch", redraw);
}

async function start() {
  listen();
  tools.chooseColor(tools.color);
  tools.chooseTool(tools.tool);
  watchSolving(drawn);
  const given = fromAddress(location.hash);
  try {
    if (given !== null) await open(given);
    else if (root.dataset.start) history = [fromFile(await get(root.dataset.start))];
    else {
      const text = kept();
      if (text !== null) history = [fromFile(await post("/api/draw/open", text))];
    }
  } catch (error) {
    complain(error);
  }
  show();
  document.documentElement.dataset.ready = "yes";
}

await start();
