// Checks for every page; each function lists the violations.

/** Text with a contrast below 4.5 to its background (WCAG 2, AA). */
function findLowContrast() {
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [red, green, blue] = numbers(color)
      .map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color.startsWith("rgb(")) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || element.closest("svg, option, :disabled, .unseen, .skip")) continue;
    if (!element.checkVisibility({ opacityProperty: true })) continue;
    const color = getComputedStyle(element).color;
    const [more, less] = [light(color), light(ground(element))].sort((a, b) => b - a);
    const ratio = (more + 0.05) / (less + 0.05);
    const text = element.textContent.slice(0, 40);
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${element.tagName} ${element.className}: ${text}`);
  }
  return low;
}

/** What a person uses and nothing names. */
function findNameless() {
  const names = (each) => [each.getAttribute("aria-label"), each.textContent.trim(), each.alt, each.title];
  return [...document.querySelectorAll("a, button, input, select, textarea, img, canvas[role]")]
    .filter((each) => each.checkVisibility() && !names(each).some(Boolean) && !each.labels?.length)
    .map((each) => each.outerHTML.slice(0, 120));
}

/** Ids that stand twice. */
function findTwice() {
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  return ids.filter((id, at) => ids.indexOf(id) !== at);
}
