"""Hands as text and as values: what a win is worth, how far a hand is from complete, which tiles help it.

Hands and tiles may be in any notation (``ump.model.written.parse_written_hand``): ``123m406p77z``, ``1m5M<2p3p4p>``,
``m10p77z5,z444=``, mjai's ``1m 5mr E``, ``一二三萬``, Unicode tiles ... Results name tiles as ``5m``, ``0m`` (the red
five) and ``1z`` .. ``7z``. Whoever asks more than once about a hand makes a value of it, with ``hand``.

``rules`` is a ruleset or the name of a preset. All errors are ValueErrors with a text of one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import index
from typing import TypeAlias

from ump.model.constants import FULL_HAND, MAX_MELDS
from ump.model.hand import Hand, HandError
from ump.model.melds import Meld, MeldType
from ump.model.notation import MPSZ_FACES
from ump.model.tiles import COPIES, FACES, KINDS, Face, sort_faces
from ump.model.value import value as value_class
from ump.model.written import parse_plain_hand, parse_written_hand, parse_written_tiles
from ump.rules import analysis
from ump.rules.options import read_ruleset
from ump.rules.presets import UMP
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances
from ump.text.hand import (
    WINDS,
    HandAnalysis,
    Ukeire,
    analyse_hand,
    analyse_waiting,
    check_more_tiles,
    check_size,
    check_tiles,
    distance_words,
    faces_of_melds,
    win_with,
)
from ump.text.layout import hand_text, tile_text
from ump.text.win import Conditions, ConditionsError, Win, check, ways_to_win
from ump.web import pieces

Tiles: TypeAlias = str | Face | Iterable[Face]
"""Tiles as text, one face (0 to 36), or several."""


MOST_SHOWN = 5
"""The discards that a notebook shows."""


@value_class
class DiscardChoice:
    """A discard, and what it leaves of the hand."""

    tile: str
    shanten: int
    _ukeire: Ukeire

    @property
    def ukeire(self) -> dict[str, int]:
        """The tiles that help the rest of the hand, each with how many of them nobody has seen."""
        return self._ukeire.by_tile

    @property
    def tiles(self) -> int:
        """The number of unseen tiles that help."""
        return self._ukeire.tiles

    def __repr__(self) -> str:
        return f"DiscardChoice(tile={self.tile!r}, shanten={self.shanten}, ukeire={self.ukeire})"


class FrozenHand:
    """A hand as a value: concealed tiles, melds, and the rules that it is played by; ``hand`` makes one.

    It never changes: ``hand + "4z"`` and ``hand - "1m"`` are other hands. It works out what it is asked for once. Hands
    with the same tiles, melds and rules are equal. It has the length of its concealed tiles, and yields them sorted, as
    text.
    """

    __slots__ = ("_analysis", "_counts", "_faces", "_held", "_melds", "_riichi", "_ruleset", "_shanten")

    def __init__(
        self, faces: Iterable[Face], melds: Iterable[Meld] = (), ruleset: Ruleset = UMP, *, riichi: bool = False
    ) -> None:
        """Raise HandError for tiles that no hand of these rules has."""
        self._faces = tuple(faces)
        self._melds = tuple(melds)
        self._ruleset = ruleset
        self._riichi = riichi
        self._analysis: HandAnalysis | None = None
        self._shanten: int | None = None
        if len(self._melds) > MAX_MELDS or len(self._faces) + 3 * len(self._melds) > FULL_HAND:
            raise HandError(f"a hand has at most {FULL_HAND} tiles and {MAX_MELDS} melds; a meld counts three")
        self._held: Hand | None = None
        self._counts = check_tiles(
            (*self._faces, *faces_of_melds(self._melds)) if self._melds else self._faces, ruleset
        )
        """The counts of all tiles, also those of melds."""

    @property
    def _hand(self) -> Hand:
        """The hand as the rules take it; nobody changes it."""
        if self._held is None:
            self._held = Hand(self._faces, self._melds)
        return self._held

    @property
    def _kinds(self) -> list[int]:
        """The counts of the concealed kinds."""
        return self._hand.kinds if self._melds else self._counts

    @property
    def faces(self) -> tuple[Face, ...]:
        """The concealed tiles as numbers (``ump.tiles``), sorted."""
        return sort_faces(self._faces)

    @property
    def melds(self) -> tuple[Meld, ...]:
        """The melds, in the order given."""
        return self._melds

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of concealed tiles of each of the 34 kinds."""
        return tuple(self._kinds)

    @property
    def rules(self) -> Ruleset:
        """The rules that it is played by."""
        return self._ruleset

    @property
    def riichi(self) -> bool:
        """Whether it is in riichi."""
        return self._riichi

    @property
    def shanten(self) -> int:
        """The number of tiles it is away from tenpai: 0 tenpai, -1 complete. Raises HandError for a part of a hand."""
        if self._shanten is None:
            check_size(self._faces)
            self._shanten = analysis.shanten(self._kinds, self._ruleset.seats)
        return self._shanten

    @property
    def waits(self) -> dict[str, int]:
        """The tiles that complete it, as the function ``waits`` has them."""
        return waits(self)

    @property
    def ukeire(self) -> dict[str, int]:
        """The tiles that bring it nearer to tenpai, as the function ``ukeire`` has them."""
        return ukeire(self)

    @property
    def discards(self) -> list[DiscardChoice]:
        """Each discard with what it leaves, as the function ``discards`` has them."""
        return discards(self)

    def value(
        hand: FrozenHand | str,
        *,
        ron: str | Face | None = None,
        tsumo: str | Face | None = None,
        rules: Ruleset | str | None = None,
        seat_wind: str = "south",
        round_wind: str = "east",
        dora: Tiles = "",
        ura: Tiles = "",
        riichi: bool = False,
        double_riichi: bool = False,
        open_riichi: bool = False,
        ippatsu: bool = False,
        rinshan: bool = False,
        chankan: bool = False,
        haitei: bool = False,
        houtei: bool = False,
        first_turn: bool = False,
        loser_in_riichi: bool = False,
        kita: int = 0,
        honba: int = 0,
        kyotaku: int = 0,
    ) -> Win:
        """Return what a winning hand is worth, and who pays it.

        ``ron`` or ``tsumo`` is the winning tile: it completes 13 tiles, or is one of 14 (a meld counts three). The
        winner's ``seat_wind`` and the ``round_wind`` are east, south, west or north; a seat wind of east is the dealer.
        ``dora`` and ``ura`` are the indicators. ``first_turn``: nobody has called and the winner has not discarded
        (tenhou, chihou, renhou). ``loser_in_riichi``: the player who dealt in is in riichi, so that an open riichi is
        no yakuman. ``kita`` counts the norths set aside, in games of three, ``kyotaku`` riichi sticks. A complete hand
        without a yaku is worth 0 points; its ``value`` is None.

        Raises NotationError for unreadable text, HandError for tiles that are not a hand or that the winning tile does
        not complete, ConditionsError for circumstances that contradict each other, RulesetError for an unknown preset.
        """
        if (ron is None) == (tsumo is None):
            raise ConditionsError("give the winning tile, either as ron or as tsumo")
        held = _as_hand(hand, rules)
        ruleset = held._ruleset
        in_riichi = riichi or open_riichi or held._riichi
        conditions = _conditions(
            ruleset,
            tuple([meld.type for meld in held._melds]) if held._melds else (),
            tsumo is not None,
            seat_wind,
            round_wind,
            dora if isinstance(dora, str) else _faces_of(dora, ruleset),
            ura if isinstance(ura, str) else _faces_of(ura, ruleset),
            2 if double_riichi else 1 if in_riichi else 0,
            open_riichi,
            ippatsu,
            rinshan,
            chankan,
            haitei,
            houtei,
            first_turn,
            loser_in_riichi,
            kita,
            honba,
            kyotaku,
        )
        tile = _one_tile(tsumo if ron is None else ron, ruleset)
        win = win_with(held._faces, held._melds, held._counts, conditions, tile)
        if not win.is_complete:
            raise HandError(f"the hand is not complete with {tile_text(tile)}")
        return win

    def __add__(self, tiles: Tiles) -> FrozenHand:
        """Return the hand with more concealed tiles."""
        return self._with((*self._faces, *_faces_of(tiles, self._ruleset)))

    def __sub__(self, tiles: Tiles) -> FrozenHand:
        """Return the hand without these concealed tiles; raises HandError for a tile that it does not hold."""
        rest = list(self._faces)
        for face in _faces_of(tiles, self._ruleset):
            if face not in rest:
                raise HandError(f"the hand {self} does not hold {tile_text(face)}")
            rest.remove(face)
        return self._with(rest)

    def _with(self, faces: Iterable[Face]) -> FrozenHand:
        """Return a hand with these concealed tiles in their place."""
        return FrozenHand(faces, self._melds, self._ruleset, riichi=self._riichi)

    def __len__(self) -> int:
        return len(self._faces)

    def __iter__(self) -> Iterator[str]:
        return map(tile_text, self.faces)

    def __contains__(self, tile: str | Face) -> bool:
        return _one_tile(tile, self._ruleset) in self._faces

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrozenHand):
            return NotImplemented
        mine = (self.faces, self._melds, self._riichi, self._ruleset)
        return mine == (other.faces, other._melds, other._riichi, other._ruleset)

    def __hash__(self) -> int:
        return hash((self.faces, self._melds))

    def __str__(self) -> str:
        return hand_text(self._faces, self._melds)

    def _repr_html_(self) -> str:
        """Show the hand in a notebook: its distance from a win, and the tiles that help it, or its best discards."""
        shown = pieces.hand(self.faces, self.melds)
        if len(self._faces) % 3 == 0:
            return pieces.piece(pieces.line(shown))
        found = _analysis(self, "", None)
        rows = []
        for each in found.discards[:MOST_SHOWN]:
            rows.append((pieces.hand([each.face]), str(each.shanten), str(each.ukeire.tiles), _helping(each.ukeire)))
        parts = [pieces.line(shown), pieces.line(distance_words(found.shanten))]
        if found.ukeire is not None:
            parts.append(pieces.line(f"{found.ukeire.tiles} tiles help:", _helping(found.ukeire)))
        if rows:
            parts.append(pieces.table(("discard", "shanten", "tiles", "that help"), rows))
        return pieces.piece(*parts)

    def __repr__(self) -> str:
        rules = "" if self._ruleset is UMP else f", rules={self._ruleset.name!r}"
        riichi = ", riichi=True" if self._riichi else ""
        return f"hand({str(self)!r}{rules}{riichi})"


