// Pictures that are drawn, not loaded: icons of buttons, and a crest for each name.

import { svg } from "./elements.js";

const ICONS = {
  log: "M4 6h16M4 12h16M4 18h10",
  sound: "M4 9v6h4l5 4V5L8 9zM16.5 8.5a5 5 0 0 1 0 7M19 6a8.5 8.5 0 0 1 0 12",
  muted: "M4 9v6h4l5 4V5L8 9zM17 9.5l5 5M22 9.5l-5 5",
  gear: "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2",
  menu: "M4 7h16M4 12h16M4 17h16",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  play: "M7 4v16l13-8z",
  pause: "M8 4v16M16 4v16",
  next: "M5 4v16l9-8zM18 4v16",
  prev: "M19 4v16l-9-8zM6 4v16",
  step: "M9 5l7 7-7 7",
  back: "M15 5l-7 7 7 7",
  exit: "M14 4h5v16h-5M15 12H4M8 8l-4 4 4 4",
  talk: "M4 5h16v11H9l-5 4z",
  flag: "M5 21V4h13l-3 4.5 3 4.5H5",
  keys: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
  book: "M4 5h7v14H4zM13 5h7v14h-7z",
  bulb: "M9 18h6M10 21h4M12 3a6 6 0 0 1 4 10.5c-.7.7-1 1.5-1 2.5H9c0-1-.3-1.8-1-2.5A6 6 0 0 1 12 3z",
  star: "M12 3l2.7 5.6 6.1.8-4.5 4.2 1.1 6.1L12 16.8 6.6 19.7l1.1-6.1L3.2 9.4l6.1-.8z",
  users: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1M16 3.5a4 4 0 0 1 0 7.5M22 21v-1a6 6 0 0 0-4-5.6",
};

/** Returns an icon by its name. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "i", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** The petals of a crest: each takes how many there are. */
const PETALS = [
  (count) => svg("ellipse", { cx: 0, cy: -22, rx: 150 / count / 2.6, ry: 15 }),
  (count) => svg("circle", { cx: 0, cy: -23, r: 62 / count + 2 }),
  () => svg("path", { d: "M0-6 L11-24 L0-40 L-11-24Z" }),
  () => svg("path", { d: "M0-8 C16-18 12-34 0-40 C-4-32 -14-22 0-8Z" }),
];

/** Returns the crest of a name: petals around a disc. Nobody uploads pictures, and no other host is asked. */
export function crest(name) {
  let hash = 2166136261;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0), 16777619) >>> 0;
  const hue = (hash >>> 3) % 360;
  const count = 3 + ((hash >>> 9) % 6);
  const [dark, light] = [`hsl(${hue} 45% 30%)`, `hsl(${hue} 55% 88%)`];
  const petals = Array.from({ length: count }, (_, place) => {
    const petal = PETALS[(hash >>> 14) % PETALS.length](count);
    petal.setAttribute("transform", `rotate(${(360 / count) * place})`);
    return petal;
  });
  return svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" },
    svg("rect", { width: 100, height: 100, fill: dark }),
    svg("circle", { cx: 50, cy: 50, r: 45, fill: "none", stroke: light, "stroke-width": 2.5 }),
    svg("g", { transform: `translate(50 50) rotate(${(hash >>> 19) % 60})`, fill: light },
      ...petals, svg("circle", { r: 7, fill: dark }), svg("circle", { r: 4.5 })));
}
