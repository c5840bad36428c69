"""One recorded game of players of different dialects, with a server that may be killed at any moment."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from random import Random
from threading import Timer

from scripts.lab.processes import wait_until
from scripts.lab.server import KilledServer
from scripts.scenarios.growing_journal import GrowingJournal, difference
from scripts.scenarios.held_players import HeldPlayer, seated_players
from ump.bots.bot import BotFault
from ump.model.value import value
from ump.record.journal import Journal, JournalError, check_journal, read_journal
from ump.server.journals import FINISHED, RUNNING
from ump.wire.session import ServerRefusal

# When the server is killed


class Occasion(Enum):
    """The server's activity when it is killed."""

    PLAYING = "playing"
    RETURNING = "taking players back"
    STARTING = "starting again"


LONGEST_DELAY = {Occasion.PLAYING: 0.005, Occasion.RETURNING: 0.02, Occasion.STARTING: 1.0}
"""Seconds from the beginning of an occasion to the kill, at most."""

_SHARES = (8, 1, 1)  # how often each occasion is drawn
FIRST_STEP = 8  # the steps before the first kill: until then not every player has a token
LAST_PART = 0.9  # the part of the game in which kills begin; later ones might come too late


@value
class Kill:
    """One kill of the server."""

    step: int  # it happens after so many steps of the game
    occasion: Occasion
    delay: float  # seconds from the beginning of the occasion


def draw_kills(count: int, steps: int, random: Random) -> list[Kill]:
    last = max(FIRST_STEP, round(steps * LAST_PART))
    places = sorted(random.randint(FIRST_STEP, last) for _ in range(count))
    kills: list[Kill] = []
    for place in places:
        (occasion,) = random.choices(tuple(Occasion), _SHARES) if kills else (Occasion.PLAYING,)
        step = place if occasion is Occasion.PLAYING else kills[-1].step
        kills.append(Kill(step, occasion, random.uniform(0.0, LONGEST_DELAY[occasion])))
    return kills


class Killer:
    """Kills the server at the given moments, in a thread, whatever the server is doing then."""

    def __init__(self, kills: list[Kill]) -> None:
        self._kills = kills[::-1]
        self._timer: Timer | None = None
        self.done: list[Kill] = []  # the kills that have happened

    def begin(self, occasion: Occasion, step: int, kill: Callable[[], None]) -> None:
        """Kill by calling ``kill`` soon, if that is the next occasion."""
        if self._timer is None and self._kills:
            following = self._kills[-1]
            if following.occasion is occasion and step >= following.step:
                self._timer = Timer(following.delay, kill)
                self._timer.start()

    @property
    def holds_the_game(self) -> bool:
        """Whether a kill is due that belongs to the time before the players go on."""
        return self._timer is not None and self._kills[-1].occasion is not Occasion.PLAYING

    def take(self) -> bool:
        """Count a server that has died; return whether it was killed."""
        if self._timer is None:
            return False
        self._timer.join()
        self._timer = None
        self.done.append(self._kills.pop())
        return True

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None


# The game

PATIENCE = 60.0  # seconds without any progress after which a game has failed
STEP_SECONDS = 0.001  # how long to wait at a time for the next line of the journal or of the server
DEATH_SECONDS = 10.0  # how long to wait for the end of a server whose connections are lost
SHOWN_LINES = 15  # lines of the server's log that a failure shows


RULES = {
    3: ("--room=main", "--rules=tenhou3"),
    4: ("--room=main",),
}  # the options of the server by the number of players


class KillTestError(Exception):
    """The game cannot go on, or went wrong; the message is for people."""


@value
class Played:
    """A game that has been played."""

    journal: Journal
    points: dict[str, int]  # the points of the players at the end
    steps: int  # the steps of its journal, apart from those of connections
    kills: list[Kill]  # those that have happened
    seconds: float


class ServerDied(Exception):
    """The server has died."""


