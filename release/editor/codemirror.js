// What write_editor.js uses of CodeMirror.
export { autocompletion, completionStatus, selectedCompletion } from "@codemirror/autocomplete";
export { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export { Decoration, EditorView, ViewPlugin, WidgetType, drawSelection, keymap, lineNumbers } from "@codemirror/view";
