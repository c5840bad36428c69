"""The encoded observation: its rows, their bounds, and nothing hidden in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from support.budgets import few
from support.policies import EagerPolicy
from support.seat_knowledge import knowable, revealed, shuffle_all

from ump.arena.environment import Environment
from ump.env.action_ids import LegalIds, actions_by_id
from ump.env.rows import PLACES, ROWS, SHAPE, SIZE, TableRows, rows_in_blocks, rows_of, show_offer
from ump.game.deals import Deal
from ump.model.actions import Action
from ump.model.events import Event
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, KINDS, faces_of_tiles
from ump.players.observation import Observation
from ump.rules.call_question import TileQuestion
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length, Ruleset
from ump.rules.wall import rolled, shuffled

EVERYTHING = replace(PRESETS["tenhou"], open_riichi=True, red_fives=(1, 2, 1), kokushi_ankan=True, length=Length.TONPU)
"""Shown hands, and two red fives of a suit."""

Script = Mapping[tuple[int, Seat], Action]
"""Actions by the number of events before them, and by seat."""


def row(encoded: bytes | bytearray, name: str) -> list[int]:
    """Return the numbers of a row."""
    start = PLACES[name] * KINDS
    return list(encoded[start : start + KINDS])


def even(encoded: bytes | bytearray, name: str) -> int:
    """Return the number of a row about the table."""
    numbers = set(row(encoded, name))
    assert len(numbers) == 1
    return numbers.pop()


def counts(kinds: list[int]) -> list[int]:
    """Return how often each kind occurs."""
    return [kinds.count(kind) for kind in range(KINDS)]


@pytest.mark.parametrize("preset", ["tenhou", "tenhou3", "wrc"])
def test_rows_hold_what_the_seat_sees(preset: str) -> None:
    """At each question of a game, every row agrees with the observation, and no number exceeds its bound."""
    environment = Environment(replace(PRESETS[preset], length=Length.TONPU))
    environment.reset("rows")
    policy = EagerPolicy(Random("rows"))
    while not environment.over:
        seen, question = environment.observation(), environment.question()
        encoded = rows_of(seen, question.phase, question.tile)
        _compare(encoded, seen)
        assert [even(encoded, f"phase_{phase.value}") for phase in Phase] == [
            phase is question.phase for phase in Phase
        ]
        offered = [] if question.phase in (Phase.TURN, Phase.DECLARE) else [KIND_OF[question.tile or 0]]
        assert row(encoded, "offered") == counts(offered)
        sources = [even(encoded, f"offers_{player}") for player in range(4)]
        assert sum(sources) == len(offered)
        assert sources[0] == 0
        environment.step(policy.choose(seen, question.phase, question.tile, question.legal()))


def test_the_rows_of_a_table_are_those_of_its_seats() -> None:
    """At each decision, the rows of every seat are those of what it has seen, and the mask that of its legal actions.

    ``TableRows`` reads hidden tiles, so this is what keeps them from other seats.
    """
    for preset, games in (("tenhou", 10), ("tenhou3", 10), ("everything", 20)):
        rules = EVERYTHING if preset == "everything" else PRESETS[preset]
        environment = Environment(replace(rules, length=Length.TONPU))
        for number in range(few(games)):
            environment.reset(f"table/{preset}/{number}")
            policy, table, seen = EagerPolicy(Random(number)), TableRows(environment.ruleset), 0
            while True:
                table.see(environment.events[seen:])
                seen = len(environment.events)
                for seat in range(environment.ruleset.seats):
                    question = environment.game.questions.get(seat)
                    phase, tile = (None, None) if question is None else (question.phase, question.tile)
                    assert table.of(seat, question) == rows_of(environment.observation(seat), phase, tile)
                if environment.over:
                    break
                question = environment.question()
                assert _in_blocks(table, question) == table.of(question.seat, question)
                legal = LegalIds(question, table.faces(question.seat))
                by_id = actions_by_id(question.legal(), question.tile)
                assert {each: legal.action(each) for each, is_legal in enumerate(legal.mask) if is_legal} == by_id
                seen_by = environment.observation()
                environment.step(policy.choose(seen_by, question.phase, question.tile, question.legal()))


def _in_blocks(table: TableRows, question: Question) -> bytearray:
    """Return the rows of a question as a batch chooses them."""
    blocks = b"".join(table.blocks)
    places = rows_in_blocks(question.seat, question.board.seats, type(question))
    rows = bytearray(b"".join(blocks[place * KINDS : place * KINDS + KINDS] for place in places))
    if isinstance(question, TileQuestion):
        show_offer(rows, question)
    return rows


def _compare(encoded: bytearray, seen: Observation) -> None:
    """Compare rows with an observation, written in another way than the encoder."""
    assert len(encoded) == SIZE == SHAPE[0] * SHAPE[1]
    for place, each in enumerate(ROWS):
        numbers = encoded[place * KINDS : place * KINDS + KINDS]
        assert max(numbers) <= each.most
        assert not each.is_even or len(set(numbers)) == 1
    hands = [row(encoded, f"hand_{n}") for n in range(1, 5)]
    assert [sum(column) for column in zip(*hands, strict=True)] == seen.hand.kinds
    assert sum(row(encoded, "hand_red")) == sum(seen.hand.faces[KINDS:])
    assert row(encoded, "indicators") == counts([KIND_OF[face] for face in seen.indicators])
    assert sum(row(encoded, "dora")) == len(seen.indicators)
    assert row(encoded, "unseen") == [seen.unseen(kind) for kind in range(KINDS)]
    assert set(seen.passed) == {kind for kind, number in enumerate(row(encoded, "passed")) if number}
    assert row(encoded, "seat_wind") == counts([27 + seen.seat_wind])
    assert even(encoded, "left") == seen.left
    seats = seen.ruleset.seats
    for seat in range(seats):
        _compare_player(encoded, seen, seat, (seat - seen.me) % seats)
    if seats == 3:
        assert not any(
            any(row(encoded, each.name)) for each in ROWS if each.name.endswith("_3") and "hand" not in each.name
        )


def _compare_player(encoded: bytearray, seen: Observation, seat: Seat, player: int) -> None:
    river = seen.rivers[seat]
    melds = [meld for meld in seen.melds[seat] if meld.type is not MeldType.ANKAN]
    assert row(encoded, f"river_{player}") == counts([KIND_OF[discard.face] for discard in river])
    assert row(encoded, f"from_hand_{player}") == counts(
        [KIND_OF[discard.face] for discard in river if not discard.tsumogiri]
    )
    assert row(encoded, f"open_{player}") == counts([KIND_OF[face] for meld in melds for face in meld.faces])
    assert sum(row(encoded, f"ankan_{player}")) == len(seen.melds[seat]) - len(melds)
    assert 1000 * even(encoded, f"thousands_{player}") + 100 * even(encoded, f"hundreds_{player}") == seen.points[seat]
    assert even(encoded, f"riichi_{player}") == seen.in_riichi[seat]
    assert even(encoded, f"norths_{player}") == seen.norths[seat]
    last = row(encoded, f"last_{player}")
    assert not river or last.index(max(last)) == KIND_OF[river[-1].face]


def test_numbers_of_discards_give_their_order() -> None:
    """The first and last discards of each kind by all players are numbered from 1 on."""
    environment = Environment(Ruleset(length=Length.KYOKU))
    environment.reset("order")
    while not environment.over and environment.observation(0).left > 20:
        environment.step(environment.question().default())
    seen = environment.observation(0)
    encoded = rows_of(seen, None, None)
    firsts, lasts = ([row(encoded, f"{name}_{player}") for player in range(4)] for name in ("first", "last"))
    numbers = {number for rows in (*firsts, *lasts) for number in rows if number}
    assert max(numbers) == len(seen.discards)
    for number in numbers:
        discard = seen.discards[number - 1]
        kind = KIND_OF[discard.face]
        assert number in (firsts[discard.seat][kind], lasts[discard.seat][kind])


def test_a_spectator_has_no_rows() -> None:
    """There is no seat to look from."""
    with pytest.raises(ValueError, match="spectator"):
        rows_of(Observation(None, Ruleset()), None, None)


class Watched:
    """One kyoku that is played to its end; notes what one seat sees at each of its questions."""

    def __init__(self, ruleset: Ruleset, deal: Deal, seat: Seat, script: Script | None, seed: str) -> None:
        environment = Environment(ruleset)
        environment.reset(deals=lambda at: deal)
        policies = [EagerPolicy(Random(f"{seed}/{each}")) for each in range(ruleset.seats)]
        self.script: dict[tuple[int, Seat], Action] = {}
        self.encoded: dict[int, bytearray] = {}
        while not environment.over:
            asked, question, place = environment.seat, environment.question(), len(environment.events)
            if asked == seat:
                self.encoded[place] = rows_of(environment.observation(seat), question.phase, question.tile)
            if script is None:
                seen = environment.observation(asked)
                action = policies[asked].choose(seen, question.phase, question.tile, question.legal())
            else:
                scripted = script.get((place, asked))
                action = question.default() if scripted is None or question.refusal(scripted) else scripted
            self.script[place, asked] = action
            environment.step(action)
        self.events: list[Event] = environment.events


def alike(first: Watched, second: Watched, seat: Seat) -> int:
    """Return the number of events, from the first one, of which the seat knows no difference."""
    both = zip(first.events, second.events, strict=False)
    different = (place for place, (one, other) in enumerate(both) if knowable(one, seat) != knowable(other, seat))
    return next(different, min(len(first.events), len(second.events)))


@pytest.mark.parametrize(("preset", "games"), [("tenhou", 12), ("tenhou3", 8)])
def test_hidden_tiles_do_not_change_the_observation(preset: str, games: int) -> None:
    """Other tiles where the seat cannot have seen them, in hands and in the wall, leave its rows as they were."""
    ruleset = replace(PRESETS[preset], length=Length.KYOKU)
    compared = hidden = 0
    for number in range(games):
        text = f"hidden/{preset}/{number}"
        tiles, dice, seat = shuffled(text, ruleset.seats), rolled(text), number % ruleset.seats
        first = Watched(ruleset, Deal(tiles, dice), seat, None, text)
        faces = [faces_of_tiles(ruleset.red_fives)[tile] for tile in tiles]
        chance = Random(text)
        moment = chance.choice(list(first.encoded))
        places = [place for place, count in revealed(first.events, faces, seat).items() if count > moment]
        sources = shuffle_all(places, faces, chance)
        other = tuple(tiles[sources.get(place, place)] for place in range(len(tiles)))
        second = Watched(ruleset, Deal(other, dice), seat, first.script, text)
        end = alike(first, second, seat)
        for place in first.encoded.keys() & second.encoded.keys():
            if place <= end:
                assert first.encoded[place] == second.encoded[place]
                compared += 1
        hidden += sum(one != two for one, two in zip(first.events[:end], second.events[:end], strict=True))
    assert compared > 3 * games
    assert hidden > 3 * games
