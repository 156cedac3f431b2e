// @ts-check
// A text area for programs with syntax highlighting, notes below lines, and completions.
import { make } from "./elements.js";

/** @typedef {{name: string, kind: "primitive" | "constant" | "input" | "name", about: string, isOther?: boolean}} Word `isOther`: another spelling of a primitive */
/** @typedef {{line: number, state: string, note: string, column?: number}} Note a note stands under its line, counted from 1 */

const WORD = /#.*|[A-Za-z_]\w*|\d+|\s+|./g;
const MAX_CHOICES = 40;
const NO_MATCH = 8;
const INDENT = "    ";

export class Editor {
  /** @param {HTMLTextAreaElement} area @param {HTMLElement} behind @param {HTMLElement} numbers @param {HTMLElement} list */
  constructor(area, behind, numbers, list) {
    this.area = area;
    this.behind = behind;
    this.numbers = numbers;
    this.list = list;
    /** @type {Map<string, Word>} */
    this.words = new Map();
    /** @type {readonly Note[]} */
    this.notes = [];
    /** @type {Word[]} */
    this.choices = [];
    this.chosen = 0;
    /** @type {(text: string) => void} */
    this.onChange = () => {};
    /** @type {(word: string) => void} */
    this.onWord = () => {};
    area.addEventListener("input", () => {
      this.show();
      this.#complete(false);
      this.onChange(area.value);
    });
    area.addEventListener("scroll", () => this.#scroll());
    area.addEventListener("keydown", (event) => this.#onKey(event));
    area.addEventListener("blur", () => this.#close());
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === area && !this.isOpen) this.onWord(this.#wordAt().whole);
    });
    list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the area keeps the focus
      const item = /** @type {HTMLElement} */ (event.target).closest("li");
      if (item) this.#take(Number(item.dataset.place));
    });
  }

  get isOpen() {
    return !this.list.hidden;
  }

  /** @param {string} text */
  setText(text) {
    this.area.value = text;
    this.show();
    this.onChange(text);
  }

  /** @param {readonly Note[]} notes */
  setNotes(notes) {
    this.notes = notes;
    this.show();
  }

  /** Draw the layer behind the text: highlighted words and notes. */
  show() {
    const lines = this.area.value.split("\n");
    const own = this.#ownNames();
    this.behind.replaceChildren(...lines.map((line, k) => this.#showLine(line, this.notes.filter((note) => note.line === k + 1), own)));
    this.numbers.textContent = lines.map((_, k) => k + 1).join("\n");
    this.area.rows = Math.max(lines.length, 3);
    this.#scroll();
  }

  /** @param {string} line @param {readonly Note[]} notes @param {ReadonlySet<string>} own */
  #showLine(line, notes, own) {
    const shown = document.createElement("div");
    shown.className = "code-line";
    const wrongFrom = notes.find((note) => note.column)?.column ?? 0;
    for (const match of line.matchAll(WORD)) {
      const span = document.createElement("span");
      const kind = match[0].startsWith("#") ? "comment" : /^\d/.test(match[0]) ? "constant" : own.has(match[0]) ? "name" : this.words.get(match[0])?.kind;
      span.className = kind ? `w-${kind}` : "w-other";
      const end = match.index + match[0].length;
      if (wrongFrom && match.index < wrongFrom && wrongFrom <= end && match[0].trim()) span.classList.add("wrong-word");
      span.textContent = match[0];
      shown.append(span);
    }
    for (const note of notes) {
      shown.append(make("span", note.note, `note ${note.state}`));
    }
    // A note begins where its line does.
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    for (const note of /** @type {NodeListOf<HTMLElement>} */ (shown.querySelectorAll(".note"))) note.style.left = `${indent}ch`;
    return shown;
  }

  #scroll() {
    this.behind.scrollLeft = this.area.scrollLeft;
  }

  /** @returns {Set<string>} the names that the program assigns */
  #ownNames() {
    return new Set([...this.area.value.matchAll(/^\s+([A-Za-z_]\w*)\s*(?::[^=\n]*)?=/gm)].map((match) => match[1] ?? ""));
  }

  /** The word at the caret: its part before it, and all of it. */
  #wordAt() {
    const { selectionStart: caret, value } = this.area;
    const before = /[A-Za-z_]\w*$/.exec(value.slice(0, caret))?.[0] ?? "";
    const after = /^\w*/.exec(value.slice(caret))?.[0] ?? "";
    return { caret, before, whole: before + (before ? after : "") };
  }

  /** Offer completions of the word at the caret.
   * @param {boolean} isAsked whether to list all words if there is none at the caret */
  #complete(isAsked) {
    const { before, caret } = this.#wordAt();
    const line = this.area.value.slice(this.area.value.lastIndexOf("\n", caret - 1) + 1, caret);
    // A line starts with a name that the author chooses, and a comment is free text.
    const isFree = !isAsked && (/^\s*\w*$/.test(line) || /^def\b/.test(line));
    if ((!before && !isAsked) || isFree || line.includes("#")) {
      this.#close();
      return;
    }
    const own = [...this.#ownNames()].map((name) => /** @type {Word} */ ({ name, kind: "name", about: "a line of this program" }));
    const lower = before.toLowerCase();
    const rank = (/** @type {Word} */ word) => {
      const name = word.name.toLowerCase();
      const distance = name === lower ? 0 : name.startsWith(lower) ? 1 : name.includes(lower) ? 2 : NO_MATCH;
      return distance + (word.isOther ? NO_MATCH / 2 : 0);
    };
    this.choices = [...own, ...this.words.values()]
      .filter((word) => rank(word) < NO_MATCH && word.name !== before)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, MAX_CHOICES);
    if (this.choices.length) this.#open(line.length - before.length);
    else this.#close();
  }

  /** @param {number} column */
  #open(column) {
    this.chosen = 0;
    this.list.replaceChildren(
      ...this.choices.map((word, place) => {
        const item = document.createElement("li");
        item.id = `choice-${place}`;
        item.dataset.place = String(place);
        item.setAttribute("role", "option");
        item.append(make("b", word.name), make("span", word.about));
        return item;
      }),
    );
    const line = this.area.value.slice(0, this.area.selectionStart).split("\n").length;
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    this.list.hidden = false;
    this.list.style.top = `${line * height + 2}px`;
    const left = parseFloat(getComputedStyle(this.behind).paddingLeft) + column * this.#columnWidth() - this.area.scrollLeft;
    const room = (this.list.parentElement?.clientWidth ?? 0) - this.list.offsetWidth;
    this.list.style.left = `${Math.max(0, Math.min(left, room))}px`;
    this.#choose(0);
  }

  #columnWidth() {
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return 8;
    context.font = getComputedStyle(this.area).font;
    return context.measureText("0").width;
  }

  #close() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** @param {number} place */
  #choose(place) {
    this.chosen = (place + this.choices.length) % this.choices.length;
    [...this.list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === this.chosen)));
    this.list.children[this.chosen]?.scrollIntoView({ block: "nearest" });
    this.area.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
    this.onWord(this.choices[this.chosen]?.name ?? "");
  }

  /** Replace the word at the caret by a completion.
   * @param {number} place */
  #take(place) {
    const word = this.choices[place];
    const { before, whole, caret } = this.#wordAt();
    this.#close();
    if (!word) return;
    const start = caret - before.length;
    const end = start + whole.length;
    this.area.setSelectionRange(start, end);
    const isCalled = word.kind === "primitive" && this.area.value[end] !== "(" && !this.#isArgument(start);
    this.#insert(isCalled ? `${word.name}(` : word.name);
    this.onWord(word.name);
  }

  /** Whether a word is an argument that may be a primitive, as in `compose(first, last)`.
   * @param {number} place */
  #isArgument(place) {
    return /[(,]\s*$/.test(this.area.value.slice(0, place));
  }

  /** Insert text as if typed, so that the browser can undo it.
   * @param {string} text */
  #insert(text) {
    if (document.execCommand("insertText", false, text)) return;
    const { selectionStart, selectionEnd } = this.area;
    this.area.setRangeText(text, selectionStart, selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#complete(true);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (this.isOpen && this.#onListKey(event.key)) {
      event.preventDefault();
      return;
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    const before = this.area.value.slice(0, this.area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    this.#insert(`\n${/:\s*$/.test(line) ? indent + INDENT : indent}`);
    this.#close();
  }

  /** @param {string} key @returns {boolean} whether the list handled it */
  #onListKey(key) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[key];
    if (step) this.#choose(Math.abs(step) === 1 ? this.chosen + step : Math.max(0, Math.min(this.choices.length - 1, this.chosen + step)));
    else if (key === "Enter" || key === "Tab") this.#take(this.chosen);
    else if (key === "Escape") this.#close();
    else return false;
    return true;
  }
}
