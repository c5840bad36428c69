"""The journal: a file for each game, with every input of its table, from which the table can be rebuilt.

The first line is a header as a JSON object; each line after it is a step of the table as a JSON array.
``docs/records.md`` is the full description.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, assert_never

from ump.game.deals import Deal
from ump.game.game import Game, GameState
from ump.model import actions
from ump.model import events as ev
from ump.model.claims import Reason
from ump.model.commitments import PLAYER_TEXT, SECRET, DuplicateGame, PlayerSeed, commitment_of, text_commitment_of
from ump.model.game_result import GameResult
from ump.model.notation import UMP_FACES, NotationError, parse_ump_face
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.hints import HintScope
from ump.record.physical_tiles import with_copies
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.record.record_format import Carried, Fact, RecordFormat, written_rules
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordedKyoku, RecordError, Remark
from ump.record.replay import Mismatch, Replayed, count_name
from ump.rules.options import OPTIONS, RulesetError
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.table import journal_entries as je
from ump.table.chair import BeforeKyoku, ChairState, PaceState, Presence
from ump.table.clock import BotDelay, TimeControl
from ump.table.messages import Message, Tell
from ump.table.opening import Opening, TableSettings
from ump.table.table import Table


class JournalError(ValueError):
    """A journal is damaged, or not a journal; the message is one line."""


# Actions as words: ``sute 5m tsumogiri``, ``chi 4m 5M``, ``no``


TSUMOGIRI = "tsumogiri"

_WITHOUT_TILES: dict[str, actions.Action] = {
    "kita": actions.Kita(),
    "tsumo": actions.Tsumo(),
    "ryukyoku": actions.KyushuKyuhai(),
    "no": actions.Pass(),
    "kan": actions.Daiminkan(),
    "ron": actions.Ron(),
    "tenpai": actions.DeclareTenpai(),
    "noten": actions.DeclareNoten(),
}
_WORDS_WITHOUT_TILES = {action: word for word, action in _WITHOUT_TILES.items()}


def write_action(action: actions.Action) -> str:
    """Return the words for an action."""
    match action:
        case actions.Discard(face, True):
            return f"sute {UMP_FACES[face]} {TSUMOGIRI}"
        case actions.Discard(face):
            return f"sute {UMP_FACES[face]}"
        case actions.Riichi():
            return _written_riichi(action)
        case actions.Ankan(kind):
            return f"ankan {UMP_FACES[kind]}"
        case actions.Kakan(face):
            return f"kakan {UMP_FACES[face]}"
        case actions.Chi((first, second)):
            return f"chi {UMP_FACES[first]} {UMP_FACES[second]}"
        case actions.Pon((first, second)):
            return f"pon {UMP_FACES[first]} {UMP_FACES[second]}"
        case _:
            return _WORDS_WITHOUT_TILES[action]


def _written_riichi(riichi: actions.Riichi) -> str:
    words = "openrichi" if riichi.opened else "richi"
    words += f" {UMP_FACES[riichi.face]}"
    if riichi.tsumogiri:
        words += f" {TSUMOGIRI}"
    return words


def read_action(text: str) -> actions.Action:
    """Return the action that words stand for; raises JournalError."""
    action = _WITHOUT_TILES.get(text)
    if action is not None:
        return action
    verb, *words = text.split(" ")
    is_tsumogiri = words[-1:] == [TSUMOGIRI]
    if is_tsumogiri:
        words.pop()
    try:
        faces = [parse_ump_face(word) for word in words]
    except NotationError as error:
        raise JournalError(str(error)) from error
    action = _action_with_tiles(verb, faces, is_tsumogiri=is_tsumogiri)
    if action is None:
        raise JournalError(f"{text[:80]!a} is not an action")
    return action


def _action_with_tiles(verb: str, faces: list[Face], *, is_tsumogiri: bool) -> actions.Action | None:
    """Return the action of a verb with its tiles, or None; only discards and riichi may be tsumogiri."""
    match verb, faces:
        case "sute", [face]:
            return actions.Discard(face, tsumogiri=is_tsumogiri)
        case "richi", [face]:
            return actions.Riichi(face, tsumogiri=is_tsumogiri)
        case "openrichi", [face]:
            return actions.Riichi(face, tsumogiri=is_tsumogiri, opened=True)
    if is_tsumogiri:
        return None
    match verb, faces:
        case "ankan", [face]:
            return actions.Ankan(KIND_OF[face])
        case "kakan", [face]:
            return actions.Kakan(face)
        case "chi", [first, second]:
            return actions.Chi((first, second))
        case "pon", [first, second]:
            return actions.Pon((first, second))
    return None


# The first line: everything about a game that is known before it begins


VERSION = 1
"""The version of the format."""

SCHEME = "ump-wall-2"
"""The scheme by which walls follow from the secret (``ump.game.deals``)."""


class PlayerKind(Enum):
    """The kind of a player at a seat."""

    CLIENT = "client"
    BOT = "bot"
    """A built-in bot."""
    CHILD = "child"
    """A bot that the server has started."""


@value
class JournalPlayer:
    """A player of the game, apart from its name."""

    kind: PlayerKind
    speaks: str
    """The dialect of a client or child, the policy of a built-in bot."""
    token: str | None = None
    """SHA-256 of the token with which the player may come back, in hex."""


@value
class JournalHeader:
    """The settings of a game, and who plays it."""

    opening: Opening
    room: str
    began: str
    """The date and time in UTC at which the game began, in ISO 8601; instants of the game count from there."""
    server: str
    """The name and version of the program."""
    players: tuple[JournalPlayer, ...]
    """By seat."""
    event: str | None = None
    """Its place in a tournament: id, round, table and attempt, as in ``cup/2/3/1``."""


def write_header(header: JournalHeader) -> str:
    """Return the first line of a journal, without its end."""
    opening, settings = header.opening, header.opening.settings
    written = {
        "journal": VERSION,
        "game": opening.name,
        "room": header.room,
        "began": header.began,
        "server": header.server,
        "rules": written_rules(opening.ruleset),
        "time": str(opening.times),
        "faults": settings.faults.value,
        "refusals": settings.refusals,
        "ask_all": settings.ask_all,
        "grace": settings.grace,
        "takeover": settings.takeover,
        "bot_delay": str(settings.bot_delay),
        "hints": settings.hints.value,
        "players": _written_players(header),
        "walls": _written_walls(opening),
    }
    if header.event is not None:
        written["event"] = header.event
    if opening.paces:
        written["paces"] = [None if pace is None else _written_pace(pace) for pace in opening.paces]
    return json.dumps(written, separators=(",", ":"))


def _written_players(header: JournalHeader) -> list[dict[str, object]]:
    """Return the players by seat: the names and retries stand in the opening."""
    opening = header.opening
    written: list[dict[str, object]] = []
    for name, retries, player in zip(opening.players, opening.retries, header.players, strict=True):
        fields = {"name": name, "kind": player.kind.value, "speaks": player.speaks}
        written.append({**fields, "retries": retries, "token": player.token})
    return written


def renamed_header(line: str, names: Mapping[Seat, str]) -> str:
    """Return the first line of a journal with other names at some seats, whose players are not known again."""
    header = json.loads(line)
    for seat, name in names.items():
        header["players"][seat] |= {"name": name, "token": None}
    return json.dumps(header, separators=(",", ":"))


def _written_walls(opening: Opening) -> dict[str, object]:
    walls: dict[str, object] = {
        "scheme": SCHEME,
        "secret": opening.secret,
        "commitment": commitment_of(opening.secret),
    }
    if opening.seeds:
        walls["seeds"] = [_written_seed(seed) for seed in opening.seeds]
    if opening.duplicate is not None:
        place = opening.duplicate
        walls["duplicate"] = {"group": place.group, "number": place.number, "games": place.games}
    return walls


def _written_seed(seed: PlayerSeed | None) -> dict[str, object] | None:
    if seed is None:
        return None
    return {"commitment": seed.commitment, "text": seed.text}


def read_header(line: str) -> JournalHeader:
    """Read the first line of a journal; raises JournalError."""
    try:
        given = json.loads(line)
        if not isinstance(given, dict) or "journal" not in given:
            raise JournalError("not a journal: expected an object with the key 'journal'")
        if given["journal"] != VERSION:
            raise JournalError(f"version {given['journal']!a} of the format is unknown; this program reads {VERSION}")
        return _header(given)
    except JournalError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise JournalError(f"damaged first line: {type(error).__name__} {error}") from error


def _header(given: dict[str, Any]) -> JournalHeader:
    opening = _opening(given)
    players = tuple(map(_player, given["players"]))
    if len(players) != opening.ruleset.seats:
        raise JournalError(f"expected {opening.ruleset.seats} players")
    event = _text_or_none(given.get("event"))
    return JournalHeader(opening, _text(given["room"]), _text(given["began"]), _text(given["server"]), players, event)


def _opening(given: dict[str, Any]) -> Opening:
    players = given["players"]
    return Opening(
        name=_text(given["game"]),
        ruleset=_ruleset(given["rules"]),
        players=tuple(_text(player["name"]) for player in players),
        secret=_secret(given["walls"]),
        times=TimeControl.parse(_text(given["time"])),
        clients=tuple(seat for seat, player in enumerate(players) if player["kind"] == PlayerKind.CLIENT.value),
        retries=tuple(_retries(player["retries"]) for player in players),
        settings=TableSettings(
            bot_delay=BotDelay.parse(_text(given["bot_delay"])),
            grace=_seconds(given["grace"]),
            takeover=_text_or_none(given["takeover"]),
            faults=je.Faults(given["faults"]),
            refusals=_count(given.get("refusals", 0)),
            ask_all=_flag(given["ask_all"]),
            hints=_hints(given.get("hints", HintScope.FACTS.value)),
        ),
        seeds=_seeds(given["walls"].get("seeds", []), len(players)),
        duplicate=_duplicate(given["walls"].get("duplicate")),
        paces=_paces(given.get("paces", []), len(players)),
    )


def _paces(given: Any, seats: int) -> tuple[PaceState | None, ...]:
    if not isinstance(given, list) or len(given) not in (0, seats):
        raise JournalError(f"{given!a} are not the paces of {seats} seats")
    return tuple(None if pace is None else _read_pace(pace) for pace in given)


def _hints(given: object) -> HintScope:
    """Return the scope of hints; older records say only whether there were any."""
    if given is True:
        return HintScope.FACTS
    if given is False:
        return HintScope.NONE
    return HintScope(given)


def _seconds(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < float("inf"):
        raise JournalError(f"{given!a} is not a number of seconds")
    return float(given)


def _count(given: object) -> int:
    if type(given) is not int or given < 0:
        raise JournalError(f"{given!a} is not a number from 0 on")
    return given


def _retries(given: object) -> int:
    if type(given) is not int:
        raise JournalError(f"{given!a} is not a number of retries")
    return given


def _ruleset(given: dict[str, str]) -> Ruleset:
    """Return the rules of a journal; one that an earlier version did not know has its default."""
    unknown = sorted(set(given) - set(OPTIONS) - {"name"})
    if unknown:
        raise JournalError(f"unknown rule {unknown[0]!a}")
    try:
        fields: dict[str, Any] = {name: option.parse(given[name]) for name, option in OPTIONS.items() if name in given}
    except RulesetError as error:
        raise JournalError(str(error)) from error
    return Ruleset(name=_text(given["name"]), **fields)


def _player(given: dict[str, Any]) -> JournalPlayer:
    return JournalPlayer(PlayerKind(given["kind"]), _text(given["speaks"]), _text_or_none(given["token"]))


def _secret(given: dict[str, Any]) -> str:
    secret = _text(given["secret"])
    if given["scheme"] != SCHEME or SECRET.fullmatch(secret) is None:
        raise JournalError("the walls are made in an unknown way")
    if given["commitment"] != commitment_of(secret):
        raise JournalError("the secret of the walls is not the one of the commitment")
    return secret


def _seeds(given: object, players: int) -> tuple[PlayerSeed | None, ...]:
    """Return what the players add to the walls; records from before they could have nothing there."""
    if not isinstance(given, list) or len(given) not in (0, players):
        raise JournalError(f"expected the seeds of {players} players")
    return tuple(map(_seed, given))


def _seed(given: dict[str, Any] | None) -> PlayerSeed | None:
    if given is None:
        return None
    commitment, text = _text(given["commitment"]), _text_or_none(given["text"])
    if text is not None and (PLAYER_TEXT.fullmatch(text) is None or text_commitment_of(text) != commitment):
        raise JournalError("the text of a player is not the one of its commitment")
    return PlayerSeed(commitment, text)


def _duplicate(given: dict[str, Any] | None) -> DuplicateGame | None:
    """Return the group of the game; most games have none."""
    if given is None:
        return None
    game = DuplicateGame(_text(given["group"]), _count(given["number"]), _count(given["games"]))
    if not 1 <= game.number <= game.games:
        raise JournalError(f"there is no game {game.number} among {game.games}")
    return game


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise JournalError(f"{given!a} is not a text")
    return given


def _text_or_none(given: object) -> str | None:
    if given is None:
        return None
    return _text(given)


def _flag(given: object) -> bool:
    if not isinstance(given, bool):
        raise JournalError(f"{given!a} is neither true nor false")
    return given


# The other lines: a step of the table each
#
# The array has the instant in milliseconds since the game began, a word for the input, and its arguments. If anything
# followed that a reader cannot know from the rules, a last element holds it as an object: ``then`` has the outcomes,
# ``kyoku`` the state of the table before the kyoku that starts.


@value
class JournalStep:
    """One line: a step of the table."""

    now: int
    """The instant, in milliseconds since the game began."""
    entries: list[je.Entry]
    """The input first, then its outcomes."""
    start: BeforeKyoku | None = None
    """The state before the kyoku that starts in this step."""


# Writing


def write_step(step: JournalStep) -> str:
    """Return the line of a step, without its end."""
    entry = step.entries[0]
    if isinstance(entry, je.ActionTaken) and len(step.entries) == 1 and step.start is None:  # nearly always
        return f'[{step.now},"answer",{entry.seat},"{write_action(entry.action)}"]'
    line: list[object] = [step.now, *_written_input(entry)]
    more: dict[str, object] = {}
    if len(step.entries) > 1:
        more["then"] = [_written_outcome(outcome) for outcome in step.entries[1:]]
    if step.start is not None:
        more["kyoku"] = _written_start(step.start)
    if more:
        line.append(more)
    return json.dumps(line, separators=(",", ":"))


def _written_input(entry: je.Entry) -> list[object]:
    match entry:
        case je.Began():
            return ["began"]
        case je.ActionTaken(seat, action):
            return ["answer", seat, write_action(action)]
        case je.PassHeld(seat, until, had_choice):
            return ["passed", seat, until, "choice"] if had_choice else ["passed", seat, until]
        case je.SeatReady(seat):
            return ["ready", seat]
        case je.AnswerRefused(seat, reason):
            return ["refused", seat, reason.value]
        case je.AnswerLate(seat):
            return ["late", seat]
        case je.SilenceBroken(seat):
            return ["heard", seat]
        case je.TimePassed():
            return ["time"]
        case je.SeatLeft(seat):
            return ["left", seat]
        case je.SeatDropped(seat):
            return ["dropped", seat]
        case je.SeatReturned(seat, retries):
            return ["returned", seat, retries]
        case je.TimeExtended(extra):
            return ["extended", extra]
        case je.Ended():
            return _written_end(entry)
        case je.FaultCommitted():
            raise ValueError(f"{entry} is not an input")
        case _:
            assert_never(entry)


def _written_outcome(entry: je.Entry) -> list[object]:
    match entry:
        case je.ActionTaken(seat, action, cause):
            return ["default", seat, write_action(action), cause.value]
        case je.FaultCommitted(seat, reason, faults):
            return ["fault", seat, reason.value, faults.value]
        case je.Ended():
            return _written_end(entry)
        case _:
            raise ValueError(f"{entry} is not an outcome")


def _written_end(entry: je.Ended) -> list[object]:
    return ["ended", entry.end.value, list(entry.points)]


def _written_start(start: BeforeKyoku) -> dict[str, object]:
    at = start.standing
    written: dict[str, object] = {
        "points": list(at.points),
        "bakaze": at.bakaze,
        "dealer": at.dealer,
        "honba": at.honba,
        "kyotaku": at.kyotaku,
        "number": at.number,
        "deal": at.deal,
    }
    if at.chips:
        written["chips"] = list(at.chips)
    if start.extra:
        written["extra"] = start.extra
    written["question"] = start.number
    written["seats"] = [_written_chair(chair) for chair in start.chairs]
    return written


def _written_chair(chair: ChairState) -> dict[str, object]:
    written: dict[str, object] = {
        "presence": chair.presence.value,
        "grace": chair.grace,
        "dropped_at": chair.dropped_at,
        "retries": chair.retries,
        "silent": chair.silent,
        "timeouts": chair.timeouts,
        "refusals": {reason.value: count for reason, count in chair.refusals},
    }
    if chair.pace is not None:
        written["pace"] = _written_pace(chair.pace)
    return written


def _written_pace(pace: PaceState) -> list[list[int]]:
    return [list(pace.chosen), list(pace.forced)]


# Reading


def read_step(line: str, seats: int) -> JournalStep:
    """Read a line, without its end, of a game with this number of seats; raises JournalError."""
    try:
        now, *words = json.loads(line)
        more: dict[str, Any] = {}
        if len(words) > 1 and isinstance(words[-1], dict):
            more = words.pop()
        if not _is_count(now) or not more.keys() <= {"then", "kyoku"}:
            raise JournalError("expected [instant, word, ..]")
        entries = [_read_input(words, seats)]
        for outcome in more.get("then", ()):
            entries.append(_read_outcome(outcome, seats))
        start = None
        if "kyoku" in more:
            start = _read_start(more["kyoku"], seats)
    except JournalError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise JournalError(f"{line[:80]!a} is not a step of a game") from error
    return JournalStep(now, entries, start)


def _seat(given: Any, seats: int) -> Seat:
    if not _is_count(given) or given >= seats:
        raise JournalError(f"{given!a} is not a seat")
    return int(given)


def _is_count(given: object) -> bool:
    """Return whether a value is an integer that is not negative."""
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def _points(given: Any, seats: int) -> tuple[int, ...]:
    if not isinstance(given, list) or len(given) != seats or any(type(each) is not int for each in given):
        raise JournalError(f"{given!a} are not the points of {seats} seats")
    return tuple(given)


def _action(given: Any) -> Any:
    if not isinstance(given, str):
        raise JournalError(f"{given!a} is not an action")
    return read_action(given)


def _read_input(words: list[Any], seats: int) -> je.Entry:
    """Return the input of a word and its arguments; the most frequent one comes first."""
    match words:
        case ["answer", seat, text]:
            return je.ActionTaken(_seat(seat, seats), _action(text), je.Cause.ANSWER)
        case ["passed", seat, until]:
            return je.PassHeld(_seat(seat, seats), _count(until))
        case ["passed", seat, until, "choice"]:
            return je.PassHeld(_seat(seat, seats), _count(until), had_choice=True)
        case ["time"]:
            return je.TimePassed()
        case ["began"]:
            return je.Began()
        case ["ready", seat]:
            return je.SeatReady(_seat(seat, seats))
        case ["refused", seat, reason]:
            return je.AnswerRefused(_seat(seat, seats), Reason(reason))
        case ["late", seat]:
            return je.AnswerLate(_seat(seat, seats))
        case ["heard", seat]:
            return je.SilenceBroken(_seat(seat, seats))
        case ["left", seat]:
            return je.SeatLeft(_seat(seat, seats))
        case ["dropped", seat]:
            return je.SeatDropped(_seat(seat, seats))
        case ["returned", seat, retries]:
            return je.SeatReturned(_seat(seat, seats), _count(retries))
        case ["extended", extra]:
            return je.TimeExtended(_count(extra))
        case ["ended", end, points]:
            return je.Ended(je.End(end), _points(points, seats))
        case _:
            raise ValueError(f"{words} is not an input")


def _read_outcome(words: Any, seats: int) -> je.Entry:
    match words:
        case ["default", seat, text, cause]:
            return je.ActionTaken(_seat(seat, seats), _action(text), je.Cause(cause))
        case ["fault", seat, reason, faults]:
            return je.FaultCommitted(_seat(seat, seats), Reason(reason), je.Faults(faults))
        case ["ended", end, points]:
            return je.Ended(je.End(end), _points(points, seats))
        case _:
            raise ValueError(f"{words} is not an outcome")


def _read_start(given: Any, seats: int) -> BeforeKyoku:
    chips: tuple[int, ...] = ()
    chairs = tuple(map(_read_chair, given["seats"]))
    if len(chairs) != seats:
        raise JournalError(f"expected the state of {seats} seats")
    if "chips" in given:
        chips = _points(given["chips"], seats)
    standing = GameState(
        _points(given["points"], seats),
        _count(given["bakaze"]),
        _seat(given["dealer"], seats),
        honba=_count(given["honba"]),
        kyotaku=_count(given["kyotaku"]),
        number=_count(given["number"]),
        deal=_count(given["deal"]),
        chips=chips,
    )
    return BeforeKyoku(standing, _count(given["question"]), chairs, _count(given.get("extra", 0)))


def _read_chair(given: Any) -> ChairState:
    pace = None
    if "pace" in given:
        pace = _read_pace(given["pace"])
    return ChairState(
        presence=Presence(given["presence"]),
        grace=_count(given["grace"]),
        dropped_at=_count(given["dropped_at"]),
        retries=_count(given["retries"]),
        silent=_count(given["silent"]),
        timeouts=_count(given["timeouts"]),
        refusals=_read_refusals(given["refusals"]),
        pace=pace,
    )


def _read_refusals(given: Any) -> tuple[tuple[Reason, int], ...]:
    if not isinstance(given, dict):
        raise JournalError(f"{given!a} are not refusals by their reasons")
    return tuple((Reason(reason), _count(count)) for reason, count in given.items())


def _read_pace(given: Any) -> PaceState:
    chosen, forced = (tuple(map(_count, times)) for times in given[:2])  # older records have a third kind
    return PaceState(chosen, forced)


# The whole file


JOURNAL = b'{"journal":'
"""The first bytes of every journal."""

_KYOKU = b'"kyoku":{'
"""Stands only in the lines of steps that start a kyoku."""


@value
class Journal:
    """The content of a journal."""

    header: JournalHeader
    steps: list[JournalStep]
    torn: int
    """The bytes of an unfinished last line, which the death of the server or a loss of power has cut off; else 0."""

    @property
    def end(self) -> je.End | None:
        """The way the game ended; None if it goes on."""
        if not self.steps:
            return None
        last = self.steps[-1].entries[-1]
        if not isinstance(last, je.Ended):
            return None
        return last.end

    @property
    def last_start(self) -> int | None:
        """The place of the last step that starts a kyoku, or None."""
        for place in range(len(self.steps) - 1, -1, -1):
            if self.steps[place].start is not None:
                return place
        return None


def read_journal(data: bytes) -> Journal:
    """Read a journal. Raises JournalError with the number of the line that is damaged.

    An unfinished last line is not an error: nothing of it had been sent. It is left out.
    """
    *lines, rest = data.split(b"\n")
    if not lines:
        raise JournalError("line 1: no header")
    return _read(lines[0], lines[1:], 2, len(rest))


def read_last_kyoku(data: bytes) -> Journal:
    """Read a journal without the steps before its last kyoku; raises JournalError like ``read_journal``.

    The rest is enough to go on with the game, or to learn how it ended, and is read in a tenth of the time.
    """
    header_end, end = data.find(b"\n") + 1, data.rfind(b"\n") + 1
    place = data.rfind(_KYOKU, header_end, end)
    if place < 0:
        return read_journal(data)
    start = data.rfind(b"\n", 0, place) + 1
    number = 2 + data.count(b"\n", header_end, start)
    return _read(data[: header_end - 1], data[start:end].split(b"\n")[:-1], number, len(data) - end)


def _read(first: bytes, lines: list[bytes], number: int, torn: int) -> Journal:
    """Read the header, and the lines of steps from the line with this number on."""
    header = read_header(_decoded(first, 1))
    seats = header.opening.ruleset.seats
    steps: list[JournalStep] = []
    for at, line in enumerate(lines, number):
        try:
            step = read_step(_decoded(line, at), seats)
        except JournalError as error:
            raise JournalError(f"line {at}: {error}") from error
        if steps and step.now < steps[-1].now:
            raise JournalError(f"line {at}: the instant {step.now} is before that of the line above")
        steps.append(step)
    return Journal(header, steps, torn)


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode("ascii")
    except UnicodeDecodeError as error:
        raise JournalError(f"line {number}: not ASCII") from error


# Replays: to check every line, or to learn how a game ended


@value
class GameSummary:
    """A recorded game in short."""

    header: JournalHeader
    end: je.End | None
    """None if the game is not over."""
    duration: int
    """Milliseconds from the beginning to the last step."""
    result: GameResult
    """Without places if the game was not completed; empty if it is not over."""


def check_journal(journal: Journal) -> list[ev.Event]:
    """Play a recorded game from its beginning, and return its events, hidden tiles included.

    Every input must be legal, and have just the recorded consequences: defaults, faults, points before each kyoku and
    at the end. Raises JournalError with the number of the line that does not fit.
    """
    told: list[ev.Event] = []
    for _, events, _ in played(journal):
        told += events
    return told


def played(journal: Journal) -> Iterator[tuple[JournalStep, list[ev.Event], Game]]:
    """Play a recorded game from its beginning; yield each step with its events, and the game after it.

    Raises JournalError like ``check_journal``.
    """
    table = journal.header.opening.table()
    for number, step in enumerate(journal.steps, 2):
        try:
            told = _told(_replayed(table, step))
            if any(isinstance(event, ev.KyokuStarted) for event in told) and table.kyoku_start != step.start:
                raise JournalError(f"the kyoku starts with {table.kyoku_start}, recorded is {step.start}")
        except JournalError as error:
            raise JournalError(f"line {number}: {error}") from error
        yield step, told, table.game


def summary_of(journal: Journal) -> GameSummary:
    """Return how a recorded game ended. Only its last kyoku is played; raises JournalError if that does not fit."""
    last: JournalStep | None = None
    if journal.steps:
        last = journal.steps[-1]
    ended: ev.GameEnded | None = None
    if journal.end is je.End.COMPLETED:
        for event in _last_events(journal):
            if ended is None and isinstance(event, ev.GameEnded):
                ended = event
    return ended_summary(journal.header, last, ended)


def _last_events(journal: Journal) -> list[ev.Event]:
    """Play the last kyoku, or the whole game if no step starts one, and return the events."""
    opening, rest = journal.header.opening, journal.steps
    place = journal.last_start
    if place is None:
        table = opening.table()
    else:
        first = rest[place]
        assert first.start is not None
        table = opening.table(first.start.standing)
        table.resume(first.start, first.now)
        rest = rest[place + 1 :]
    events: list[ev.Event] = []
    for step in rest:
        events += _told(_replayed(table, step))
    return events


def ended_summary(header: JournalHeader, last: JournalStep | None, ended: ev.GameEnded | None) -> GameSummary:
    """Return the summary of a game from its last step, and the event of its end if it was completed."""
    if last is None:
        return GameSummary(header, None, 0, GameResult())
    entry = last.entries[-1]
    if not isinstance(entry, je.Ended):
        return GameSummary(header, None, last.now, GameResult())
    result = GameResult(entry.points)
    if ended is not None:
        result = ended.result
    return GameSummary(header, entry.end, last.now, result)


def _replayed(table: Table, step: JournalStep) -> list[Message]:
    """Let a table take a recorded step, and return its messages; raises JournalError if anything else follows."""
    entry = step.entries[0]
    try:
        again = table.apply(entry, step.now)
    except ValueError as error:
        raise JournalError(f"{entry} is not possible: {error}") from error
    if again.entries != step.entries:
        raise JournalError(f"{entry} came to {again.entries[1:]}, recorded is {step.entries[1:]}")
    return again.messages


def _told(messages: Iterable[Message]) -> list[ev.Event]:
    return [message.event for message in messages if isinstance(message, Tell)]


# The game of a journal as a recorded game, its verification, and the counts of its players.


def read_game(data: bytes) -> tuple[RecordedGame]:
    """Return the game of a journal; raise RecordError if it is unreadable, or if a line does not follow."""
    try:
        journal = read_journal(data)
        kyoku: list[_TimedKyoku] = []
        ended: ev.GameEnded | None = None
        for step, events, game in played(journal):
            if kyoku:
                kyoku[-1].remark(step.entries)
            for event in events:
                match event:
                    case ev.KyokuStarted():
                        assert game.deal is not None
                        kyoku.append(_TimedKyoku(game.deal))
                        kyoku[-1].add(event, step.now)
                    case ev.GameEnded():
                        ended = event
                    case ev.GameStarted() | ev.KyokuEnded():
                        pass
                    case _:
                        kyoku[-1].add(event, step.now)
    except JournalError as error:
        raise RecordError(str(error)) from error
    if not kyoku:
        raise NoKyokuError
    opening, room = journal.header.opening, journal.header.room
    rules = opening.ruleset
    built = tuple(with_copies(timed.kyoku(), rules) for timed in kyoku)
    return (RecordedGame(opening.players, rules, built, ended, from_start=True, own_counting=False, room=room),)


class _TimedKyoku:
    """The events of one kyoku, with their times."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.events: list[ev.Event] = []
        self.times: list[int] = []
        self.remarks: list[Remark] = []

    def add(self, event: ev.Event, now: int) -> None:
        self.events.append(event)
        self.times.append(now)

    def remark(self, entries: Iterable[je.Entry]) -> None:
        """Note the answers that did not count, and the defaults that were played instead."""
        for entry in entries:
            match entry:
                case je.AnswerRefused(seat, reason):
                    self.remarks.append(Remark(len(self.events), seat, "refused", reason.value))
                case je.AnswerLate(seat):
                    self.remarks.append(Remark(len(self.events), seat, "late", ""))
                case je.ActionTaken(seat, _, cause) if cause not in (je.Cause.ANSWER, je.Cause.HELD):
                    self.remarks.append(Remark(len(self.events), seat, "default", cause.value))
                case _:
                    pass

    def kyoku(self) -> RecordedKyoku:
        complete = any(isinstance(event, ev.HandWon | ev.KyokuDrawn) for event in self.events)
        kyoku = RecordedKyoku(tuple(self.events), None, {}, self.deal.dice, self.deal, complete)
        return replace(kyoku, times=tuple(self.times), remarks=tuple(self.remarks))


