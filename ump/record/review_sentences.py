"""Words of a review in English: actions, losses, and the sentences that explain a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ump.model import actions
from ump.model.seats import WIND_NAMES, Seat, wind_of
from ump.players.evaluation import FARTHER, Unit
from ump.record.review import Assessment, Reviewed
from ump.text.layout import printable, tile_text


def action_words(action: actions.Action, *, names_tile: bool = True) -> str:
    """Return what a player does in words and tiles: ``discard 9p``, ``riichi 4s``, ``chi 4s 5s``."""
    match action:
        case actions.Discard(face):
            return f"discard {tile_text(face)}"
        case actions.Riichi() if not names_tile:
            return "riichi"
        case actions.Riichi(face):
            return f"riichi {tile_text(face)}"
        case actions.Chi(own) | actions.Pon(own):
            return f"{type(action).__name__.lower()} {' '.join(map(tile_text, own))}"
        case actions.Ankan(kind):
            return f"closed kan {tile_text(kind)}"
        case actions.Kakan(face):
            return f"added kan {tile_text(face)}"
        case _:
            return _ACTIONS[type(action)]


_ACTIONS: Mapping[type[actions.Action], str] = {
    actions.Pass: "pass",
    actions.Daiminkan: "kan",
    actions.Kita: "set north aside",
    actions.Tsumo: "tsumo",
    actions.Ron: "ron",
    actions.KyushuKyuhai: "nine terminals",
}


def shanten_words(number: int) -> str:
    """Return a distance to a win: ``tenpai``, ``2-shanten``."""
    if number > 0:
        return f"{number}-shanten"
    return "tenpai"


SENTENCES: Mapping[str, str] = {
    "tiles": "{best} leaves {tiles[0]} of {kinds} that help, {done} leaves {tiles[1]}",
    "lost_kinds": "after {done} the hand no longer uses {lost}",
    "back": "{done} goes back to {shanten[1]}, {best} keeps {shanten[0]}",
    "alone": "{tile} touches nothing in the hand",
    "wait": "{best} waits for {tiles[0]}, {done} for {tiles[1]}",
    "furiten": "after {done} the hand waits for {tile}, which lies in its own river: no ron",
    "dora": "{done} is a dora: worth {han} han",
    "value": "the cheapest ron pays {points[0]} after {best}, {points[1]} after {done}",
    "genbutsu": "{seat} discarded {tile}: it is safe against {seat}",
    "passed": "{tile} passed after {seat}'s riichi: it is safe against {seat}",
    "suji": "{seat} discarded {by}: no two-sided wait takes {tile}",
    "risk": "against {seat}'s {riichi}, {best} deals in {risk[0]} of 100 times, {done} {risk[1]}",
    "fold": "after {done} the hand is {shanten[1]}, and wins {win} of 100 times",
    "push": "after {best} the hand wins {win} of 100 times; the risk is {risk} of 100",
    "push_value": "after {best} the hand wins {win} of 100 times, {value} or more by ron; the risk is {risk} of 100",
    "riichi": "riichi raises a ron on {tile} from {points[1]} to {points[0]}",
    "riichi_yaku": "without riichi there is no yaku for a ron on {tile}, with it {points}",
    "dama": "a ron on {tile} pays {points[0]} without riichi, {points[1]} with it",
    "call": "{best} brings the hand from {shanten[1]} to {shanten[0]}",
    "triplet": "its triplet of {tile} is a yaku",
    "tanyao": "all melds are simples; for tanyao {others} must go",
    "all_simples": "all tiles are simples: tanyao",
    "no_yaku": "after {done}, {tile} rules out tanyao, and the hand has no pair of yakuhai",
    "not_nearer": "with {done} or without it the hand is {shanten[0]}",
    "closed": "{done} opens the hand: no riichi",
    "kan": "{best} keeps {shanten[0]}, and draws once more",
    "win": "this win pays {points} or more",
    "place": "place {place} is {points} away",
    "lead": "the lead is {points}",
}
"""The words for the codes of explanations."""

NO_REASON = "no reason that we can name"


def reason_words(decision: Reviewed, assessment: Assessment, dealer: Seat, seats: int) -> str:
    """Return why a reviewer differs, in words and tiles, with its own words at the end if it has any."""
    own = _own_words(assessment)
    said = ". ".join(sentences(decision, assessment, dealer, seats))
    if not said:
        return own or NO_REASON
    if own:
        return f"{said} ({printable(own)})"
    return said


def sentences(decision: Reviewed, assessment: Assessment, dealer: Seat, seats: int) -> list[str]:
    """Return a sentence for each explanation, without the full stop."""
    actions_words = {"best": _short(assessment.choice), "done": _short(decision.done)}
    written: list[str] = []
    for reason in assessment.reasons:
        words = {name: _fact_words(name, fact) for name, fact in reason.facts.items()}
        if "seat" in reason.facts:
            words["seat"] = WIND_NAMES[wind_of(int(str(reason.facts["seat"])), dealer, seats)]
        sentence = SENTENCES[reason.code].format(**actions_words, **words)
        written.append(sentence[0].upper() + sentence[1:])
    return written


def _fact_words(name: str, fact: Any) -> Any:
    """Return the words for a fact, or for both of a pair."""
    match name:
        case "shanten" | "points" | "tiles" | "risk" if isinstance(fact, tuple):
            return [_fact_words(name, each) for each in fact]
        case "shanten":
            return shanten_words(fact)
        case "points" | "value":
            return f"{fact:,} points"
        case "tiles":
            return _count(fact, "tile")
        case "kinds":
            return _count(fact, "kind")
        case "others":
            return _count(fact, "terminal or honour", "terminals and honours")
        case "lost" | "by":
            return _joined(fact)
        case "riichi":
            return "riichi" if fact else "open hand"
        case "risk" | "win":
            return str(fact) if fact else "under 1"
        case _:
            return fact


def _count(number: int, one: str, many: str = "") -> str:
    if number == 1:
        return f"1 {one}"
    return f"{number} {many or one + 's'}"


def _joined(tiles: Sequence[str]) -> str:
    """Return tiles as ``1m``, ``1m and 2m``, ``1m, 2m and 3m``."""
    *others, last = tiles
    if others:
        return f"{', '.join(others)} and {last}"
    return last


def _own_words(assessment: Assessment) -> str:
    """Return the reviewer's own words about its choice; empty if it has none."""
    for candidate in assessment.candidates:
        if candidate.action == assessment.choice and candidate.reason:
            return candidate.reason
    return ""


def _short(action: actions.Action) -> str:
    """Return an action as a sentence names it: a discard by its tile alone."""
    if isinstance(action, actions.Discard | actions.Riichi):
        return tile_text(action.face)
    return action_words(action)


def loss_words(unit: Unit, loss: float) -> str:
    """Return a loss with its unit: ``640 points``; tiles as shanten, ``0.1 shanten``."""
    if unit is Unit.TILES:
        return f"{loss / FARTHER:.1f} shanten"
    if unit is Unit.POINTS:
        return f"{loss:,.0f} {unit.value}"
    return f"{loss:.2f} {unit.value}"
