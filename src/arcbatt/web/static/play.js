// @ts-check
// Play a task: draw outputs and submit them, with a number of attempts at each.
import { GridEditor } from "./draw_canvas.js";
import { blank, heightOf, widthOf } from "./draw_grids.js";
import { fromFile } from "./draw_store.js";
import { byId, check, make, makeButton, walkByArrows } from "./elements.js";
import { cellSize, COLOR_NAMES, makeGrid, textOn } from "./grid.js";
import { get, post, wordsOf } from "./requests.js";

/** @typedef {import("./grid.js").Grid} Grid */

const MOST_PIXELS = 260;
const NEW_SIDE = 3;

const root = byId("play");
const address = root.dataset.task ?? "";
const maxSide = Number(root.dataset.maxSide);
const nAttempts = Number(root.dataset.attempts);
/** Undone in this order: an editor and its grid before a change. @type {{editor: GridEditor, grid: Grid}[]} */
const undo = [];
/** The grids as last seen, to undo changes of them. @type {Map<GridEditor, Grid>} */
const seen = new Map();
let nOpen = 0;
let nSolved = 0;

/** @type {import("./draw_canvas.js").Tools} */
const tools = {
  tool: "paint",
  color: 1,
  clipboard: null,
  maxSide,
  onChange: (editor, grid, joins) => {
    if (!joins) undo.push({ editor, grid: seen.get(editor) ?? grid });
    seen.set(editor, grid);
  },
  onFocus: () => {},
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

/** @param {Grid} input @param {number} number from 0 */
function makeTest(input, number) {
  const card = make("article", undefined, "pair card");
  card.dataset.test = String(number + 1);
  const sides = make("div", undefined, "sides");
  const shown = make("figure");
  const room = Math.min(MOST_PIXELS, document.documentElement.clientWidth - 90);
  shown.append(make("figcaption", "input"), makeGrid(input, { cell: cellSize(input, room) }));
  const canvas = document.createElement("canvas");
  const box = make("div", undefined, "side");
  const editor = new GridEditor(canvas, tools, `output of test ${number + 1}`, blank(NEW_SIDE, NEW_SIDE));
  seen.set(editor, editor.grid);
  const sizes = /** @type {const} */ (["rows", "columns"]).map((name) => {
    const field = document.createElement("input");
    Object.assign(field, { type: "number", min: "1", max: String(maxSide), value: String(NEW_SIDE) });
    field.setAttribute("aria-label", `output of test ${number + 1}: ${name}`);
    return field;
  });
  const showSize = () => sizes.forEach((field, k) => (field.value = String(k ? widthOf(editor.grid) : heightOf(editor.grid))));
  for (const field of sizes)
    field.addEventListener("change", () => {
      const [height = 0, width = 0] = sizes.map((each) => Number(each.value));
      if ([height, width].every((size) => Number.isInteger(size) && size >= 1 && size <= maxSide)) editor.resize(height, width);
      else tools.say(`a grid has 1 to ${maxSide} rows and columns`);
      showSize();
    });
  const row = make("div", undefined, "row");
  const copy = makeButton("as input", () => {
    tools.onChange(editor, input, false);
    editor.show(input);
    showSize();
  }, `output of test ${number + 1}: the same grid as the input`);
  row.append("output ", /** @type {HTMLElement} */ (sizes[0]), " × ", /** @type {HTMLElement} */ (sizes[1]), copy);
  box.append(row, canvas);
  sides.append(shown, box);
  const verdict = make("p", `${nAttempts} attempts left`, "quiet");
  verdict.setAttribute("role", "status");
  let nLeft = nAttempts;
  const submit = makeButton("Submit", async () => {
    submit.disabled = true;
    try {
      const { right } = await post(`${address}/judge`, JSON.stringify({ test: number, grid: editor.grid }));
      nLeft -= 1;
      verdict.className = "";
      const left = `${nLeft} ${nLeft === 1 ? "attempt" : "attempts"} left`;
      verdict.replaceChildren(make("span", right ? "right" : "wrong", `mark ${right ? "right" : "wrong"}`), right || !nLeft ? "" : ` ${left}`);
      submit.disabled = right || !nLeft;
      if (submit.disabled) finish(right);
    } catch (error) {
      verdict.textContent = wordsOf(error);
      submit.disabled = false;
    }
  }, `Submit the output of test ${number + 1}`);
  submit.className = "first";
  const end = make("div", undefined, "row");
  end.append(submit, verdict);
  card.append(make("h3", `test ${number + 1}`), sides, end);
  document.addEventListener("arcbatt-undone", showSize);
  return card;
}

/** Say how the task ended once all test inputs are done.
 * @param {boolean} isRight */
function finish(isRight) {
  nOpen -= 1;
  nSolved += isRight ? 1 : 0;
  if (nOpen) return;
  const n = root.querySelectorAll("[data-test]").length;
  byId("verdict").textContent = nSolved === n ? "You have solved this task." : `Not solved: ${nSolved} of ${n} test inputs right.`;
}

function undoLast() {
  const last = undo.pop();
  if (!last) {
    tools.say("nothing to undo");
    return;
  }
  seen.set(last.editor, last.grid);
  last.editor.show(last.grid);
  document.dispatchEvent(new CustomEvent("arcbatt-undone"));
}

function listen() {
  byId("colors").replaceChildren(
    ...COLOR_NAMES.map((name, color) => {
      const button = makeButton(String(color), () => tools.chooseColor(color), `color ${color}, ${name}`);
      button.setAttribute("role", "radio");
      button.dataset.color = String(color);
      button.classList.add(`color-${color}`);
      button.style.color = textOn(color);
      return button;
    }),
  );
  for (const tool of /** @type {NodeListOf<HTMLElement>} */ (byId("tools").querySelectorAll("[data-tool]")))
    tool.addEventListener("click", () => tools.chooseTool(/** @type {import("./draw_canvas.js").Tools["tool"]} */ (tool.dataset.tool)));
  walkByArrows(byId("tools"));
  walkByArrows(byId("colors"));
  byId("undo").addEventListener("click", undoLast);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    undoLast();
  });
}

async function start() {
  const task = fromFile(await get(address));
  listen();
  byId("tests").replaceChildren(...task.test.map((pair, number) => makeTest(pair.input, number)));
  nOpen = task.test.length;
  tools.chooseColor(tools.color);
  tools.chooseTool(tools.tool);
  document.documentElement.dataset.ready = "yes";
}

await start();