def check(data: bytes) -> Replayed:
    """Play the game of a journal again, and check each line; raise RecordError if it is unreadable.

    That is more than a replay of its events: questions, times, faults and defaults are compared, too.
    """
    try:
        journal = read_journal(data)
    except JournalError as error:
        raise RecordError(str(error)) from error
    mismatches: tuple[Mismatch, ...] = ()
    events: list[ev.Event] = []
    try:
        events = check_journal(journal)
    except JournalError as error:
        mismatches = (Mismatch(0, 0, "journal", "a line that follows from those before it", str(error)),)
    kyoku = sum(isinstance(event, ev.KyokuStarted) for event in events)
    counts = Counter(count_name(event) for event in events)
    missing = ""
    if journal.end is not je.End.COMPLETED:
        missing = "the end of the game"
    return Replayed(mismatches, (), counts, kyoku, kyoku, 0, missing)


# The format


def _is_journal(data: bytes) -> bool:
    return data.startswith(JOURNAL)


JOURNAL_FORMAT = RecordFormat(
    key="journal",
    name="journal of ump",
    suffix=".journal",
    sniff=_is_journal,
    read=read_game,
    write=None,
    carries={fact: Carried.YES for fact in Fact if fact is not Fact.TEXTS},
    check=check,
)
"""Only a server writes it: it has what no other format has, such as each question's answer and its time."""


