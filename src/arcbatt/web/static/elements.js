// @ts-check
// What pages have in common: elements by their ids, made anew, chosen by arrows; files in and out.

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

/** @param {string} text @param {() => void} onClick @param {string} [label] what it is called where its text says too little */
export function makeButton(text, onClick, label) {
  const made = /** @type {HTMLButtonElement} */ (make("button", text));
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  made.addEventListener("click", onClick);
  return made;
}

/** @param {HTMLElement} group @returns {HTMLElement[]} */
const radiosOf = (group) => [...group.querySelectorAll("[role=radio]")].map((each) => /** @type {HTMLElement} */ (each));

/** Mark one of a group of radio buttons; it alone is reached by Tab, the others by arrows.
 * @param {HTMLElement} group @param {(button: HTMLElement) => boolean} isChosen */
export function check(group, isChosen) {
  for (const button of radiosOf(group)) {
    button.setAttribute("aria-checked", String(isChosen(button)));
    button.tabIndex = isChosen(button) ? 0 : -1;
  }
}

/** Have arrows choose among the radio buttons of a group.
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

/** Hand a text out as a file.
 * @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}

/** Take the texts of files that are chosen, or dropped on the page; one may be chosen again when it has changed.
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

/** Put something into the address of this page, and that on the clipboard, where the browser allows it.
 * @param {string} address @returns {Promise<string>} what was done, in words */
export async function linkTo(address) {
  globalThis.history.replaceState(null, "", address);
  const isCopied = await navigator.clipboard.writeText(location.href).then(() => true, () => false);
  return isCopied ? "The address of this page has it all now, and is on the clipboard." : "The address of this page has it all now.";
}
