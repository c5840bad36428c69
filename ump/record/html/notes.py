"""Notes about the positions of a recorded kyoku: the rules of the game, worked out once for every reader.

The page that shows a replay knows no rules. It shows these notes: shanten and waits of each hand, tiles that would deal
in, the actions that were offered, and those that were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.events import Event, HandDealt, TileDrawn
from ump.model.notation import MJAI_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.record.inferred_actions import infer_action
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.replay import Replay
from ump.rules.analysis import shanten, waits_of
from ump.rules.call_question import CallQuestion
from ump.rules.questions import Question
from ump.table.view import view
from ump.text.position import Position

HandNote = tuple[Seat, int, tuple[str, ...], tuple[int, ...], bool]
"""A hand: its seat, shanten, waits in mjai's notation, how many of each are not visible to it, and furiten."""

Offer = tuple[Seat, tuple[tuple[str, ...], ...], int | None]
"""An offer: the seat, the actions with their tiles, and the place of the chosen one among them; None: none of them."""


@dataclass
class Notes:
    """The notes of one kyoku, each by the number of events before it."""

    hands: dict[int, list[HandNote]] = field(default_factory=dict)
    """The hands that have changed; the others are as before."""
    offers: dict[int, list[Offer]] = field(default_factory=dict)
    """The actions of each asked seat besides discards and passing."""
    dangers: dict[int, tuple[Seat, tuple[str, ...]]] = field(default_factory=dict)
    """For the turn of a seat, the tiles of its hand that another player could win on."""


def notes_of(game: RecordedGame) -> list[Notes]:
    """Return the notes of each kyoku, as far as the record shows the hands and its moves follow the rules."""
    notes = [_hand_notes(game, kyoku) for kyoku in game.kyoku]

    def asked(number: int, place: int, questions: Mapping[Seat, Question]) -> None:
        """Note the questions after the first ``place`` events of a kyoku."""
        _note_questions(notes[number], game.kyoku[number].events, place, questions)

    try:
        Replay(game, asked).run()
    except (RecordError, ValueError):  # hidden hands, or moves that contradict each other: no offers are known
        return notes
    return notes


# Hands


def _hand_notes(game: RecordedGame, kyoku: RecordedKyoku) -> Notes:
    notes = Notes()
    seats = range(len(game.names))
    positions = [Position(seat, game.names, game.ruleset) for seat in seats]
    visible = [seat for seat in seats if not _is_hidden(kyoku, seat)]
    last: dict[Seat, HandNote] = {}
    for place, event in enumerate(kyoku.events, 1):
        try:
            for seat in seats:
                positions[seat].see(view(event, seat))
            found = [_hand_note(positions[seat], seat) for seat in visible]
        except ValueError:  # the record contradicts the hand, or it has a number of tiles that no hand has
            return notes
        for note in found:
            if note is not None and note != last.get(note[0]):
                last[note[0]] = note
                notes.hands.setdefault(place, []).append(note)
    return notes


def _is_hidden(kyoku: RecordedKyoku, seat: Seat) -> bool:
    return any(
        (isinstance(event, HandDealt) and event.seat == seat and event.faces is None)
        or (isinstance(event, TileDrawn) and event.seat == seat and event.face is None)
        for event in kyoku.events
    )


def _hand_note(position: Position, seat: Seat) -> HandNote | None:
    """Return the note of a hand between turns; with a tile to discard, its shanten alone. None before the deal."""
    seen = position.seen
    size = sum(seen.hand.kinds)
    if not size:
        return None
    number = shanten(seen.hand.kinds)
    if size % 3 != 1 or number:
        return seat, number, (), (), False
    waits = sorted(waits_of(seen.hand, seen.ruleset.own_copies))
    left = tuple(seen.unseen(kind) for kind in waits)
    return seat, number, tuple(MJAI_FACES[kind] for kind in waits), left, seen.is_furiten(set(waits))


# Questions


def _note_questions(notes: Notes, events: Sequence[Event], place: int, questions: Mapping[Seat, Question]) -> None:
    known = {offer[0] for offer in notes.offers.get(place, [])}
    for seat, question in questions.items():
        if question.phase is Phase.TURN and place not in notes.dangers:
            tiles = _deal_in_tiles(question)
            if tiles:
                notes.dangers[place] = seat, tiles
        listed = tuple(dict.fromkeys(word for action in question.legal() if (word := _offer_word(action))))
        if not listed or seat in known:
            continue
        action = infer_action(seat, question.phase, events, place)
        chosen = None if action is None else _offer_word(action)
        notes.offers.setdefault(place, []).append((seat, listed, listed.index(chosen) if chosen in listed else None))


def _deal_in_tiles(question: Question) -> tuple[str, ...]:
    """Return the tiles of a hand on which another player could win, if they were discarded now."""
    board, seat = question.board, question.seat
    found: list[str] = []
    for face in sorted(set(question.hand.concealed)):
        others = (other for other in range(board.seats) if other != seat)
        if any(_could_win(question, other, face) for other in others):
            found.append(MJAI_FACES[face])
    return tuple(found)


def _could_win(question: Question, other: Seat, face: Face) -> bool:
    if KIND_OF[face] not in question.board.player(other).waits:
        return False
    return CallQuestion(question.board, other, face, question.seat).refusal(Ron()) is None


def _offer_word(action: Action) -> tuple[str, ...]:
    """Return an action as its word in mjai and its own tiles; empty for a plain discard, a pass and a declaration."""
    match action:
        case Chi() | Pon():
            return (type(action).__name__.lower(), *(MJAI_FACES[face] for face in action.own))
        case Daiminkan() | Kita():
            return (type(action).__name__.lower(),)
        case Ankan():
            return ("ankan", MJAI_FACES[action.kind])
        case Kakan():
            return ("kakan", MJAI_FACES[action.face])
        case Riichi():
            return ("reach",)
        case Ron() | Tsumo():
            return ("hora",)
        case KyushuKyuhai():
            return ("ryukyoku",)
        case Discard() | Pass() | DeclareTenpai() | DeclareNoten():
            return ()
        case _:
            assert_never(action)
