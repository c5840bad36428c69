"""Hands as text: what a win is worth, how far a hand is from complete, which tiles help it.

Hands and tiles may be in any notation (``ump.model.written.parse_written_hand``): ``123m406p77z``, ``1m5M<2p3p4p>``,
``m10p77z5,z444=``, mjai's ``1m 5mr E``, ``一二三萬``, Unicode tiles ... Results name tiles as ``5m``, ``0m`` (the red
five) and ``1z`` .. ``7z``.

``rules`` is a ruleset or the name of a preset. All errors are ValueErrors with a text of one line.
"""

from __future__ import annotations

from dataclasses import dataclass

from ump.model.hand import Hand
from ump.model.tiles import COPIES, Face
from ump.model.written import parse_written_hand, parse_written_tiles
from ump.rules.options import read_ruleset
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances
from ump.text.hand import WINDS, HandAnalysis, HandError, Ukeire, analyse_hand, check_tiles, hand_report
from ump.text.layout import tile_text
from ump.text.win import Conditions, ConditionsError, Win, ways_to_win


@dataclass(frozen=True, slots=True)
class DiscardChoice:
    """A discard, and what it leaves of the hand."""

    tile: str
    shanten: int
    ukeire: dict[str, int]
    """The tiles that help the rest of the hand, each with how many of them nobody has seen."""

    @property
    def tiles(self) -> int:
        """The number of unseen tiles that help."""
        return sum(self.ukeire.values())


