// @ts-check
// Show the number of each cell's color over every picture of a grid, if the reader wants it.
// The numbers are read from the pictures, so pages need no further data.
const PALETTE = (document.querySelector('meta[name="arcbatt-colors"]')?.getAttribute("content") ?? "")
  .split(";")
  .map((part) => part.split(" "));
const COLORS = PALETTE.map(([, fill]) => fill);
const textOn = (/** @type {number} */ color) => PALETTE[color]?.[2] ?? "#000000";
const FONT = "ui-monospace, Menlo, Consolas, monospace";
// The smallest cell that can show a digit, in pixels.
const MIN_CELL = 6;
// In a small cell, the digit fills the cell.
const digitSize = (/** @type {number} */ cell) => Math.max(cell * 0.7, Math.min(cell, 8));
let patternCount = 0;

/** @param {number} red @param {number} green @param {number} blue */
const colorOf = (red, green, blue) =>
  COLORS.indexOf("#" + [red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("").toUpperCase());

/** Write digits over a picture with one pixel per cell.
 * @param {HTMLImageElement} picture */
function overPixels(picture) {
  const { naturalWidth: width, naturalHeight: height } = picture;
  const cell = picture.width / width;
  if (!width || cell < MIN_CELL || picture.parentElement?.querySelector(".digits")) return;
  const small = document.createElement("canvas");
  small.width = width;
  small.height = height;
  const reader = small.getContext("2d", { willReadFrequently: true });
  const shown = document.createElement("canvas");
  const scale = globalThis.devicePixelRatio || 1;
  shown.className = "digits";
  shown.width = picture.width * scale;
  shown.height = picture.height * scale;
  const writer = shown.getContext("2d");
  if (!reader || !writer) return;
  reader.drawImage(picture, 0, 0);
  const { data } = reader.getImageData(0, 0, width, height);
  writer.scale(scale, scale);
  writer.font = `600 ${digitSize(cell)}px ${FONT}`;
  writer.textAlign = "center";
  writer.textBaseline = "middle";
  for (let k = 0; k < width * height; k++) {
    const color = colorOf(data[4 * k] ?? 0, data[4 * k + 1] ?? 0, data[4 * k + 2] ?? 0);
    if (color < 0) continue;
    writer.fillStyle = textOn(color);
    writer.fillText(String(color), ((k % width) + 0.5) * cell, (Math.floor(k / width) + 0.55) * cell);
  }
  shown.style.width = `${picture.width}px`;
  shown.style.height = `${picture.height}px`;
  picture.after(shown);
}

/** Overlay the cells of each color with a pattern of its digit.
 * @param {SVGSVGElement} drawing */
function overShapes(drawing) {
  if (drawing.querySelector(".digits")) return;
  const make = (/** @type {string} */ name) => document.createElementNS(drawing.namespaceURI, name);
  for (const cells of [...drawing.querySelectorAll("path[fill]")]) {
    const color = COLORS.indexOf((cells.getAttribute("fill") ?? "").toUpperCase());
    // The first box of cells: where it begins and how high it is; boxes share a line of one pixel.
    const box = /^M(-?\d+) (-?\d+)h\d+v(\d+)/.exec(cells.getAttribute("d") ?? "");
    if (color < 0 || !box) continue;
    const cell = Number(box[3]) - 1;
    if (cell < MIN_CELL) continue;
    const pattern = make("pattern");
    pattern.id = `digit-${patternCount++}`;
    const place = { x: box[1], y: box[2], width: cell, height: cell, patternUnits: "userSpaceOnUse" };
    for (const [name, value] of Object.entries(place)) pattern.setAttribute(name, String(value));
    const text = make("text");
    const look = { x: cell / 2 + 0.5, y: cell * 0.75, "font-size": digitSize(cell), "font-weight": 600, "font-family": FONT, "text-anchor": "middle", fill: textOn(color) };
    for (const [name, value] of Object.entries(look)) text.setAttribute(name, String(value));
    text.textContent = String(color);
    pattern.append(text);
    const copy = /** @type {Element} */ (cells.cloneNode());
    copy.setAttribute("fill", `url(#${pattern.id})`);
    copy.setAttribute("class", "digits");
    cells.after(pattern, copy);
  }
}

// Grids out of view are processed when they come into view, as a page may have thousands.
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      if (target instanceof SVGSVGElement) overShapes(target);
      else if (target instanceof HTMLImageElement) void target.decode().then(() => overPixels(target), () => {});
    }
  },
  { rootMargin: "300px" },
);

function begin() {
  if (document.documentElement.dataset.cells !== "digits") return;
  for (const picture of document.querySelectorAll(".g img, svg")) seen.observe(picture);
}
begin();
document.addEventListener("arcbatt-switch", begin);
// Pages announce added drawings by this event.
document.addEventListener("arcbatt-drawn", begin);
