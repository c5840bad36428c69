"""Answers that the rules do not allow, and answers that cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.scenario import deals_of, laid
from support.table_driver import TableDriver
from support.table_positions import DRAWN, QUIET, TENPAI, after_call, at_call, at_declare, at_ready, at_rob, at_turn

from ump.game.game import Game
from ump.model.actions import Action, Discard
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event, GameEnded, TenpaiDeclared, TileDiscarded
from ump.model.notation import parse_mpsz
from ump.model.seats import LETTERS, Seat
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.messages import Ask, Refuse
from ump.table.table import Table

ASKED_AGAIN = [
    (at_turn, "A", "?", Reason.UNREADABLE),
    (at_turn, "A", "sute 8s", Reason.NOT_HELD),
    (at_turn, "A", "tsumo", Reason.NOT_COMPLETE),
    (at_turn, "A", "pon 5p 5p", Reason.NOT_ASKED),
    (at_turn, "A", "ankan 1m", Reason.NOT_HELD),
    (at_turn, "A", "richi 8m", Reason.NOT_TENPAI),
    (after_call, "C", "?", Reason.UNREADABLE),
    (after_call, "C", "ankan 3m", Reason.NOT_HELD),
    (after_call, "C", "sute 5p", Reason.NOT_HELD),
    (at_call, "B", "?", Reason.UNREADABLE),
    (at_call, "C", "pon 5p", Reason.UNREADABLE),
    (at_rob, "C", "?", Reason.UNREADABLE),
    (at_declare, "A", "?", Reason.UNREADABLE),
    (at_declare, "A", "ron", Reason.NOT_ASKED),
    (at_ready, "A", "?", Reason.UNREADABLE),
    (at_ready, "A", "no", Reason.NOT_ASKED),
]
"""Positions, who answers what there, and why it does not count: all on one's own turn, or not to be read."""

NO_CALL = [
    (at_call, "B", "chi 3p 4p", Reason.NOT_HELD),
    (at_call, "B", "pon 5p 5p", Reason.NOT_HELD),
    (at_call, "B", "ron", Reason.NOT_COMPLETE),
    (at_call, "C", "chi 4p 6p", Reason.NOT_HELD),
    (at_call, "C", "kan", Reason.NOT_HELD),
    (at_call, "C", "tsumo", Reason.NOT_ASKED),
    (at_rob, "C", "pon 5m 5m", Reason.NOT_ASKED),
]
"""The same for calls that the rules do not allow."""

DEFAULTS = [
    (at_turn, "A", TileDiscarded(0, 7, tsumogiri=True)),
    (after_call, "C", TileDiscarded(2, 32, tsumogiri=False)),
    (at_declare, "A", TenpaiDeclared(0, True, parse_mpsz(TENPAI["A"]), ())),
]
"""What is told after the default: the drawn tile goes, after a call the rightmost one, a tenpai hand is shown."""


def answer_to(driver: TableDriver, letter: str, order: str) -> int:
    """Give an answer and return the number of the question that it was given to."""
    number = driver.open[LETTERS.index(letter)].number
    driver(f"{letter} {order}")
    return number


@pytest.mark.parametrize(("position", "letter", "order", "reason"), ASKED_AGAIN)
def test_asked_again(position: Callable[[], TableDriver], letter: str, order: str, reason: Reason) -> None:
    """The refusal is for that seat alone, and the same question follows with a new number."""
    driver = position()
    seat = LETTERS.index(letter)
    question = driver.open[seat].question
    number = answer_to(driver, letter, order)
    again = driver.open[seat]
    assert driver.last == [Refuse(seat, number, reason), again]
    assert again.question is question
    assert again.number > number
    assert driver.refused == [f"{letter} {reason.value}"]
    assert driver.table.chairs[seat].refusals == {reason: 1}


@pytest.mark.parametrize(("position", "letter", "order", "reason"), NO_CALL)
def test_call_that_is_not_allowed_is_none(
    position: Callable[[], TableDriver], letter: str, order: str, reason: Reason
) -> None:
    """It counts as ``no``: the seat is not asked again, and the others learn nothing of it."""
    driver = position()
    seat = LETTERS.index(letter)
    number = answer_to(driver, letter, order)
    assert driver.last[0] == Refuse(seat, number, reason)
    assert not [ask for ask in driver.said(Ask) if ask.seat == seat]
    assert driver.refused == [f"{letter} {reason.value}"]
    assert driver.accepted[-1] == f"{letter} Pass refused"


