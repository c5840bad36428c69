"""The host of a table: steps and their delivery, receivers that fail, and rebuilding from recorded entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from support.careless_clients import OPENING, PERSON, Client, Hosted, bare, bot, careless, state_of
from support.rows import each_row

from ump.model.claims import Claim
from ump.model.events import Event, GameEnded, HandDealt, TileDrawn
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.players.policy import POLICIES
from ump.table.clock import GRACE, BotDelay
from ump.table.journal_entries import End, Ended, Faults
from ump.table.messages import Answer, Ask, Begin, Heard, Leave, Stop, Tick
from ump.table.opening import Opening
from ump.table.receivers import BuiltinBot, LogKeeper, Parcel, Receiver, SeatedBot, SeatedClient
from ump.table.table import Step
from ump.table.table_host import TableHost
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession


class Log:
    """A log that keeps events."""

    has_person = False

    def __init__(self) -> None:
        self.events: list[Event] = []

    def note(self, event: Event) -> None:
        """Keep an event."""
        self.events.append(event)


def begun(*extra: Receiver) -> Hosted:
    """Return a host whose game has begun."""
    hosted = Hosted(OPENING, *extra)
    hosted.take(Begin())
    return hosted


# Compute, then deliver


def test_a_step_sends_nothing_before_it_is_delivered() -> None:
    """The entries of a step can be recorded before any client receives a message."""
    hosted = Hosted()
    step = hosted.host.step(Begin(), hosted.now)
    assert step.entries
    assert step.messages
    assert [client.session.take() for client in hosted.clients.values()] == [[], []]
    assert all(lines for _, lines in hosted.host.deliver(step, hosted.now, hosted.now / 1_000).sent)


def test_each_client_gets_one_write_for_a_step() -> None:
    """A delivery has each client at most once, with all of its messages."""
    hosted = begun()
    assert sorted(len(client.lines) > 1 for client in hosted.clients.values()) == [True, True]
    assert len({id(client) for client, _ in hosted.last.sent}) == len(hosted.last.sent) == 2


def test_inputs_after_the_end_change_nothing() -> None:
    """Inputs after the end make empty steps."""
    hosted = begun().play()
    for given in (Answer(0, 1, None), Heard(0, True), Leave(0), Tick(), Stop(End.STOPPED)):
        assert hosted.take(given) == Step([], [])


def test_stopping_sends_nothing() -> None:
    """Stop records the reason and the points, and sends nothing."""
    hosted = begun()
    step = hosted.take(Stop(End.STOPPED))
    assert step == Step([Ended(End.STOPPED, (OPENING.ruleset.start_points,) * 4)], [])
    assert hosted.host.table.end is End.STOPPED


# Receivers


class Failing(Receiver):
    """A receiver that fails at a step."""

    def __init__(self, after: int, seat: Seat | None = None) -> None:
        self.seat = seat
        self.steps = 0
        self._after = after

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Count a step, or fail."""
        self.steps += 1
        if self.steps > self._after:
            raise ZeroDivisionError("a bug")


class FailingLog(Log):
    """A log on a broken disk."""

    has_person = False

    def note(self, event: Event) -> None:
        """Fail at the second event."""
        super().note(event)
        if len(self.events) > 1:
            raise OSError("no space left")


class FailingSession(UmpSession):
    """A session with a bug in its codec."""

    __slots__ = ()

    def tell(self, *args: object) -> None:
        """Fail."""
        raise ZeroDivisionError("a bug")

    def tell_spectator(self, *args: object) -> None:
        """Fail."""
        raise ZeroDivisionError("a bug")


class FailingBot(BuiltinBot):
    """A built-in bot with a bug in ``see`` or in ``decide``."""

    def __init__(self, seat: Seat, fails_at: str) -> None:
        super().__init__(POLICIES["tsumogiri"](), seat, OPENING.ruleset)
        self._fails_at = fails_at

    def see(self, event: Event) -> None:
        """Take an event, or fail."""
        if self._fails_at == "see":
            raise ZeroDivisionError("a bug")
        super().see(event)

    def decide(self, ask: Ask) -> Claim:
        """Fail."""
        raise ZeroDivisionError("a bug")


def play_with_failures(hosted: Hosted) -> list[Receiver]:
    """Play to the end as a runner does, and return the receivers that failed, in order."""
    failed: list[Receiver] = [failure.receiver for failure in hosted.last.failures]
    leaving = [receiver.seat for receiver in failed if receiver.seat is not None]
    while not hosted.is_over:
        if leaving:
            hosted.open.pop(leaving[0], None)
            hosted.take(Leave(leaving.pop(0)))
        else:
            hosted._answer_or_tick()
        for failure in hosted.last.failures:
            failed.append(failure.receiver)
            if failure.receiver.seat is not None:
                leaving.append(failure.receiver.seat)
    return failed