value = FrozenHand.value


def hand(
    tiles: FrozenHand | Tiles,
    melds: str | Iterable[Meld] = (),
    *,
    rules: Ruleset | str | None = None,
    riichi: bool = False,
) -> FrozenHand:
    """Return a hand as a value.

    ``tiles`` are text, with or without melds, faces (numbers from 0 to 36), or the counts of all 34 kinds or 37 faces.
    ``melds`` are text such as ``<234p>(6666z)`` or ``Meld`` values, and come behind those of the text. Of a hand, it is
    the same hand under the given rules. Raises NotationError for unreadable text, HandError for tiles that are not a
    hand of these rules, RulesetError for an unknown preset.
    """
    if isinstance(tiles, FrozenHand):
        ruleset = tiles.rules if rules is None else _ruleset(rules)
        return FrozenHand(tiles._faces, (*tiles.melds, *_melds_of(melds)), ruleset, riichi=riichi or tiles.riichi)
    ruleset = _ruleset(rules)
    if isinstance(tiles, str):
        return _written(tiles, _melds_of(melds), ruleset, riichi=riichi)
    numbers = [index(tiles)] if isinstance(tiles, int) else [index(each) for each in tiles]
    faces = _counted(numbers) if len(numbers) in (KINDS, FACES) else _checked_faces(numbers)
    return FrozenHand(faces, _melds_of(melds), ruleset, riichi=riichi)


