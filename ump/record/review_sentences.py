"""Words of a review in English: actions, losses, and the sentences that explain a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ump.model import actions
from ump.model.seats import WIND_NAMES, Seat, wind_of
from ump.model.value import value
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


def _percent(share: float) -> str:
    if share < 0.01:
        return "under 1%"
    return f"{share:.0%}"


@value
class SentenceParts:
    """The parts of a sentence about one difference."""

    best: str
    done: str
    who: str
    facts: Mapping[str, Any]

    @property
    def keeps(self) -> str:
        """The distance to a win after the reviewer's choice."""
        return shanten_words(self.facts["shanten"][0])

    @property
    def leaves(self) -> str:
        """The distance to a win after what was done."""
        return shanten_words(self.facts["shanten"][1])

    @property
    def distance(self) -> str:
        """The distances to a win, compared."""
        if self.keeps == self.leaves:
            return f"both keep {self.keeps}"
        return f"{self.keeps} instead of {self.leaves}"

    @property
    def risks(self) -> str:
        """The risks, compared."""
        first, second = self.facts["risk"]
        mine = f"deals in with {_percent(first)}"
        if self.facts["safe"]:
            mine = "is safe"
        return f"{self.best} {mine} against {self.who}, {self.done} with {_percent(second)}"

    @property
    def tiles(self) -> tuple[int, int]:
        """The tiles that bring the hand nearer, after either."""
        first, second = self.facts["tiles"]
        return first, second


SENTENCES: Mapping[str, str] = {
    "win": "a win was passed",
    "no_win": "the hand is worth more than this win",
    "kan": "the {words.best} costs nothing",
    "no_kan": "the {words.done} gives more than it brings",
    "safer": "{words.risks}; {words.distance}",
    "fold": "{words.risks}; the hand is not worth the risk",
    "push": "the hand is worth the risk of {words.best}: {words.distance}",
    "red": "the red five is worth a han",
    "back": "{words.best} keeps {words.keeps}, {words.done} goes back to {words.leaves}",
    "worth": "{words.best} goes back to {words.keeps} for a better hand",
    "tiles": "{words.tiles[0]} tiles bring it nearer after {words.best}, {words.tiles[1]} after {words.done}",
    "wait": "fewer tiles ({words.tiles[0]}, not {words.tiles[1]}), but a better wait, or a yaku in reach",
    "dora": "as many tiles, and {words.done} is a dora",
    "equal": "as many tiles; {words.best} is the less useful tile",
    "riichi": "riichi with the same tile",
    "dama": "the hand is worth more without riichi",
    "call": "it brings the hand to {words.keeps}, with a yaku in reach",
    "call_yaku": "it brings a yaku",
    "other_call": "other tiles of the hand make the better call",
    "no_yaku": "neither yakuhai nor tanyao would be in reach after the call",
    "not_nearer": "the call keeps the hand at {words.keeps}",
    "closed": "the closed hand is worth more",
}
"""The words for the codes of reasons."""

NO_REASON = "no reason that we can name"


def reason_words(decision: Reviewed, assessment: Assessment, dealer: Seat, seats: int) -> str:
    """Return why a reviewer differs, in words and tiles, with its own words at the end if it has any."""
    own = _own_words(assessment)
    reason = assessment.reason
    if reason is None:
        return own or NO_REASON
    who = ""
    if "seat" in reason.facts:
        wind = WIND_NAMES[wind_of(int(str(reason.facts["seat"])), dealer, seats)]
        who = f"{wind}'s open hand"
        if reason.facts["riichi"]:
            who = f"{wind}'s riichi"
    words = SentenceParts(_short(assessment.choice), _short(decision.done), who, reason.facts)
    sentence = SENTENCES[reason.code].format(words=words)
    if own:
        return f"{sentence} ({printable(own)})"
    return sentence


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
