// @ts-check
// Apply the reader's choices (light or dark, digits) before the page is drawn.
(() => {
  const root = document.documentElement;
  const switches = { theme: ["auto", "light", "dark"], cells: ["colors", "digits"] };
  /** @param {string} name */
  const stored = (name) => {
    try {
      return localStorage.getItem(`arcbatt-${name}`);
    } catch {
      return null; // a page in a frame may not keep anything
    }
  };
  for (const [name, choices] of Object.entries(switches)) {
    const chosen = stored(name);
    root.dataset[name] = chosen && choices.includes(chosen) ? chosen : choices[0];
  }
  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, choices] of Object.entries(switches)) {
      const select = document.querySelector(`select[data-switch="${name}"]`);
      if (!(select instanceof HTMLSelectElement)) continue;
      select.value = root.dataset[name] ?? choices[0] ?? "";
      select.addEventListener("change", () => {
        root.dataset[name] = select.value;
        try {
          localStorage.setItem(`arcbatt-${name}`, select.value);
        } catch {
          // Without storage, the choice applies to this page only.
        }
        document.dispatchEvent(new CustomEvent("arcbatt-switch", { detail: name }));
      });
    }
  });
})();
