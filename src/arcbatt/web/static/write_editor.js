// @ts-check
// The program editor: CodeMirror with the words of the language, and notes below lines.
import {
  Decoration,
  EditorState,
  EditorView,
  StateEffect,
  StateField,
  ViewPlugin,
  WidgetType,
  autocompletion,
  completionStatus,
  defaultKeymap,
  drawSelection,
  history,
  historyKeymap,
  indentLess,
  indentMore,
  keymap,
  lineNumbers,
  selectedCompletion,
} from "./codemirror.js";
import { make } from "./elements.js";

/** @typedef {{name: string, kind: "primitive" | "constant" | "input" | "name", about: string, isOther?: boolean}} Word `isOther`: another spelling of a primitive */
/** @typedef {{line: number, state: string, note: string, column?: number}} Note a note stands under its line, counted from 1 */

const WORD = /#.*|[A-Za-z_]\w*|\d+/g;
const MAX_CHOICES = 40;
const NO_MATCH = 8;
const INDENT = "    ";

/** Replaces the notes. */
const newNotes = StateEffect.define();
/** Replaces the vocabulary, so that words are highlighted again. */
const newWords = StateEffect.define();

class NoteWidget extends WidgetType {
  /** @param {Note} note @param {number} indent */
  constructor(note, indent) {
    super();
    this.note = note;
    this.indent = indent;
  }

  /** @param {NoteWidget} other */
  eq(other) {
    return other.note.note === this.note.note && other.note.state === this.note.state && other.indent === this.indent;
  }

  toDOM() {
    const shown = make("div", this.note.note, `note ${this.note.state}`);
    shown.style.marginLeft = `${this.indent}ch`;
    return shown;
  }
}

/** @param {any} doc @param {readonly Note[]} notes */
function decorateNotes(doc, notes) {
  const shown = [];
  for (const note of notes) {
    if (note.line > doc.lines) continue;
    const line = doc.line(note.line);
    const indent = /^\s*/.exec(line.text)?.[0].length ?? 0;
    shown.push(Decoration.widget({ widget: new NoteWidget(note, indent), block: true, side: 1 }).range(line.to));
    if (!note.column) continue;
    const from = Math.min(line.from + note.column - 1, line.to);
    const end = /^(\w+|.)/.exec(line.text.slice(from - line.from))?.[0].length ?? 0;
    if (end) shown.push(Decoration.mark({ class: "wrong-word" }).range(from, from + end));
  }
  return Decoration.set(shown, true);
}

/** The notes move with their lines while the text changes. */
const notesField = StateField.define({
  create: () => Decoration.none,
  update: (/** @type {any} */ shown, /** @type {any} */ change) => {
    for (const effect of change.effects) if (effect.is(newNotes)) return decorateNotes(change.state.doc, effect.value);
    return shown.map(change.changes);
  },
  provide: (/** @type {any} */ field) => EditorView.decorations.from(field),
});

/** The look of the editor; its variables are those of the page. */
const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--code)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "10px", overflow: "hidden" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { font: "13.5px/22px var(--mono)", minHeight: "190px" },
  ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--quiet)", border: "0" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 35%, transparent)",
  },
  ".w-primitive": { color: "var(--primitive)" },
  ".w-constant": { color: "var(--constant)" },
  ".w-input": { color: "var(--input)", fontWeight: "600" },
  ".w-comment": { color: "var(--quiet)", fontStyle: "italic" },
  ".wrong-word": { textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "4px" },
  ".note": { font: "11.5px/18px var(--sans)", color: "var(--quiet)", padding: "0 6px", borderRadius: "5px", width: "fit-content", overflowWrap: "anywhere" },
  ".note.failed": { color: "var(--bad)", background: "var(--bad-soft)", fontWeight: "600" },
  ".note.blocked, .note.unreached": { fontStyle: "italic" },
  ".cm-tooltip": { background: "var(--card)", color: "var(--text)", border: "1px solid var(--edge)", borderRadius: "9px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "13px/20px var(--mono)", maxHeight: "232px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontSize: "12px", fontStyle: "normal" },
});

