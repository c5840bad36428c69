"""A client's part in the walls: what it answers, and what it notices if a server cheats."""

from __future__ import annotations

from itertools import count

import pytest
from support.rows import each_row

from ump.bots.conversations import WallCheck, new_text
from ump.model.commitments import PLAYER_TEXT, commitment_of, text_commitment_of
from ump.wire.ump.sentences01 import Commitment, Secret, Seeds, Texts

SECRET, TEXT = "5e" * 32, "text-number-000000000000"
OTHER = "another-players-text-000"
COMMITMENTS = (None, text_commitment_of(TEXT), text_commitment_of(OTHER), None)


def begun() -> tuple[WallCheck, list[str]]:
    """Return a client that has revealed its text, and what it has reported."""
    reports: list[str] = []
    numbers = count()
    walls = WallCheck(reports.append, lambda: f"text-number-{next(numbers):012}")
    walls.take(Commitment(commitment_of(SECRET)))
    walls.take(Seeds(COMMITMENTS))
    revealed = walls.reveal()
    assert (revealed.text, revealed.commitment) == (TEXT, walls.commitment)
    assert walls.commitment == text_commitment_of("text-number-000000000001")
    return walls, reports


def test_an_honest_server() -> None:
    """All commitments are kept, so there is nothing to report."""
    walls, reports = begun()
    walls.take(Texts((None, TEXT, OTHER, None)))
    walls.take(Secret(SECRET))
    assert reports == []


@each_row(
    ("texts", "secret", "report"),
    [
        ((None, TEXT, "a-text-of-another-commitment", None), SECRET, "a player's text does not fit its commitment"),
        ((TEXT, None, OTHER, None), SECRET, "a player's text does not fit its commitment"),
        ((None, None, OTHER, None), SECRET, "the server leaves our text out"),
        ((None, TEXT, OTHER), SECRET, "the server tells other players' texts than commitments"),
        ((None, TEXT, OTHER, None), "e5" * 32, "the server's secret does not fit its commitment"),
    ],
)
def test_a_server_that_cheats(texts: tuple[str | None, ...], secret: str, report: str) -> None:
    """The client reports it."""
    walls, reports = begun()
    walls.take(Texts(texts))
    walls.take(Secret(secret))
    assert f"the walls are not proven: {report}" in reports


def test_a_player_who_withholds_its_text() -> None:
    """That alone is reported: it has paid with its seat."""
    walls, reports = begun()
    walls.take(Texts((None, TEXT, None, None)))
    walls.take(Secret(SECRET))
    assert len(reports) == 1


@each_row("commitments", [None, (None,) * 4, (text_commitment_of(OTHER), None, None, None)])
def test_no_text_for_a_server_that_has_not_committed_itself(commitments: tuple[str | None, ...] | None) -> None:
    """A server that asks first could choose its secret afterwards."""
    walls = WallCheck(print)
    if commitments is not None:
        walls.take(Commitment(commitment_of(SECRET)))
        walls.take(Seeds(commitments))
    with pytest.raises(ValueError, match="has not told our commitment and its own"):
        walls.reveal()


def test_texts_are_random() -> None:
    """Each is another, of 256 bits, in the form that servers expect."""
    texts = {new_text() for _ in range(100)}
    assert len(texts) == 100
    assert all(map(PLAYER_TEXT.fullmatch, texts))
