"""Read a whole mjlog file as a recorded game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from urllib.parse import unquote

from ump.game.deals import Deal
from ump.model.constants import DEALT_TILES
from ump.model.events import GameEnded
from ump.model.tiles import Tile, tiles_of
from ump.record.mjlog.attributes import number, numbers, numbers_in, tenths, text_of, tiles
from ump.record.mjlog.elements import Element, read_elements
from ump.record.mjlog.game_type import GameType
from ump.record.mjlog.kyoku_reader import SILENT, read_kyoku
from ump.record.mjlog.shuffle import OF_GAME, OF_KYOKU, deal_of_kyoku, deals_of_game
from ump.record.own_fields import FIELD, stated_rules, with_own_fields
from ump.record.recorded_game import RecordedGame, RecordError
from ump.rules.ruleset import Ruleset
from ump.rules.wall import DEAL
from ump.wire.json_text import JSON, read_document
from ump.wire.text import WireError

BEFORE = frozenset(("SHUFFLE", "GO", "UN", "TAIKYOKU", "BYE"))
"""The elements that may stand before the first kyoku."""

WALL = "wall"
"""Our own attribute of INIT: the tiles of the wall, in Tenhou's layout."""

PUBLIC_LOBBY = "0"
"""The lobby of ranked games. The owners of others choose the uma."""

MOST_KYOKU = 200
"""Limit of kyoku in one game; the rules have no limit."""

MOST_BITS = 1 << 16
"""``GO type`` is below this."""

MOST_NAME = 200
"""Names are cut after this many characters."""

MOST_MISSING = 60
"""The most kyoku that may be missing at the start of a record: this many walls are searched for its first hands."""


def read_mjlog(data: bytes) -> RecordedGame:
    """Return the game in a Tenhou record: the bytes of an mjlog file, plain or gzip; raises RecordError."""
    return read_game(read_elements(data))


def read_game_type(elements: Sequence[Element]) -> GameType:
    """Return the type of the game; raise RecordError if the record does not contain it."""
    return GameType(number(_first(elements, "GO"), "type", 0, MOST_BITS - 1))


def read_game(elements: Sequence[Element]) -> RecordedGame:
    """Return the game; raise RecordError if the record is damaged."""
    own = _own(_first(elements, "GO"))
    ruleset = game_rules(elements)
    parts = list(_split_kyoku(elements))
    if not parts:
        raise RecordError("no kyoku")
    deals = _deals(elements, parts, ruleset.seats)
    kyoku = []
    for place, (part, deal) in enumerate(zip(parts, deals, strict=True)):
        try:
            kyoku.append(read_kyoku(part, ruleset.red_fives, ruleset.seats, deal))
        except RecordError as error:
            raise RecordError(f"kyoku {place + 1}: {error}") from None
    game = RecordedGame(
        names=_names(_first(elements, "UN"), ruleset.seats),
        ruleset=ruleset,
        kyoku=tuple(kyoku),
        ended=_end(parts, ruleset.seats),
        from_start=_is_first(parts[0][0]),
        own_counting=is_own_counting(elements),
        own_results=own is None and _first(elements, "GO").get("lobby", PUBLIC_LOBBY) != PUBLIC_LOBBY,
    )
    return game if own is None else with_own_fields(game, own)


def game_rules(elements: Sequence[Element]) -> Ruleset:
    """Return the rules of the game; raise RecordError if the record does not contain them."""
    game_type = read_game_type(elements)
    return stated_rules(_own(_first(elements, "GO"))) or _with_start(game_type.ruleset(), elements)


def is_own_counting(elements: Sequence[Element]) -> bool:
    """Tell whether the lobby of the game counts more than points, by rules that the record does not state."""
    own = _own(_first(elements, "GO"))
    if isinstance(own, dict):
        return own.get("own_counting") is True
    return read_game_type(elements).own_counting


def _own(fields: Mapping[str, str]) -> JSON:
    """Return the content of our own attribute; None if there is none."""
    if FIELD not in fields:
        return None
    try:
        return read_document(fields[FIELD].encode())
    except WireError as error:
        raise RecordError(f"GO: {error}") from None


def _first(elements: Sequence[Element], tag: str) -> Mapping[str, str]:
    """Return the attributes of the first element with this name; raise RecordError if there is none."""
    for element in elements:
        if element.tag == tag:
            return element.fields
    raise RecordError(f"{tag} element is missing")


def _names(fields: Mapping[str, str], seats: int) -> tuple[str, ...]:
    """Return the names of the players, which UN has in percent-encoded UTF-8."""
    return tuple(unquote(fields.get(f"n{seat}", ""), errors="replace")[:MOST_NAME] for seat in range(seats))