def _written(text: str, melds: tuple[Meld, ...], ruleset: Ruleset, *, riichi: bool) -> FrozenHand:
    """Return the hand of a text."""
    plain = parse_plain_hand(text)
    if plain is not None:
        try:
            return FrozenHand(plain[0], plain[1] + melds, ruleset, riichi=riichi)
        except HandError:
            pass  # the parser of all notations says where the text is wrong
    faces, found, in_riichi = parse_written_hand(text, ruleset.red_fives)
    return FrozenHand(faces, found + melds, ruleset, riichi=riichi or in_riichi)


def shanten(hand: FrozenHand | str, *, rules: Ruleset | str | None = None) -> int:
    """Return how many tiles a hand is away from tenpai: 0 tenpai, -1 complete.

    Raises NotationError for unreadable text, HandError for tiles that are not a hand, as two red fives of a suit where
    the rules have one, RulesetError for an unknown preset.
    """
    return _as_hand(hand, rules).shanten


def waits(hand: FrozenHand | str, *, seen: Tiles = "", rules: Ruleset | str | None = None) -> dict[str, int]:
    """Return the tiles that complete a hand of 13, each with how many nobody has seen; empty if it is not tenpai.

    Tiles of the hand and its melds are seen; ``seen`` names others. A wait with no tile left is still a wait. Raises
    HandError if the hand has a tile to discard; other errors as in ``shanten``.
    """
    held = _as_hand(hand, rules)
    is_far = len(held) % 3 == 1 and held.shanten > 0
    if is_far and not seen:
        return {}
    found = _between_turns(held, seen, rules)
    return _by_tile(found.ukeire) if found.shanten == 0 else {}


