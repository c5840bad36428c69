"""Reports on a hand: shanten, waits, tile acceptance (ukeire), discards and value, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model.constants import DEALT_TILES, FULL_HAND
from ump.model.hand import Hand, HandError
from ump.model.melds import Meld
from ump.model.notation import MPSZ_FACES
from ump.model.seats import PLAYERS
from ump.model.tiles import COPIES, KIND_OF, KINDS, NORTH, RED_FIVES, RED_OF, Face, Kind, kinds_of, sort_faces
from ump.model.value import value
from ump.rules.analysis import ALL_KINDS, acceptance, kinds_in, shanten
from ump.rules.ruleset import OwnCopies, Ruleset
from ump.rules.score import Circumstances
from ump.text.layout import columns, dora_text, hand_text, tile_text, tiles_text
from ump.text.win import Conditions, Win, brief, check, win, win_data, win_lines
from ump.text.wording import counted

# Analysis of a hand: shanten, tile acceptance (ukeire), and the same after each discard.


@value
class Ukeire:
    """The kinds that lower the shanten number of a hand.

    A tenpai hand keeps waits with no tile left, other hands do not.
    """

    mask: int = 0
    """The kinds as a bit mask (bit n: kind n)."""
    unseen: tuple[int, ...] = ()
    """The number of tiles left of each of the 34 kinds."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds, sorted."""
        return kinds_in(self.mask)

    @property
    def live(self) -> tuple[tuple[Kind, int], ...]:
        """Pairs of kind and number."""
        unseen = self.unseen
        return tuple([(kind, unseen[kind]) for kind in self.kinds])

    @property
    def by_tile(self) -> dict[str, int]:
        """The numbers of tiles that are left, by the kinds as text."""
        unseen = self.unseen
        return {MPSZ_FACES[kind]: unseen[kind] for kind in self.kinds}

    @property
    def tiles(self) -> int:
        """The number of helpful tiles that are not in sight."""
        unseen = self.unseen
        return sum([unseen[kind] for kind in self.kinds])


@value
class DiscardAnalysis:
    """A discard, and the hand after it."""

    face: Face
    shanten: int
    ukeire: Ukeire


@value
class HandAnalysis:
    """The shanten number of a hand, and its ukeire (3n + 1 tiles) or its discards, the best first (3n + 2 tiles)."""

    shanten: int
    ukeire: Ukeire | None = None
    discards: tuple[DiscardAnalysis, ...] = ()


def analyse_hand(hand: Hand, seen: Iterable[Face], own_copies: OwnCopies, seats: int = 4) -> HandAnalysis:
    """Analyse a hand; ``seen`` are the tiles in sight besides the hand and its melds.

    The best discard has the least shanten, then the most tiles, then the most kinds. ``own_copies`` is the ruleset's
    rule for waits; kinds that no game of so many ``seats`` has never help. Raises ValueError unless the concealed tiles
    are 3n + 1 or 3n + 2.
    """
    if sum(hand.kinds) % 3 == 1:
        return analyse_waiting(hand.kinds, hand.melds, seen, own_copies, seats)
    unseen, live = _unseen(hand.kinds, hand.melds, seen, seats)
    at_least = _at_least(unseen)
    ranked = []
    rest = hand.kinds[:]
    for kind in range(KINDS):
        if rest[kind]:
            face = kind if hand.faces[kind] else RED_OF[kind]  # a plain five goes before a red one
            rest[kind] -= 1
            number, ukeire = _between_turns(rest, hand.melds, unseen, live, own_copies, seats)
            rest[kind] += 1
            mask, tiles = ukeire.mask, 0
            for kinds in at_least:
                tiles += (mask & kinds).bit_count()
            ranked.append((number, -tiles, -mask.bit_count(), kind, DiscardAnalysis(face, number, ukeire)))
    ranked.sort()
    return HandAnalysis(shanten(hand.kinds, seats), discards=tuple([rank[-1] for rank in ranked]))