def _split_kyoku(elements: Sequence[Element]) -> Iterator[list[Element]]:
    """Yield the elements of each kyoku, INIT first; raise RecordError for an unexpected element before the first."""
    part: list[Element] = []
    count = 0
    for element in elements:
        if element.tag == "INIT":
            count += 1
            if count > MOST_KYOKU:
                raise RecordError(f"more than {MOST_KYOKU} kyoku")
            if part:
                yield part
            part = [element]
        elif part:
            part.append(element)
        elif element.tag not in BEFORE:
            raise RecordError(f"unexpected element {element.tag[:20]} before the first kyoku")
    if part:
        yield part


def _is_first(init: Element) -> bool:
    """Return whether a kyoku is the first one of its game: east 1 without honba and sticks."""
    return numbers_in(text_of(init.fields, "seed"), "seed")[:3] == (0, 0, 0)


def _with_start(ruleset: Ruleset, elements: Sequence[Element]) -> Ruleset:
    """Return the ruleset with the starting points of the first kyoku, which a lobby may have changed."""
    init = next((element for element in elements if element.tag == "INIT"), None)
    if init is None or not _is_first(init):
        return ruleset
    points = set(numbers_in(text_of(init.fields, "ten"), "ten")[: ruleset.seats])
    return replace(ruleset, start_points=100 * points.pop()) if len(points) == 1 else ruleset


def _end(parts: Sequence[Sequence[Element]], seats: int) -> GameEnded | None:
    """Return the end of the game from the last result; raise RecordError if the game goes on after it."""
    ends = [(part, place) for part in parts for place, element in enumerate(part) if "owari" in element.fields]
    if not ends:
        return None
    part, place = ends[0]
    after = [element for element in part[place + 1 :] if element.tag not in SILENT]
    if len(ends) > 1 or part is not parts[-1] or after:
        raise RecordError("the game goes on after its end")
    return read_end(part[place].fields["owari"], seats)


def read_end(text: str, seats: int) -> GameEnded:
    """Return the end of a game from ``owari``: the score and the result of each seat; raise RecordError."""
    listed = text.split(",")
    if len(listed) < 2 * seats:
        raise RecordError(f"owari: expected {seats} scores and results")
    points = tuple(100 * numbers_in(score, "owari")[0] for score in listed[: 2 * seats : 2] if score)
    if len(points) != seats:
        raise RecordError(f"owari: expected {seats} scores")
    results = tuple(tenths(result, "owari") for result in listed[1 : 2 * seats : 2])
    ranking = sorted(range(seats), key=lambda seat: (-points[seat], seat))
    return GameEnded(points, tuple(ranking.index(seat) + 1 for seat in range(seats)), results)


def _deals(elements: Sequence[Element], parts: Sequence[Sequence[Element]], seats: int) -> list[Deal | None]:
    """Return the deal of each kyoku, None without a seed of a known kind; raise RecordError for a damaged seed."""
    seed = next((element.fields.get("seed", "") for element in elements if element.tag == "SHUFFLE"), "")
    if seed.startswith(OF_GAME):
        deals = deals_of_game(seed, seats)
        if _is_first(parts[0][0]):
            return list(islice(deals, len(parts)))
        return [*_search_deals(list(islice(deals, MOST_MISSING + len(parts))), parts, seats)]
    return [_own_deal(part[0].fields, seats) for part in parts]


def _own_deal(init: Mapping[str, str], seats: int) -> Deal | None:
    """Return the deal that INIT states by its seed, or by its wall in our own attribute; None if it has neither."""
    seed = init.get("shuffle", "")
    if seed.startswith(OF_KYOKU):
        return deal_of_kyoku(seed, seats)
    if WALL not in init:
        return None
    first, second = numbers(init, "seed", 6)[3:5]
    wall = tiles(init, WALL)
    if set(wall) != set(tiles_of(seats)):
        raise RecordError(f"{WALL} is no wall for {seats} players")
    return Deal(wall, (first + 1, second + 1))


def _search_deals(deals: Sequence[Deal], parts: Sequence[Sequence[Element]], seats: int) -> Sequence[Deal]:
    """Return the deals of a record without the first kyoku: search for the deal that gives its first hands."""
    hands = {frozenset(tiles(parts[0][0].fields, f"hai{seat}", DEALT_TILES)) for seat in range(seats)}
    for place in range(MOST_MISSING):
        if _hands(deals[place].tiles, seats) == hands:
            return deals[place : place + len(parts)]
    raise RecordError("no wall of the seed has the first hands")


def _hands(wall: Sequence[Tile], seats: int) -> set[frozenset[Tile]]:
    """Return the hands that a wall deals, without their order."""
    hands: list[set[Tile]] = [set() for _ in range(seats)]
    end = len(wall)
    for count in DEAL:
        for hand in hands:
            hand.update(wall[end - count : end])
            end -= count
    return {frozenset(hand) for hand in hands}
