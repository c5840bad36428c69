"""Reads what a person typed in answer to a question: exactly one legal action, or an explanation in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, Kita, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.choices import did_you_mean
from ump.model.claims import IllegalAction, Reason
from ump.model.notation import UMP_FACES, NotationError
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, NORTH, RED_OF, Face, sort_faces
from ump.model.value import value
from ump.model.written import parse_written_tiles
from ump.wire.human.choices import choice_of, default_of
from ump.wire.human.refusals import SENTENCES
from ump.wire.human.wishes import ACTIONS, WISHES, Wish
from ump.wire.session import QuestionView

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
_BETWEEN = re.compile(r"[\s,<>()\[\]+.]+")


def read_answer(text: str, question: QuestionView) -> Action | Explained:
    """Return the legal action that a text means, or why it means none."""
    if not text:
        return _read_enter(question)
    match = _SPLIT.fullmatch(text)
    assert match is not None
    word, rest = ("", text) if _SUIT_FIRST.fullmatch(text) else (match[1].lower(), match[2])
    wish = WISHES.get(word) if word else Wish.DISCARD
    if wish is None:
        return Explained(f"I do not know {word[:20]!a} as an answer{did_you_mean(word, WISHES)}.")
    is_drawn = rest.lower().endswith("tsumogiri")
    tiles = read_tiles(rest[: -len("tsumogiri")] if is_drawn else rest)
    if tiles is None or len(tiles) > MAX_TILES:
        return Explained(f"I cannot read {rest[:20]!a} as tiles; write 5m, or 0m for a red five.")
    return _chosen(wish, tiles, question, is_drawn=is_drawn)


def read_tiles(text: str) -> tuple[Named, ...] | None:
    """Return the tiles of a text, each with the faces that it can mean; None if it is unreadable.

    Any notation will do: ``46m``, ``4m 6m``, ``m46``, kanji. ``0m`` and ``5M`` are red fives first, ``5m`` is the plain
    one first.
    """
    joined = _BETWEEN.sub("", text)
    if joined.isdecimal():  # Tenhou's numbers are tiles too, but nobody would type them
        return None
    try:
        return tuple(_either(face) for face in parse_written_tiles(joined)) if joined else ()
    except NotationError:
        return None


def _either(face: Face) -> Named:
    """Return a face and its other form, if it is a five."""
    if face in RED_OF:
        return (face, RED_OF[face])
    return (face,) if KIND_OF[face] == face else (face, KIND_OF[face])


def _read_enter(question: QuestionView) -> Action | Explained:
    action = default_of(question)
    if action is not None:
        return action
    if question.phase is Phase.TURN:
        return Explained("Enter does nothing here: type the tile to discard.")
    return Explained("You can win: type ron, or pass.")


def _chosen(wish: Wish, tiles: tuple[Named, ...], question: QuestionView, *, is_drawn: bool) -> Action | Explained:
    """Return the one legal action that fits a wish best."""
    if wish is Wish.DISCARD and len(tiles) != 1:
        return Explained("Name one tile to discard, such as 5m.")
    legal = question.legal()
    fitting = [
        (distance, action)
        for action in legal
        if _fulfils(action, wish) and (distance := _distance(action, tiles, question.tile)) is not None
    ]
    if not fitting:
        return Explained(_reason(wish, tiles, question))
    best = [action for distance, action in fitting if distance == min(each for each, _ in fitting)]
    drawn = [action for action in best if isinstance(action, (Discard, Riichi)) and action.tsumogiri]
    if is_drawn and drawn:
        return drawn[0]
    if len(best) == 1 or ({type(action) for action in best} <= {Discard, Riichi} and len(set(map(_face, best))) == 1):
        return best[0]
    ways = ", ".join(dict.fromkeys(choice_of(action, legal).typed for action in best))
    return Explained(f"There are several ways: {ways}.")


def _face(action: Action) -> Face | None:
    return action.face if isinstance(action, (Discard, Riichi)) else None


def _fulfils(action: Action, wish: Wish) -> bool:
    if isinstance(action, Riichi):
        return wish is (Wish.OPEN_RIICHI if action.opened else Wish.RIICHI)
    return isinstance(action, ACTIONS[wish])


def _distance(action: Action, tiles: tuple[Named, ...], asked: Face | None) -> int | None:
    """Return how many named tiles an action takes in their less likely form; None if it does not fit them."""
    if not tiles:
        return 0
    match action:
        case Discard(face=face) | Riichi(face=face):
            return _cost(tiles, (face,))
        case Ankan(kind=kind):
            return 0 if all(KIND_OF[tile[0]] == kind for tile in tiles) else None
        case Kakan(face=face):
            same = all(KIND_OF[tile[0]] == KIND_OF[face] for tile in tiles)
            return (tiles[0].index(face) if len(tiles) == 1 else 0) if same else None
        case Kita():
            return 0 if all(tile == (NORTH,) for tile in tiles) else None
        case Chi(own=own) | Pon(own=own):
            if len(tiles) == 1:
                return min((tiles[0].index(face) for face in own if face in tiles[0]), default=None)
            return _cost(tiles, own) if len(tiles) == 2 or asked is None else _cost(tiles, (*own, asked))
        case Daiminkan():
            return 0 if asked is not None and all(KIND_OF[tile[0]] == KIND_OF[asked] for tile in tiles) else None
        case _:
            return None


def _cost(tiles: tuple[Named, ...], faces: Sequence[Face]) -> int | None:
    """Return the least cost of reading tiles as exactly these faces, in any order; None if they cannot be read so."""
    wanted = Counter(faces)
    costs = [
        sum(tile.index(face) for tile, face in zip(tiles, reading, strict=True))
        for reading in product(*tiles)
        if Counter(reading) == wanted
    ]
    return min(costs, default=None)


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
        if refusal.reason is Reason.NOT_ASKED and isinstance(action, (Discard, Riichi)):
            return "It is not your turn to discard."
        return SENTENCES[refusal.reason]
    return SENTENCES[Reason.NOT_ASKED]


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


def _lacking(action: Action, question: QuestionView) -> str:
    """Return which tiles an action lacks."""
    asked, hand = question.tile, question.hand
    match action:
        case Chi(own=own) if KIND_OF[own[0]] == KIND_OF[own[1]]:
            return f"You have no two tiles that make a run with {_tile(asked)}."
        case Chi(own=own) if all(hand.faces[face] for face in own):
            return f"{_and(own)} make no run with {_tile(asked)}."
        case Pon() if asked is not None and hand.kinds[KIND_OF[asked]] < len(action.own):
            return f"Pon needs two more {_tile(asked)}; you hold {hand.kinds[KIND_OF[asked]]}."
        case Chi(own=own) | Pon(own=own):
            return f"You do not hold {_and(own)}."
        case Daiminkan() if asked is not None:
            return f"Kan needs three more {_tile(asked)}; you hold {hand.kinds[KIND_OF[asked]]}."
        case Ankan(kind=kind):
            return f"A closed kan needs four {_tile(kind)}; you hold {hand.kinds[kind]}."
        case Kakan(face=face) if hand.faces[face]:
            return f"You have no pon of {_tile(face)}."
        case Discard(face=face) | Riichi(face=face) | Kakan(face=face):
            return f"You do not hold {_tile(face)}."
        case _:
            return SENTENCES[Reason.NOT_HELD]


def _tile(face: Face | None) -> str:
    return "that tile" if face is None else UMP_FACES[face]


def _and(faces: Sequence[Face]) -> str:
    return " and ".join(map(_tile, faces))


def _attempt(wish: Wish, tiles: tuple[Named, ...], question: QuestionView) -> Action | None:
    """Return the action that a wish most likely means, to ask the rules why it is not legal; None if there is none."""
    faces = tuple(tile[0] for tile in tiles)
    asked = question.tile
    match wish:
        case Wish.DISCARD:
            return _held_discard(tiles[0], question)
        case Wish.RIICHI | Wish.OPEN_RIICHI:
            drawn = question.legal()[-1] if asked is None else None
            named = (tiles[0] if tiles else None) or (() if asked is None else (asked,))
            if drawn is not None or not named:
                return Riichi(question.hand.concealed[-1], opened=wish is Wish.OPEN_RIICHI)
            discard = _held_discard(named, question)
            return Riichi(discard.face, discard.tsumogiri, wish is Wish.OPEN_RIICHI)
        case Wish.KAN if question.phase is not Phase.TURN:
            return Daiminkan()
        case Wish.KAN | Wish.ANKAN:
            return Ankan(KIND_OF[faces[0]]) if faces else None
        case Wish.KAKAN:
            return Kakan(faces[0]) if faces else None
        case Wish.KITA:
            return Kita()
        case Wish.CHI | Wish.PON:
            return _call(wish, faces, asked)
        case Wish.WIN:
            return Tsumo() if question.phase is Phase.TURN else Ron()
        case Wish.TSUMO:
            return Tsumo()
        case Wish.RON:
            return Ron()
        case Wish.NINE:
            return KyushuKyuhai()
        case _:
            return None


def _held_discard(tile: Named, question: QuestionView) -> Discard:
    """Return the discard of a tile in the form that is held, as the drawn one only if the hand has no other."""
    held = question.hand.faces
    face = next((each for each in tile if held[each]), tile[0])
    return Discard(face, tsumogiri=face == question.tile and held[face] == 1)


def _call(wish: Wish, faces: Sequence[Face], asked: Face | None) -> Action | None:
    """Return a chi or pon with the named tiles, or with any if none are named."""
    if asked is None:
        return None
    first, second = sort_faces(faces) if len(faces) == 2 else (KIND_OF[asked], KIND_OF[asked])
    return Chi((first, second)) if wish is Wish.CHI else Pon((first, second))