# Counts, with answers, refusals and timeouts


def journal_counts(journal: Journal) -> tuple[PlayerCounts, ...]:
    """Play a recorded game and return the counts of its players, by seat; raise JournalError like ``check_journal``."""
    counter = GameCounter(journal.header.opening.ruleset.seats)
    asked: dict[Seat, tuple[Question, int]] = {}
    for step, events, game in played(journal):
        _count_entries(step, asked, counter)
        for event in events:
            counter.see(event)
        before, asked = asked, {}
        for seat, question in game.questions.items():
            asked[seat] = (question, step.now)
            if seat in before and before[seat][0] is question:
                asked[seat] = before[seat]
    return counter.counts()


def _count_entries(step: JournalStep, asked: dict[Seat, tuple[Question, int]], counter: GameCounter) -> None:
    """Count answers with their times since the seat was asked, refusals and timeouts."""
    for entry in step.entries:
        match entry:
            case je.ActionTaken(seat=seat, cause=je.Cause.ANSWER) | je.PassHeld(seat=seat):
                if seat in asked:
                    counter.note_answer(seat, step.now - asked[seat][1])
            case je.ActionTaken(seat=seat, cause=je.Cause.TIMEOUT):
                counter.count(seat, "timeouts")
            case je.AnswerRefused(seat=seat):
                counter.count(seat, "refusals")
            case (
                je.ActionTaken() | je.Began() | je.SeatReady() | je.AnswerLate() | je.SilenceBroken() | je.TimePassed()
            ):
                pass
            case je.SeatLeft() | je.SeatDropped() | je.SeatReturned() | je.FaultCommitted() | je.Ended():
                pass
            case je.TimeExtended():
                pass
            case _:
                assert_never(entry)
