"""Write a recorded game for browsers: its events with notes about each position, as data or as a page of its own.

The page that shows a replay knows no rules. It shows the notes: shanten and waits of each hand, tiles that would deal
in, the actions that were offered, and those that were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from ump.model import actions
from ump.model import events as ev
from ump.model.notation import MJAI_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.yaku import Yaku
from ump.record.record_format import Carried, Fact, RecordFormat, carrying
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.replay import Replay, infer_action
from ump.rules.analysis import shanten, waits_of
from ump.rules.call_question import CallQuestion
from ump.rules.questions import Question
from ump.table.view import view
from ump.text.position import Position
from ump.text.win import yaku_words
from ump.web import single_page, static_files
from ump.wire.json_text import write
from ump.wire.mjai.events import MjaiNarrator

# Notes


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
    hidden = kyoku.hidden
    visible = [seat for seat in seats if seat not in hidden]
    last: dict[Seat, HandNote] = {}
    for place, event in enumerate(kyoku.events, 1):
        try:
            for seat in seats:
                positions[seat].see(view(event, seat))
            current = [_hand_note(positions[seat], seat) for seat in visible]
        except ValueError:  # the record contradicts the hand, or it has a number of tiles that no hand has
            return notes
        for note in current:
            if note is not None and note != last.get(note[0]):
                last[note[0]] = note
                notes.hands.setdefault(place, []).append(note)
    return notes


def _hand_note(position: Position, seat: Seat) -> HandNote | None:
    """Return the note of a hand between turns; with a tile to discard, its shanten alone. None before the deal."""
    seen = position.seen
    size = sum(seen.hand.kinds)
    if not size:
        return None
    number = shanten(seen.hand.kinds, seen.ruleset.seats)
    if size % 3 != 1 or number:
        return seat, number, (), (), False
    waits = sorted(waits_of(seen.hand, seen.ruleset.own_copies))
    left = tuple(seen.unseen(kind) for kind in waits)
    return seat, number, tuple(MJAI_FACES[kind] for kind in waits), left, seen.is_furiten(set(waits))


# Questions


def _note_questions(notes: Notes, events: Sequence[ev.Event], place: int, questions: Mapping[Seat, Question]) -> None:
    noted = {offer[0] for offer in notes.offers.get(place, [])}
    for seat, question in questions.items():
        if question.phase is Phase.TURN and place not in notes.dangers:
            tiles = _deal_in_tiles(question)
            if tiles:
                notes.dangers[place] = seat, tiles
        words = _offer_words(question)
        if not words or seat in noted:
            continue
        action, chosen = infer_action(seat, question.phase, events, place), None
        if action is not None and _offer_word(action) in words:
            chosen = words.index(_offer_word(action))
        notes.offers.setdefault(place, []).append((seat, words, chosen))


def _offer_words(question: Question) -> tuple[tuple[str, ...], ...]:
    """Return the legal actions that are offers, each once."""
    words = dict.fromkeys(map(_offer_word, question.legal()))
    words.pop((), None)
    return tuple(words)


def _deal_in_tiles(question: Question) -> tuple[str, ...]:
    """Return the tiles of a hand on which another player could win, if they were discarded now."""
    others = [seat for seat in range(question.board.seats) if seat != question.seat]
    tiles: list[str] = []
    for face in sorted(set(question.hand.concealed)):
        if any(_could_win(question, other, face) for other in others):
            tiles.append(MJAI_FACES[face])
    return tuple(tiles)


def _could_win(question: Question, other: Seat, face: Face) -> bool:
    if KIND_OF[face] not in question.board.player(other).waits:
        return False
    return CallQuestion(question.board, other, face, question.seat).refusal(actions.Ron()) is None


def _offer_word(action: actions.Action) -> tuple[str, ...]:
    """Return an action as its word in mjai and its own tiles; empty for a plain discard, a pass and a declaration."""
    match action:
        case actions.Chi() | actions.Pon():
            return (type(action).__name__.lower(), *(MJAI_FACES[face] for face in action.own))
        case actions.Daiminkan() | actions.Kita():
            return (type(action).__name__.lower(),)
        case actions.Ankan():
            return ("ankan", MJAI_FACES[action.kind])
        case actions.Kakan():
            return ("kakan", MJAI_FACES[action.face])
        case actions.Riichi():
            return ("reach",)
        case actions.Ron() | actions.Tsumo():
            return ("hora",)
        case actions.KyushuKyuhai():
            return ("ryukyoku",)
        case actions.Discard() | actions.Pass() | actions.DeclareTenpai() | actions.DeclareNoten():
            return ()
        case _:
            assert_never(action)


# Data for the page


LANGUAGES = ("en", "ja", "zh")
"""The languages of the page."""

VERSION = 1
"""The version of the data. The page refuses others."""


def document(game: RecordedGame, review: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a game as data for JSON, with a review if there is one; raise RecordError for contradicting moves."""
    narrator = MjaiNarrator(None)
    narrator.tell(ev.GameStarted(game.names))
    try:
        kyoku = [_kyoku(narrator, game, number, notes) for number, notes in enumerate(notes_of(game))]
    except ValueError as error:
        raise RecordError(f"the moves contradict each other; ump verify says where ({error})") from None
    data: dict[str, Any] = {
        "version": VERSION,
        "names": list(game.names),
        "rules": "",
        "open": not any(recorded.hidden for recorded in game.kyoku),
        "kyoku": kyoku,
        "end": None,
    }
    if game.rules_stated:
        data["rules"] = game.ruleset.name
    if game.ended is not None:
        data["end"] = _end(game.ended)
    if review is not None:
        data["review"] = review
    return data


