"""The modules of the pages, in node: the fold of events, the reader of UMP, the choices, and the words."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from support.memory_server import Robot, memory_server, room
from support.pages_in_node import run_in_node

from ump.drills.drill import DrillKind
from ump.drills.drill_file import shipped_drills
from ump.model.choices import unknown
from ump.model.claims import Reason
from ump.model.yaku import HandValue, Yaku
from ump.net import limits
from ump.record.likeness import MOST_RARE
from ump.rules.options import OPTIONS
from ump.rules.placement import placement
from ump.rules.presets import PRESETS
from ump.server import (
    admin,
    lobby,
    people,
    private_tables,
    rated_rounds,
    reports,
    settings,
    table_runner,
    tournament_play,
)
from ump.server.http import accounts, club
from ump.server.users import bans, gate, user_database
from ump.text.win import FU_WORDS, fu_words, limit_name, yaku_words
from ump.web import server_words, static_files
from ump.wire.session import REPLACED, UNKNOWN_TOKEN, Interruption
from ump.wire.ump.render01 import Language

pytestmark = pytest.mark.once

LANGUAGES = ("en", "ja", "zh")

SAID_BY_SERVER = {
    *(limits.TOO_MANY, limits.TOO_MANY_LOGINS, limits.TOO_MANY_GAMES, limits.TOO_MANY_LEFT, limits.TOO_MANY_WAIT),
    *(
        limits.TOO_MANY_CODES,
        limits.TOO_MANY_WATCH,
        lobby.NO_NEW_GAMES,
        lobby.ROOM_CLOSED,
        lobby.LOOKS_ALIKE,
        gate.WRONG,
    ),
    *(bans.CLOSED, f"{bans.CLOSED} until ", bans.REMOVED),
    *(gate.BUSY, gate.UNREADABLE, gate.PERHAPS_RESERVED, gate.RESERVED, gate.NEED_TLS, settings.USERS_ONLY),
    *(settings.CODE_NEEDED, settings.WRONG_CODE, UNKNOWN_TOKEN, REPLACED, admin.KICKED, "internal error"),
    *(
        lobby.LEFT_GAME,
        lobby.TWO_GAMES,
        lobby.OFFICE,
        private_tables.NO_TABLE,
        private_tables.NO_TABLES,
        private_tables.TABLE_FULL,
    ),
    *(reports.NO_REPORTS.partition(":")[0], reports.ONLY_USERS, reports.NO_PLAYER, reports.OWN_SEAT, reports.BUSY),
    *(reports.THANKS, user_database.TOO_MANY_REPORTS, user_database.REPORTED_BEFORE),
    *(private_tables.TOO_MANY_TABLES, private_tables.ONE_TABLE, private_tables.HOST_ONLY, private_tables.TOO_FEW),
    *(private_tables.REMOVED, private_tables.TABLE_CLOSED, private_tables.TABLE_GONE, tournament_play.OVER),
    unknown("room", "x", ("main",)).partition(" 'x'")[0],
    *(accounts.CLOSED, accounts.INVITED_ONLY, accounts.TOO_MANY, accounts.STILL_PLAYING, accounts.WRONG_NAME),
    *(gate.NO_SESSION, gate.WAITING, user_database.UNFIT_PASSWORD, user_database.GUESSED_PASSWORD),
    *(user_database.NAME_TAKEN, user_database.NAME_REFUSED, user_database.NO_INVITATION),
    *(table_runner.DIRECTOR_PAUSES, table_runner.DIRECTOR_PAUSED, table_runner.DIRECTOR_GOES_ON),
    *(table_runner.DIRECTOR_CLOSES, table_runner.OPERATOR_CLOSES, table_runner.NO_MORE_TIME),
    *(table_runner.MORE_TIME.partition("{")[0], table_runner.DISK_IS_FULL, table_runner.DISK_HAS_ROOM),
    *(tournament_play.DIRECTOR_WAITS, rated_rounds.NEXT_ROUND, people.NOT_HERE, people.TOO_MANY_CHALLENGES),
    club.NO_REMATCH,
}
"""The beginnings of the errors that a page may show: each language but English has its own words for them."""

FOLD = """
import { after, sorted, start } from "./position.js";
import { Sentences } from "./ump_sentences.js";

