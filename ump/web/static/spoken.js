// What a screen reader says on request: scores, dora, rivers, or the whole board. The words are those of the board.

const WINDS = ["E", "S", "W", "N"];

const windOf = (position, seat) => WINDS[(seat - position.oya + position.players) % position.players];

/** Returns the seats in the order of their winds. */
function seats(position) {
  return Array.from({ length: position.players }, (_, wind) => (position.oya + wind) % position.players);
}

/** Returns each player's wind, name, points, and riichi. */
export function scoresText(position, words) {
  return seats(position)
    .map((seat) => words.seat(position.names[seat], windOf(position, seat), position.scores[seat], position.riichi[seat]))
    .join("; ");
}

/** Returns the round, the sticks, the tiles that are left and the dora indicators. */
export function doraText(position, words) {
  const indicators = position.doraMarkers.map((tile) => words.tile(tile)).join(", ");
  return `${words.doraIndicators}: ${indicators}`;
}

/** Returns the discards of each player, in order, with what was called and which one declared riichi. */
export function riversText(position, words) {
  return seats(position).map((seat) => {
    const tiles = position.rivers[seat].map((each) => [
      words.tile(each.tile), ...(each.riichi ? [words.states.riichi] : []), ...(each.called ? [words.states.called] : []),
    ].join(" "));
    return `${words.discards(windOf(position, seat), position.names[seat])}: ${tiles.join(", ") || "-"}`;
  }).join("; ");
}

/** Returns everything that lies open, melds included. */
export function boardText(position, words) {
  const melds = seats(position).flatMap((seat) => [
    ...position.melds[seat].map((meld) => `${words.meld(meld.type)} ${tilesOf(meld).map((tile) => words.tile(tile)).join(", ")}`),
    ...(position.norths[seat] ? [words.norths(position.norths[seat])] : []),
  ].map((text) => `${words.discards(windOf(position, seat), position.names[seat])}: ${text}`));
  return [
    `${words.round(position.bakaze, position.kyoku)}, ${words.sticks(position.honba, position.kyotaku)}`,
    words.tilesLeft(position.tilesLeft), doraText(position, words), scoresText(position, words), ...melds,
    riversText(position, words),
  ].join(". ");
}

const tilesOf = ({ tiles, called, added }) => [...tiles, called, added].filter((tile) => tile !== null);

/** What each key says. */
export const SPOKEN = { s: scoresText, d: doraText, v: riversText, b: boardText };
