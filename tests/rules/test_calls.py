"""Calls: the runs that a tile can make, and the discards that kuikae forbids."""

from __future__ import annotations

from support.rows import each_row

from ump.model.hand import Hand
from ump.model.notation import parse_mpsz
from ump.model.tiles import KIND_OF, Kind
from ump.rules.questions import RUNS_WITH, faces_held, kuikae_kinds
from ump.rules.ruleset import Kuikae


def kinds(text: str) -> tuple[Kind, ...]:
    """Return the kinds of tiles in MPSZ."""
    return tuple(KIND_OF[face] for face in parse_mpsz(text))


@each_row(
    ("called", "pairs"),
    [
        ("5p", ["34p", "46p", "67p"]),
        ("1m", ["23m"]),
        ("2s", ["13s", "34s"]),
        ("9m", ["78m"]),
        ("8p", ["67p", "79p"]),
        ("1z", []),
        ("7z", []),
    ],
)
def test_a_run_stays_within_its_suit(called: str, pairs: list[str]) -> None:
    """A tile makes runs with its neighbours in the suit; honours make no runs."""
    assert RUNS_WITH[kinds(called)[0]] == tuple(kinds(pair) for pair in pairs)


@each_row(
    ("rule", "called", "own", "barred"),
    [
        (Kuikae.FORBIDDEN, "4m", "56m", "47m"),
        (Kuikae.FORBIDDEN, "7m", "56m", "47m"),
        (Kuikae.FORBIDDEN, "5m", "46m", "5m"),
        (Kuikae.FORBIDDEN, "7s", "89s", "7s"),
        (Kuikae.FORBIDDEN, "3p", "12p", "3p"),
        (Kuikae.FORBIDDEN, "1p", "23p", "14p"),
        (Kuikae.FORBIDDEN, "9m", "78m", "69m"),
        (Kuikae.FORBIDDEN, "6z", "66z", "6z"),
        (Kuikae.SAME_TILE, "4m", "56m", "4m"),
        (Kuikae.ALLOWED, "4m", "56m", ""),
    ],
)
def test_kuikae(rule: Kuikae, called: str, own: str, barred: str) -> None:
    """Kuikae forbids the called kind and, under the strict rule, the other end of the run."""
    low, high = kinds(own)
    assert kuikae_kinds(rule, kinds(called)[0], (low, high)) == frozenset(kinds(barred))


@each_row(("hand", "kind", "held"), [("055m", "5m", "05m"), ("0m", "5m", "0m"), ("55m", "5m", "5m")])
def test_the_red_five_is_another_face_of_its_kind(hand: str, kind: str, held: str) -> None:
    """Each held face of a kind is named once, the red five first."""
    assert faces_held(Hand(parse_mpsz(hand)).faces, kinds(kind)[0]) == parse_mpsz(held)