def analyse_waiting(
    kinds: list[int], melds: Sequence[Meld], seen: Iterable[Face], own_copies: OwnCopies, seats: int
) -> HandAnalysis:
    """Analyse 3n + 1 concealed tiles, as ``analyse_hand`` does."""
    unseen, live = _unseen(kinds, melds, seen, seats)
    return HandAnalysis(*_between_turns(kinds, melds, unseen, live, own_copies, seats))


def _unseen(kinds: list[int], melds: Sequence[Meld], seen: Iterable[Face], seats: int) -> tuple[tuple[int, ...], int]:
    """Return the number of tiles of each kind that are not in sight, and a mask of the kinds of which some are."""
    left = [COPIES - count for count in kinds]
    for meld in melds:
        for face in meld.faces:
            left[KIND_OF[face]] -= 1
    for face in seen:
        left[KIND_OF[face]] -= 1
    live = _GAME_KINDS[seats]
    if 0 in left:
        for kind, count in enumerate(left):
            if not count:
                live &= ~(1 << kind)
    return tuple(left), live


def _at_least(unseen: tuple[int, ...]) -> list[int]:
    """Return masks of the kinds of which at least one, two, three, four tiles are left: they count those of any mask.

    That takes a third of the time of adding up the numbers, which matters for a dozen discards.
    """
    masks = [ALL_KINDS] * COPIES
    for kind, count in enumerate(unseen):
        if count < COPIES:
            for number in range(count, COPIES):
                masks[number] ^= 1 << kind
    return masks


def _between_turns(
    kinds: list[int], melds: Sequence[Meld], unseen: tuple[int, ...], live: int, own_copies: OwnCopies, seats: int
) -> tuple[int, Ukeire]:
    """Return the shanten number and the ukeire of 3n + 1 tiles."""
    number, mask = acceptance(kinds, melds, own_copies, seats)
    return number, Ukeire(mask & (live if number else _GAME_KINDS[seats]), unseen)


_GAME_KINDS = {seats: sum(1 << kind for kind in kinds_of(seats)) for seats in PLAYERS}
"""The kinds that a game of so many seats has, as a bit mask."""

WINDS = ("east", "south", "west", "north")


@value
class Wait:
    """A wait, with the value of a win both ways; None if no tile is left, or the hand is given without its melds."""

    kind: Kind
    left: int
    """The number of tiles of this kind that are not in sight."""
    ron: Win | None = None
    tsumo: Win | None = None


@value
class HandReport:
    """The report on a hand."""

    conditions: Conditions
    faces: tuple[Face, ...]
    """The concealed tiles that were analysed."""
    melds: tuple[Meld, ...]
    analysis: HandAnalysis
    waits: tuple[Wait, ...] = ()
    """The waits of a tenpai hand of 3n + 1 tiles."""
    wins: tuple[Win, ...] = ()
    """The wins with the winning tile; without one, those with the last tile of a complete hand."""


def hand_report(
    faces: tuple[Face, ...],
    melds: tuple[Meld, ...],
    conditions: Conditions,
    *,
    seen: Sequence[Face] = (),
    tile: Face | None = None,
    ways: Sequence[bool] = (False, True),
) -> HandReport:
    """Report on a hand of concealed ``faces`` and ``melds``.

    ``seen`` are tiles in sight besides the hand and the indicators. ``tile`` is the winning tile: one of the hand, or
    one to add to 3n + 1 tiles; by default the last one of 3n + 2 tiles. ``ways`` says for each way to win whether it is
    by tsumo. If ron is the only way, the analysis leaves the winning tile out. Raises HandError and ConditionsError.
    """
    check(conditions, [meld.type for meld in melds])
    visible = _visible(conditions.circumstances, seen)
    won, winning = _with_winning_tile(faces, tile)
    counts = check_tiles([*won, *visible, *faces_of_melds(melds)], conditions.ruleset)
    _check_win(won, melds, conditions, counts, tile)
    is_whole = _is_whole(won, melds)
    wins = []
    if winning is not None and is_whole:
        for tsumo in ways:
            attempt = win(conditions, won, melds, winning, tsumo=tsumo)
            if attempt.is_complete or tile is not None:
                wins.append(attempt)
    if winning is not None and ways == (False,):
        won = _without(won, winning)
    analysis = analyse_hand(Hand(won, melds), visible, conditions.ruleset.own_copies, conditions.ruleset.seats)
    waits = _waits(analysis, conditions, won, melds, is_whole=is_whole)
    return HandReport(conditions, won, melds, analysis, waits, tuple(wins))