const sentences = new Sentences();
let position = start();
const told = { hands: 0, wrong: [], events: {}, scores: null };
for (const frame of given) {
  for (const each of sentences.take(frame.split("\\r\\n").filter(Boolean))) {
    if (each.event) {
      if (each.event.type === "start_kyoku" && told.scores && told.scores.join() !== each.event.scores.join()) {
        told.wrong.push(["scores", told.scores, each.event.scores]);
      }
      const before = JSON.stringify(position);
      const next = after(position, each.event);
      if (JSON.stringify(position) !== before) told.wrong.push(["changed in place", each.event]);
      position = next;
      told.events[each.event.type] = (told.events[each.event.type] ?? 0) + 1;
      if (each.event.type === "hora") {
        const { actor, worth: { points, honba, sticks }, deltas } = each.event;
        if (points + honba + sticks !== deltas[actor]) told.wrong.push(["worth", each.event]);
      }
      if (each.event.type === "start_kyoku" || position.result) told.scores = position.scores;
    } else if (each.question?.hand) {
      told.hands += 1;
      const shown = sorted(position.hands[position.seat]).join();
      if (shown !== sorted(each.question.hand).join()) told.wrong.push(["hand", shown, each.question.hand]);
      if (each.question.drawn !== null && each.question.drawn !== position.drawn[position.seat]) {
        told.wrong.push(["drawn", each.question.drawn]);
      }
    }
  }
}
tell({ ...told, final: position.end });
"""


class CallingRobot(Robot):
    """A robot that wins, calls, declares riichi and kans whenever it is offered."""

    random = Random("calls")

    def play(self) -> bool:
        """Answer the questions received since the last call; return whether there were any lines."""
        lines = self.peer.heard()
        for line in lines:
            number, command, *words = line.split()
            answer = self.ANSWERS.get(command)
            if command in ("sutehai?", "naku?"):
                answer = self._choose(command, dict(word.partition("=")[::2] for word in words))
            if answer is not None:
                self.peer.say(f"{number} {answer}")
        return bool(lines)

    def _choose(self, command: str, offered: dict[str, str]) -> str:
        for word in ("ron", "tsumo", "kita"):
            if word in offered:
                return word
        for word in ("richi", "ankan", "kakan"):
            if word in offered:
                return f"{word} {offered[word][:2]}"
        if command == "naku?":
            for word in ("pon", "chi"):
                if word in offered and self.random.random() < 0.5:
                    return f"{word} {offered[word][:2]} {offered[word][2:4]}"
            return "kan" if "kan" in offered else "no"
        tiles = [offered["sute"][place : place + 2] for place in range(0, len(offered["sute"]), 2)]
        wanted = offered.get("_drawn", "")
        return f"sute {wanted if wanted in tiles and self.random.random() < 0.6 else self.random.choice(tiles)}"


@pytest.mark.parametrize(("rules", "names"), [("tenhou", "abcd"), ("tenhou3", "abc")])
def test_what_a_browser_knows_is_what_the_server_says(rules: str, names: str, tmp_path: Path) -> None:
    """In whole games the hand at each question, and all scores, are those of the server."""
    with memory_server(room(rules=rules), seed="pages") as server:
        options = "_offer=1 _hand=1 _time=1 _explain=1 _lang=en _results=1"
        robots = [CallingRobot(server.enter(name, options)) for name in names]
        server.play([*robots])
        frames = [write.decode() for write in robots[0].peer.wire.writes]
        final = next(line for line in robots[0].peer.lines if " gameend " in line).split()[2:]
        results = list(placement(PRESETS[rules], list(map(int, final))))
    told = run_in_node(tmp_path, FOLD, frames)
    assert told["wrong"] == []
    assert told["final"]["scores"] == [int(points) for points in final]
    assert [told["final"]["places"], told["final"]["results"]] == [
        list(results[0]),
        [100 * each for each in results[1]],
    ]
    assert told["final"]["record"] is None
    assert told["hands"] > 100
    assert {"start_kyoku", "tsumo", "dahai", "pon", "end_kyoku", "end_game"} <= set(told["events"])
    assert ("kita" if rules == "tenhou3" else "chi") in told["events"]


def test_meanings_that_depend_on_context(tmp_path: Path) -> None:
    """An added kan, a robbed kan, ura indicators, the stick of a riichi, and a hand that is shown at a draw."""
    lines = """\
