"""Reads what a person typed in answer to a question: exactly one legal action, or an explanation in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum, auto
from itertools import product
from typing import assert_never
from urllib.parse import quote

from ump.model import actions
from ump.model.choices import did_you_mean
from ump.model.claims import IllegalAction, Reason
from ump.model.notation import UMP_FACES, NotationError, format_ump_faces
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, NORTH, RED_OF, Face, Kind, sort_faces
from ump.model.value import value
from ump.model.written import parse_written_tiles
from ump.players.hints import AdvisedAnswer
from ump.text.layout import columns
from ump.text.wording import counted
from ump.wire.session import QuestionView

# Typed lines


MAX_TYPED = 200
"""Characters of a line that are read; the rest of a longer line is dropped."""

MAX_PASSWORD = 256
"""Characters of a password that are read: no user has a longer one."""

_NEGOTIATION = re.compile(rb"\xff(?:\xff|[\xfb-\xfe].?|\xfa.*?(?:\xff\xf0|$)|[\xf0-\xf9]|$)", re.DOTALL)
"""Commands of telnet (RFC 854): options, subnegotiations, others; 255 twice stands for itself, which is no UTF-8."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.|$)")
"""The codes of arrow and function keys."""

_ERASING = "\b\x7f"
"""Backspace and delete: each erases the character before it."""


def typed_line(line: bytes) -> str:
    """Return the text of a line without its end: decoded as UTF-8, edited, and stripped of control characters.

    Runs of white space become one space. Bytes that are not UTF-8 become replacement characters.
    """
    return " ".join("".join(_edited(line)).split())[:MAX_TYPED].rstrip()


def as_password(line: bytes) -> bytes:
    """Return a line that is a password as an option, ``password=..``: logs and traces hide its value."""
    return b"password=" + quote("".join(_edited(line)[:MAX_PASSWORD]), safe="").encode()


def _edited(line: bytes) -> list[str]:
    """Return the characters of a line that are left after editing."""
    text = _NEGOTIATION.sub(b"", line).decode("utf-8", "replace")
    kept: list[str] = []
    for char in _ESCAPES.sub("", text):
        if char in _ERASING:
            del kept[-1:]
        elif char.isspace():
            kept.append(" ")
        elif char.isprintable():
            kept.append(char)
    return kept


# Wishes, and the words for them


class Wish(Enum):
    """The meaning of the first word of an answer."""

    DISCARD = auto()
    RIICHI = auto()
    OPEN_RIICHI = auto()
    KAN = auto()
    """Any kan that is possible."""
    ANKAN = auto()
    KAKAN = auto()
    KITA = auto()
    TSUMO = auto()
    RON = auto()
    WIN = auto()
    """Tsumo or ron, whichever is possible."""
    NINE = auto()
    CHI = auto()
    PON = auto()
    PASS = auto()
    YES = auto()


WORDS: Mapping[Wish, tuple[str, ...]] = {
    Wish.DISCARD: ("d", "discard", "sute", "sutehai", "dahai"),
    Wish.RIICHI: ("r", "l", "riichi", "richi", "reach"),
    Wish.OPEN_RIICHI: ("openriichi", "openrichi"),
    Wish.KAN: ("k", "kan", "daiminkan"),
    Wish.ANKAN: ("ankan",),
    Wish.KAKAN: ("kakan",),
    Wish.KITA: ("kita", "nukidora"),
    Wish.TSUMO: ("t", "tsumo"),
    Wish.RON: ("ron",),
    Wish.WIN: ("w", "win", "hora"),
    Wish.NINE: ("q", "nine", "ryukyoku"),
    Wish.CHI: ("c", "chi", "chii"),
    Wish.PON: ("p", "pon"),
    Wish.PASS: ("x", "n", "no", "pass", "noten"),
    Wish.YES: ("y", "yes", "ok", "tenpai"),
}
"""All words for each wish, in lower case; those of UMP 0.1 are among them."""

WISHES: Mapping[str, Wish] = {word: wish for wish, words in WORDS.items() for word in words}
"""The wish that each word stands for."""

