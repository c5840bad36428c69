// Graphs as SVG: lines over steps with round values at the side, and a value with its interval as a bar.

import { svg } from "./elements.js";

const TOP = 12, RIGHT = 12, BOTTOM = 24;

/**
 * Returns a graph of lines. Each has `values`, a `name` for its title, and may have a `band`, the half widths of an
 * interval. `ends` are the texts below the first and the last step, `write` writes a value.
 */
export function lineGraph(lines, { label, ends, write, width = 720, height = 260, step = 100, widest = Infinity }) {
  const left = 14 + 7.5 * Math.max(...lines.flatMap((line) => line.values.map((value) => write(Math.round(value)).length)));
  const reach = lines.flatMap(({ values, band }) => values.flatMap((value, index) => {
    const half = Math.min(band?.[index] ?? 0, widest);
    return [value - half, value + half];
  }));
  const [low, high, unit] = scale(Math.min(...reach), Math.max(...reach), step);
  const steps = Math.max(1, lines[0].values.length - 1);
  const x = (index) => left + (index * (width - left - RIGHT)) / steps;
  const y = (value) => TOP + ((high - Math.max(low, Math.min(high, value))) * (height - TOP - BOTTOM)) / (high - low);
  const path = (values) => values.map((value, index) => `${x(index)},${y(value)}`);
  const grid = [];
  for (let value = low; value <= high; value += unit) {
    grid.push(svg("line", { class: "grid", x1: left, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, write(value)));
  }
  return svg("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...grid,
    ...lines.filter(({ band }) => band).map(({ values, band }) => svg("polygon", {
      class: "band",
      points: [...path(values.map((value, index) => value + band[index])), ...path(values.map((value, index) => value - band[index])).reverse()].join(" "),
    })),
    ...lines.map(({ values, name }, index) => svg("polyline", { class: `course line-${index}`, points: path(values).join(" ") }, svg("title", {}, name))),
    svg("text", { x: left, y: height - 6 }, ends[0]),
    svg("text", { x: width - RIGHT, y: height - 6, "text-anchor": "end" }, ends[1]));
}

/** The rating points of an interval that a graph shows. */
export const WIDEST = 300;
const SMALL = 719; // pixels: on narrower screens a graph has fewer units, so that its texts stay readable

/** Returns the graph of a rating; ``course`` has an instant in seconds, a rating and half of its interval for each step. */
export function ratingGraph(course, name, { label, language }) {
  const when = (seconds) => new Date(seconds * 1000).toLocaleString(language, { dateStyle: "short", timeStyle: "short" });
  const line = { name, values: course.map(([, rating]) => rating), band: course.map(([, , half]) => half) };
  const size = innerWidth <= SMALL ? { width: 360, height: 220 } : {};
  return lineGraph([line], { label, ends: [course[0], course.at(-1)].map(([instant]) => when(instant)), write: String, widest: WIDEST, ...size });
}

/** Returns the ends of a scale with round values, and their distance: at most seven of them. */
function scale(lowest, highest, step) {
  let unit = step;
  for (const factor of [1, 2, 5, 10, 20, 50, 100, 200]) {
    unit = step * factor;
    if ((highest - lowest) / unit <= 6) break;
  }
  const low = Math.floor(lowest / unit) * unit;
  return [low, Math.max(Math.ceil(highest / unit) * unit, low + unit), unit];
}

/** Returns a bar from one end of an interval to the other with a mark at its value, on a scale that rows share. */
export function intervalBar(value, half, [low, high], label) {
  const width = 160, x = (each) => (width * (Math.max(low, Math.min(high, each)) - low)) / (high - low);
  return svg("svg", { class: "interval", viewBox: `-4 0 ${width + 8} 16`, role: "img", "aria-label": label },
    svg("line", { class: "reach", x1: x(value - half), x2: x(value + half), y1: 8, y2: 8 }),
    svg("circle", { cx: x(value), cy: 8, r: 4 }));
}
