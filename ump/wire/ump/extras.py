"""The additions to the questions of 0.1, for the extensions of a client: offers, the own hand, hints, the time left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Self, TypeVar, assert_never

from ump.model import actions
from ump.model.actions import Action
from ump.model.notation import UMP_FACES
from ump.model.tiles import KIND_OF, Face, Kind, sort_faces
from ump.model.value import value
from ump.players.hints import MOST_ADVISED, AdvisedAnswer, Furiten, Waits
from ump.wire.text import WireError, quoted
from ump.wire.ump.sentence import Rest, Word, misfit, parse_number, parse_shown, parse_tile, parse_tiles

T = TypeVar("T")

_TIME = re.compile(r"([0-9]{1,6}(?:\.[0-9])?)\+([0-9]{1,6}(?:\.[0-9])?)")
_FURITEN = {furiten.value: furiten for furiten in Furiten}
_WAIT = re.compile("([1-9][mpsz]):([0-4])")
_FURITEN_AFTER = "furiten"
"""The last part of a discard after which the hand is furiten; then it lasts."""

HINTS = SHANTEN, WAITS, FURITEN, TENPAI, SAFE = ("_shanten", "_waits", "_furiten", "_tenpai", "_safe")
"""The names of the hints at the end of a question."""

ADVISE = "_advise"
"""The word at the end of a question for which a player may ask for advice, and the command with which it does."""

LAST = "_last"
"""The word at the end of ``ready?`` after the last kyoku of a game."""


@value
class Time:
    """The time that an answer may take, in seconds; written in tenths of a second."""

    move: float
    """The time for this move."""
    bank: float
    """The time in the bank, which lasts until the end of the kyoku."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``10+20``; raise WireError for anything else."""
        match = _TIME.fullmatch(text)
        if match is None:
            raise WireError(f"{quoted(text)} is not a time, as in 10+20")
        return cls(float(match[1]), float(match[2]))

    def serialise(self) -> str:
        """Write ``10+20``."""
        return "+".join(f"{seconds:.1f}".removesuffix(".0") for seconds in (self.move, self.bank))


@value
class Hints:
    """The hints at the end of a question."""

    shanten: int | None = None
    """The number of tiles that the hand lacks to be tenpai; None if it is tenpai, or a discard leaves it tenpai."""
    waits: Waits | None = None
    """The waits of a tenpai hand, with a question about another's tile."""
    discards: tuple[tuple[Face, Waits], ...] = ()
    """The discards that leave the hand tenpai, on the own turn, each with its waits."""
    safe: tuple[Face, ...] = ()
    """The discards on which no other player in riichi can win, on the own turn."""
    has_advice: bool = False
    """Whether the client may ask for advice."""

    def words(self) -> list[str]:
        """Return the words of the hints."""
        words: list[str] = []
        if self.shanten is not None:
            words.append(f"{SHANTEN}={self.shanten}")
        if self.waits is not None:
            words.append(f"{WAITS}={_write_live(self.waits.live)}")
            if self.waits.furiten is not None:
                words.append(f"{FURITEN}={self.waits.furiten.value}")
        if self.discards:
            words.append(f"{TENPAI}={','.join(_write_discard(face, waits) for face, waits in self.discards)}")
        if self.safe:
            words.append(f"{SAFE}={''.join(UMP_FACES[face] for face in self.safe)}")
        if self.has_advice:
            words.append(ADVISE)
        return words

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> Self | None:
        """Read the hints among the words of a question, by name; None without any. Raises WireError."""
        hints = cls(
            _read_option(options, SHANTEN, parse_number),
            _read_waits(options),
            _read_option(options, TENPAI, _read_discards) or (),
            _read_option(options, SAFE, _read_tiles) or (),
            ADVISE in options,
        )
        if hints == cls():
            return None
        return hints


