"""The notes about the positions of a recorded game, and the page with a game in it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.own_games import own_games

from ump.model.events import HandDealt, HandWon, TileDiscarded
from ump.model.notation import MJAI_FACES
from ump.model.tiles import KIND_OF
from ump.record.conversion import Conversion, convert, replay_data, seen_by
from ump.record.formats import named, read_games
from ump.record.html import document, notes_of
from ump.record.recorded_game import RecordedGame, RecordError
from ump.rules.analysis import shanten
from ump.table.view import view
from ump.text.position import Position

GAMES = pytest.mark.parametrize("number", [1, 2, 7], ids=["tenhou", "mleague", "three players"])


def mjai_log() -> str:
    """Return a game of our bots as mjai writes it."""
    write = named("mjai").write
    assert write is not None
    return write(game_at(0)).decode()


def game_at(number: int) -> RecordedGame:
    """Return one of the games of our bots, its first kyoku alone: notes need a replay."""
    game = own_games()[number]
    return replace(game, kyoku=game.kyoku[:3])


@GAMES
def test_shanten_and_waits_are_those_of_the_hand(number: int) -> None:
    """Each hand note, carried on to the next, is the shanten of the hand at every event."""
    game = game_at(number)
    for kyoku, notes in zip(game.kyoku, notes_of(game), strict=True):
        seats = range(len(game.names))
        positions = [Position(seat, game.names, game.ruleset) for seat in seats]
        now: dict[int, int] = {}
        for place, event in enumerate(kyoku.events, 1):
            for seat in seats:
                positions[seat].see(view(event, seat))
            now |= {note[0]: note[1] for note in notes.hands.get(place, [])}
            for seat, shown in now.items():
                assert shown == shanten(positions[seat].seen.hand.kinds)


@GAMES
def test_a_ron_was_offered_and_its_tile_marked(number: int) -> None:
    """Every ron follows an offer that was taken, and a discard that was marked as one that deals in."""
    game = game_at(number)
    rons = 0
    for kyoku, notes in zip(game.kyoku, notes_of(game), strict=True):
        for place, event in enumerate(kyoku.events):
            if not isinstance(event, HandWon) or event.loser is None:
                continue
            source = max(at for at in range(place) if isinstance(kyoku.events[at], TileDiscarded))
            discard = kyoku.events[source]
            assert isinstance(discard, TileDiscarded)
            if KIND_OF[discard.face] != KIND_OF[event.tile]:  # a tile of a kan
                continue
            rons += 1
            offers = [offer for at in range(source + 1, place + 1) for offer in notes.offers.get(at, [])]
            taken = [actions[chosen] for seat, actions, chosen in offers if seat == event.seat and chosen is not None]
            assert ("hora",) in taken
            turn = max(at for at in notes.dangers if at <= source)
            assert notes.dangers[turn] == (discard.seat, notes.dangers[turn][1])
            assert MJAI_FACES[discard.face] in notes.dangers[turn][1]
    assert rons


def test_a_record_that_hides_hands_has_no_notes_about_them() -> None:
    """A game as one seat saw it has the notes of that seat alone, and no offers."""
    game = seen_by(game_at(0), 2)
    for notes in notes_of(game):
        assert {note[0] for listed in notes.hands.values() for note in listed} == {2}
        assert notes.offers == {}
    assert not document(game)["open"]


def test_texts_of_bots_and_refusals_are_notes() -> None:
    """Texts and objects that a bot logged on its answer to an event stand at that event."""
    lines = [json.loads(line) for line in mjai_log().splitlines()]
    number = next(index for index, line in enumerate(lines) if line["type"] == "tsumo")
    lines[number]["logs"] = [None, "<b>fold</b>", None, None]
    lines[number]["metas"] = [None, {"shanten": 2}, None, {"q_values": [0.5]}]
    (game,) = read_games("\n".join(map(json.dumps, lines)).encode())
    first = document(game)["kyoku"][0]
    assert first["remarks"] == [
        [1, 1, "log", "<b>fold</b>"],
        [1, 1, "meta", '{"shanten":2}'],
        [1, 3, "meta", '{"q_values":[0.5]}'],
    ]
    assert first["events"][1].startswith("T")


def test_a_page_is_small_and_needs_no_server() -> None:
    """The budget: 190 KB, and 6 KB for each kyoku. Two conversions give the same page."""
    record, kyoku = mjai_log().encode(), len(game_at(0).kyoku)
    (page,) = convert("game", record, Conversion("html")).games
    assert page.startswith(b"<!doctype html>")
    assert len(page) < 190_000 + 6_000 * kyoku
    assert convert("game", record, Conversion("html")).games == (page,)


def test_a_page_is_not_read() -> None:
    """A page is recognised, so that the error says what it is."""
    with pytest.raises(RecordError, match="web page is only written"):
        replay_data(b"<!DOCTYPE html>\n<html></html>")


def test_moves_that_contradict_each_other_are_refused() -> None:
    """A record whose discard is not in the hand is refused, or shown without notes, but never breaks anything."""
    broken = mjai_log().replace('"pai":"', '"pai":"5m","was":"', 1).encode()
    assert json.loads(replay_data(broken))["games"]


def test_a_hand_of_twelve_tiles_has_no_notes() -> None:
    """No hand has that many: there are no notes about it, in the page and in ``ump replay``, and no error."""
    game = game_at(0)
    kyoku = game.kyoku[0]
    events = tuple(
        replace(event, faces=event.faces[1:]) if isinstance(event, HandDealt) and event.faces else event
        for event in kyoku.events
    )
    broken = replace(game, kyoku=(replace(kyoku, events=events),))
    assert [notes.hands for notes in notes_of(broken)] == [{}]
    assert document(broken)["kyoku"]
