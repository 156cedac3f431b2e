// @ts-check
// Tabs: one pair, or all pairs side by side. Thumbnails and arrow keys choose among them too.
/** Activate the controls of an explanation.
 * @param {HTMLElement} root */
function activate(root) {
  const all = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
  const tabs = all(".tabs button");
  const thumbnails = all("[data-choose]");
  /** @param {HTMLElement | undefined} tab */
  const choose = (tab) => {
    const pair = tab?.dataset.pair;
    root.classList.toggle("all", pair === "all");
    for (const each of tabs) {
      each.setAttribute("aria-selected", String(each === tab));
      each.tabIndex = each === tab ? 0 : -1;
    }
    for (const each of thumbnails) each.classList.toggle("chosen", each.dataset.choose === pair);
    for (const shown of all("[data-of]")) shown.hidden = pair !== "all" && shown.dataset.of !== pair;
  };
  for (const tab of tabs) tab.addEventListener("click", () => choose(tab));
  for (const each of thumbnails) each.addEventListener("click", () => choose(tabs[Number(each.dataset.choose)]));
  if (tabs.length) choose(tabs[0]);
  root.querySelector(".tabs")?.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
    const next = tabs[(at + step + tabs.length) % tabs.length];
    choose(next);
    next?.focus({ preventScroll: true });
  });
  // Every mention of a name lights up with the one under the pointer.
  for (const name of all("a.w-name")) {
    const same = all(`a.w-name[data-name="${name.dataset.name}"]`);
    name.addEventListener("mouseenter", () => same.forEach((each) => each.classList.add("same")));
    name.addEventListener("mouseleave", () => same.forEach((each) => each.classList.remove("same")));
  }
  // Layers of a stack, lifted one by one.
  const layers = all(".stack li");
  let nLifted = 0;
  const lift = (/** @type {number} */ step) => {
    nLifted = Math.max(0, Math.min(layers.length - 1, nLifted + step));
    layers.forEach((layer, number) => layer.classList.toggle("lifted", number < nLifted));
    for (const shown of all("[data-depth]")) shown.classList.toggle("lifted", Number(shown.dataset.depth) !== nLifted);
    for (const button of all("[data-lift]")) {
      const isLast = Number(button.dataset.lift) > 0 ? nLifted === layers.length - 1 : nLifted === 0;
      /** @type {HTMLButtonElement} */ (button).disabled = isLast;
    }
    const status = root.querySelector(".lifting [role=status]");
    if (status) status.textContent = `${nLifted} of ${layers.length} lifted`;
  };
  for (const button of all("[data-lift]")) button.addEventListener("click", () => lift(Number(button.dataset.lift)));
  if (layers.length) lift(0);
}

for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".explanation"))) activate(root);
// Pages announce a replaced explanation by this event.
document.addEventListener("arcbatt-explained", (event) => activate(/** @type {HTMLElement} */ (event.target)));