@value
class Extras:
    """The additions to a question, for a client that asked for extensions in its hello."""

    offers: tuple[Action, ...] | None = None
    """The legal actions; None without ``_offer=1``. Passing is always legal, and neither written nor read."""
    hand: str | None = None
    """The own hand in UMP's notation, the drawn tile after the other concealed ones; None without ``_hand=1``."""
    drawn: Face | None = None
    """The drawn tile, with ``hand``; None after a call, and on the turns of others."""
    time: Time | None = None
    """The time left; None without ``_time=1``."""
    hints: Hints | None = None
    """The waits of the own hand; None without ``_waits=1``."""
    is_last: bool = False
    """Whether the end of the game follows; never without ``_results=1``."""

    def words(self) -> list[str]:
        """Return the words that stand at the end of a question."""
        words: list[str] = []
        if self.offers is not None:
            words += offer_words(self.offers)
        if self.hand is not None:
            words.append(f"_hand={self.hand}")
        if self.drawn is not None:
            words.append(f"_drawn={UMP_FACES[self.drawn]}")
        if self.hints is not None:
            words += self.hints.words()
        if self.is_last:
            words.append(LAST)
        if self.time is not None:
            words.append(f"_time={self.time.serialise()}")
        return words


NO_EXTRAS = Extras()

_TILE, _LIVE = "(?:[1-9][mpsMPS]|[1-7]z)", "[1-9][mpsz]:[0-4](?:/[1-9][mpsz]:[0-4])*"
_DISCARD = f"{_TILE}/{_LIVE}(?:/{_FURITEN_AFTER})?"
_PATTERNS = {
    "<tile>": _TILE,
    "<tiles>": f"{_TILE}+",
    "<pairs>": f"{_TILE}{{2}}(?:,{_TILE}{{2}})*",
    "<hand>": f"(?:{_TILE}|[<>()])+",
    "<count>": "[0-9]+",
    "<waits>": _LIVE,
    "<furiten>": "|".join(_FURITEN),
    "<discards>": f"{_DISCARD}(?:,{_DISCARD})*",
    "<time>": "[0-9.]+[+][0-9.]+",
}
"""A regular expression for each word in angle brackets of the additions."""


def parse_extras(words: Sequence[str]) -> Extras:
    """Read offers and the other additions; unknown words are extensions and are skipped.

    Offers do not say which of two equal tiles is the drawn one: a discard or riichi is read without ``tsumogiri``.
    Raises WireError if a known word has another form.
    """
    if not words:
        return NO_EXTRAS
    offers: list[Action] = []
    hints: dict[str, str] = {}
    hand: str | None = None
    drawn: Face | None = None
    time: Time | None = None
    is_last = False
    for word in words:
        name, _, text = word.partition("=")
        if name == "_hand":
            parse_shown(text)
            hand = text
        elif name == "_drawn":
            drawn = parse_tile(text)
        elif name == "_time":
            time = Time.parse(text)
        elif word == LAST:
            is_last = True
        elif name in HINTS or word == ADVISE:
            hints[name] = text
        elif word in _SINGLE_WORDS:
            offers.append(_SINGLE_WORDS[word])
        elif name in _LISTS:
            offers += _listed(name, text, words)
    return Extras(tuple(offers) or None, hand, drawn, time, Hints.parse(hints), is_last)


def additions(form: str) -> Rest:
    """Return the annotation of the additions to a question, which may have the words of this form."""
    return Rest(form, parse_extras, Extras.words, {word: _PATTERNS[word] for word in re.findall("<[a-z]+>", form)})


# Offers: from actions to words, and back

_SINGLE_WORDS: dict[str, Action] = {
    "kita": actions.Kita(),
    "tsumo": actions.Tsumo(),
    "ryukyoku": actions.KyushuKyuhai(),
    "kan": actions.Daiminkan(),
    "ron": actions.Ron(),
}
"""The offers of one word, in the order in which they are written, after the lists."""


def _ankan(tile: Face) -> Action:
    return actions.Ankan(KIND_OF[tile])


_TILE_LISTS: dict[str, Callable[[Face], Action]] = {
    "sute": actions.Discard,
    "richi": actions.Riichi,
    "openrichi": partial(actions.Riichi, opened=True),
    "ankan": _ankan,
    "kakan": actions.Kakan,
}
"""The offers that list tiles, which are glued, and the action that each tile means."""