1 gamestart B a%20a b c d
2 kyokustart 1z A 0 1000
3 point A =25000
4 point B =24000
5 point C =25000
6 point D =25000
7 haipai A
8 haipai B 1m2m3m4m5m6m7m8m9m1p1p2p3p
9 haipai C
10 haipai D
11 dora 3p
12 tsumo A 69
13 sutehai A 5z
14 say C pon
15 open C <5z5z> 5z
16 sutehai C 1z
17 tsumo D 68
18 sutehai D 2z
19 tsumo A 67
20 sutehai A 2z tsumogiri
21 tsumo B 66 9s
22 say B richi
23 sutehai B 9s tsumogiri
24 point B -1000
25 tsumo C 65
26 say C kan
27 open C <5z5z5z> 5z
28 say B ron
29 open B 1m2m3m4m5m6m7m8m9m1p1p2p3p
30 dora 7s
31 agari B 40 riichi 1 chankan 1 uradora 2
32 point C -8000
33 point B +10000
34 ready?""".splitlines()
    script = """
import { Sentences } from "./ump_sentences.js";
tell(new Sentences().take(given));
"""
    told = run_in_node(tmp_path, script, lines)
    events = [each["event"] for each in told if "event" in each]
    assert events[0]["names"] == ["a a", "b", "c", "d"]
    assert events[1] | {"tehais": None} == {
        "type": "start_kyoku",
        "bakaze": "E",
        "kyoku": 1,
        "honba": 0,
        "kyotaku": 1,
        "oya": 0,
        "dora_marker": "3p",
        "scores": [25_000, 24_000, 25_000, 25_000],
        "tehais": None,
    }
    assert [event["type"] for event in events[2:]] == [
        *("tsumo", "dahai", "pon", "dahai", "tsumo", "dahai", "tsumo", "dahai", "tsumo", "reach", "dahai"),
        *("reach_accepted", "tsumo", "kakan", "hora"),
    ]
    assert events[4] == {"type": "pon", "actor": 2, "target": 0, "pai": "P", "consumed": ["P", "P"]}
    won = events[-1]
    assert (won["actor"], won["target"], won["pai"]) == (1, 2, "P")
    assert (won["uradora_markers"], won["fan"], won["deltas"]) == (["7s"], 4, [0, 10_000, -8_000, 0])
    assert told[-1]["question"]["command"] == "ready?"


def test_words_of_results_are_those_of_texts(tmp_path: Path) -> None:
    """Yaku and limits have the names that texts give them; the server names them in Japanese and Chinese."""
    script = """
const { words } = await import(`./words/${given.language}.js`);
tell({ yaku: given.yaku.map((name) => words.yaku[name] ?? name), limits: words.sheet.limits,
  yakuman: [1, 2, 6].map(words.sheet.yakuman) });
"""
    for language in LANGUAGES:
        names = [Language(language).name_of(yaku) for yaku in Yaku]
        told = run_in_node(tmp_path, script, {"language": language, "yaku": names})
        assert told["yaku"] == [yaku_words(yaku, language) for yaku in Yaku]
        limits = {base: HandValue((), 13, 30, 0, base) for base in (2_000, 3_000, 4_000, 6_000, 8_000)}
        assert told["limits"] == {str(base): limit_name(each, language) for base, each in limits.items()}
        several = [HandValue((), 13 * times, 0, times, 8_000 * times) for times in (1, 2, 6)]
        assert told["yakuman"] == [limit_name(each, language) for each in several]


def test_words_of_drills_are_those_of_texts(tmp_path: Path) -> None:
    """Fu and yaku have the names that the terminal has for them."""
    script = """