def assert_others_received_all(hosted: Hosted, *others: Seat) -> None:
    """Check that the game was completed, and that these clients have received its end."""
    assert hosted.host.table.end is End.COMPLETED
    for seat in others:
        assert hosted.clients[seat].lines[-1].split()[1] == "gameend"


def test_a_spectator_that_fails_does_not_stop_the_game() -> None:
    """A spectator whose session fails is reported once, and receives nothing more; the game is completed."""
    hosted = begun()
    spectator = Client(None, FailingSession(Hello(())))
    delivery = hosted.host.watch(spectator, hosted.now)
    assert [type(failure.error) for failure in delivery.failures] == [ZeroDivisionError]
    assert hosted.host.spectators == []
    assert play_with_failures(hosted) == []
    assert_others_received_all(hosted, 0, 2)


def test_a_spectator_that_fails_later_does_not_stop_the_game() -> None:
    """A spectator that fails in the middle of a kyoku receives nothing more; the game is completed."""
    broken = Failing(after=5)
    hosted = begun(broken)
    assert play_with_failures(hosted) == [broken]
    assert broken.steps == 6
    assert_others_received_all(hosted, 0, 2)


def test_a_log_that_fails_does_not_stop_the_game() -> None:
    """The game is completed without its log."""
    log = FailingLog()
    keeper = LogKeeper(log)
    hosted = begun(keeper)
    assert play_with_failures(hosted) == [keeper]
    assert len(log.events) == 2
    assert_others_received_all(hosted, 0, 2)


@each_row("fails_at", ["see", "decide"])
def test_a_built_in_bot_that_fails_loses_its_seat(fails_at: str) -> None:
    """Default actions play the seat; the failure is reported once."""
    hosted = Hosted()
    broken = SeatedBot(FailingBot(1, fails_at), 1)
    clients = [SeatedClient(client, seat) for seat, client in hosted.clients.items()]
    hosted.host = TableHost(OPENING.table(), [*clients, broken, bot(3)])
    hosted.take(Begin())
    assert play_with_failures(hosted) == [broken]
    assert not hosted.host.table.chairs[1].is_here
    assert_others_received_all(hosted, 0, 2)


def test_a_seated_client_whose_codec_fails_loses_its_seat() -> None:
    """The client that fails loses its seat; the others play on to the end."""
    hosted = Hosted()
    hosted.clients[0] = Client(0, FailingSession(Hello(())))
    clients = [SeatedClient(client, seat) for seat, client in hosted.clients.items()]
    hosted.host = TableHost(OPENING.table(), [*clients, bot(1), bot(3)])
    hosted.take(Begin())
    (failed,) = play_with_failures(hosted)
    assert failed.client is hosted.clients[0]
    assert_others_received_all(hosted, 2)


def test_a_log_receives_everything_and_a_spectator_nothing_hidden() -> None:
    """The log receives all tiles, a spectator none that is hidden."""
    log = Log()
    hosted = begun(LogKeeper(log))
    spectator = Client(None)
    hosted.host.watch(spectator, hosted.now)
    hosted.play()
    assert all(event.face is not None for event in log.events if isinstance(event, TileDrawn))
    assert all(event.faces for event in log.events if isinstance(event, HandDealt))
    assert isinstance(log.events[-1], GameEnded)
    assert spectator.lines[-1].split()[1] == "gameend"
    assert {len(line.split()) for line in spectator.lines if line.split()[1] == "tsumo"} == {4}


def test_a_late_spectator_receives_the_kyoku_so_far() -> None:
    """A late spectator receives the start of the game and the current kyoku so far, then all further events."""
    hosted = begun()
    early, late = Client(None), Client(None)
    early.lines += hosted.host.watch(early, hosted.now).sent[0][1]
    while len(early.lines) < 40:
        hosted._answer_or_tick()
    late.lines += hosted.host.watch(late, hosted.now).sent[0][1]
    assert late.lines == early.lines
    hosted.play()
    assert late.lines == early.lines
    hosted.host.unwatch(late)
    assert hosted.host.spectators == [early]