def value(
    hand: str,
    *,
    ron: str | None = None,
    tsumo: str | None = None,
    rules: Ruleset | str = "ump",
    seat_wind: str = "south",
    round_wind: str = "east",
    dora: str = "",
    ura: str = "",
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
    ``dora`` and ``ura`` are the indicators. ``first_turn``: nobody has called and the winner has not discarded (tenhou,
    chihou, renhou). ``loser_in_riichi``: the player who dealt in is in riichi, so that an open riichi is no yakuman.
    ``kita`` counts the norths set aside, in games of three, ``kyotaku`` riichi sticks. A complete hand without a yaku
    is worth 0 points; its ``value`` is None.

    Raises NotationError for unreadable text, HandError for tiles that are not a hand or that the winning tile does not
    complete, ConditionsError for circumstances that contradict each other, RulesetError for an unknown preset.
    """
    if (ron is None) == (tsumo is None):
        raise ConditionsError("give the winning tile, either as ron or as tsumo")
    if min(honba, kyotaku) < 0:
        raise ConditionsError("honba and kyotaku are 0 or more")
    if not 0 <= kita <= COPIES:
        raise ConditionsError(f"kita is a number from 0 to {COPIES}")
    ruleset = _ruleset(rules)
    written = parse_written_hand(hand, ruleset.red_fives)
    in_riichi = riichi or open_riichi or written.riichi
    circumstances = Circumstances(
        tsumo=tsumo is not None,
        seat_wind=_wind("seat_wind", seat_wind),
        round_wind=_wind("round_wind", round_wind),
        riichi=2 if double_riichi else 1 if in_riichi else 0,
        open_riichi=open_riichi,
        ippatsu=ippatsu,
        rinshan=rinshan,
        chankan=chankan,
        haitei=haitei,
        houtei=houtei,
        first_turn=first_turn,
        loser_in_riichi=loser_in_riichi,
        norths=kita,
        indicators=parse_written_tiles(dora, ruleset.red_fives),
        ura=parse_written_tiles(ura, ruleset.red_fives),
    )
    if circumstances.tsumo not in ways_to_win(circumstances):
        raise ConditionsError(f"these circumstances rule out a win by {'tsumo' if circumstances.tsumo else 'ron'}")
    tile = _one_tile(ron or tsumo or "", ruleset)
    report = hand_report(
        written, Conditions(ruleset, circumstances, honba, kyotaku), tile=tile, ways=(circumstances.tsumo,)
    )
    win = report.wins[0]
    if not win.is_complete:
        raise HandError(f"the hand is not complete with {tile_text(tile)}")
    return win


def shanten(hand: str, *, rules: Ruleset | str = "ump") -> int:
    """Return how many tiles a hand is away from tenpai: 0 tenpai, -1 complete.

    Raises NotationError for unreadable text, HandError for tiles that are not a hand, as two red fives of a suit where
    the rules have one, RulesetError for an unknown preset.
    """
    return _analysis(hand, "", rules).shanten


def waits(hand: str, *, seen: str = "", rules: Ruleset | str = "ump") -> dict[str, int]:
    """Return the tiles that complete a hand of 13, each with how many nobody has seen; empty if it is not tenpai.

    Tiles of the hand and its melds are seen; ``seen`` names others. A wait with no tile left is still a wait. Raises
    HandError if the hand has a tile to discard; other errors as in ``shanten``.
    """
    analysis = _analysis_between_turns(hand, seen, rules)
    return _by_tile(analysis.ukeire) if analysis.shanten == 0 else {}


def ukeire(hand: str, *, seen: str = "", rules: Ruleset | str = "ump") -> dict[str, int]:
    """Return the tiles that bring a hand of 13 nearer to tenpai, or complete it, each with how many nobody has seen.

    Arguments and errors as in ``waits``.
    """
    return _by_tile(_analysis_between_turns(hand, seen, rules).ukeire)


def discards(hand: str, *, seen: str = "", rules: Ruleset | str = "ump") -> list[DiscardChoice]:
    """Return each discard of a hand of 14 with what it leaves, the best first: least shanten, then most tiles.

    ``seen`` as in ``waits``. Raises HandError if the hand has no tile to discard; other errors as in ``shanten``.
    """
    analysis = _analysis(hand, seen, rules)
    if not analysis.discards:
        raise HandError("the hand has no tile to discard: give 14 tiles, 3 fewer per meld")
    return [DiscardChoice(tile_text(each.face), each.shanten, _by_tile(each.ukeire)) for each in analysis.discards]


def _analysis(hand: str, seen: str, rules: Ruleset | str) -> HandAnalysis:
    """Return the analysis of a hand in text."""
    ruleset = _ruleset(rules)
    written = parse_written_hand(hand, ruleset.red_fives)
    in_sight = parse_written_tiles(seen, ruleset.red_fives)
    if len(written.faces) % 3 == 0:
        raise HandError(
            f"{len(written.faces)} concealed tiles are not a hand: 13, or 14 after the draw, 3 fewer per meld"
        )
    everything = [*written.faces, *in_sight]
    for meld in written.melds:
        everything += meld.faces
    check_tiles(everything, ruleset)
    return analyse_hand(Hand(written.faces, written.melds), in_sight, ruleset.own_copies, ruleset.seats)


def _analysis_between_turns(hand: str, seen: str, rules: Ruleset | str) -> HandAnalysis:
    """Return the analysis of a hand that has no tile to discard; raises HandError if it has one."""
    analysis = _analysis(hand, seen, rules)
    if analysis.discards:
        raise HandError("the hand has a tile to discard: give 13 tiles, 3 fewer per meld; discards takes 14")
    return analysis


def _by_tile(ukeire: Ukeire | None) -> dict[str, int]:
    """Return tiles as text with how many are left of each."""
    return {} if ukeire is None else ukeire.by_tile


def _ruleset(rules: Ruleset | str) -> Ruleset:
    """Return a ruleset, or the preset of this name."""
    return read_ruleset(rules) if isinstance(rules, str) else rules


def _wind(argument: str, name: str) -> int:
    """Return the number of a wind, 0 east."""
    if name not in WINDS:
        raise ConditionsError(f"{argument}={name!a}: choose {', '.join(WINDS)}")
    return WINDS.index(name)


def _one_tile(text: str, ruleset: Ruleset) -> Face:
    """Return the winning tile."""
    faces = parse_written_tiles(text, ruleset.red_fives)
    if len(faces) != 1:
        raise ConditionsError(f"a hand is won with one tile, not with {len(faces)}")
    return faces[0]
