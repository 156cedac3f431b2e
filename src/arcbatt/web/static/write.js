// @ts-check
// The program editor page: shows errors and the value of every line.
import { byId, check, linkTo, make, makeButton, onFile, saveFile, walkByArrows } from "./elements.js";
import { kept } from "./draw_store.js";
import { get, post, wordsOf } from "./requests.js";
import { Editor } from "./write_editor.js";

/** @typedef {import("./write_editor.js").Word} Word */
/** @typedef {{pair: string, result: "right" | "wrong" | "failed" | "unjudged" | null, reason: string | null}} PairResult */

const PAUSE_MS = 220;
/** A check that takes longer than this is aborted when the text changes. */
const PATIENCE_MS = 1000;
const PREFIX = "#program=";
const MARKS = Object.freeze({ right: "✓", wrong: "✗", failed: "!", unjudged: "?" });
const ALL = "all";

const root = byId("write");
const of = root.dataset.of ?? "";
const draftKey = `arcbatt-program-${of}`;
const editor = new Editor(byId("editor"), { label: "Program", maxLength: Number(root.dataset.maxText) });
/** @type {Map<string, any>} */
const primitives = new Map();
let pair = "demo 1";
/** @type {AbortController | null} */
let running = null;
let beganMs = 0;
let isDue = false;
let timer = 0;

/** The initial program. */
const beginning = () => `def ${root.dataset.name}(I):\n    O = identity(I)\n    return O\n`;

/** The task: one of a set by its keys, the drawn one, or an example until there is one. */
function taskOf() {
  if (of) return { of: JSON.parse(of) };
  const text = kept();
  return text === null ? { of: JSON.parse(root.dataset.example ?? "") } : { task: JSON.parse(text) };
}

/** Name the example in the heading if no task is drawn yet. */
function nameTask() {
  if (of || kept() !== null) return;
  const about = /** @type {HTMLAnchorElement} */ (byId("about"));
  about.href = root.dataset.exampleHere ?? "";
  about.textContent = `${root.dataset.exampleName}, an example`;
}

/** Check the text when it has not changed for a moment. */
function checkSoon() {
  clearTimeout(timer);
  byId("values").classList.add("old");
  timer = setTimeout(checkNow, PAUSE_MS);
}

async function checkNow() {
  if (running) {
    isDue = true;
    if (performance.now() - beganMs > PATIENCE_MS) running.abort();
    else timer = setTimeout(checkNow, PAUSE_MS);
    return;
  }
  const about = taskOf();
  isDue = false;
  running = new AbortController();
  beganMs = performance.now();
  const { signal } = running;
  try {
    const checked = await post("/api/check", JSON.stringify({ ...about, text: editor.text, pair }), signal);
    if (!isDue) show(checked);
  } catch (error) {
    if (!signal.aborted) complain(wordsOf(error));
  } finally {
    running = null;
    if (isDue) checkSoon();
  }
}

/** @param {string} words */
function complain(words) {
  byId("problem").textContent = words;
  byId("problem").hidden = !words;
}

/** @param {any} checked */
function show(checked) {
  const { error, lines = [], html } = checked;
  editor.setInvalid(Boolean(error));
  if (error) {
    editor.setNotes([...lines, { line: error.line, column: error.column, state: "failed", note: error.message }]);
    complain(`line ${error.line}: ${error.message}`);
    byId("summary").textContent = "This is not a program yet.";
  } else {
    editor.setNotes(lines);
    // The space under a line may be too small for its whole note.
    const failed = lines.filter((/** @type {{state: string}} */ each) => each.state === "failed");
    complain(failed.map((/** @type {{line: number, note: string}} */ each) => `line ${each.line}: ${each.note}`).join("\n"));
    byId("summary").textContent = `${checked.summary.right ? "✓" : "✗"} ${checked.summary.words}${checked.summary.reason ? `: ${checked.summary.reason}` : ""}`;
  }
  showPairs(checked.pairs);
  if (html) showValues(html, Boolean(error));
  note();
}

/** @param {string} html made of escaped texts by the server @param {boolean} isPart whether the program is incomplete */
function showValues(html, isPart) {
  const values = byId("values");
  values.innerHTML = html;
  values.classList.remove("old");
  values.classList.toggle("part", isPart);
  values.classList.toggle("all", pair === ALL);
  if (pair === ALL) for (const hidden of values.querySelectorAll("[data-of]")) hidden.removeAttribute("hidden");
  values.dispatchEvent(new CustomEvent("arcbatt-explained", { bubbles: true }));
  document.dispatchEvent(new CustomEvent("arcbatt-drawn"));
}