const { words } = await import(`./words/${given}.js`);
const { words: drill } = await import(`./words/drill_${given}.js`);
const { words: yaku } = await import(`./words/yaku_${given}.js`);
tell({ fu: drill.fuReasons, yaku: Object.keys({ ...words.yaku, ...yaku.names }) });
"""
    counted = [drill.facts["yaku"] for drill in shipped_drills() if drill.kind is DrillKind.POINTS]
    names = {name for yaku in counted for name, _ in yaku}
    for language in LANGUAGES:
        told = run_in_node(tmp_path, script, language)
        assert told["fu"] == {reason: fu_words(reason, language) for reason in FU_WORDS}
        assert names <= set(told["yaku"])


def test_words_of_rules(tmp_path: Path) -> None:
    """Ten lines have every rule once, and Japanese and Chinese have a name for each rule and each value."""
    script = """
import { GROUPS, RULE_WORDS } from "./rule_words.js";
tell({ groups: GROUPS, words: RULE_WORDS });
"""
    told = run_in_node(tmp_path, script, None)
    fields = [option.name for option in OPTIONS.values()]
    listed = [field for group in told["groups"].values() for field in group]
    assert sorted(listed) == sorted(set(fields) - {"length"})
    assert len(told["groups"]) == 10
    values = {word for option in OPTIONS.values() for word in option.type.words}
    assert set(told["words"]) == set(LANGUAGES)
    for language, each in told["words"].items():
        assert each["groups"].keys() == told["groups"].keys()
        if language != "en":
            assert (set(each["fields"]), set(each["values"])) == (set(fields), values)
        assert set(each["fields"]) <= set(fields)
        assert set(each["values"]) <= values


def test_choices(tmp_path: Path) -> None:
    """Each legal answer is a choice with its line; switches answer only what they say."""
    script = """
import { Sentences } from "./ump_sentences.js";
import { automaticAnswer, choicesOf, discardOf } from "./choices.js";
import { words } from "./words/en.js";
const ask = (line) => new Sentences().take([line])[0].question;
const turn = ask(given.turn), call = ask(given.call), plain = ask(given.plain);
const all = { win: true, calls: true, discard: true }, none = {};
tell({
  turn: choicesOf(turn, words.calls).map((each) => each.answer),
  call: choicesOf(call, words.calls).map((each) => each.answer),
  discards: [discardOf(turn, "5mr", false), discardOf(turn, "E", true), discardOf(turn, "9s", false)],
  automatic: [automaticAnswer(turn, none, false), automaticAnswer(turn, all, false), automaticAnswer(call, all, false),
    automaticAnswer(call, { calls: true }, false), automaticAnswer(plain, none, true),
    automaticAnswer(plain, none, false), automaticAnswer(plain, { discard: true }, false)],
});
"""
    told = run_in_node(
        tmp_path,
        script,
        {
            "turn": "7 sutehai? sute=1m5M1z richi=1m5M ankan=2z kakan=5p kita tsumo ryukyoku _hand=1m5M1z _drawn=1z",
            "call": "8 naku? 5m chi=4m6m,6m7m pon=5m5M kan ron _hand=1m",
            "plain": "9 sutehai? sute=1z _hand=1m1z _drawn=1z",
        },
    )
    assert told["turn"] == ["tsumo", "richi 1m", "richi 5M", "ankan 2z", "kakan 5p", "kita", "ryukyoku"]
    assert told["call"] == ["ron", "chi 4m 6m", "chi 6m 7m", "pon 5m 5M", "kan", "no"]
    assert told["discards"] == ["sute 5M", "sute 1z tsumogiri", None]
    assert told["automatic"] == [None, "tsumo", "ron", None, "sute 1z tsumogiri", None, "sute 1z tsumogiri"]


def test_languages_have_the_same_words(tmp_path: Path) -> None:
    """Each language has every key, with a function where the others have one; and every word that a page asks for."""
    script = """