def win_with(
    faces: tuple[Face, ...], melds: tuple[Meld, ...], counts: list[int], conditions: Conditions, tile: Face
) -> Win:
    """Return the win of a hand with a tile, as ``hand_report`` has it; raises HandError and ConditionsError.

    ``counts`` are those of the hand and its melds. They are checked already, as are the conditions.
    """
    won, _ = _with_winning_tile(faces, tile)
    at = conditions.circumstances
    more = [*won[len(faces) :], *_visible(at, ())]
    _check_win(won, melds, conditions, check_more_tiles(faces, melds, counts, more, conditions.ruleset), tile)
    return win(conditions, won, melds, tile, tsumo=at.tsumo)


def check_size(faces: Sequence[Face]) -> None:
    """Refuse a number of concealed tiles that no hand has."""
    if len(faces) % 3 == 0:
        raise HandError(f"{len(faces)} concealed tiles are not a hand: 13, or 14 after the draw, 3 fewer per meld")


def _is_whole(faces: Sequence[Face], melds: Sequence[Meld]) -> bool:
    """Tell whether these are all tiles of a hand, between turns or after a draw."""
    return DEALT_TILES <= len(faces) + 3 * len(melds) <= FULL_HAND


def _visible(circumstances: Circumstances, seen: Sequence[Face]) -> list[Face]:
    """Return the tiles in sight besides the hand."""
    return [*circumstances.indicators, *circumstances.ura, *seen, *(NORTH,) * circumstances.norths]


def _check_win(
    won: tuple[Face, ...], melds: tuple[Meld, ...], conditions: Conditions, counts: list[int], tile: Face | None
) -> None:
    """Refuse a winning tile that cannot be; ``won`` are the tiles with it, ``counts`` those of all tiles in sight."""
    if conditions.circumstances.chankan and len(won) % 3 == 2:
        _check_robbed(won[-1], counts)
    if tile is not None and not _is_whole(won, melds):
        raise HandError(f"the value of a win needs the whole hand: {FULL_HAND} tiles, where a meld counts three")


def _with_winning_tile(faces: tuple[Face, ...], tile: Face | None) -> tuple[tuple[Face, ...], Face | None]:
    """Return the tiles with the winning one last, and the winning tile; None if there is none. Raises HandError."""
    check_size(faces)
    if len(faces) % 3 == 1:
        return (faces, None) if tile is None else ((*faces, tile), tile)
    if tile is None or tile == faces[-1]:
        return faces, faces[-1]
    return (*_without(faces, tile), tile), tile


def _without(faces: tuple[Face, ...], tile: Face) -> tuple[Face, ...]:
    """Return the tiles without one of this face; raises HandError if there is none."""
    if tile not in faces:
        raise HandError(f"a hand of {len(faces)} tiles must hold the winning tile {tile_text(tile)}")
    at = faces.index(tile)
    return faces[:at] + faces[at + 1 :]


def _check_robbed(tile: Face, counts: list[int]) -> None:
    """Refuse a robbed kan whose tiles are elsewhere: it has all four of its kind, the winning tile among them."""
    count = counts[KIND_OF[tile]]
    if count > 1:
        raise HandError(f"{tile_text(tile)}: a kan of it holds all four, but {count - 1} are in sight elsewhere")


def check_tiles(faces: Sequence[Face], ruleset: Ruleset) -> list[int]:
    """Return the counts of the kinds; refuse five of one, those that the game does not have, and too many red fives.

    Plain fives may stand for red ones.
    """
    counts = [0] * KINDS
    for face in faces:
        counts[KIND_OF[face]] += 1
    if ruleset.seats < _MOST_PLAYERS:
        _check_exist(counts, ruleset.seats)
    if max(counts) > COPIES:
        kind = next(kind for kind, count in enumerate(counts) if count > COPIES)
        raise HandError(f"{tile_text(kind)}: {counts[kind]} in sight, but only {COPIES} exist")
    if faces and max(faces) >= KINDS:
        _check_reds(faces, ruleset)
    return counts