def ukeire(hand: FrozenHand | str, *, seen: Tiles = "", rules: Ruleset | str | None = None) -> dict[str, int]:
    """Return the tiles that bring a hand of 13 nearer to tenpai, or complete it, each with how many nobody has seen.

    Arguments and errors as in ``waits``.
    """
    return _by_tile(_between_turns(hand, seen, rules).ukeire)


def discards(hand: FrozenHand | str, *, seen: Tiles = "", rules: Ruleset | str | None = None) -> list[DiscardChoice]:
    """Return each discard of a hand of 14 with what it leaves, the best first: least shanten, then most tiles.

    ``seen`` as in ``waits``. Raises HandError if the hand has no tile to discard; other errors as in ``shanten``.
    """
    found = _analysis(hand, seen, rules)
    if not found.discards:
        raise HandError("the hand has no tile to discard: give 14 tiles, 3 fewer per meld")
    return [DiscardChoice(MPSZ_FACES[each.face], each.shanten, each.ukeire) for each in found.discards]


def _as_hand(given: FrozenHand | str, rules: Ruleset | str | None) -> FrozenHand:
    """Return a hand, which may be text, under these rules; None means its own, or those of UMP."""
    if isinstance(given, str):
        return _written(given, (), _ruleset(rules), riichi=False)
    return given if rules is None and isinstance(given, FrozenHand) else hand(given, rules=rules)


def _analysis(given: FrozenHand | str, seen: Tiles, rules: Ruleset | str | None) -> HandAnalysis:
    """Return the analysis of a hand."""
    held = _as_hand(given, rules)
    if held._analysis is not None and not seen:
        return held._analysis
    check_size(held._faces)
    ruleset = held.rules
    in_sight = _faces_of(seen, ruleset)
    if in_sight:
        check_more_tiles(held._faces, held.melds, held._counts, in_sight, ruleset)
    if len(held._faces) % 3 == 1:
        found = analyse_waiting(held._kinds, held.melds, in_sight, ruleset.own_copies, ruleset.seats)
    else:
        found = analyse_hand(held._hand, in_sight, ruleset.own_copies, ruleset.seats)
    if not in_sight:
        held._analysis = found
    return found


def _between_turns(given: FrozenHand | str, seen: Tiles, rules: Ruleset | str | None) -> HandAnalysis:
    """Return the analysis of a hand that has no tile to discard; raises HandError if it has one."""
    found = _analysis(given, seen, rules)
    if found.discards:
        raise HandError("the hand has a tile to discard: give 13 tiles, 3 fewer per meld; discards takes 14")
    return found


def _by_tile(ukeire: Ukeire | None) -> dict[str, int]:
    """Return tiles as text with how many are left of each."""
    return {} if ukeire is None else ukeire.by_tile


def _helping(ukeire: Ukeire) -> pieces.Markup:
    """Return pictures of the tiles that help a hand, of which some are left."""
    return pieces.hand(kind for kind, left in ukeire.live if left)


