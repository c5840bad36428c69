"""The cost of hints: sessions of UMP 0.1 with and without ``_waits=1`` hear the same game of efficiency players."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from scripts.lab.figures import SEATS, Section, quantile
from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.events import Event
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.table.receivers import Rendering
from ump.table.view import view
from ump.wire.session import QuestionView, TableInfo
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession

ASKED = ("_offer=1 _hand=1", "_offer=1 _hand=1 _waits=1")  # what the clients ask for


class Listeners:
    """Four sessions that ask for the same, and the CPU seconds that they have needed."""

    def __init__(self, wishes: str, game: Game) -> None:
        self._sessions = []
        for seat in range(SEATS):
            session = UmpSession(Hello((("ump", "0.1"),)))
            session.receive(f"0 hello {wishes}".encode("ascii"), 0.0)
            session.sit(seat, TableInfo("bench-1", game.ruleset))
            self._sessions.append(session)
        self.telling = 0.0  # for all events
        self.asking: list[float] = []  # for each question

    def tell(self, rendering: Rendering) -> None:
        before = time.thread_time()
        for session in self._sessions:
            session.tell(rendering, 0.0)
        self.telling += time.thread_time() - before
        for session in self._sessions:
            session.take()

    def ask(self, seat: int, question: QuestionView) -> None:
        """Ask one of them; the legal actions are known."""
        before = time.thread_time()
        self._sessions[seat].ask(1, question, 10.0, 20.0, 0.0)
        self.asking.append(time.thread_time() - before)


def heard(seed: str) -> tuple[list[Listeners], int]:
    """Play a hanchan; return the listeners, and the number of events."""
    game = Game(PRESETS["tenhou"], "ABCD", seeded_deals(seed))
    seen = [Observation(seat, game.ruleset) for seat in range(SEATS)]
    first, *listeners = [Listeners(wishes, game) for wishes in (ASKED[0], *ASKED)]  # the first one renders for all
    told = 0

    def tell(events: Sequence[Event]) -> None:
        nonlocal told
        for event in events:
            told += 1
            for each in seen:
                each.see(view(event, each.me))
            rendering = Rendering(event)
            for every in (first, *listeners):
                every.tell(rendering)

    tell(game.begin())
    while not game.over:
        if game.between_kyoku:
            tell(game.proceed())
            continue
        seat, question = next(iter(game.questions.items()))
        legal = question.legal()
        for every in listeners:
            every.ask(seat, question)
        tell(game.answer(seat, Efficiency().choose(seen[seat], question.phase, question.tile, legal)))
    return listeners, told


def measure_hints(runs: int) -> Section:
    """Measure games with and without hints, side by side."""
    section = Section(f"Hints, in memory, {runs} hanchan of efficiency players")
    games = [heard(f"hints/{run}") for run in range(runs)]
    for place, wishes in enumerate(ASKED):
        asking = [seconds * 1e6 for listeners, _ in games for seconds in listeners[place].asking]
        telling = [listeners[place].telling / told / SEATS * 1e6 for listeners, told in games]
        section.lines.append(
            {
                "hello": f"`{wishes}`",
                "us/question": sum(asking) / len(asking),
                "p99": quantile(sorted(asking), 0.99),
                "us/event": median(telling),
                "ms/hanchan of a client": median(
                    (sum(listeners[place].asking) + listeners[place].telling) / SEATS * 1e3 for listeners, _ in games
                ),
            }
        )
    return section