_MOST_PLAYERS = max(PLAYERS)


def check_more_tiles(
    faces: Sequence[Face], melds: Sequence[Meld], counts: list[int], more: Sequence[Face], ruleset: Ruleset
) -> list[int]:
    """Return the counts of a hand, which are checked already, and of more tiles in sight; refuse as ``check_tiles``."""
    total = counts[:]
    for face in more:
        kind = KIND_OF[face]
        total[kind] += 1
        if total[kind] > COPIES or face != kind or ruleset.seats < _MOST_PLAYERS:
            return check_tiles([*faces, *faces_of_melds(melds), *more], ruleset)
    return total


def faces_of_melds(melds: Sequence[Meld]) -> list[Face]:
    """Return the tiles of melds."""
    return [face for meld in melds for face in meld.faces]


def _check_reds(faces: Sequence[Face], ruleset: Ruleset) -> None:
    """Refuse more red fives than the ruleset has."""
    for red, there in zip(RED_FIVES, ruleset.red_fives, strict=True):
        if (count := faces.count(red)) > there:
            raise HandError(f"{tile_text(red)}: {count} in sight, but the rules {ruleset.name} have {there}")


def _check_exist(counts: list[int], seats: int) -> None:
    """Refuse kinds that a game of so many seats does not have."""
    for kind, count in enumerate(counts):
        if count and kind not in kinds_of(seats):
            raise HandError(f"{tile_text(kind)}: games of {seats} players have no such tile")


def _waits(
    analysis: HandAnalysis, conditions: Conditions, faces: tuple[Face, ...], melds: tuple[Meld, ...], *, is_whole: bool
) -> tuple[Wait, ...]:
    """Return the waits of a tenpai hand, with their values if the hand is whole and a tile is left."""
    if analysis.shanten != 0 or analysis.ukeire is None:
        return ()
    waits = []
    for kind, left in analysis.ukeire.live:
        wait = Wait(kind, left)
        if is_whole and left > 0:
            won = (*faces, kind)
            ron = win(conditions, won, melds, kind, tsumo=False)
            wait = Wait(kind, left, ron, win(conditions, won, melds, kind, tsumo=True))
        waits.append(wait)
    return tuple(waits)


# As text


def hand_lines(report: HandReport, lang: str, *, with_fu: bool = False) -> list[str]:
    """Return the report as lines of text, ``with_fu`` with what each fu is for."""
    lines = _head(report)
    for won in report.wins:
        lines += ["", *win_lines(won, lang, with_fu=with_fu)]
    if report.analysis.ukeire is None:
        lines += ["", distance_words(report.analysis.shanten), *_discard_lines(report.analysis.discards)]
    elif report.analysis.shanten == 0:
        lines += ["", *_waits_lines(report, lang)]
    else:
        lines += ["", *_ukeire_lines(report.analysis)]
    return lines


def _head(report: HandReport) -> list[str]:
    """Return the hand and the conditions of its value."""
    conditions, circumstances = report.conditions, report.conditions.circumstances
    parts = [f"seat wind {WINDS[circumstances.seat_wind]}", f"round wind {WINDS[circumstances.round_wind]}"]
    if circumstances.indicators:
        parts.append(f"dora {dora_text(circumstances.indicators, conditions.ruleset.seats)}")
    if circumstances.ura:
        parts.append(f"ura dora {dora_text(circumstances.ura, conditions.ruleset.seats)}")
    if circumstances.norths:
        parts.append(f"norths aside {circumstances.norths}")
    if conditions.honba:
        parts.append(f"honba {conditions.honba}")
    parts.append(f"rules {conditions.ruleset.name}")
    return [hand_text(report.faces, report.melds), ", ".join(parts)]


