// @ts-check
// Charts to zoom and to read values from, in place of the drawn ones. Drag to zoom, double-click to see all.
import uPlot from "./uplot.js";
import { make } from "./elements.js";
import { get } from "./requests.js";

/** @typedef {{name: string, points: [number, number][]}} Line */
/** @typedef {{title: string, x: string, y: string, lines: Line[]}} Chart */

const HEIGHT = 280;
const LABEL_FONT = "12px system-ui, sans-serif";
const MOST_WIDTH = 620;

const place = /** @type {HTMLElement} */ (document.getElementById("chart"));

/** A color of the page's style as canvases need it: they know neither variables nor light-dark().
 * @param {string} name */
function colorOf(name) {
  const probe = make("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The points of lines on common x values, with gaps where a line has none.
 * @param {readonly Line[]} lines */
function align(lines) {
  const all = [...new Set(lines.flatMap((line) => line.points.map(([x]) => x)))].sort((a, b) => a - b);
  const values = lines.map((line) => {
    const known = new Map(line.points);
    return all.map((x) => known.get(x) ?? null);
  });
  return [all, ...values];
}

/** @param {Chart} chart */
function draw(chart) {
  const box = make("figure");
  const colors = ["--accent", "--good", "--unsure", "--bad", "--primitive", "--constant"].map(colorOf);
  const [text, edge] = [colorOf("--quiet"), colorOf("--edge")];
  const axis = { stroke: text, labelFont: LABEL_FONT, grid: { stroke: edge, width: 1 }, ticks: { stroke: edge, width: 1 } };
  const made = new uPlot(
    {
      title: chart.title,
      width: Math.max(260, Math.min(MOST_WIDTH, document.documentElement.clientWidth - 60)),
      height: HEIGHT,
      scales: { x: { time: false } },
      axes: [
        { ...axis, label: chart.x },
        { ...axis, label: chart.y, size: 64 },
      ],
      series: [
        { label: chart.x },
        ...chart.lines.map((line, k) => ({ label: line.name || chart.y, stroke: colors[k % colors.length], width: 2, spanGaps: true })),
      ],
    },
    align(chart.lines),
    box,
  );
  made.over.setAttribute("aria-label", `${chart.title}: drag to zoom, double-click to see all`);
  made.over.setAttribute("role", "img");
  return box;
}

async function show() {
  const { charts } = await get(place.dataset.charts ?? "");
  const shown = charts.filter((/** @type {Chart} */ chart) => chart.lines.some((line) => line.points.length));
  if (shown.length) place.replaceChildren(...shown.map(draw));
  document.documentElement.dataset.charts = String(shown.length);
}

if (place?.dataset.charts) {
  await show();
  document.addEventListener("arcbatt-news", show);
  new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
}