def short(message: dict[str, object]) -> object:
    """Return a draw as ``T05m`` (seat 0 draws 5m) and a discard as ``D05m``, or ``G05m`` for the tile just drawn.

    These are most of all events, and a fifth as long so. Other messages stay as they are.
    """
    match message:
        case {"type": "tsumo", "actor": seat, "pai": tile}:
            return f"T{seat}{tile}"
        case {"type": "dahai", "actor": seat, "pai": tile, "tsumogiri": True}:
            return f"G{seat}{tile}"
        case {"type": "dahai", "actor": seat, "pai": tile, "tsumogiri": False}:
            return f"D{seat}{tile}"
        case _:
            return message


def _end(ended: ev.GameEnded) -> dict[str, object]:
    return {
        "type": "end_game",
        "scores": list(ended.points),
        "places": list(ended.places),
        "results": list(ended.results),
    }


def _kyoku(narrator: MjaiNarrator, game: RecordedGame, number: int, notes: Notes) -> dict[str, Any]:
    """Return the messages of a kyoku, and its notes by the number of the message that they follow."""
    kyoku = game.kyoku[number]
    messages, after = _messages(narrator, kyoku)
    hands: dict[tuple[int, Seat], HandNote] = {}
    for place, changed in notes.hands.items():
        hands |= {(after[place], note[0]): note for note in changed}
    offers: list[list[object]] = []
    for place, asked in notes.offers.items():
        offers += [[after[place], *offer] for offer in asked]
    return {
        "events": messages,
        "hands": [[at, *note] for (at, _), note in hands.items()],
        "offers": offers,
        "remarks": [[after[remark.place], remark.seat, remark.kind, remark.text] for remark in kyoku.remarks],
        "dangers": [[after[place], *danger] for place, danger in notes.dangers.items()],
    }


def _messages(narrator: MjaiNarrator, kyoku: RecordedKyoku) -> tuple[list[object], list[int]]:
    """Return the messages of a kyoku, and the number of the last one after each number of events."""
    messages: list[object] = []
    after = [0]
    events = list(kyoku.events)
    if kyoku.complete:
        events.append(ev.KyokuEnded())
    for event in events:
        written = narrator.tell(event)
        if written is not None:
            messages.append(short(_with_names(written.content, event)))
        after.append(max(0, len(messages) - 1))
    return messages, after


def _with_names(message: dict[str, object], event: ev.Event) -> dict[str, object]:
    """Return a win with the names of its yaku in the languages of the page; other messages stay as they are."""
    if not isinstance(event, ev.HandWon) or "yakus" not in message:
        return message
    return {**message, "yakus": [[_yaku_names(yaku), han] for yaku, han in event.value.yaku]}


def _yaku_names(yaku: Yaku) -> dict[str, str]:
    return {language: yaku_words(yaku, language) for language in LANGUAGES}


def places_of(game: RecordedGame) -> list[list[int]]:
    """Return for each kyoku the place on the page, ``n`` of its address, after each number of events."""
    narrator = MjaiNarrator(None)
    narrator.tell(ev.GameStarted(game.names))
    return [_messages(narrator, kyoku)[1] for kyoku in game.kyoku]


# The format


PAGE = "replay.html"
"""The page that shows a replay."""

DATA = "record"
"""The id of the element that holds the game."""


def write_html(game: RecordedGame, review: Mapping[str, Any] | None = None) -> bytes:
    """Return the page for replays with this game and its review; raise RecordError for contradicting moves."""
    return single_page(static_files(), PAGE, DATA, write({"games": [document(game, review)]})).encode()


HTML = RecordFormat(
    key="html",
    name="web page",
    suffix=".html",
    sniff=lambda data: data[:15].lower() == b"<!doctype html>",
    read=None,
    write=write_html,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                Fact.HANDS,
                Fact.NAMES,
                Fact.SCORES,
                Fact.RESULTS,
                Fact.YAKU,
                Fact.FU,
                Fact.URA,
                Fact.ORDER,
                Fact.TEXTS,
            ),
            Carried.PARTLY: (Fact.RULES, Fact.ANSWERS),
        }
    ),
    needs=frozenset((Fact.TSUMOGIRI,)),
)
"""The replay page of the server, with a game in it."""