def test_spectators_receive_events_after_the_players_and_in_turns() -> None:
    """A step reaches no spectator; later a few at a time receive all that they have missed, in turns."""
    hosted = begun()
    hosted.shows_at_once = False
    first, second, late = Client(None), Client(None), Client(None)
    for each in (first, second):
        each.lines += hosted.host.watch(each, hosted.now).sent[0][1]
    start = list(first.lines)
    for _ in range(10):
        hosted._answer_or_tick()
    assert hosted.host.is_audience_behind
    assert first.lines == second.lines == start
    hosted.show(1)
    assert len(first.lines) > len(second.lines) == len(start)
    late.lines += hosted.host.watch(late, hosted.now).sent[0][1]
    assert late.lines == first.lines
    hosted.show(1)
    assert first.lines == second.lines == late.lines
    assert not hosted.host.is_audience_behind
    while hosted.host.table.end is None:
        hosted._answer_or_tick()
        hosted.show(1)
    for _ in range(3):
        hosted.show(1)
    assert first.lines == second.lines == late.lines
    assert first.lines[-1].split()[1] == "gameend"


def test_spectators_share_one_text() -> None:
    """The text of a move is written once, and not for each spectator that has missed the same events."""
    hosted = begun()
    hosted.shows_at_once = False
    for _ in range(20):
        hosted.host.watch(Client(None), hosted.now)
    for _ in range(10):
        hosted._answer_or_tick()
    sent = hosted.host.show(20, hosted.now).sent
    assert len(sent) == 20
    assert len({tuple(map(id, lines)) for _, lines in sent}) == 1
    assert sent[0][1]


def test_a_spectator_that_fails_in_its_turn_is_dropped_alone() -> None:
    """A spectator whose session fails in its turn is reported and receives nothing more; the others do."""
    hosted = begun()
    hosted.shows_at_once = False
    sound, broken = Client(None), Client(None)
    for each in (broken, sound):
        hosted.host.watch(each, hosted.now)
    broken.session = FailingSession(Hello(()))
    for _ in range(10):
        hosted._answer_or_tick()
    (failure,) = hosted.show().failures
    assert failure.receiver.client is broken
    assert hosted.host.spectators == [sound]
    assert sound.lines


# The pace of bots

SLOW = replace(OPENING, settings=replace(OPENING.settings, bot_delay=BotDelay(0.3, 1.2)))


def waits(hosted: Hosted) -> Iterator[tuple[Ask, int]]:
    """Play to the end; yield each question that a built-in bot answered, and the milliseconds that it took for it."""
    asked = {seat: (ask, hosted.now) for seat, ask in hosted.host._undecided.items()}
    while not hosted.is_over:
        before = dict(hosted.host._undecided)
        hosted._answer_or_tick()
        for seat, ask in before.items():
            if hosted.host._undecided.get(seat) is not ask:
                yield ask, hosted.now - asked.pop(seat)[1]
        asked |= {seat: (ask, hosted.now) for seat, ask in hosted.host._undecided.items() if seat not in asked}


def test_built_in_bots_take_their_time_on_their_turns_beside_a_person() -> None:
    """A bot thinks between the two limits about its turn; a call, ``ready?`` and tenpai take no time."""
    hosted = Hosted(replace(SLOW, settings=replace(SLOW.settings, ask_all=True)), person=0)
    hosted.take(Begin())
    turns: list[int] = []
    others: list[int] = []
    for ask, spent in waits(hosted):
        is_turn = ask.question is not None and ask.question.phase is Phase.TURN
        (turns if is_turn else others).append(spent)
    assert len(turns) > 20
    assert 300 <= min(turns) < 400
    assert 1_100 < max(turns) <= 1_200
    assert len(others) > 20
    assert set(others) == {0}


@pytest.mark.parametrize(
    ("opening", "person"), [(SLOW, None), (OPENING, 0)], ids=["no person at the table", "no delay in the room"]
)
def test_built_in_bots_decide_at_once(opening: Opening, person: Seat | None) -> None:
    """No game without a person is slowed, and none in a room without a delay."""
    hosted = Hosted(opening, person=person)
    hosted.take(Begin())
    assert {spent for _, spent in waits(hosted)} == {0}


def test_a_delay_changes_nothing_but_the_time() -> None:
    """The steps of a game are the same with and without a delay, and a game repeats with its delays."""
    slow, again, fast = Hosted(SLOW, person=0), Hosted(SLOW, person=0), Hosted(person=0)
    for hosted in (slow, again, fast):
        hosted.take(Begin())
        hosted.play()
    assert slow.steps == again.steps
    assert [entries for entries, _ in slow.steps] == [entries for entries, _ in fast.steps]
    assert slow.now > fast.now


def until_a_bot_thinks(opening: Opening) -> Hosted:
    """Return a host with a person at seat 0, in which a built-in bot thinks about its turn."""
    hosted = Hosted(opening, person=0)
    hosted.take(Begin())
    while not hosted.host.thinking:
        hosted._answer_or_tick()
    return hosted