@pytest.mark.parametrize(
    ("position", "letter", "orders", "default"),
    [
        (at_turn, "A", ["?", "sute 8s", "tsumo"], "Discard"),
        (after_call, "C", ["?", "?", "?"], "Discard"),
        (at_call, "B", ["?", "?", "?"], "Pass"),
        (at_rob, "C", ["?", "?", "?"], "Pass"),
        (at_declare, "A", ["?", "ron", "?"], "DeclareTenpai"),
    ],
)
def test_third_refusal_brings_the_default(
    position: Callable[[], TableDriver], letter: str, orders: list[str], default: str
) -> None:
    """Asked twice again at most, then the default is played, and remembered as what it is."""
    driver = position()
    for order in orders:
        assert letter in driver.asked
        driver(f"{letter} {order}")
    assert driver.accepted[-1] == f"{letter} {default} retries"
    assert len(driver.refused) == 3


@pytest.mark.parametrize(("position", "letter", "told"), DEFAULTS)
def test_defaults(position: Callable[[], TableDriver], letter: str, told: Event) -> None:
    """What is played for a seat gives nothing away."""
    driver = position()(f"{letter} ?", f"{letter} ?")
    before = len(driver.told)
    driver(f"{letter} ?")
    assert driver.told[before] == told


def test_ready_counts_after_three_refusals() -> None:
    """Whatever is answered to ``ready?``, the third time it is as good as ``ok``."""
    driver = at_ready()("A ?", "A no", "A sute 1m")
    assert driver.asked == "BCD"
    driver("B ok", "C ok", "D ok")
    assert driver.asked == "A"


def test_unreadable_then_not_allowed_call() -> None:
    """Asked again about a tile, a call that is not allowed is still no call."""
    driver = at_call()("B ?", "B ron")
    assert driver.asked == "C"
    assert driver.accepted[-1] == "B Pass refused"


def test_retries_count_for_one_question() -> None:
    """The next question may again be asked three times."""
    driver = at_turn()("A ?", "A ?", "A sute 8m", "B ?", "B ?")
    assert driver.asked == "B"
    assert len(driver.refused) == 4


def test_old_number_is_stale_once_asked_again() -> None:
    """Only the newest asking can be answered."""
    driver = at_turn()
    old = driver.open[0].number
    driver("A ?")
    assert not driver.answer(0, Claim(Verb.DISCARD, parse_mpsz(DRAWN)), old)
    assert (driver.table.chairs[0].stale, driver.asked) == (1, "A")


def test_asking_again_gives_no_time() -> None:
    """The deadline stays that of the first asking, and the question says what is left."""
    driver = at_turn()
    driver.wait(4.0)
    driver("A ?")
    assert (driver.open[0].move, driver.open[0].bank) == (6.0, 20.0)
    driver.wait(11.0)
    driver("A sute 8s")
    assert (driver.open[0].move, driver.open[0].bank) == (0.0, 15.0)
    assert not driver.wait(15.25)
    driver.wait(0.25)
    assert driver.accepted == ["A Discard timeout"]


def test_refused_call_costs_time_too() -> None:
    """The clock does not care what the answer was."""
    driver = at_call()
    driver.wait(12.5)
    driver("B ron")
    assert driver.table.chairs[1].clock.bank == 18.0


def test_house_player_is_refused_like_anybody() -> None:
    """An action that is not legal changes nothing, whoever hands it in."""
    driver = at_turn()
    driver.answer(0, Discard(25))
    assert driver.said(Refuse) == [Refuse(0, driver.open[0].number - 1, Reason.NOT_HELD)]


class BrokenGame(Game):
    """A game with a bug: it does not take what its own question allows."""

    def answer(self, seat: Seat, action: Action) -> list[Event]:
        """Refuse everything."""
        raise IllegalAction(Reason.NOT_ASKED)


def test_bug_of_the_game_is_not_swallowed() -> None:
    """If the game refuses an action that its question allowed, the step raises: it records and says nothing."""
    wall = laid(QUIET, DRAWN)
    table = Table(BrokenGame(Ruleset(), LETTERS, deals_of(wall)), TimeControl())
    asked = [message for message in table.begin(0.0).messages if isinstance(message, Ask)]
    for ask in asked:
        step = table.answer(ask.seat, ask.number, Claim(Verb.YES), 0.0)
    (turn,) = [message for message in step.messages if isinstance(message, Ask)]
    with pytest.raises(IllegalAction):
        table.answer(0, turn.number, Claim(Verb.DISCARD, parse_mpsz(DRAWN)), 0.0)
    assert not any(chair.refusals for chair in table.chairs)


def test_refusals_change_nothing_in_the_game() -> None:
    """A game in which every answer is refused twice first ends like the same game without."""
    plain = at_declare().to_the_end()
    stubborn = at_declare()
    for letter in "ABCD":
        stubborn(f"{letter} ?", f"{letter} ron", f"{letter} yes")
    stubborn.to_the_end()
    assert stubborn.told == plain.told
    assert type(stubborn.told[-1]) is GameEnded
