"""Short games with known tiles, in any dialect: the transcripts of docs/protocols, and the examples on its pages.

One seat is a client of ``ump.bots`` with its session, and its conversation is written down. A script names the
actions of each seat; where the next one is not legal, and after the last one, the default is played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from support.client_chair import CALLER, SESSIONS, Watched
from support.hosted_table import HostedTable, PolicySeat, SessionSeat

from ump.bots.bot import BotPlayer, Legal
from ump.bots.conversations import PROTOCOLS, ClientFacts
from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.table.journal_entries import Faults
from ump.wire.ump.answers import write_action

NAMES = ("carol", "alice", "bob", "山田")
"""The players, from seat A on."""

ONE_KYOKU = replace(PRESETS["ump"], length=Length.KYOKU)

FOR_THREE = replace(PRESETS["tenhou3"], length=Length.KYOKU)


@value
class Scene:
    """A game of one kyoku."""

    hands: Mapping[str, str]
    """The hands by letter, and the walls below, in MPSZ (``support.scenario``)."""
    scripts: Mapping[str, str]
    """The actions of each seat in UMP 0.1, separated by commas."""
    draws: str = ""
    rinshan: str = ""
    dora: str = ""
    ura: str = ""
    observer: str = "B"
    """The letter of the client."""
    rules: Ruleset = ONE_KYOKU
    faults: Faults = Faults.DEFAULT


TENPAI = "234m678m345s46p88p"
ORPHANS = "19m19p19s2345677z"

SCENES: Mapping[str, Scene] = {
    "a pon, another's riichi, and a ron": Scene(
        {"A": "119m119p119s2346z", "B": "340m22456p67s66z1m", "C": "258m258p258s1345z", "D": "123m567p345s1133z"},
        {"A": "sute 6z", "B": "pon 6z 6z, sute 1m, ron", "D": "richi 4z tsumogiri"},
        draws="9m7z4z8s",
        dora="3p",
    ),
    "the own riichi, and a tsumo with ura dora": Scene(
        {"A": "147m258p369s1357z", "B": "234m678m345s46p88p", "C": "258m369p147s246z2p"},
        {"B": "richi 1z tsumogiri, tsumo"},
        draws="7z1z9m9s9s5p",
        dora="3m",
        ura="7p",
    ),
    "a riichi with a choice of tiles": Scene(
        {"A": "147m258p369s1357z", "B": "234567m345s47p88p", "C": "258m369p147s246z2p"},
        {"B": "richi 4p"},
        draws="7z6p",
    ),
    "another's open riichi": Scene(
        {"A": "147m258p369s1357z", "B": "234567m345s47p88p", "C": "258m258p258s1345z", "D": "123m567p345s1133z"},
        {"D": "openrichi 4z tsumogiri"},
        draws="7z6p9m4z",
        rules=replace(ONE_KYOKU, open_riichi=True),
    ),
    "an open kan, a closed kan, and the dora of both": Scene(
        {"A": "1z147m258p369s235z", "B": "111z2222m345s678p"},
        {"A": "sute 1z", "B": "kan, ankan 2m, sute 9s"},
        rinshan="9p9s",
    ),
    "an added kan that is robbed": Scene(
        {"A": "1m147p258s1235z19p", "B": "11m234p678p345s67z", "D": "23m456p456s789s17z"},
        {"A": "sute 1m", "B": "pon 1m 1m, sute 7z, kakan 1m", "D": "richi 1z, ron"},
        draws="9m9p7z8m1m",
        rinshan="9p",
        ura="9s",
    ),
    "a kan of another seat, which the client may rob": Scene(
        {"A": "11z234m678m345s6p8p", "B": ORPHANS, "D": "1z147m258p369s235z"},
        {"A": "pon 1z 1z, sute 6p, kakan 1z", "D": "sute 1z", "B": "no, ron"},
        draws="8p7z9s9m9p7z9m1z",
        rinshan="9p",
    ),
    "a chi with a red five": Scene(
        {"A": "5p147m258s1357z19p", "B": "46m46p0p3467s1177z"},
        {"A": "sute 5p", "B": "chi 4p 6p, sute 7z"},
    ),
    "a closed kan that thirteen orphans rob": Scene(
        {"A": "111z234m567p2468s", "B": ORPHANS},
        {"A": "ankan 1z", "B": "ron"},
        draws="1z",
        rules=replace(ONE_KYOKU, kokushi_ankan=True),
    ),
    "a double ron": Scene(
        {"A": "5p147m28s1357z19s2p", "B": TENPAI, "C": "234m678m345s46p22p"},
        {"A": "sute 5p", "B": "ron", "C": "ron"},
        rules=replace(ONE_KYOKU, multiple_ron=PRESETS["tenhou"].multiple_ron),
    ),
    "three rons": Scene(
        {"A": "5p147m28s1357z19s2p", "B": TENPAI, "C": "234m678m345s46p22p", "D": "456s789s46p555z99s"},
        {"A": "sute 5p", "B": "ron", "C": "ron", "D": "ron"},
        rules=replace(ONE_KYOKU, multiple_ron=PRESETS["tenhou"].multiple_ron),
    ),
    "nine terminals": Scene({"B": "19m19p19s1234567z"}, {"B": "ryukyoku"}),
    "an exhausted wall": Scene({"B": TENPAI}, {}),
    "an added kan of the client": Scene(
        {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p"},
        {"A": "sute 1z", "B": "pon 1z 1z, sute 6p, kakan 1z, sute 9p"},
        draws="8p9s9m2z1z",
        rinshan="9p",
    ),
    "a big three dragons for which the client is liable": Scene(
        {"A": "23m159p99s556677z"},
        {"A": "sute 9p tsumogiri, pon 5z 5z, sute 1p, pon 6z 6z, sute 5p, pon 7z 7z, sute 9p, tsumo"},
        draws="9p5z6z7z2z2z3z1m",
    ),
    "a north set aside, in a game of three": Scene(
        {"A": "19m159p159s12356z", "B": "199m123p456s1133z"},
        {"B": "kita", "C": "kita"},
        draws="9p4z4z",
        rinshan="5p9s",
        rules=FOR_THREE,
    ),
    "a north that is robbed, in a game of three": Scene(
        {"A": "19m159p159s12356z", "B": "123456789p456s4z"},
        {"A": "kita", "B": "ron"},
        draws="4z",
        rules=FOR_THREE,
    ),
}
"""Every scene by what it shows."""


class Script:
    """The actions of one seat that are still to come. It is a policy for the seats without a client."""

    def __init__(self, text: str) -> None:
        self._orders = deque(order.strip() for order in text.split(",") if order.strip())

    def act(self, legal: Legal) -> Action:
        """Return the next action if it is legal, else the default."""
        for action in legal:
            if self._orders and write_action(action) == self._orders[0]:
                self._orders.popleft()
                return action
        return legal.default

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer to a question (see ``Policy.choose``)."""
        assert offers is not None
        return self.act(Legal(offers, phase, tile))