def test_a_tick_before_the_bot_has_thought_changes_nothing() -> None:
    """A tick that comes too early finds nothing to do, and the bot decides at the instant that ``due`` gave."""
    hosted = until_a_bot_thinks(SLOW)
    due = hosted.host.due(hosted.now)
    assert due is not None
    assert hosted.now < due <= hosted.now + 1_200
    assert hosted.take(Tick()) == Step([], [])
    assert hosted.host.due(hosted.now) == due
    hosted.now = due
    assert hosted.take(Tick()).entries


def test_the_delay_ends_when_the_last_person_leaves() -> None:
    """The bot that thinks decides at once, and all others after it; another client does not count."""
    hosted = until_a_bot_thinks(SLOW)
    hosted.take(Leave(2))
    assert hosted.host.due(hosted.now) != hosted.now
    hosted = until_a_bot_thinks(SLOW)
    hosted.take(Leave(0))
    assert hosted.host.due(hosted.now) == hosted.now
    hosted.open.pop(0, None)
    assert {spent for _, spent in waits(hosted)} == {0}


@pytest.mark.parametrize(("options", "delay"), [(PERSON, 300), ("", 0)], ids=["person", "program"])
def test_bots_take_their_time_for_a_spectator(options: str, delay: int) -> None:
    """A person who watches slows the bots as one who plays, until it leaves; a program that watches does not."""
    hosted = Hosted(SLOW)
    spectator = Client(None, options=options)
    hosted.host.watch(spectator, hosted.now)
    hosted.take(Begin())
    watched = [spent for ask, spent in islice(waits(hosted), 40) if ask.question and ask.question.phase is Phase.TURN]
    assert min(watched) >= delay
    assert max(watched) == 0 or delay
    hosted.host.unwatch(spectator)
    assert {spent for _, spent in islice(waits(hosted), 1, None)} == {0}


def test_a_deadline_that_passes_while_a_bot_thinks() -> None:
    """A bot that thinks longer than its clock allows loses the decision, not the game."""
    hosted = until_a_bot_thinks(replace(OPENING, settings=replace(OPENING.settings, bot_delay=BotDelay(100.0, 100.0))))
    begun_thinking = hosted.now
    (seat,) = hosted.host.thinking
    hosted.tick()
    assert hosted.now == begun_thinking + 5_000 + GRACE + 10_000
    assert hosted.host.table.chairs[seat].timeouts == 1
    assert hosted.play().host.table.end is End.COMPLETED


def test_a_table_with_a_delay_is_rebuilt() -> None:
    """Recorded steps rebuild a table in a host without delays, at any moment."""
    hosted = Hosted(SLOW, person=0)
    hosted.take(Begin())
    hosted.play()
    twin = bare(SLOW)
    for entries, now in hosted.steps:
        twin.replay(entries, now)
    assert state_of(twin) == state_of(hosted.host)


# Rebuilding


@each_row("faults", list(Faults))
@each_row(("takeover", "ask_all"), [(None, True), ("tsumogiri", False)])
def test_a_table_is_rebuilt_at_every_step(takeover: str | None, ask_all: bool, faults: Faults) -> None:
    """A host rebuilt from the opening and any number of recorded steps has the same state, and goes on the same way."""
    chance = Random(f"{ask_all}/{faults}")
    settings = replace(OPENING.settings, ask_all=ask_all, faults=faults, grace=20.0, takeover=takeover)
    opening = replace(OPENING, secret="rebuild", settings=settings)
    hosted, twin = Hosted(opening), bare(opening)
    hosted.take(Begin())
    twin.replay(*hosted.steps[-1])
    kept = 1
    for given in careless(hosted, chance):
        hosted.take(given)
        if len(hosted.steps) > kept:
            kept += 1
            twin.replay(*hosted.steps[-1])
        assert len(hosted.steps) == kept
        assert state_of(twin) == state_of(hosted.host)
    for cut in chance.sample(range(1, kept), 5):
        rebuilt = bare(opening)
        for step in hosted.steps[:cut]:
            rebuilt.replay(*step)
        for entries, now in hosted.steps[cut:]:
            assert rebuilt.replay(entries, now).sent == []
        assert state_of(rebuilt) == state_of(hosted.host)


def test_entries_of_another_game_are_refused() -> None:
    """Replaying entries that do not follow from the opening raises ValueError."""
    hosted = begun().play()
    other = bare(replace(OPENING, secret="another wall"))
    with pytest.raises(ValueError, match=r"^replaying "):
        for entries, now in hosted.steps:
            other.replay(entries, now)
