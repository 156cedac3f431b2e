// @ts-check
// Helpers for pages: elements, radio groups, files and links.

const KEEP_MS = 10_000;
const STEPS = Object.freeze({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} name @param {string} [text] @param {string} [className] */
export function make(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** @param {string} text @param {() => void} onClick @param {string} [label] its label if the text is not descriptive */
export function makeButton(text, onClick, label) {
  const made = /** @type {HTMLButtonElement} */ (make("button", text));
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

/** @param {HTMLElement} group @returns {HTMLElement[]} */
const radiosOf = (group) => [...group.querySelectorAll("[role=radio]")].map((each) => /** @type {HTMLElement} */ (each));

/** Check one radio button of a group; Tab reaches only this one, arrows the others.
 * @param {HTMLElement} group @param {(button: HTMLElement) => boolean} isChosen */
export function check(group, isChosen) {
  for (const button of radiosOf(group)) {
    button.setAttribute("aria-checked", String(isChosen(button)));
    button.tabIndex = isChosen(button) ? 0 : -1;
  }
}

/** Let arrow keys choose among the radio buttons of a group.
 * @param {HTMLElement} group */
export function walkByArrows(group) {
  group.addEventListener("keydown", (event) => {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    if (!step) return;
    event.preventDefault();
    const buttons = radiosOf(group);
    const at = buttons.findIndex((each) => each === document.activeElement);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    next?.focus();
    next?.click();
  });
}

/** Download a text as a file.
 * @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}

/** Call `take` with the text of a file that is chosen, or dropped on the page; a file can be chosen again.
 * @param {HTMLElement} input @param {(text: string) => void} take */
export function onFile(input, take) {
  if (!(input instanceof HTMLInputElement)) return;
  input.addEventListener("change", async () => {
    const text = await input.files?.[0]?.text();
    input.value = "";
    if (text !== undefined) take(text);
  });
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
  // Otherwise the browser would leave the page for the file.
  document.addEventListener("dragover", (event) => hasFile(event) && event.preventDefault());
  document.addEventListener("drop", async (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    const text = await event.dataTransfer?.files[0]?.text();
    if (text !== undefined) take(text);
  });
}

/** Change the address of this page, and copy it to the clipboard if the browser allows it.
 * @param {string} address @returns {Promise<string>} what was done, in words */
export async function linkTo(address) {
  globalThis.history.replaceState(null, "", address);
  const isCopied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
  return isCopied ? "The address of this page now contains everything, and is on the clipboard." : "The address of this page now contains everything.";
}
