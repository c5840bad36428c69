"""The walls of a UMP client's games: what it learns about them, and what it adds to them; 0.1 and 0.2 alike.

A client adds a text of its own to the walls of a game. It commits itself to the text in its hello, and to that of each
further game when it reveals the one before.
"""

from __future__ import annotations

from collections.abc import Iterator

from ump.model.commitments import PlayerSeed, commitments_in, text_commitment_of, texts_in
from ump.wire.session import InStep, Received, Stale, Staleness, TableInfo, Violated
from ump.wire.text import WireError
from ump.wire.ump.open_question import is_id
from ump.wire.ump.sentences01 import Commitment, Reveal, Secret, SeedQuestion, Seeds, Texts


class WallProof:
    """One client's part in the walls."""

    __slots__ = ("_asked", "_has_told", "_next", "_wants_proof", "seed")

    def __init__(self, *, wants_proof: bool = False, commitment: str | None = None) -> None:
        """``wants_proof``: the client asked for the proof; ``commitment``: to the text for its first game."""
        self.seed = None if commitment is None else PlayerSeed(commitment, None)
        """The client's part in the walls of the next game, or of the one that is running."""
        self._wants_proof = wants_proof or self.seed is not None
        self._has_told = False
        """Whether the commitments to the walls of the next game have been sent."""
        self._asked: int | None = None
        """The id of the open question for the text."""
        self._next: str | None = None
        """The commitment to the text for the game after the next one."""

    def ask(self, commitment: str, commitments: tuple[str | None, ...], first_id: int) -> Iterator[str]:
        """Yield the sentences with all commitments, and the question for the text if the client has one."""
        if not self._wants_proof:
            return
        self._has_told = True
        yield Commitment(commitment).serialise()
        yield Seeds(commitments).serialise()
        if self.seed is not None:
            self._asked = first_id + 2
            yield SeedQuestion.NAME

    def receive(self, given_id: str | None, words: list[str]) -> Received:
        """Take the client's text; ``words`` are those after the command."""
        if self._asked is None or self.seed is None:
            return Stale(Staleness.NO_QUESTION)
        if given_id is not None and not is_id(given_id, self._asked):
            return Stale(Staleness.OTHER_ID)
        try:
            reveal = Reveal.parse(words)
        except WireError as error:
            return Violated(str(error))
        if text_commitment_of(reveal.text) != self.seed.commitment:
            return Violated("_seed: this text is not the one of your commitment")
        self._asked = None
        self.seed, self._next = PlayerSeed(self.seed.commitment, reveal.text), reveal.commitment
        return InStep()

    def sit(self, table: TableInfo) -> Iterator[str]:
        """Yield the sentences about the walls of the game that begins, or goes on, as far as they are new."""
        if self._wants_proof and table.commitment is not None:
            if not self._has_told:
                yield Commitment(table.commitment).serialise()
                if table.seeds:
                    yield Seeds(commitments_in(table.seeds)).serialise()
            if table.seeds:
                yield Texts(texts_in(table.seeds)).serialise()
        self._asked = None
        self._has_told = False

    def stand(self) -> None:
        """Go on with the commitment for the next game; without one, the client adds nothing to it."""
        if self.seed is not None and self.seed.text is not None:
            self.seed = None if self._next is None else PlayerSeed(self._next, None)
            self._next = None

    def publish(self, secret: str) -> Iterator[str]:
        """Yield the sentence with the secret of a game that is over."""
        if self._wants_proof:
            yield Secret(secret).serialise()