_PAIR_LISTS: dict[str, Callable[[tuple[Face, Face]], Action]] = {"chi": actions.Chi, "pon": actions.Pon}
"""The offers that list pairs of tiles, between commas, and the action that each pair means."""

_LISTS = (*_TILE_LISTS, *_PAIR_LISTS)
"""All lists, in the order in which they are written."""


def offer_words(offers: Iterable[Action]) -> list[str]:
    """Write the legal actions of a question as words; passing and declaring are always legal and not written.

    The drawn tile and an equal one of the hand are one offer.
    """
    legal = tuple(offers)
    lists: dict[str, dict[str, None]] = {name: {} for name in _LISTS}  # the inner ones are ordered sets
    for action in legal:
        entry = _list_entry(action)
        if entry is not None:
            name, text = entry
            lists[name][text] = None
    words: list[str] = []
    for name, entries in lists.items():
        if entries and name in _PAIR_LISTS:
            words.append(f"{name}={','.join(entries)}")
        elif entries:
            words.append(f"{name}={''.join(entries)}")
    return words + [word for word, action in _SINGLE_WORDS.items() if action in legal]


_PASS = "no"
_FOLDS = "-"
"""The shanten and the tiles of an answer after which the hand folds."""

_WORTH = re.compile("([+-][0-9]{1,6})/(?:([0-9])/([0-9]{1,3})|-/-)/([0-9]{1,3})")


def _write_advised(one: AdvisedAnswer) -> str:
    """Write an answer with its points, the shanten after it, the tiles that lower that, and its risk in percent."""
    match one.action:
        case actions.Pass():
            offer = _PASS
        case _:
            (offer,) = offer_words((one.action,))
    if one.points is None:
        return offer
    standing = f"{one.shanten}/{one.tiles}"
    if one.shanten is None:
        standing = f"{_FOLDS}/{_FOLDS}"
    return f"{offer}/{one.points:+.0f}/{standing}/{100 * one.risk:.0f}"


def _read_advised(word: str) -> AdvisedAnswer:
    """Read such a word; raise WireError for any other."""
    offer, has_worth, text = word.partition("/")
    action = _read_offer(offer, word)
    if not has_worth:
        return AdvisedAnswer(action)
    match = _WORTH.fullmatch(text)
    if match is None:
        raise WireError(f"{quoted(word)} has no worth, as in sute=1z/-120/2/18/4")
    shanten = tiles_left = None
    if match[2] is not None:
        shanten, tiles_left = int(match[2]), int(match[3])
    return AdvisedAnswer(action, float(match[1]), shanten, tiles_left, int(match[4]) / 100)


def _read_offer(offer: str, word: str) -> Action:
    """Return the action of an answer; an error quotes the whole ``word``."""
    if offer == _PASS:
        return actions.Pass()
    if offer in _SINGLE_WORDS:
        return _SINGLE_WORDS[offer]
    name, _, tiles = offer.partition("=")
    if name in _LISTS:
        listed = _listed(name, tiles, (word,))
        if len(listed) == 1:
            return listed[0]
    raise WireError(f"{quoted(word)} is no answer")


def _read_advised_02(word: str) -> AdvisedAnswer:
    return _read_advised(word.replace("sutehai:", "sute=").replace(":", "="))


def _write_advised_02(one: AdvisedAnswer) -> str:
    """Write an answer without ``=``, which would make the word an option."""
    return _write_advised(one).replace("sute=", "sutehai:").replace("=", ":")


def _advised(read: Callable[[str], AdvisedAnswer], write: Callable[[AdvisedAnswer], str]) -> Rest:
    """Return the annotation of the answers of an advice."""
    return Rest(
        "<answer> [<answer>] [<answer>]",
        lambda words: tuple(map(read, words)),
        lambda advised: map(write, advised),
        {"<answer>": "[^ ]+"},
        has_number=range(1, MOST_ADVISED + 1).__contains__,
    )


AdvisedAnswers = Annotated[tuple[AdvisedAnswer, ...], _advised(_read_advised, _write_advised)]
AdvisedAnswers02 = Annotated[tuple[AdvisedAnswer, ...], _advised(_read_advised_02, _write_advised_02)]