ACTIONS: Mapping[Wish, tuple[type[actions.Action], ...]] = {
    Wish.DISCARD: (actions.Discard,),
    Wish.RIICHI: (actions.Riichi,),
    Wish.OPEN_RIICHI: (actions.Riichi,),
    Wish.KAN: (actions.Ankan, actions.Kakan, actions.Daiminkan),
    Wish.ANKAN: (actions.Ankan,),
    Wish.KAKAN: (actions.Kakan,),
    Wish.KITA: (actions.Kita,),
    Wish.TSUMO: (actions.Tsumo,),
    Wish.RON: (actions.Ron,),
    Wish.WIN: (actions.Tsumo, actions.Ron),
    Wish.NINE: (actions.KyushuKyuhai,),
    Wish.CHI: (actions.Chi,),
    Wish.PON: (actions.Pon,),
    Wish.PASS: (actions.Pass, actions.DeclareNoten),
    Wish.YES: (actions.DeclareTenpai,),
}
"""The classes of actions that fulfil each wish."""


# Choices: the ways to answer a question


@value
class Choice:
    """A way to answer a question."""

    typed: str
    """The shortest text."""
    full: str
    """The same in full."""
    meaning: str


def choices(question: QuestionView) -> list[Choice]:
    """Return what can be typed. One discard stands for all of them, the last in the order of the offers."""
    legal = question.legal()
    discards: list[actions.Discard] = []
    others: list[Choice] = []
    for action in legal:
        if isinstance(action, actions.Discard):
            discards.append(action)
        else:
            others.append(choice_of(action, legal))
    if discards:
        others.insert(0, _discard(discards))
    return list(dict.fromkeys(others))


def choice_of(action: actions.Action, legal: Sequence[actions.Action]) -> Choice:
    """Return how to type an action, given every legal one."""
    match action:
        case actions.Discard():
            return _discard([action])
        case actions.Riichi():
            tile = UMP_FACES[action.face]
            if action.opened:
                return Choice(f"openriichi {tile}", f"openriichi {tile}", f"open riichi, discard {tile}")
            return Choice(f"r {tile}", f"riichi {tile}", f"riichi, discard {tile}")
        case actions.Ankan():
            ways = _count(legal, actions.Ankan, actions.Kakan)
            return _with_tiles("k", "kan", UMP_FACES[action.kind], "closed kan", ways)
        case actions.Kakan():
            ways = _count(legal, actions.Ankan, actions.Kakan)
            return _with_tiles("k", "kan", UMP_FACES[action.face], "add to the pon", ways)
        case actions.Chi():
            return _with_tiles("c", "chi", format_ump_faces(action.own), "chi with", _count(legal, actions.Chi))
        case actions.Pon():
            return _with_tiles("p", "pon", format_ump_faces(action.own), "pon with", _count(legal, actions.Pon))
        case actions.Daiminkan():
            return Choice("k", "kan", "kan")
        case actions.Kita():
            return Choice("kita", "kita", "set a north aside")
        case actions.Tsumo():
            return Choice("t", "tsumo", "win")
        case actions.Ron():
            return Choice("ron", "win", "win")
        case actions.KyushuKyuhai():
            return Choice("q", "nine", "nine terminals, draw")
        case actions.Pass():
            if _count(legal, actions.Ron):
                return Choice("x", "pass", "pass")
            return Choice("Enter", "pass", "pass")
        case actions.DeclareTenpai():
            return Choice("Enter", "yes", "show the hand (tenpai)")
        case actions.DeclareNoten():
            if not _count(legal, actions.DeclareTenpai):
                return Choice("Enter", "no", "noten")
            return Choice("n", "no", "keep it hidden (noten)")
        case _:
            assert_never(action)


def default_of(question: QuestionView) -> actions.Action | None:
    """Return what Enter means: pass, tenpai or noten, the drawn tile in riichi; None on other turns, or for a win."""
    legal = question.legal()
    if _count(legal, actions.Ron, actions.Tsumo):
        return None
    match question.phase:
        case Phase.CALL | Phase.CHANKAN:
            return actions.Pass()
        case Phase.DECLARE:
            return legal[0]
        case Phase.TURN:
            discards = [action for action in legal if isinstance(action, actions.Discard)]
            if len(discards) == 1 and discards[0].tsumogiri:  # in riichi
                return discards[0]
            return None
        case _:
            assert_never(question.phase)