const found = {};
for (const language of given) {
  const { words } = await import(`./words/${language}.js`);
  const shape = (value) => (typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each)])) : typeof value);
  const site = await import(`./words/site_${language}.js`);
  const club = await import(`./words/club_${language}.js`);
  const tournament = await import(`./words/tournament_${language}.js`);
  const { words: admin } = await import(`./words/admin_${language}.js`);
  const { words: account } = await import(`./words/account_${language}.js`);
  const { words: drill } = await import(`./words/drill_${language}.js`);
  const tiles = ["1m", "5mr", "9s", "E", "C", "?"].map(words.tile);
  const twice = Object.keys({ ...site.words, ...club.words }).filter((key) => key in words);
  const all = { ...words, ...site.words, ...club.words, tournament: tournament.words, admin, account, drill };
  found[language] = { shape: shape(all), tiles, twice };
}
tell(found);
"""
    told = run_in_node(tmp_path, script, LANGUAGES)
    for language in LANGUAGES:
        del told[language]["shape"]["serverSays"]
        if language != "en":
            said = server_words(language)
            assert set(said.errors) == SAID_BY_SERVER
            assert set(said.reasons) == {reason.value for reason in Reason}
        told[language]["shape"].pop("yaku")  # each language names those that the server names otherwise
    assert told["ja"]["shape"] == told["en"]["shape"] == told["zh"]["shape"]
    assert told["en"]["tiles"] == [
        "1 of characters",
        "red 5 of characters",
        "9 of bamboo",
        "east",
        "red dragon",
        "hidden tile",
    ]
    for language in LANGUAGES:
        assert len(set(told[language]["tiles"])) == 6
        assert told[language]["twice"] == []
    pages = [file.content.decode() for name, file in static_files().items() if name.endswith(".html")]
    asked = Counter(part.split('"')[0] for page in pages for part in page.split('data-word="')[1:])
    assert set(asked) <= {*told["en"]["shape"], *told["en"]["shape"]["admin"], *told["en"]["shape"]["account"]}


def test_errors_that_the_page_knows() -> None:
    """A page acts on two errors of the server by their texts, and on its rarest likeness by its number."""
    script = static_files()["table_page.js"].content.decode()
    assert f'const NO_SEAT = "{UNKNOWN_TOKEN}";' in script
    stopping = script.split('const STOPPING = "')[1].split('"')[0]
    assert all(outlook.value.startswith(stopping) for outlook in Interruption)
    assert f"const RAREST = {MOST_RARE};" in static_files()["admin.js"].content.decode()
    assert lobby.NO_NEW_GAMES.startswith(stopping)


def test_hints(tmp_path: Path) -> None:
    """Hints of sentences and questions, what is shown of them, and which tiles are marked."""
    script = """
import { hintOfQuestion, hintOfSentence, shownHint, tenpaiMarks, withSafe } from "./hints.js";
import { Sentences } from "./ump_sentences.js";
const hints = given.map((line) => {
  const told = new Sentences().take([line])[0];
  return told.question ? hintOfQuestion(told.question) : hintOfSentence(told);
});
const [turn] = hints;
tell({ hints: hints.slice(1), shown: [null, "5mr", "1m"].map((tile) => shownHint(turn, tile)),
  none: shownHint(null, "E"),
  marks: withSafe(tenpaiMarks(turn), turn), unmarked: tenpaiMarks(hints[1]), waiting: shownHint(hints[2], "E") });