def _ruleset(rules: Ruleset | str | None) -> Ruleset:
    """Return a ruleset, or the preset of this name; None is UMP's."""
    if rules is None:
        return UMP
    return read_ruleset(rules) if isinstance(rules, str) else rules


@lru_cache(1 << 9)
def _conditions(
    ruleset: Ruleset,
    melds: tuple[MeldType, ...],
    tsumo: bool,
    seat_wind: str,
    round_wind: str,
    dora: Tiles,
    ura: Tiles,
    riichi: int,
    open_riichi: bool,
    ippatsu: bool,
    rinshan: bool,
    chankan: bool,
    haitei: bool,
    houtei: bool,
    first_turn: bool,
    loser_in_riichi: bool,
    kita: int,
    honba: int,
    kyotaku: int,
) -> Conditions:
    """Return the conditions of a win with such melds; raises ConditionsError and NotationError.

    Many hands are valued in the same conditions, so the latest are cached.
    """
    if min(honba, kyotaku) < 0:
        raise ConditionsError("honba and kyotaku are 0 or more")
    if not 0 <= kita <= COPIES:
        raise ConditionsError(f"kita is a number from 0 to {COPIES}")
    circumstances = Circumstances(
        tsumo=tsumo,
        seat_wind=_wind("seat_wind", seat_wind),
        round_wind=_wind("round_wind", round_wind),
        riichi=riichi,
        open_riichi=open_riichi,
        ippatsu=ippatsu,
        rinshan=rinshan,
        chankan=chankan,
        haitei=haitei,
        houtei=houtei,
        first_turn=first_turn,
        loser_in_riichi=loser_in_riichi,
        norths=kita,
        indicators=_faces_of(dora, ruleset),
        ura=_faces_of(ura, ruleset),
    )
    if tsumo not in ways_to_win(circumstances):
        raise ConditionsError(f"these circumstances rule out a win by {'tsumo' if tsumo else 'ron'}")
    conditions = Conditions(ruleset, circumstances, honba, kyotaku)
    check(conditions, melds)
    return conditions


def _wind(argument: str, name: str) -> int:
    """Return the number of a wind, 0 east."""
    if name not in WINDS:
        raise ConditionsError(f"{argument}={name!a}: choose {', '.join(WINDS)}")
    return WINDS.index(name)


def _one_tile(tile: str | Face | None, ruleset: Ruleset) -> Face:
    """Return a single tile."""
    faces = () if tile is None else _faces_of(tile, ruleset)
    if len(faces) != 1:
        raise ConditionsError(f"a hand is won with one tile, not with {len(faces)}")
    return faces[0]


def _faces_of(tiles: Tiles, ruleset: Ruleset) -> tuple[Face, ...]:
    """Return tiles as faces; raises NotationError for text and HandError for numbers that are none."""
    if isinstance(tiles, str):
        return parse_written_tiles(tiles, ruleset.red_fives) if tiles else ()
    if isinstance(tiles, Iterable):
        return _checked_faces(map(index, tiles))
    return _checked_faces([index(tiles)])


def _checked_faces(numbers: Iterable[int]) -> tuple[Face, ...]:
    """Return faces; raises HandError for a number that is none."""
    faces = tuple(numbers)
    for face in faces:
        if not 0 <= face < FACES:
            raise HandError(f"{face}: tiles are numbers from 0 to {FACES - 1}")
    return faces


def _counted(counts: list[int]) -> tuple[Face, ...]:
    """Return the tiles of 34 or 37 counts; raises HandError for a count that is impossible."""
    faces: list[Face] = []
    for face, count in enumerate(counts):
        if not 0 <= count <= COPIES:
            raise HandError(f"{count} tiles of {tile_text(face)}: there are 0 to {COPIES}")
        faces += [face] * count
    return tuple(faces)


def _melds_of(melds: str | Iterable[Meld]) -> tuple[Meld, ...]:
    """Return melds, which may be text; raises HandError for other tiles in it."""
    if not isinstance(melds, str):
        return tuple(melds)
    faces, found, _ = parse_written_hand(melds)
    if faces:
        raise HandError(f"melds={melds!a}: {hand_text(faces, ())} is outside of brackets")
    return found
