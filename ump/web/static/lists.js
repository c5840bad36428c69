// The lists of yaku and of points in a page, each loaded when somebody opens it.

import { element } from "./elements.js";
import { words } from "./site.js";

/** Returns both lists under some rules, by field as the server says them; null: those of Tenhou. One may be in the address. */
export function listElements({ fields = null, seats = 4, room = null }) {
  return ["yaku", "scores"].map((list) => {
    const box = element("div", { class: "panel list" });
    const details = element("details", { id: list, ontoggle: async () => {
      if (box.childElementCount > 0) return;
      const { elementsOf, valuesOf } = await import("./reference.js");
      box.replaceChildren(elementsOf(list, { rules: fields === null ? null : valuesOf(fields), seats, room }));
    } }, element("summary", {}, words.drawers[list]), box);
    details.open = location.hash === `#${list}`;
    return details;
  });
}