"""
    lines = (
        "1 sutehai? sute=1z5M9p _tenpai=1z/4m:3/7m:1,5M/5m:3/furiten _safe=1z9p _time=1+0",
        "2 sutehai? sute=1z _shanten=2",
        "3 _waits 4m:3/7m:0",
        "4 _waits 5z:1 permanent",
        "5 _shanten 0",
        "6 naku? 5m _waits=5m:2 _furiten=temporary",
        "7 naku? 5m _shanten=1",
        "8 sutehai? sute=1z",
    )
    told = run_in_node(tmp_path, script, lines)
    first = {"waits": [{"tile": "4m", "left": 3}, {"tile": "7m", "left": 1}], "isFuriten": False}
    other = {"waits": [{"tile": "5m", "left": 3}], "isFuriten": True}
    shown = (("E", first), ("5mr", other), ("E", first))
    assert told["shown"] == [{"tile": tile, "shanten": None, **hint} for tile, hint in shown]
    assert told["marks"] == {"E": ["tenpai", "safe"], "5mr": ["tenpai", "furiten"], "9p": ["safe"]}
    assert (told["none"], told["unmarked"]) == (None, {})
    waits = [each and [(wait["tile"], wait["left"]) for wait in each["waits"]] for each in told["hints"]]
    assert waits == [[], [("4m", 3), ("7m", 0)], [("P", 1)], [], [("5m", 2)], [], None]
    assert [each and each["shanten"] for each in told["hints"]] == [2, None, None, 0, None, 1, None]
    assert [each and each["isFuriten"] for each in told["hints"]] == [False, False, True, False, True, False, None]
    assert told["waiting"]["tile"] is None


PLAYBACK = """
import { Playback } from "./playback.js";
let now = 0;
let timers = [];
performance.now = () => now;
globalThis.setTimeout = (act, pause) => { const timer = { act, at: now + pause }; timers.push(timer); return timer; };
globalThis.clearTimeout = (timer) => { timers = timers.filter((each) => each !== timer); };
const until = (end) => {
  for (;;) {
    const next = timers.filter((each) => each.at <= end).sort((one, other) => one.at - other.at)[0];
    if (next === undefined) break;
    timers = timers.filter((each) => each !== next);
    now = next.at;
    next.act();
  }
  now = end;
};
const told = (word) => (word === "word" ? { said: "pon" } : word.endsWith("?") ? { question: { command: word } }
  : { event: { type: word } });
