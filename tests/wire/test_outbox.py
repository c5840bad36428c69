"""The outbox: order, one awaited reply at a time, the cap, and the instant from which a reply is overdue."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.rows import each_row

from ump.wire.outbox import Outbox

CAP = 3


def outbox(*waiting: str) -> Outbox[str]:
    """Return an outbox in which these messages wait."""
    box = Outbox[str](CAP)
    for message in waiting:
        box.add(message)
    return box


ADDED: list[tuple[Callable[[Outbox[str]], None], list[str]]] = [
    (lambda box: box.add("x"), ["a", "b", "x"]),
    (lambda box: box.add_first("x"), ["x", "a", "b"]),
    (lambda box: box.add_before_last("x"), ["a", "x", "b"]),
    (lambda box: box.retain(lambda message: message == "b"), ["b"]),
    (lambda box: box.drop_waiting(), []),
]


@each_row(("change", "waiting"), ADDED)
def test_messages_go_out_in_order(change: Callable[[Outbox[str]], None], waiting: list[str]) -> None:
    """A message waits behind all others, before all, or before the last; messages go out in that order."""
    box = outbox("a", "b")
    change(box)
    assert list(box) == waiting
    assert list(reversed(box)) == waiting[::-1]
    assert box.last() == (waiting[-1] if waiting else None)
    assert [box.next() for _ in waiting] == waiting
    assert box.next() is None


def test_every_place_is_the_same_in_an_empty_outbox() -> None:
    """In an empty outbox the place of a message makes no difference."""
    for add in (Outbox[str].add, Outbox[str].add_first, Outbox[str].add_before_last):
        box = outbox()
        add(box, "x")
        assert list(box) == ["x"]


def test_nothing_goes_out_while_a_reply_is_awaited() -> None:
    """The next message goes out when the reply is settled."""
    box = outbox("a", "b")
    assert box.next() == "a"
    box.await_reply("a")
    assert box.next() is None
    assert not box.is_ready
    assert box.settle() == "a"
    assert box.is_ready
    assert box.next() == "b"


def test_messages_without_a_reply_go_out_together() -> None:
    """The reply to the last of them is awaited."""
    box = outbox("a", "b", "c")
    sent = [box.next(), box.next()]
    box.await_reply("b")
    assert sent == ["a", "b"]
    assert list(box) == ["c"]


def test_only_one_reply_is_awaited() -> None:
    """Awaiting a second one is a bug of the session."""
    box = outbox()
    box.await_reply("a")
    with pytest.raises(ValueError, match="another message"):
        box.await_reply("b")
    assert box.awaited == "a"


def test_settling_without_an_awaited_reply_does_nothing() -> None:
    """The outbox stays as it was."""
    box = outbox("a")
    assert box.settle() is None
    assert list(box) == ["a"]


def test_drop_waiting_keeps_the_awaited_reply() -> None:
    """The client still owes it."""
    box = outbox("a", "b")
    box.await_reply("x", 5.0)
    box.drop_waiting()
    assert (box.awaited, box.overdue_at, len(box)) == ("x", 5.0, 0)


@each_row(("waiting", "is_overfull"), [(0, False), (CAP, False), (CAP + 1, True), (CAP + 5, True)])
def test_waiting_messages_are_limited(waiting: int, is_overfull: bool) -> None:
    """The outbox is overfull with one message more than may wait; the message that is out is not counted."""
    box = outbox(*["m"] * waiting)
    assert box.is_overfull is is_overfull
    box.await_reply("out")
    assert box.is_overfull is is_overfull


@each_row(
    ("overdue_at", "now", "is_overdue"),
    [(5.0, 4.999, False), (5.0, 5.0, True), (5.0, 6.0, True), (None, 1e9, False), (0.0, 0.0, True)],
)
def test_a_reply_is_overdue_from_its_instant_on(overdue_at: float | None, now: float, is_overdue: bool) -> None:
    """A reply is overdue at the named instant, and never once it is settled."""
    box = outbox()
    assert not box.is_overdue(now)
    box.await_reply("a", overdue_at)
    assert box.is_overdue(now) is is_overdue
    box.settle()
    assert not box.is_overdue(now)


class OutboxMachine(RuleBasedStateMachine):
    """An outbox beside a list and a slot, under any sequence of calls."""

    def __init__(self) -> None:
        super().__init__()
        self.box = Outbox[int](CAP)
        self.waiting: list[int] = []
        self.awaited: int | None = None
        self.overdue_at: float | None = None
        self.number = 0

    def _new(self) -> int:
        self.number += 1
        return self.number

    @rule()
    def add(self) -> None:
        """Add a message at the end."""
        message = self._new()
        self.box.add(message)
        self.waiting.append(message)

    @rule()
    def add_first(self) -> None:
        """Add a message at the beginning."""
        message = self._new()
        self.box.add_first(message)
        self.waiting.insert(0, message)

    @rule()
    def add_before_last(self) -> None:
        """Add a message before the last one."""
        message = self._new()
        self.box.add_before_last(message)
        self.waiting.insert(max(0, len(self.waiting) - 1), message)

    @rule(needs_reply=st.booleans(), overdue_at=st.none() | st.floats(0, 10))
    def send(self, needs_reply: bool, overdue_at: float | None) -> None:
        """Send the next message: none while a reply is awaited, else the first that waits."""
        sent = self.box.next()
        if self.awaited is not None or not self.waiting:
            assert sent is None
            return
        assert sent == self.waiting.pop(0)
        if needs_reply:
            self.box.await_reply(sent, overdue_at)
            self.awaited, self.overdue_at = sent, overdue_at

    @rule()
    def settle(self) -> None:
        """Settle the reply."""
        assert self.box.settle() == self.awaited
        self.awaited = self.overdue_at = None

    @precondition(lambda self: self.awaited is not None)
    @rule()
    def await_twice(self) -> None:
        """A second awaited reply is refused."""
        with pytest.raises(ValueError, match="another message"):
            self.box.await_reply(0)

    @rule()
    def retain(self) -> None:
        """Keep the even messages."""
        self.box.retain(lambda message: message % 2 == 0)
        self.waiting = [message for message in self.waiting if message % 2 == 0]

    @rule()
    def drop_waiting(self) -> None:
        """Drop the messages that wait."""
        self.box.drop_waiting()
        self.waiting = []

    @invariant()
    def is_as_expected(self) -> None:
        """Both agree on all public attributes."""
        assert (list(self.box), len(self.box)) == (self.waiting, len(self.waiting))
        assert (self.box.awaited, self.box.overdue_at) == (self.awaited, self.overdue_at)
        assert self.box.is_ready == (self.awaited is None and self.waiting != [])
        assert self.box.is_overfull == (len(self.waiting) > CAP)


TestOutboxMachine = OutboxMachine.TestCase


@given(st.floats(0, 100), st.floats(0, 100))
def test_overdue_is_a_comparison(overdue_at: float, now: float) -> None:
    """The result depends only on the given instant."""
    box = outbox()
    box.await_reply("a", overdue_at)
    assert box.is_overdue(now) == (now >= overdue_at)
