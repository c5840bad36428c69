"""Write a recorded game as a transcript of UMP: what a server tells a seat, or with all hands.

Questions and answers are left out: a recorded game does not say who was asked and passed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ump.model.events import DoraRevealed, Event, GameEnded, GameStarted, HandDealt, HandWon, KyokuStarted
from ump.model.seats import Seat
from ump.record.mjai.record_writer import told
from ump.record.own_fields import own_fields
from ump.record.recorded_game import RecordedGame
from ump.record.transcript.lines import OWN_FIELD
from ump.record.transcript.told_game import UNNAMED
from ump.wire.json_text import write
from ump.wire.text import MAX_NAME
from ump.wire.ump01 import render as render01
from ump.wire.ump01.render import Language
from ump.wire.ump02 import render as render02

GAME_ID = "1"
"""The id of the game in 0.2, as of the first one of a server."""


def write_ump01(game: RecordedGame) -> bytes:
    """Return the sentences of UMP 0.1, each on a line."""
    seat = seer(game)
    sentences = (sentence for event in _events(game) for sentence in render01.render(event, seat))
    return _written(game, "hello ump=0.1", sentences)


def write_ump02(game: RecordedGame) -> bytes:
    """Return the sentences of UMP 0.2, each on a line."""
    return _written(game, "hello ump=0.2", sentences02(game, seer(game)))


def sentences02(game: RecordedGame, seat: Seat | None) -> Iterator[str]:
    """Yield the sentences of UMP 0.2 for a seat; None is nobody's."""
    seats = len(game.names)
    dealer, hands = 0, list[HandDealt]()
    for event in _events(game):
        match event:
            case GameStarted():
                yield from render02.start_sentences(event, seat, GAME_ID)
            case HandDealt():
                hands.append(event)
            case HandWon():
                yield from render02.win_sentences(event, Language.JAPANESE, dealer)
            case GameEnded() if not event.results:
                return
            case _:
                if isinstance(event, KyokuStarted):
                    dealer = event.dealer
                yield from render02.render(event, seats=seats)
                if isinstance(event, DoraRevealed) and hands:
                    yield from render02.deal_sentences(hands)
                    hands.clear()


def seer(game: RecordedGame) -> Seat | None:
    """Return the only seat whose dealt tiles the game shows; None if it shows those of all, or of none."""
    dealt = {event.seat: event.faces for event in game.kyoku[0].events if isinstance(event, HandDealt)}
    seen = [seat for seat, faces in dealt.items() if faces is not None]
    return seen[0] if len(seen) == 1 else None


def _events(game: RecordedGame) -> Iterator[Event]:
    """Yield the events as a server tells them, with names that UMP can write."""
    for event in told(game):
        if isinstance(event, GameStarted):
            event = GameStarted(tuple(name[:MAX_NAME] or UNNAMED for name in event.names))
        yield event


def _written(game: RecordedGame, hello: str, sentences: Iterator[str]) -> bytes:
    own = own_fields(game)
    lines = [] if not own else [f"{OWN_FIELD.decode()}{write(own)}\n"]
    lines.append(f"< 0 {hello}\n")
    lines += [f"< {number} {sentence}\n" for number, sentence in enumerate(sentences, 1)]
    return "".join(lines).encode("ascii")