def _list_entry(action: Action) -> tuple[str, str] | None:
    """Return the list in which an action is offered and its entry there; None if it is in no list."""
    match action:
        case actions.Discard():
            return "sute", UMP_FACES[action.face]
        case actions.Riichi():
            if action.opened:
                return "openrichi", UMP_FACES[action.face]
            return "richi", UMP_FACES[action.face]
        case actions.Ankan():
            return "ankan", UMP_FACES[action.kind]
        case actions.Kakan():
            return "kakan", UMP_FACES[action.face]
        case actions.Chi():
            return "chi", UMP_FACES[action.own[0]] + UMP_FACES[action.own[1]]
        case actions.Pon():  # the plain five before the red one
            return "pon", UMP_FACES[action.own[1]] + UMP_FACES[action.own[0]]
        case actions.Kita() | actions.Tsumo() | actions.KyushuKyuhai() | actions.Daiminkan() | actions.Ron():
            return None
        case actions.Pass() | actions.DeclareTenpai() | actions.DeclareNoten():
            return None
        case _:
            assert_never(action)


def _listed(name: str, text: str, words: Sequence[str]) -> list[Action]:
    """Return the actions of one list; ``words`` are quoted in an error."""
    if name not in _PAIR_LISTS:
        return list(map(_TILE_LISTS[name], parse_tiles([text])))
    listed: list[Action] = []
    for entry in text.split(","):
        pair = sort_faces(parse_tiles([entry]))
        if len(pair) != 2:
            raise misfit(name, words)
        listed.append(_PAIR_LISTS[name]((pair[0], pair[1])))
    return listed


# Waits


def _write_live(live: Iterable[tuple[Kind, int]]) -> str:
    return "/".join(f"{UMP_FACES[kind]}:{count}" for kind, count in live)


def _write_discard(face: Face, waits: Waits) -> str:
    parts = [UMP_FACES[face], _write_live(waits.live)]
    if waits.furiten is not None:
        parts.append(_FURITEN_AFTER)
    return "/".join(parts)


def _read_live(text: str) -> tuple[tuple[Kind, int], ...]:
    return tuple(map(_read_wait, text.split("/")))


def _read_furiten(text: str) -> Furiten:
    if text not in _FURITEN:
        raise WireError(f"{quoted(text)} is no kind of furiten")
    return _FURITEN[text]


def _read_wait(text: str) -> tuple[Kind, int]:
    match = _WAIT.fullmatch(text)
    if match is None:
        raise WireError(f"{quoted(text)} is no wait, as in 4m:3")
    return KIND_OF[parse_tile(match[1])], int(match[2])


def _read_discard(text: str) -> tuple[Face, Waits]:
    discard, *waits = text.split("/")
    furiten = None
    if waits[-1:] == [_FURITEN_AFTER]:
        del waits[-1]
        furiten = Furiten.PERMANENT
    live = tuple(map(_read_wait, waits))
    if not live:
        raise WireError(f"{quoted(text)} is no discard with its waits, as in 9p/4m:3")
    return parse_tile(discard), Waits(live, furiten)


def _read_discards(text: str) -> tuple[tuple[Face, Waits], ...]:
    return tuple(map(_read_discard, text.split(",")))


def _read_tiles(text: str) -> tuple[Face, ...]:
    return parse_tiles([text])


def _read_waits(options: Mapping[str, str]) -> Waits | None:
    """Return the waits of a tenpai hand among the hints, if they are there."""
    live = _read_option(options, WAITS, _read_live)
    if live is None:
        return None
    return Waits(live, _read_option(options, FURITEN, _read_furiten))


def _read_option(options: Mapping[str, str], name: str, read: Callable[[str], T]) -> T | None:
    """Read a hint; None if it is missing."""
    if name not in options:
        return None
    return read(options[name])


Live = Annotated[tuple[tuple[Kind, int], ...], Word("<waits>", _LIVE, _read_live, _write_live)]
FuritenIfAny = Annotated[
    Furiten | None, Word("<furiten>", "|".join(_FURITEN), _read_furiten, lambda furiten: str(furiten.value))
]
