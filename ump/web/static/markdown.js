// A page of the documentation, as far as docs/mahjong.md needs it: headings, paragraphs, lists, tables, and tiles.

import { element, tileElement } from "./elements.js";
import { tilesOf } from "./tile_text.js";

const INLINE = /\{tiles\}`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]+\)/g;

/** Returns the elements of a text; ``words`` name the tiles. Links to other pages of the documentation are texts. */
export function markdownElements(text, words) {
  return text.trim().split(/\n{2,}/).map((block) => blockElement(block, words));
}

function blockElement(block, words) {
  const inline = (text) => inlineElements(text.replaceAll("\n", " "), words);
  const heading = /^#+ (.*)/.exec(block);
  if (heading) return element("h3", {}, ...inline(heading[1]));
  if (block.startsWith("- ")) return element("ul", {}, ...block.slice(2).split("\n- ").map((item) => element("li", {}, ...inline(item))));
  if (!block.startsWith("|")) return element("p", {}, ...inline(block));
  const [head, , ...rows] = block.split("\n").map((row) => row.slice(1, -1).split("|"));
  const cells = (row, name) => element("tr", {}, ...row.map((cell) => element(name, {}, ...inline(cell.trim()))));
  return element("table", {}, element("thead", {}, cells(head, "td")), element("tbody", {}, ...rows.map((row) => cells(row, "td"))));
}

function inlineElements(text, words) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, tiles, strong, emphasis, link] = found;
    parts.push(text.slice(end, found.index), inlineElement({ tiles, strong, emphasis, link }, words));
    end = found.index + all.length;
  }
  return [...parts, text.slice(end)];
}

function inlineElement({ tiles, strong, emphasis, link }, words) {
  if (tiles !== undefined) return element("span", { class: "in-text" }, ...tilesOf(tiles).map((tile) => tileElement(tile, words)));
  if (strong !== undefined) return element("b", {}, strong);
  return emphasis === undefined ? link : element("em", {}, emphasis);
}
