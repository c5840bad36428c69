"""A client's part in the walls of its games: a text of its own for each, and the check of what the server reveals."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from ump.model.commitments import commitment_of, text_commitment_of
from ump.wire.ump.sentences01 import Commitment, Proof, Reveal, Secret, Seeds, Texts


def new_text() -> str:
    """Return 256 random bits in hex."""
    return secrets.token_hex(32)


class WallCheck:
    """One client's texts, over all its games and connections.

    The client reports what does not fit: then the server, or a player together with it, may have chosen the walls.
    """

    def __init__(self, report: Callable[[str], object], make_text: Callable[[], str] = new_text) -> None:
        self.proven = 0
        """For how many games all commitments were kept, and our text counted."""
        self._report = report
        self._make_text = make_text
        self._text = make_text()
        """The text for the next game."""
        self._revealed: str | None = None
        """The text for the current game."""
        self._commitment: str | None = None
        self._commitments: tuple[str | None, ...] = ()
        self._texts: tuple[str | None, ...] = ()
        self._is_sound = True
        """Whether everything fits so far."""

    @property
    def commitment(self) -> str:
        """The commitment to the text for the next game."""
        return text_commitment_of(self._text)

    def reveal(self) -> Reveal:
        """Return the text, with the commitment to the one for the game after; raise ValueError if it would be wrong."""
        if self.commitment not in self._commitments or self._commitment is None:
            raise ValueError("the server asks for our text, but has not told our commitment and its own")
        self._revealed, self._text = self._text, self._make_text()
        return Reveal(self._revealed, self.commitment)

    def take(self, proof: Proof) -> None:
        """Take what the server says about the walls, and report what does not fit."""
        match proof:
            case Commitment(digest):
                self._commitment, self._commitments, self._texts = digest, (), ()
                self._is_sound = True
            case Seeds(commitments):
                self._commitments = commitments
            case Texts(texts):
                self._texts = texts
                self._check_texts()
            case Secret(secret):
                self._check_secret(secret)

    def _check_texts(self) -> None:
        if len(self._texts) != len(self._commitments):
            self._doubt("the server tells other players' texts than commitments")
        for committed, text in zip(self._commitments, self._texts, strict=False):
            if text is not None and text_commitment_of(text) != committed:
                self._doubt("a player's text does not fit its commitment")
            elif text is None and committed is not None:
                self._report("a player has not revealed its text for the walls, so the server plays its seat")
        if self._revealed is not None and self._revealed not in self._texts:
            self._doubt("the server leaves our text out")

    def _check_secret(self, secret: str) -> None:
        if commitment_of(secret) != self._commitment:
            self._doubt("the server's secret does not fit its commitment")
        if self._is_sound and self._revealed is not None:
            self.proven += 1
        self._commitment, self._revealed = None, None

    def _doubt(self, why: str) -> None:
        self._is_sound = False
        self._report(f"the walls are not proven: {why}")