def listed(shown: Sequence[Choice]) -> list[str]:
    """Return the choices as parts of a line: ``p = pon with 3z3z``."""
    return [f"{choice.typed} = {choice.meaning}" for choice in shown]


def choice_table(shown: Sequence[Choice]) -> list[str]:
    """Return the choices as lines: what is typed, the same in full if that is something else, and the meaning."""
    rows = []
    for choice in shown:
        full = ""
        if choice.full != choice.typed:
            full = f"or {choice.full}"
        rows.append((choice.typed, full, choice.meaning))
    return table_lines(rows)


def table_lines(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return rows as ``columns`` does, indented."""
    return [f"  {line}" for line in columns(rows, right)]


def advice_lines(advised: Sequence[AdvisedAnswer], legal: Sequence[actions.Action]) -> list[str]:
    """Return answers, the best first, with the points that they are expected to bring, and why."""
    rows = [(choice_of(answer.action, legal).full, *_worth(answer)) for answer in advised]
    return table_lines(rows, right=(1,))


def _worth(advised: AdvisedAnswer) -> tuple[str, ...]:
    """Return the points of an answer, where it leads, and its risk; nothing for one that needs no comparison."""
    if advised.points is None:
        return ()
    if advised.shanten is None:
        leads_to = "give up the hand"
    elif advised.shanten == 0:
        leads_to = f"tenpai, {counted(advised.tiles or 0, 'tile')} to win"
    else:
        leads_to = f"{advised.shanten}-shanten, {counted(advised.tiles or 0, 'tile')} to the next"
    risk = ""
    if advised.risk >= 0.005:
        risk = f"{advised.risk:.0%} to deal in"
    return f"{advised.points:+,.0f} points", leads_to, risk


def _discard(discards: Sequence[actions.Discard]) -> Choice:
    tile = UMP_FACES[discards[-1].face]
    if len(discards) == 1 and discards[0].tsumogiri:
        return Choice(tile, f"discard {tile}", f"discard {tile}, the drawn tile")
    return Choice(tile, f"discard {tile}", f"discard {tile}, or name another tile")


def _with_tiles(letter: str, word: str, tiles: str, meaning: str, ways: int) -> Choice:
    """Return a choice whose tiles need not be typed if there is only one way."""
    typed = f"{letter} {tiles}"
    if ways == 1:
        typed = letter
    return Choice(typed, f"{word} {tiles}", f"{meaning} {tiles}")


def _count(legal: Sequence[actions.Action], *types: type[actions.Action]) -> int:
    return sum(isinstance(action, types) for action in legal)


# Answers


Named = tuple[Face, ...]
"""The faces that a typed tile can mean, the most likely first: of a five the plain or the red one."""


@value
class Explained:
    """Why a text is no answer: a sentence."""

    why: str


MAX_TILES = 4
"""The most tiles that an answer names: those of a kan."""

_SPLIT = re.compile(r"([A-Za-z]*)[\s:]*(.*)", re.DOTALL)

_SUIT_FIRST = re.compile(r"(?:[mpsz][0-9]+)+", re.IGNORECASE)
"""Tiles such as ``m46`` and ``p4``, which could be taken for a word and its tiles."""

_TSUMOGIRI = "tsumogiri"
"""The word after a tile that was just drawn, as in UMP 0.1."""

_BETWEEN = re.compile(r"[\s,<>()\[\]+.]+")


def read_answer(text: str, question: QuestionView) -> actions.Action | Explained:
    """Return the legal action that a text means, or why it means none."""
    if not text:
        return _read_enter(question)
    word, rest = _split(text)
    wish = Wish.DISCARD
    if word:
        if word not in WISHES:
            return Explained(f"I do not know {word[:20]!a} as an answer{did_you_mean(word, WISHES)}.")
        wish = WISHES[word]
    named, is_drawn = rest, False
    if rest.lower().endswith(_TSUMOGIRI):
        named, is_drawn = rest[: -len(_TSUMOGIRI)], True
    tiles = read_tiles(named)
    if tiles is None or len(tiles) > MAX_TILES:
        return Explained(f"I cannot read {rest[:20]!a} as tiles; write 5m, or 0m for a red five.")
    return _chosen(wish, tiles, question, is_drawn=is_drawn)


def _split(text: str) -> tuple[str, str]:
    """Return the word of an answer, in lower case or empty, and the tiles after it."""
    if _SUIT_FIRST.fullmatch(text):
        return "", text
    match = _SPLIT.fullmatch(text)
    assert match is not None
    return match[1].lower(), match[2]


def read_tiles(text: str) -> tuple[Named, ...] | None:
    """Return the tiles of a text, each with the faces that it can mean; None if it is unreadable.

    Any notation will do: ``46m``, ``4m 6m``, ``m46``, kanji. ``0m`` and ``5M`` are red fives first, ``5m`` is the plain
    one first.
    """
    joined = _BETWEEN.sub("", text)
    if not joined:
        return ()
    if joined.isdecimal():  # Tenhou's numbers are tiles too, but nobody would type them
        return None
    try:
        return tuple(map(_either, parse_written_tiles(joined)))
    except NotationError:
        return None


def _either(face: Face) -> Named:
    """Return a face and its other form, if it is a five."""
    if face in RED_OF:
        return (face, RED_OF[face])
    if KIND_OF[face] != face:
        return (face, KIND_OF[face])
    return (face,)


def _read_enter(question: QuestionView) -> actions.Action | Explained:
    action = default_of(question)
    if action is not None:
        return action
    if question.phase is Phase.TURN:
        return Explained("Enter does nothing here: type the tile to discard.")
    return Explained("You can win: type ron, or pass.")


def _chosen(
    wish: Wish, tiles: tuple[Named, ...], question: QuestionView, *, is_drawn: bool
) -> actions.Action | Explained:
    """Return the one legal action that fits a wish best."""
    if wish is Wish.DISCARD and len(tiles) != 1:
        return Explained("Name one tile to discard, such as 5m.")
    best = _nearest(wish, tiles, question)
    if not best:
        return Explained(_reason(wish, tiles, question))
    if is_drawn:
        for action in best:
            if isinstance(action, (actions.Discard, actions.Riichi)) and action.tsumogiri:
                return action
    if len(best) == 1 or _discard_the_same(best):
        return best[0]
    ways = dict.fromkeys(choice_of(action, question.legal()).typed for action in best)
    return Explained(f"There are several ways: {', '.join(ways)}.")


def _nearest(wish: Wish, tiles: tuple[Named, ...], question: QuestionView) -> list[actions.Action]:
    """Return the legal actions that fulfil a wish and take the fewest named tiles in their less likely form."""
    nearest: list[actions.Action] = []
    least = MAX_TILES + 1
    for action in question.legal():
        if not _fulfils(action, wish):
            continue
        distance = _distance(action, tiles, question.tile)
        if distance is None or distance > least:
            continue
        if distance < least:
            nearest, least = [], distance
        nearest.append(action)
    return nearest


def _discard_the_same(legal: Iterable[actions.Action]) -> bool:
    """Tell whether actions all discard the same tile, drawn or not."""
    faces: set[Face] = set()
    for action in legal:
        if not isinstance(action, (actions.Discard, actions.Riichi)):
            return False
        faces.add(action.face)
    return len(faces) == 1


def _fulfils(action: actions.Action, wish: Wish) -> bool:
    if not isinstance(action, actions.Riichi):
        return isinstance(action, ACTIONS[wish])
    if action.opened:
        return wish is Wish.OPEN_RIICHI
    return wish is Wish.RIICHI


def _distance(action: actions.Action, tiles: tuple[Named, ...], asked: Face | None) -> int | None:
    """Return how many named tiles an action takes in their less likely form; None if it does not fit them."""
    if not tiles:
        return 0
    match action:
        case actions.Discard(face=face) | actions.Riichi(face=face):
            return _cost(tiles, (face,))
        case actions.Ankan(kind=kind) if _are_of_kind(tiles, kind):
            return 0
        case actions.Kakan(face=face) if _are_of_kind(tiles, KIND_OF[face]):
            if len(tiles) == 1:
                return tiles[0].index(face)
            return 0
        case actions.Kita() if _are_of_kind(tiles, NORTH):
            return 0
        case actions.Chi(own=own) | actions.Pon(own=own):
            if len(tiles) == 1:
                return min((tiles[0].index(face) for face in own if face in tiles[0]), default=None)
            if len(tiles) == 2 or asked is None:
                return _cost(tiles, own)
            return _cost(tiles, (*own, asked))
        case actions.Daiminkan() if asked is not None and _are_of_kind(tiles, KIND_OF[asked]):
            return 0
        case _:
            return None


def _are_of_kind(tiles: tuple[Named, ...], kind: Kind) -> bool:
    return all(KIND_OF[tile[0]] == kind for tile in tiles)


def _cost(tiles: tuple[Named, ...], faces: Sequence[Face]) -> int | None:
    """Return the least cost of reading tiles as exactly these faces, in any order; None if they cannot be read so."""
    wanted = Counter(faces)
    least: int | None = None
    for reading in product(*tiles):
        if Counter(reading) != wanted:
            continue
        cost = sum(tile.index(face) for tile, face in zip(tiles, reading, strict=True))
        if least is None or cost < least:
            least = cost
    return least


# Refusals in words


SENTENCES: Mapping[Reason, str] = {
    Reason.UNREADABLE: "I cannot read that.",
    Reason.AMBIGUOUS: "There is more than one way to do that.",
    Reason.NOT_ASKED: "That is not possible now.",
    Reason.NOT_HELD: "You do not have the tiles for that.",
    Reason.KUIKAE: "After this call you may not discard that tile (kuikae).",
    Reason.IN_RIICHI: "You are in riichi: only the drawn tile can be discarded, and nothing called.",
    Reason.NOT_TENPAI: "Riichi is not possible: that would not leave the hand tenpai.",
    Reason.NOT_CLOSED: "Riichi needs a closed hand, and yours has a call.",
    Reason.TOO_FEW_POINTS: "You have too few points for riichi.",
    Reason.TOO_FEW_TILES: "Too few tiles are left in the wall for that.",
    Reason.NOT_COMPLETE: "The hand is not complete with this tile.",
    Reason.NO_YAKU: "The hand is complete, but it has no yaku.",
    Reason.FURITEN: "You are furiten: ron is not possible.",
    Reason.NOT_NEXT: "Only the next player may call chi.",
    Reason.NOT_FIRST: "That is possible only on the first draw, before any call.",
    Reason.TOO_FEW_KINDS: "You have fewer than nine different terminals and honours.",
    Reason.TOO_MANY_KANS: "No further kan or call is possible: four kans were made.",
    Reason.WAIT_CHANGES: "In riichi this kan would change your hand, so it is not allowed.",
    Reason.NO_DISCARD: "After this call you could not discard any tile (kuikae).",
    Reason.NOT_IN_RULESET: "The rules of this room do not have that.",
}
"""A sentence for each reason."""

_OTHER_WIN = {
    Wish.TSUMO: "A win on another player's tile is ron: type ron.",
    Wish.RON: "A win on the tile that you draw is tsumo: type t.",
}
"""The replies to the wrong word for a win that is possible."""

_TOO_VAGUE = {
    Wish.KAN: "No kan is possible.",
    Wish.ANKAN: "No closed kan is possible.",
    Wish.KAKAN: "You have no pon to which a tile could be added.",
}
"""The replies to a wish without tiles that nothing legal fits."""


def _reason(wish: Wish, tiles: tuple[Named, ...], question: QuestionView) -> str:
    """Return a sentence that says why no legal action fits."""
    if wish in _OTHER_WIN and any(_fulfils(action, Wish.WIN) for action in question.legal()):
        return _OTHER_WIN[wish]
    action = _attempt(wish, tiles, question)
    if action is None:
        return _TOO_VAGUE.get(wish, SENTENCES[Reason.NOT_ASKED])
    try:
        question.check(action)
    except IllegalAction as refusal:
        if refusal.reason is Reason.NOT_HELD:
            return _lacking(action, question)
        if refusal.reason is Reason.NOT_ASKED and question.phase is Phase.TURN:
            return "That is not possible on your own turn."
        if refusal.reason is Reason.NOT_ASKED and isinstance(action, (actions.Discard, actions.Riichi)):
            return "It is not your turn to discard."
        return SENTENCES[refusal.reason]
    return SENTENCES[Reason.NOT_ASKED]


def _lacking(action: actions.Action, question: QuestionView) -> str:
    """Return which tiles an action lacks."""
    asked, hand = question.tile, question.hand
    match action:
        case actions.Chi(own=own) if KIND_OF[own[0]] == KIND_OF[own[1]]:
            return f"You have no two tiles that make a run with {_tile(asked)}."
        case actions.Chi(own=own) if all(hand.faces[face] for face in own):
            return f"{_and(own)} make no run with {_tile(asked)}."
        case actions.Pon() if asked is not None and hand.kinds[KIND_OF[asked]] < len(action.own):
            return f"Pon needs two more {_tile(asked)}; you hold {hand.kinds[KIND_OF[asked]]}."
        case actions.Chi(own=own) | actions.Pon(own=own):
            return f"You do not hold {_and(own)}."
        case actions.Daiminkan() if asked is not None:
            return f"Kan needs three more {_tile(asked)}; you hold {hand.kinds[KIND_OF[asked]]}."
        case actions.Ankan(kind=kind):
            return f"A closed kan needs four {_tile(kind)}; you hold {hand.kinds[kind]}."
        case actions.Kakan(face=face) if hand.faces[face]:
            return f"You have no pon of {_tile(face)}."
        case actions.Discard(face=face) | actions.Riichi(face=face) | actions.Kakan(face=face):
            return f"You do not hold {_tile(face)}."
        case _:
            return SENTENCES[Reason.NOT_HELD]


def _tile(face: Face | None) -> str:
    if face is None:
        return "that tile"
    return UMP_FACES[face]


def _and(faces: Sequence[Face]) -> str:
    return " and ".join(map(_tile, faces))


def _attempt(wish: Wish, tiles: tuple[Named, ...], question: QuestionView) -> actions.Action | None:
    """Return the action that a wish most likely means, to ask the rules why it is not legal; None if there is none."""
    faces = tuple(tile[0] for tile in tiles)
    asked = question.tile
    match wish:
        case Wish.DISCARD:
            return _held_discard(tiles[0], question)
        case Wish.RIICHI | Wish.OPEN_RIICHI:
            is_open = wish is Wish.OPEN_RIICHI
            if asked is None:
                return actions.Riichi(question.hand.concealed[-1], opened=is_open)
            named: Named = (asked,)
            if tiles:
                named = tiles[0]
            discard = _held_discard(named, question)
            return actions.Riichi(discard.face, discard.tsumogiri, is_open)
        case Wish.KAN if question.phase is not Phase.TURN:
            return actions.Daiminkan()
        case Wish.KAN | Wish.ANKAN if faces:
            return actions.Ankan(KIND_OF[faces[0]])
        case Wish.KAKAN if faces:
            return actions.Kakan(faces[0])
        case Wish.KITA:
            return actions.Kita()
        case Wish.CHI | Wish.PON:
            return _call(wish, faces, asked)
        case Wish.WIN if question.phase is Phase.TURN:
            return actions.Tsumo()
        case Wish.TSUMO:
            return actions.Tsumo()
        case Wish.RON | Wish.WIN:
            return actions.Ron()
        case Wish.NINE:
            return actions.KyushuKyuhai()
        case _:
            return None


def _held_discard(tile: Named, question: QuestionView) -> actions.Discard:
    """Return the discard of a tile in the form that is held, as the drawn one only if the hand has no other."""
    held = question.hand.faces
    face = next((form for form in tile if held[form]), tile[0])
    return actions.Discard(face, tsumogiri=face == question.tile and held[face] == 1)


def _call(wish: Wish, faces: Sequence[Face], asked: Face | None) -> actions.Action | None:
    """Return a chi or pon with the named tiles, or with any if none are named."""
    if asked is None:
        return None
    first = second = KIND_OF[asked]
    if len(faces) == 2:
        first, second = sort_faces(faces)
    if wish is Wish.CHI:
        return actions.Chi((first, second))
    return actions.Pon((first, second))
