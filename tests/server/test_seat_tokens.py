"""The tokens of seats, beside a plain list of them: who comes back where, and which host has left too many seats."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from ump.model.seats import Seat
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import KeptSeat, SeatTokens, hash_of

MOST_LEFT = 2
TOKENS = tuple(f"token {number}" for number in range(6))
HOSTS = ("192.0.2.1", "192.0.2.2", "")


@dataclass(eq=False)
class FakeTable:
    """A table without players, so that all its seats are left."""

    name: str = "main-1"
    players: dict[Seat, PlayerConnection] = field(default_factory=dict)

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Do nothing."""

    def leave(self, seat: Seat) -> None:
        """Do nothing."""


TABLES = (FakeTable(), FakeTable(), FakeTable())

ENTER = st.tuples(
    st.just("enter"), st.sampled_from(TOKENS), st.sampled_from(TABLES), st.integers(0, 3), st.sampled_from(HOSTS)
)
REVOKE = st.tuples(st.just("revoke"), st.sampled_from(TOKENS))
WITHDRAW = st.tuples(st.just("withdraw"), st.sampled_from(TABLES), st.integers(0, 3))
FORGET = st.tuples(st.just("forget"), st.sampled_from(TABLES))


@given(st.lists(st.one_of(ENTER, ENTER, REVOKE, WITHDRAW, FORGET), max_size=30))
def test_tokens_are_found_until_they_are_forgotten(orders: list[tuple[object, ...]]) -> None:
    """A token stands for the last seat that was kept under it, and each host's seats are counted."""
    tokens = SeatTokens(MOST_LEFT)
    expected: dict[str, KeptSeat] = {}
    for order in orders:
        match order:
            case ("enter", str(token), FakeTable() as table, int(seat), str(host)):
                expected[token] = KeptSeat(table, seat, "a", host)
                tokens.enter(hash_of(token), expected[token])
            case ("revoke", str(token)):
                expected.pop(token, None)
                tokens.revoke(token)
            case ("withdraw", FakeTable() as table, int(seat)):
                expected = {key: kept for key, kept in expected.items() if (kept.table, kept.seat) != (table, seat)}
                tokens.withdraw(table, seat)
            case ("forget", FakeTable() as table):
                expected = {key: kept for key, kept in expected.items() if kept.table is not table}
                tokens.forget(table)
        assert {token: tokens.find(token) for token in TOKENS} == {token: expected.get(token) for token in TOKENS}
        for host in HOSTS:
            left = sum(kept.host == host for kept in expected.values())
            assert tokens.are_many_left_by(host) is (host != "" and left >= MOST_LEFT)