/** Count the checks of the text, so that tests can wait for one. */
function note() {
  document.documentElement.dataset.checked = String(Number(document.documentElement.dataset.checked ?? 0) + 1);
}

/** @param {readonly PairResult[]} pairs */
function showPairs(pairs) {
  const place = byId("pairs");
  const hadFocus = place.contains(document.activeElement);
  if (pair !== ALL && !pairs.some((each) => each.pair === pair)) pair = pairs[0]?.pair ?? ALL;
  const choices = pairs.map((each) => ({ name: each.pair, result: each.result ?? "", title: each.reason ?? "" }));
  place.replaceChildren(
    ...[...choices, { name: ALL, result: "", title: "" }].map(({ name, result, title }) => {
      const button = makeButton(name === ALL ? "side by side" : `${name} `, () => choose(name));
      button.className = result;
      button.title = title;
      button.setAttribute("role", "radio");
      button.dataset.pair = name;
      if (result) {
        const mark = make("b", MARKS[/** @type {keyof typeof MARKS} */ (result)]);
        mark.setAttribute("aria-label", result);
        mark.setAttribute("role", "img");
        button.append(mark);
      }
      return button;
    }),
  );
  check(place, (each) => each.dataset.pair === pair);
  if (hadFocus) /** @type {HTMLElement | null} */ (place.querySelector("[aria-checked=true]"))?.focus();
}

/** @param {string} name */
function choose(name) {
  pair = name;
  check(byId("pairs"), (each) => each.dataset.pair === name);
  checkSoon();
}

/** Show the types, documentation and examples of a primitive.
 * @param {string} word */
function showHelp(word) {
  const primitive = primitives.get(word);
  const place = byId("doc");
  if (!primitive || place.dataset.word === word) return;
  place.dataset.word = word;
  place.hidden = false;
  const parts = [make("h2", primitive.usage), ...primitive.signatures.map((/** @type {string} */ each) => make("code", each, "types")), make("p", primitive.doc)];
  if (primitive.notes) parts.push(make("p", primitive.notes, "quiet"));
  if (primitive.ties) parts.push(make("p", `Ties: ${primitive.ties}.`, "quiet"));
  for (const example of primitive.examples.slice(0, 2)) {
    const line = make("p");
    line.append(make("code", example));
    parts.push(line);
  }
  place.replaceChildren(...parts);
}

async function learnWords() {
  const vocabulary = await get("/api/words");
  /** @type {Word[]} */
  const words = [
    { name: "I", kind: "input", about: "the input" },
    { name: "S", kind: "input", about: "the demos" },
  ];
  for (const each of vocabulary.primitives) {
    words.push({ name: each.name, kind: "primitive", about: each.doc });
    for (const spelling of [each.name, ...each.other_names]) primitives.set(spelling, each);
  }
  for (const [name, value] of Object.entries(vocabulary.constants)) words.push({ name, kind: "constant", about: String(value) });
  const known = new Map(words.map((word) => [word.name, word]));
  for (const [spelling, each] of primitives) if (!known.has(spelling)) known.set(spelling, { name: spelling, kind: "primitive", about: `another spelling of ${each.name}`, isOther: true });
  editor.setWords(known);
}

function stored() {
  try {
    return localStorage.getItem(draftKey);
  } catch {
    return null;
  }
}

function listen() {
  editor.onChange = (text) => {
    try {
      localStorage.setItem(draftKey, text);
    } catch {
      // Without storage, the text is lost with the page; it can still be saved to a file.
    }
    checkSoon();
  };
  editor.onWord = showHelp;
  walkByArrows(byId("pairs"));
  onFile(byId("open"), (text) => editor.setText(text));
  byId("save").addEventListener("click", () => saveFile(`${root.dataset.name}.py`, editor.text, "text/x-python"));
  byId("link").addEventListener("click", async () => {
    byId("said").textContent = await linkTo(`${location.pathname}${PREFIX}${encodeURIComponent(editor.text)}`);
  });
}

/** The program in the address, even if it is truncated. */
function fromAddress() {
  if (!location.hash.startsWith(PREFIX)) return null;
  const text = location.hash.slice(PREFIX.length);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function start() {
  nameTask();
  listen();
  editor.setText(fromAddress() ?? stored() ?? beginning());
  try {
    await learnWords();
  } catch (error) {
    complain(wordsOf(error));
  }
  document.documentElement.dataset.ready = "yes";
}

await start();