class ScriptedBot(Watched):
    """A bot that follows a script."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self._script = script

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the next action of the script, or the default."""
        return self._script.act(legal)


class _Told:
    """The client at the observed seat, which writes down the conversation."""

    def __init__(self, protocol: str, bot: ScriptedBot, reports: list[str], rules: Ruleset) -> None:
        self.lines: list[str] = []
        """Each message of the server after ``< ``, each of the client after ``> ``."""
        player = BotPlayer(bot, reports.append, is_strict=True, rules=rules)
        self._conversation = PROTOCOLS[protocol].converse(player, ClientFacts("alice"))

    def begin(self) -> Sequence[str]:
        """Return what the client says first."""
        return self._said(self._conversation.begin())

    def hear(self, message: str) -> Sequence[str]:
        """Take a message, and return the replies."""
        self.lines.append(f"< {message}")
        return self._said(self._conversation.receive(message))

    def _said(self, replies: Iterable[str]) -> Sequence[str]:
        """Note the replies, without the wishes of which the pages tell in sections of their own."""
        said = []
        for reply in replies:
            for wish in (',"resume":true', " _time=1"):
                reply = reply.replace(wish, "")
            said.append(reply)
        self.lines += [f"> {reply}" for reply in said]
        return said


@cache
def played(name: str, dialect: str) -> tuple[str, ...]:
    """Play a scene in a dialect of ``SESSIONS``, and return the conversation of its client."""
    scene = SCENES[name]
    rules = scene.rules
    wall = build_wall(
        scene.hands, scene.draws, scene.rinshan, scene.dora, scene.ura, reds=rules.red_fives, seats=rules.seats
    )
    protocol, open_session = SESSIONS[dialect]
    reports: list[str] = []
    seats: list[SessionSeat | PolicySeat] = []
    told: _Told | None = None
    for letter in LETTERS[: rules.seats]:
        script = Script(scene.scripts.get(letter, ""))
        if letter == scene.observer:
            told = _Told(protocol, ScriptedBot(script), reports, rules)
            seats.append(SessionSeat(open_session(CALLER), told))
        else:
            seats.append(PolicySeat(script))
    assert told is not None
    game = Game(rules, NAMES[: rules.seats], lambda at: Deal(wall, (3, 5)))
    HostedTable(game, seats, faults=scene.faults).begin(told.begin()).play()
    assert not reports, reports
    return tuple(told.lines)


def conversations(dialect: str) -> list[tuple[str, ...]]:
    """Return the conversations of all scenes that are played in a dialect. Majiang has four players."""
    return [played(name, dialect) for name, scene in SCENES.items() if scene.rules.seats == 4 or dialect != "majiang"]