const name = ({ question, event, said }) => question?.command ?? event?.type ?? said;
const record = (isWatching, use) => {
  [now, timers] = [0, []];
  const seen = [];
  const tell = (each) => seen.push([name(each), Math.round(now)]);
  const playback = new Playback({ tell, draw: () => {} }, { isWatching });
  use(playback, (words) => playback.add(words.map(told)));
  return seen;
};
const turn = ["tsumo", "dahai"];
tell(Object.fromEntries(Object.entries({
  calm: () => record(false, (_, add) => { add([...turn, "word", "pon"]); until(3000); }),
  crowded: () => record(false, (_, add) => { add([...turn, ...turn, ...turn, ...turn]); until(9000); }),
  asked: () => record(false, (_, add) => { add([...turn, ...turn, ...turn, "tsumo", "sutehai?"]); until(3000); }),
  askedLater: () => record(false, (_, add) => {
    add([...turn, ...turn]); until(100); add(["tsumo", "sutehai?"]); until(3000);
  }),
  returned: () => record(false, (_, add) => { add(["start_game", ...Array(20).fill(turn).flat()]); until(1); }),
  watched: () => record(true, (_, add) => { add(["start_game"]); add([...turn, ...turn]); until(3000); }),
  quick: () => record(true, (playback, add) => { playback.speed = 2; add([...turn, ...turn]); until(3000); }),
  paused: () => record(true, (playback, add) => {
    add([...turn, ...turn]); until(200); playback.pause(true); until(2000); playback.pause(false); until(4000);
  }),
  live: () => record(true, (playback, add) => { add([...turn, ...turn]); until(10); playback.catchUp(); }),
  winners: () => record(true, (_, add) => { add(["hora", "hora", "end_kyoku"]); until(9000); }),
  skipped: () => record(true, (playback, add) => {
    add(["hora", "start_kyoku"]); until(1000); playback.hurry(); until(9000);
  }),
}).map(([key, make]) => [key, make()])));
"""


def test_events_are_shown_one_after_another(tmp_path: Path) -> None:
    """A player sees each event for a while, but an own question within 150 ms; a spectator sets the pace."""
    told = run_in_node(tmp_path, PLAYBACK, None)
    assert told["calm"] == [["tsumo", 0], ["dahai", 120], ["pon", 420], ["pon", 820]]
    discards = [at for kind, at in told["crowded"] if kind == "dahai"]
    assert all(150 <= later - earlier <= 420 for earlier, later in pairwise(discards))
    for asked, came in (("asked", 0), ("askedLater", 100)):
        assert told[asked][-1][0] == "sutehai?"
        assert told[asked][-1][1] - came <= 151
        assert [at for _, at in told[asked]] == sorted(at for _, at in told[asked])
    assert {at for _, at in told["returned"]} == {0}
    assert len(told["returned"]) == 41
    assert [at for _, at in told["watched"]] == [0, 0, 150, 500, 650]
    assert [at for _, at in told["quick"]] == [0, 75, 250, 325]
    assert [at for _, at in told["paused"]] == [0, 150, 2000, 2150]
    assert [at for _, at in told["live"]] == [0, 10, 10, 10]
    assert told["winners"] == [["hora", 0], ["hora", 0], ["end_kyoku", 5000]]
    assert told["skipped"] == [["hora", 0], ["start_kyoku", 1000]]


CONNECTION = """
let now = 0;
let timers = [];
const heard = { window: {}, document: {} };
const told = [];
const sockets = [];
Date.now = () => now;
performance.now = () => now;
Math.random = () => 0.5;
globalThis.setTimeout = (act, pause) => { const timer = { act, at: now + pause }; timers.push(timer); return timer; };
globalThis.setInterval = (act, pause) => {
  const again = () => { act(); setTimeout(again, pause); };
  setTimeout(again, pause);
};
globalThis.clearTimeout = (timer) => { timers = timers.filter((each) => each !== timer); };
globalThis.addEventListener = (name, act) => { heard.window[name] = act; };
globalThis.document = { hidden: false, addEventListener: (name, act) => { heard.document[name] = act; } };
globalThis.location = { protocol: "http:", host: "here" };
globalThis.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  constructor() { sockets.push(this); told.push([now, "attempt"]); }
  send(line) {
    told.push([now, line]);
    if (line === "0 _ping" && answers) setTimeout(() => this.onmessage?.({ data: "9 _pong" }), 50);
  }
  close() { this.readyState = 3; }
};
let answers = true;
const until = (end) => {
  for (;;) {
    const next = timers.filter((each) => each.at <= end).sort((one, other) => one.at - other.at)[0];
    if (next === undefined) break;
    timers = timers.filter((each) => each !== next);
    now = Math.max(now, next.at);
    next.act();
  }
  now = end;
};
const { ServerConnection } = await import("./connection.js");
const connection = new ServerConnection({
  room: "main", hello: () => "hello", isTense: () => true,
  lines: (lines) => told.push([now, ...lines]), state: (state) => told.push([now, state]),
});
const greet = () => sockets.at(-1).onmessage({ data: "0 hello ump=0.1 _ext=_lang,_ping" });
const part = (use) => { const begin = told.length; use(); return told.slice(begin); };
tell({
  quiet: part(() => { until(1000); heard.window.online(); }),
  begun: part(() => { connection.retry(); until(1100); greet(); sockets[0].onmessage({ data: "1 x\\n2 y" }); }),
  answered: part(() => until(4000)),
  swallowed: part(() => { answers = false; until(9000); }),
  back: part(() => { answers = true; greet(); sockets[0].onmessage?.({ data: "3 stale" }); until(10000); }),
  slept: part(() => { answers = false; now = 3600000; until(3603000); }),
  offline: part(() => { answers = true; greet(); until(3604000); heard.window.offline(); until(3604200); }),
  online: part(() => heard.window.online()),
  hopeless: part(() => until(3604200 + 900000)),
  seen: part(() => { heard.document.visibilitychange(); greet(); connection.finish(); sockets.at(-1).onclose(); }),
  over: part(() => { heard.document.visibilitychange(); heard.window.online(); until(6000000); }),
});
"""


def test_a_connection_that_dies_without_a_word(tmp_path: Path) -> None:
    """The page asks for signs of life, says within 5 s that there is none, and comes back by itself."""
    told = run_in_node(tmp_path, CONNECTION, None)
    assert told["quiet"] == []
    assert told["begun"] == [[1000, "attempt"], [1100, "hello"], [1100, "open"], [1100, "1 x", "2 y"]]
    assert told["answered"] == [[3250, "0 _ping"]]
    assert [each[1:] for each in told["swallowed"]][:3] == [["0 _ping"], ["lost"], ["attempt"]]
    assert told["swallowed"][1][0] - 3300 <= 5_000
    assert told["swallowed"][2][0] - told["swallowed"][1][0] <= 500
    assert [each[1] for each in told["back"]] == ["hello", "open"]
    assert told["slept"][0] == [3_600_000, "0 _ping"]
    assert told["slept"][1][1] == "lost"
    assert told["slept"][1][0] <= 3_600_000 + 2_000
    assert [each[1] for each in told["offline"]] == ["hello", "open", "lost", "attempt"]
    assert [each[1] for each in told["online"]] == ["lost", "attempt"]
    attempts = [at for at, what in told["hopeless"] if what == "attempt"]
    assert [what for _, what in told["hopeless"] if what != "attempt"] == ["gone"]
    assert len(attempts) == 114
    assert [each[1] for each in told["seen"]] == ["lost", "attempt", "hello", "open", "over"]
    assert told["over"] == []


def test_typed_tiles(tmp_path: Path) -> None:
    """A digit opens the entry, and only then are m, p, s and z suits; any other key closes it."""
    script = """
        import { areDistinct, placeOf, TypedTile } from "./keyboard.js";
        const typed = new TypedTile();
        const pressed = given.map((keys) => [...keys].map((key) => typed.press(key)).at(-1));
        const kan = { command: "ankan" }, riichi = { command: "richi" }, hand = ["1m", "5p", "5pr", "N", "1m"];
        tell({
            pressed,
            places: [["1m"], ["5p", "5pr"], ["5pr"], ["S"]].map((names) => placeOf(hand, names)),
            distinct: [[kan, kan], [kan], [riichi, riichi]].map(areDistinct),
        });
    """
    told = run_in_node(tmp_path, script, ["4z", "0p", "5s", "m", "3x", "m", "8z", "12m"])
    assert [(each["isTaken"], each["names"]) for each in told["pressed"]] == [
        (True, ["N"]),
        (True, ["5pr"]),
        (True, ["5s", "5sr"]),
        (False, []),
        (False, []),
        (False, []),
        (True, []),
        (True, ["2m"]),
    ]
    assert told["places"] == [4, 1, 2, -1]
    assert told["distinct"] == [True, False, False]


def test_what_is_said_on_request(tmp_path: Path) -> None:
    """Scores by wind, dora, rivers with riichi and calls, and all that lies open, in every language."""
    events = [
        {"type": "start_game", "names": ["ann", "bob", "cy", "dee"], "id": 0},
        {
            "type": "start_kyoku",
            "bakaze": "E",
            "kyoku": 2,
            "honba": 1,
            "kyotaku": 0,
            "oya": 1,
            "dora_marker": "5mr",
            "scores": [24000, 26000, 25000, 25000],
            "tehais": [["1m"] * 13, ["?"] * 13, ["?"] * 13, ["?"] * 13],
        },
        {"type": "tsumo", "actor": 1, "pai": "?"},
        {"type": "dahai", "actor": 1, "pai": "N", "tsumogiri": False},
        {"type": "pon", "actor": 3, "target": 1, "pai": "N", "consumed": ["N", "N"]},
        {"type": "dahai", "actor": 3, "pai": "2s", "tsumogiri": False},
    ]
    script = """
        import { after, start } from "./position.js";
        import { SPOKEN } from "./spoken.js";
        const told = {};
        for (const language of ["en", "ja", "zh"]) {
            const { words } = await import(`./words/${language}.js`);
            const position = given.reduce(after, start());
            told[language] = {};
            for (const [key, say] of Object.entries(SPOKEN)) told[language][key] = say(position, words);
        }
        tell(told);
    """
    told = run_in_node(tmp_path, script, events)
    english = told["en"]
    assert english["s"].startswith("East, bob, 26,000 points; South, cy, 25,000 points; West, dee")
    assert english["d"] == "dora indicators: red 5 of characters"
    assert english["v"] == "East bob: north called; South cy: -; West dee: 2 of bamboo; North ann: -"
    assert english["b"].startswith("East 2, honba\u00a01, sticks\u00a00. ")
    assert "West dee: pon north, north, north. " in english["b"]
    assert all(english[key] in english["b"] for key in "sdv")
    assert all("undefined" not in text for said in told.values() for text in said.values())
