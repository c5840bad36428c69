"""A position of a recorded game from which a table plays on: "what if I had discarded 4s?"."""

from __future__ import annotations

import re
from typing import Any

from ump.game.deals import Deal, Deals, Round, seeded_deals
from ump.game.game import GameState
from ump.model.actions import Action
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.html import places_of
from ump.record.journal import read_action, write_action
from ump.record.physical_tiles import deal_of, with_copies
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.replay import Replay
from ump.record.text import KyokuName, chosen_kyoku
from ump.rules.options import OPTIONS
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset

_PLACE = re.compile(r"([^:]+):(\d{1,6})")
"""A place in a game: a kyoku, and the number of an event as the replay page counts them."""


@value
class Branch:
    """A kyoku, and the answers in it up to a position."""

    ruleset: Ruleset
    standing: GameState
    """The state before the kyoku."""
    deal: Deal
    """The wall and the dice of the kyoku. The tiles that a record does not know are in some order."""
    actions: tuple[tuple[Seat, Action], ...]
    """The answers so far, in order."""
    seat: Seat
    """The seat that plays on; bots play the others."""
    against: str | None = None
    """The built-in bot that plays the others; None: the one that reviews games of the room."""

    def deals(self, seed: str) -> Deals:
        """Return the deals of the game: that of the kyoku, then those of a seed."""
        later = seeded_deals(seed, self.ruleset.seats)

        def deal(at: Round) -> Deal:
            """Return the deal of a kyoku."""
            if at.number == 0:
                return self.deal
            return later(at)

        return deal


def place_of(game: RecordedGame, text: str) -> tuple[int, int]:
    """Return the index of a kyoku and the number of its events at a place such as ``E3.1:17``; raise RecordError."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise RecordError(f"unknown place {text!a}: expected a kyoku and an event, as in E3.1:17")
    kyoku = game.kyoku.index(chosen_kyoku(game, KyokuName.parse(match[1]))[0])
    return kyoku, events_at(game, kyoku, int(match[2]))


def events_at(game: RecordedGame, kyoku: int, place: int) -> int:
    """Return how many events of a kyoku came up to a place of the replay page; raise RecordError if there is none."""
    if not 0 <= kyoku < len(game.kyoku):
        raise RecordError(f"no kyoku {kyoku}; the record has {len(game.kyoku)}")
    places = places_of(game)[kyoku][: len(game.kyoku[kyoku].events) + 1]
    if place > places[-1]:
        raise RecordError(f"no event {place}; the kyoku has {places[-1]}")
    return max(events for events, reached in enumerate(places) if reached <= place)


def branch_at(game: RecordedGame, kyoku: int, events: int, seat: Seat | None = None) -> Branch:
    """Return the position after so many events of a kyoku, for a seat, by default the one that decides there.

    Raises RecordError if the kyoku is over there, if the record hides hands, or if its moves do not follow the rules.
    """
    chosen = game.kyoku[kyoku]
    answers = _answers(game, kyoku)
    done = tuple((who, action) for at, who, action in answers if at < events)
    if len(done) == len(answers):
        raise RecordError("nothing is left to decide there")
    if seat is None:
        seat = answers[len(done)][1]
    if not 0 <= seat < len(game.names):
        raise RecordError(f"no such seat in a game of {len(game.names)}")
    deal = deal_of(with_copies(chosen, game.ruleset), game.ruleset.seats)
    return Branch(game.ruleset, _standing(chosen), deal, done, seat)


def _answers(game: RecordedGame, kyoku: int) -> list[tuple[int, Seat, Action]]:
    """Return all answers of a kyoku, each with the number of events before it; raise RecordError."""
    answers: list[tuple[int, Seat, Action]] = []

    def answered(_game: object, question: Question, action: Action, number: int, event: int) -> None:
        """Note an answer of the kyoku."""
        if number == kyoku:
            answers.append((event, question.seat, action))

    for wrong in Replay(game, answered=answered).run().mismatches:
        if wrong.kyoku == kyoku + 1:
            raise RecordError(f"the moves of this kyoku do not follow the rules at event {wrong.event}: {wrong.found}")
    return answers


def _standing(kyoku: RecordedKyoku) -> GameState:
    started = kyoku.started
    return GameState(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)


# Data, for another process


def branch_data(branch: Branch) -> dict[str, Any]:
    """Return a branch as data for JSON."""
    standing = branch.standing
    rules = {"name": branch.ruleset.name}
    for option in OPTIONS.values():
        rules[option.field] = option.format(branch.ruleset)
    return {
        "rules": rules,
        "points": list(standing.points),
        "kyoku": [standing.bakaze, standing.dealer, standing.honba, standing.kyotaku],
        "tiles": list(branch.deal.tiles),
        "dice": list(branch.deal.dice),
        "actions": [[seat, write_action(action)] for seat, action in branch.actions],
        "seat": branch.seat,
    }


def read_branch(data: dict[str, Any]) -> Branch:
    """Return the branch of data that ``branch_data`` has made."""
    rules = dict(data["rules"])
    fields: dict[str, Any] = {name: option.parse(rules[name]) for name, option in OPTIONS.items()}
    bakaze, dealer, honba, kyotaku = data["kyoku"]
    first, second = data["dice"]
    return Branch(
        Ruleset(name=rules["name"], **fields),
        GameState(tuple(data["points"]), bakaze, dealer, honba, kyotaku),
        Deal(tuple(data["tiles"]), (first, second)),
        tuple((seat, read_action(words)) for seat, words in data["actions"]),
        data["seat"],
    )