def distance_words(shanten: int) -> str:
    """Return a shanten number in words."""
    return {-1: "complete", 0: "tenpai"}.get(shanten, f"{shanten}-shanten")


def _counted(ukeire: Ukeire) -> str:
    """Return the numbers of kinds and tiles in words."""
    return f"{counted(len(ukeire.kinds), 'kind')}, {counted(ukeire.tiles, 'tile')}"


def _ukeire_lines(analysis: HandAnalysis) -> list[str]:
    """Return the tile acceptance of a hand."""
    ukeire = analysis.ukeire or Ukeire()
    kinds = tiles_text(ukeire.kinds)
    return [f"{distance_words(analysis.shanten)}, helped by {_counted(ukeire)}: {kinds}"]


def _waits_lines(report: HandReport, lang: str) -> list[str]:
    """Return the waits as a table."""
    head = f"tenpai, waiting for {_counted(report.analysis.ukeire or Ukeire())}"
    if not report.waits:
        return [head]
    rows = [("wait", "left", "ron", "tsumo")]
    for wait in report.waits:
        rows.append((tile_text(wait.kind), str(wait.left), _value_cell(wait.ron, lang), _value_cell(wait.tsumo, lang)))
    if all(wait.ron is None for wait in report.waits):
        return [head, *columns([row[:2] for row in rows], right=(1,))]
    return [head, *columns(rows, right=(1,))]


def _value_cell(won: Win | None, lang: str) -> str:
    return "" if won is None else brief(won, lang)


def _discard_lines(discards: Sequence[DiscardAnalysis]) -> list[str]:
    """Return the discards as a table."""
    rows = [("discard", "leaves", "kinds", "tiles", "ukeire")]
    for discard in discards:
        ukeire = discard.ukeire
        counts = str(len(ukeire.kinds)), str(ukeire.tiles)
        rows.append((tile_text(discard.face), distance_words(discard.shanten), *counts, tiles_text(ukeire.kinds)))
    return columns(rows, right=(2, 3))


# As JSON


def hand_data(report: HandReport, lang: str, *, with_fu: bool = False) -> dict[str, object]:
    """Return the report as data for JSON."""
    circumstances = report.conditions.circumstances
    data: dict[str, object] = {
        "concealed": list(map(tile_text, sort_faces(report.faces))),
        "melds": list(map(_meld_data, report.melds)),
        "rules": report.conditions.ruleset.name,
        "seat_wind": WINDS[circumstances.seat_wind],
        "round_wind": WINDS[circumstances.round_wind],
        "norths": circumstances.norths,
        "shanten": report.analysis.shanten,
        "wins": [win_data(each, lang, with_fu=with_fu) for each in report.wins],
    }
    if report.analysis.ukeire is None:
        return {**data, "discards": list(map(_discard_data, report.analysis.discards))}
    if report.analysis.shanten:
        return {**data, "ukeire": _ukeire_data(report.analysis.ukeire)}
    return {**data, "waits": [_wait_data(wait, lang) for wait in report.waits]}


def _meld_data(meld: Meld) -> dict[str, object]:
    return {"type": meld.type.value, "tiles": list(map(tile_text, meld.faces))}


def _ukeire_data(ukeire: Ukeire) -> dict[str, object]:
    """Return tile acceptance as data for JSON."""
    return {
        "kinds": len(ukeire.kinds),
        "tiles": ukeire.tiles,
        "left": ukeire.by_tile,
    }


def _discard_data(each: DiscardAnalysis) -> dict[str, object]:
    """Return a discard as data for JSON."""
    return {"discard": tile_text(each.face), "shanten": each.shanten, "ukeire": _ukeire_data(each.ukeire)}


def _wait_data(wait: Wait, lang: str) -> dict[str, object]:
    """Return a wait as data for JSON."""
    data: dict[str, object] = {"tile": tile_text(wait.kind), "left": wait.left}
    if wait.ron is not None:
        data["ron"] = win_data(wait.ron, lang)["value"]
    if wait.tsumo is not None:
        data["tsumo"] = win_data(wait.tsumo, lang)["value"]
    return data
