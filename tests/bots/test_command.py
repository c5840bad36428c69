"""The command line of a bot: options, output and exit statuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import programs
from support.client_chair import Watched
from support.scripted_server import ROOT

from ump.bots import session
from ump.bots.bot import BotFault, Legal
from ump.bots.session import ClientOptions, PlayedGames, run
from ump.model.actions import Action
from ump.model.seats import Ranking
from ump.players.observation import Observation
from ump.rules.presets import PRESETS

RANKING = Ranking(("a", "b", "c", "d"), (25_000, 31_000, 24_000, 20_000), (2, 1, 3, 4), 1)


class Quiet(Watched):
    """Plays the default."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        return legal.default


class Played:
    """Stands in for ``play``: keeps the options, and has an outcome that the test chooses."""

    def __init__(self, outcome: PlayedGames | BaseException) -> None:
        self.options: list[ClientOptions] = []
        self._outcome = outcome

    def __call__(
        self, bot: Quiet, options: ClientOptions, report: Callable[[str], None], announce: Callable[[Ranking], None]
    ) -> PlayedGames:
        """Announce one game, and return the outcome."""
        self.options.append(options)
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        announce(RANKING)
        return self._outcome


@pytest.mark.parametrize(
    ("outcome", "status", "said"),
    [
        (PlayedGames(1, 0, 0, None), 0, ""),
        (PlayedGames(0, 0, 0, "no connection"), 1, "no connection\n"),
        (PlayedGames(1, 2, 0, None), 1, "the server has refused 2 answers\n"),
        (PlayedGames(1, 0, 3, None), 1, "3 of the bot's decisions failed and were replaced\n"),
        (BotFault("oops"), 1, "the bot has failed: oops\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_exit_status(
    outcome: PlayedGames | BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The status and the last line say what went wrong; the ranking of each game goes to standard output."""
    monkeypatch.setattr(session, "play", Played(outcome))
    with pytest.raises(SystemExit) as exited:
        run(Quiet, ["localhost:19000"])
    printed = capsys.readouterr()
    assert (exited.value.code, printed.err) == (status, said)
    assert printed.out == (f"{RANKING}\n" if isinstance(outcome, PlayedGames) else "")


def test_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option reaches the client; the room of an mjai URL counts, and secrets may be in the environment."""
    played = Played(PlayedGames(1, 0, 0, None))
    monkeypatch.setattr(session, "play", played)
    monkeypatch.setenv("UMP_PASSWORD", "secret")
    for words in (
        "localhost:1 --name n --room r --games 3 --seed --protocol ump-0.2 --rules wrc --strict --retry 5 --token t",
        "mjsonp://localhost:11600/east",
    ):
        with pytest.raises(SystemExit):
            run(Quiet, words.split())
    first, second = played.options
    assert (first.name, first.room, first.games, first.protocol) == ("n", "r", 3, "ump-0.2")
    assert (first.rules, first.is_strict, first.retry, first.token) == (PRESETS["wrc"], True, 5.0, "t")
    assert (first.seed, second.seed) == (True, False)
    assert (second.name, second.room, second.password, second.games) == ("quiet", "east", "secret", 1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("localhost", "localhost: expected HOST:PORT"),
        ("localhost:1 --games -1", "must not be negative"),
        ("localhost:1 --protocol telnet", "invalid choice: 'telnet'"),
        (f"localhost:1 --name {'x' * 33}", "--name must have 1 to 32 characters"),
        ("- --protocol majiang", "majiang cannot be spoken at standard streams"),
    ],
)
def test_wrong_command_lines(words: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong command line is reported, and the status is 2."""
    with pytest.raises(SystemExit) as exited:
        run(Quiet, words.split())
    assert exited.value.code == 2
    assert complaint in capsys.readouterr().err


def test_standard_streams() -> None:
    """As a child process the bot replies to a batch, and ends with its input, without a word."""
    events = '[{"type":"start_game","id":0,"names":["a","b","c","d"]}]\n'
    ended = programs.run(str(ROOT / "clients" / "efficiency.py"), "-", text=events)
    assert (ended.stdout, ended.stderr, ended.returncode) == ('{"type":"none"}\n', "", 0)
