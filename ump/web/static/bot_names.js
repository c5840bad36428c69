// The names of the bots of a server, in the language of the reader.

/** Returns how a page calls a player: "defensive-2" of a server is "Defensive 2" in English. */
export function nameIn(words, name) {
  const [, kind, number] = /^([a-z-]+?)-(\d+)$/.exec(name) ?? [];
  const known = Object.hasOwn(words.bots, kind ?? "") ? words.bots[kind] : null;
  return known === null ? name : `${known} ${number}`;
}