export class Editor {
  /** @param {HTMLElement} place an empty element @param {{label: string, maxLength: number}} options */
  constructor(place, { label, maxLength }) {
    /** @type {Map<string, Word>} */
    this.words = new Map();
    /** @type {(text: string) => void} */
    this.onChange = () => {};
    /** @type {(word: string) => void} */
    this.onWord = () => {};
    // In a shadow root, CodeMirror's styles are style sheet objects, which the policy of pages allows.
    const root = place.attachShadow({ mode: "open" });
    const highlight = ViewPlugin.define(
      (/** @type {any} */ view) => ({
        decorations: this.#highlight(view.state.doc),
        update(/** @type {any} */ change) {
          const isNew = change.transactions.some((/** @type {any} */ each) => each.effects.some((/** @type {any} */ effect) => effect.is(newWords)));
          if (change.docChanged || isNew) this.decorations = editor.#highlight(change.state.doc);
        },
      }),
      { decorations: (/** @type {any} */ plugin) => plugin.decorations },
    );
    const editor = this;
    this.view = new EditorView({
      root,
      parent: root,
      extensions: [
        THEME,
        lineNumbers(),
        // So that a long note takes no more room than the editor has.
        EditorView.lineWrapping,
        history(),
        drawSelection(),
        highlight,
        notesField,
        // Only when asked: what is typed is never replaced.
        autocompletion({ activateOnTyping: false, interactionDelay: 0, icons: false, override: [(/** @type {any} */ context) => this.#complete(context)] }),
        keymap.of([{ key: "Enter", run: breakLine }, { key: "Tab", run: indentMore, shift: indentLess }, ...historyKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", "data-editor": "program" }),
        EditorState.changeFilter.of((/** @type {any} */ change) => change.newDoc.length <= maxLength),
        EditorView.updateListener.of((/** @type {any} */ change) => this.#onUpdate(change)),
      ],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  get isOpen() {
    return completionStatus(this.view.state) !== null;
  }

  /** @param {string} text */
  setText(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** @param {readonly Note[]} notes */
  setNotes(notes) {
    this.view.dispatch({ effects: newNotes.of(notes) });
  }

  /** @param {Map<string, Word>} words */
  setWords(words) {
    this.words = words;
    this.view.dispatch({ effects: newWords.of(null) });
  }

  /** @param {boolean} isWrong */
  setInvalid(isWrong) {
    this.view.contentDOM.setAttribute("aria-invalid", String(isWrong));
  }

  /** @param {any} change */
  #onUpdate(change) {
    if (change.docChanged) this.onChange(this.text);
    const chosen = selectedCompletion(this.view.state);
    if (chosen) this.onWord(chosen.label);
    else if (change.selectionSet || change.docChanged) {
      const { state } = this.view;
      const word = state.wordAt(state.selection.main.head);
      if (word) this.onWord(state.sliceDoc(word.from, word.to));
    }
  }

  /** @param {any} doc */
  #highlight(doc) {
    const text = doc.toString();
    const own = ownNames(text);
    const marks = [];
    for (const match of text.matchAll(WORD)) {
      const word = match[0];
      const kind = word.startsWith("#") ? "comment" : /^\d/.test(word) ? "constant" : own.has(word) ? "name" : this.words.get(word)?.kind;
      if (kind) marks.push(Decoration.mark({ class: `w-${kind}` }).range(match.index, match.index + word.length));
    }
    return Decoration.set(marks);
  }

  /** The completions of the word at the caret, the nearest first.
   * @param {any} context */
  #complete(context) {
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    const before = word?.text ?? "";
    const lower = before.toLowerCase();
    const own = [...ownNames(context.state.doc.toString())].map((name) => /** @type {Word} */ ({ name, kind: "name", about: "a line of this program" }));
    const rank = (/** @type {Word} */ each) => {
      const name = each.name.toLowerCase();
      const distance = name === lower ? 0 : name.startsWith(lower) ? 1 : name.includes(lower) ? 2 : NO_MATCH;
      return distance + (each.isOther ? NO_MATCH / 2 : 0);
    };
    const isArgument = /[(,]\s*$/.test(context.state.sliceDoc(0, context.pos - before.length));
    const options = [...own, ...this.words.values()]
      .filter((each) => rank(each) < NO_MATCH && each.name !== before)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, MAX_CHOICES)
      .map((each) => ({
        label: each.name,
        detail: each.about,
        // An argument may be a primitive itself, as in `compose(first, last)`.
        apply: each.kind === "primitive" && !isArgument ? applyCall : undefined,
      }));
    // The whole word is replaced, also what follows the caret.
    const after = before ? (/^\w*/.exec(context.state.sliceDoc(context.pos, context.pos + 80))?.[0].length ?? 0) : 0;
    return { from: context.pos - before.length, to: context.pos + after, options, filter: false };
  }
}

/** Insert a primitive with an open bracket, unless one follows.
 * @param {any} view @param {{label: string}} completion @param {number} from @param {number} to */
function applyCall(view, completion, from, to) {
  const isCalled = view.state.sliceDoc(to, to + 1) === "(";
  const insert = isCalled ? completion.label : `${completion.label}(`;
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete" });
}

/** Start a line indented as the one before it, or one step more after a colon.
 * @param {any} view */
function breakLine(view) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const before = state.sliceDoc(state.doc.lineAt(from).from, from);
  const indent = (/^\s*/.exec(before)?.[0] ?? "") + (/:\s*$/.test(before) ? INDENT : "");
  view.dispatch({ changes: { from, to, insert: `\n${indent}` }, selection: { anchor: from + 1 + indent.length }, scrollIntoView: true, userEvent: "input" });
  return true;
}

/** @param {string} text @returns {Set<string>} the names that a program assigns */
function ownNames(text) {
  return new Set([...text.matchAll(/^\s+([A-Za-z_]\w*)\s*(?::[^=\n]*)?=/gm)].map((match) => match[1] ?? ""));
}