class KilledGame:
    """A game whose server is killed."""

    def __init__(
        self, folder: Path, options: Sequence[str], killer: Killer, report: Callable[[int, int], None], players: int
    ) -> None:
        """``report`` is called with the kills and the steps so far."""
        self._folder = folder
        self._server = KilledServer(folder, [*RULES[players], *options])
        self._killer = killer
        self._report = report
        self._players = seated_players(players)
        self._by_name = {player.name: player for player in self._players}
        self._journal: GrowingJournal | None = None
        self._progress = time.monotonic()  # when something happened last

    def play(self) -> Played:
        began = time.monotonic()
        try:
            while not self._is_over():
                self._go_on_until_death()
            path = self._finished()
            assert self._journal is not None
            journal = read_journal(gzip.decompress(path.read_bytes()))
            seconds = time.monotonic() - began
            return Played(journal, self._journal.points(), self._journal.played, self._killer.done, seconds)
        except (ValueError, ServerRefusal, BotFault) as error:
            raise self._failed(str(error)) from error
        finally:
            self._close()

    def _close(self) -> None:
        self._killer.close()
        self._server.close()
        for player in self._players:
            player.close()
        if self._journal is not None:
            self._journal.close()

    def _is_over(self) -> bool:
        return self._journal is not None and self._journal.is_over

    def _go_on_until_death(self) -> None:
        """Start the server, and play until it dies or the game is over."""
        try:
            self._start()
            self._connect()
            while not self._is_over():
                self._step()
        except ServerDied as error:
            self._note_death(error)
        except OSError as error:
            if self._journal is not None:
                self._journal.read()
            if not self._is_over():  # after the game the server closes the connections
                self._note_death(error)

    def _note_death(self, error: Exception) -> None:
        wait_until(lambda: self._server.is_dead, DEATH_SECONDS)
        if not self._server.was_killed or not self._killer.take():
            raise self._failed(f"the server was not killed, but: {error}") from error
        self._note_progress()

    def _start(self) -> None:
        self._server.start()
        self._begin(Occasion.STARTING)
        while not self._server.ports:
            self._check()
            time.sleep(STEP_SECONDS)
        self._note_progress()

    def _connect(self) -> None:
        """Let all players come back, or sit down one after the other so that each game has the same seats."""
        self._begin(Occasion.RETURNING)
        for player in self._players:
            player.connect(self._server.ports[player.dialect.port])
            if self._journal is None and player is not self._players[-1]:
                self._receive_until(player, partial(self._server.has_joined, player.name))
        if self._journal is None:
            self._receive_until(self._players[-1], self._has_journal)

    def _receive_until(self, player: HeldPlayer, condition: Callable[[], bool]) -> None:
        while not condition():
            self._check()
            player.read(STEP_SECONDS)

    def _has_journal(self) -> bool:
        for path in self._folder.glob(f"*{RUNNING}"):
            self._journal = GrowingJournal(path)
        return self._journal is not None

    def _step(self) -> None:
        """Let the one player answer that has to, or wait for the server."""
        journal = self._journal
        assert journal is not None
        self._check()
        if journal.read():
            self._note_progress()
        self._begin(Occasion.PLAYING)
        question = journal.next_question()
        if question is None or self._killer.holds_the_game:
            self._receive_all()
            return
        player = self._by_name[question.player]
        if not player.answer(question.number):
            player.read(STEP_SECONDS)

    def _receive_all(self) -> None:
        """Let all players read: those in lock-step have to reply to repeated messages."""
        for player in self._players:
            player.read(0)
        time.sleep(STEP_SECONDS)

    def _finished(self) -> Path:
        """Return the finished journal. A server that was killed before it had finished it does so when it starts."""
        while not (found := list(self._folder.glob(f"*{FINISHED}"))):
            try:
                self._check()
                time.sleep(STEP_SECONDS)
            except ServerDied as error:
                self._note_death(error)
                self._start()
        return found[0]

    def _begin(self, occasion: Occasion) -> None:
        played = 0 if self._journal is None else self._journal.played
        self._killer.begin(occasion, played, self._server.kill)

    def _check(self) -> None:
        """Raise ServerDied if the server is dead, and KillTestError if nothing has happened for long."""
        if self._server.is_dead:
            raise ServerDied("it has ended")
        if time.monotonic() - self._progress > PATIENCE:
            raise self._failed(f"nothing has happened for {PATIENCE:g} s")

    def _note_progress(self) -> None:
        self._progress = time.monotonic()
        self._report(len(self._killer.done), 0 if self._journal is None else self._journal.played)

    def _failed(self, why: str) -> KillTestError:
        """Return the error for a game that failed, with the last lines of the server's log."""
        log = "\n".join(f"    {line}" for line in self._server.lines[-SHOWN_LINES:])
        return KillTestError(f"after {len(self._killer.done)} kills: {why}\nThe server's log ends with\n{log}")


def play(
    folder: Path,
    options: Sequence[str],
    kills: list[Kill],
    report: Callable[[int, int], None] = lambda kills, steps: None,
    players: int = 4,
) -> Played:
    """Play a game, and kill its server at these moments; raises KillTestError.

    ``report`` is called with the kills and the steps so far.
    """
    return KilledGame(folder, options, Killer(kills), report, players).play()


def verdict(undisturbed: Played, killed: Played) -> str | None:
    """Return what is wrong with a game whose server was killed; None if it is the undisturbed one in every step."""
    try:
        check_journal(killed.journal)
    except JournalError as error:
        return f"the record does not fit the rules: {error}"
    differs = difference(undisturbed.journal, killed.journal)
    if differs is not None:
        return str(differs)
    return None if undisturbed.points == killed.points else f"points {killed.points} instead of {undisturbed.points}"
