"""The journal: a file for each game, with every input of its table, from which the table can be rebuilt.

The first line is a header as a JSON object; each line after it is a step of the table as a JSON array.
``docs/records.md`` is the full description.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from ump.record.record_format import Carried, Fact, RecordFormat
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, Remark
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
        case actions.Discard(face, tsumogiri):
            return f"sute {UMP_FACES[face]} {TSUMOGIRI}" if tsumogiri else f"sute {UMP_FACES[face]}"
        case actions.Riichi(face, tsumogiri, opened):
            words = f"{'openrichi' if opened else 'richi'} {UMP_FACES[face]}"
            return f"{words} {TSUMOGIRI}" if tsumogiri else words
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


def read_action(text: str) -> actions.Action:
    """Return the action that words stand for; raises JournalError."""
    action = _WITHOUT_TILES.get(text)
    if action is not None:
        return action
    verb, *words = text.split(" ")
    is_tsumogiri = words[-1:] == [TSUMOGIRI]
    try:
        faces = tuple(parse_ump_face(word) for word in (words[:-1] if is_tsumogiri else words))
    except NotationError as error:
        raise JournalError(str(error)) from error
    make = _WITH_TILES.get((verb, len(faces), is_tsumogiri))
    if make is None:
        raise JournalError(f"{text[:80]!a} is not an action")
    return make(faces)


_Faces = tuple[Face, ...]

_WITH_TILES: dict[tuple[str, int, bool], Callable[[_Faces], actions.Action]] = {
    ("sute", 1, False): lambda faces: actions.Discard(faces[0]),
    ("sute", 1, True): lambda faces: actions.Discard(faces[0], tsumogiri=True),
    ("richi", 1, False): lambda faces: actions.Riichi(faces[0]),
    ("richi", 1, True): lambda faces: actions.Riichi(faces[0], tsumogiri=True),
    ("openrichi", 1, False): lambda faces: actions.Riichi(faces[0], opened=True),
    ("openrichi", 1, True): lambda faces: actions.Riichi(faces[0], tsumogiri=True, opened=True),
    ("ankan", 1, False): lambda faces: actions.Ankan(KIND_OF[faces[0]]),
    ("kakan", 1, False): lambda faces: actions.Kakan(faces[0]),
    ("chi", 2, False): lambda faces: actions.Chi((faces[0], faces[1])),
    ("pon", 2, False): lambda faces: actions.Pon((faces[0], faces[1])),
}
"""The actions with tiles: word, number of tiles, whether the drawn tile is meant."""


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
    rules = {"name": opening.ruleset.name} | {each.field: each.format(opening.ruleset) for each in OPTIONS.values()}
    return json.dumps(
        {
            "journal": VERSION,
            "game": opening.name,
            "room": header.room,
            "began": header.began,
            "server": header.server,
            "rules": rules,
            "time": str(opening.times),
            "faults": settings.faults.value,
            "refusals": settings.refusals,
            "ask_all": settings.ask_all,
            "grace": settings.grace,
            "takeover": settings.takeover,
            "bot_delay": str(settings.bot_delay),
            "hints": settings.hints.value,
            "players": [
                {
                    "name": name,
                    "kind": player.kind.value,
                    "speaks": player.speaks,
                    "retries": retries,
                    "token": player.token,
                }
                for name, retries, player in zip(opening.players, opening.retries, header.players, strict=True)
            ],
            "walls": _written_walls(opening),
            **({} if header.event is None else {"event": header.event}),
        },
        separators=(",", ":"),
    )


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
        walls["seeds"] = [
            None if seed is None else {"commitment": seed.commitment, "text": seed.text} for seed in opening.seeds
        ]
    if opening.duplicate is not None:
        place = opening.duplicate
        walls["duplicate"] = {"group": place.group, "number": place.number, "games": place.games}
    return walls


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
    )


def _hints(given: object) -> HintScope:
    """Return the scope of hints; older records say only whether there were any."""
    if isinstance(given, bool):
        return HintScope.FACTS if given else HintScope.NONE
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
    return tuple(None if each is None else _seed(each) for each in given)


def _seed(given: dict[str, Any]) -> PlayerSeed:
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
    return None if given is None else _text(given)


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
    given = step.entries[0]
    if isinstance(given, je.ActionTaken) and len(step.entries) == 1 and step.start is None:  # nearly always
        return f'[{step.now},"answer",{given.seat},"{write_action(given.action)}"]'
    line: list[object] = [step.now, *_written_input(given)]
    more: dict[str, object] = {}
    if len(step.entries) > 1:
        more["then"] = [_written_outcome(entry) for entry in step.entries[1:]]
    if step.start is not None:
        more["kyoku"] = _written_start(step.start)
    return json.dumps([*line, more] if more else line, separators=(",", ":"))


def _written_input(entry: je.Entry) -> list[object]:
    match entry:
        case je.Began():
            return ["began"]
        case je.ActionTaken(seat, action):
            return ["answer", seat, write_action(action)]
        case je.PassHeld(seat, until):
            return ["passed", seat, until]
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
    return {
        "points": list(at.points),
        "bakaze": at.bakaze,
        "dealer": at.dealer,
        "honba": at.honba,
        "kyotaku": at.kyotaku,
        "number": at.number,
        "deal": at.deal,
        **({"chips": list(at.chips)} if at.chips else {}),
        "question": start.number,
        "seats": [_written_chair(chair) for chair in start.chairs],
    }


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
        written["pace"] = [list(times) for times in (chair.pace.chosen, chair.pace.forced, chair.pace.turns)]
    return written


# Reading


def read_step(line: str, seats: int) -> JournalStep:
    """Read a line, without its end, of a game with this number of seats; raises JournalError."""
    try:
        read = json.loads(line)
        now, word, *arguments = read
        more = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        unknown = set(more) - {"then", "kyoku"}
        if not _is_count(now) or unknown:
            raise JournalError("expected [instant, word, ..]")
        entries = [_READ_INPUT[word](seats, *arguments)]
        entries += [_READ_OUTCOME[outcome[0]](seats, *outcome[1:]) for outcome in more.get("then", ())]
        start = _read_start(more["kyoku"], seats) if "kyoku" in more else None
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


_READ_INPUT: dict[str, Callable[..., je.Entry]] = {
    "began": lambda seats: je.Began(),
    "answer": lambda seats, seat, text: je.ActionTaken(_seat(seat, seats), _action(text), je.Cause.ANSWER),
    "passed": lambda seats, seat, until: je.PassHeld(_seat(seat, seats), _count(until)),
    "ready": lambda seats, seat: je.SeatReady(_seat(seat, seats)),
    "refused": lambda seats, seat, reason: je.AnswerRefused(_seat(seat, seats), Reason(reason)),
    "late": lambda seats, seat: je.AnswerLate(_seat(seat, seats)),
    "heard": lambda seats, seat: je.SilenceBroken(_seat(seat, seats)),
    "time": lambda seats: je.TimePassed(),
    "left": lambda seats, seat: je.SeatLeft(_seat(seat, seats)),
    "dropped": lambda seats, seat: je.SeatDropped(_seat(seat, seats)),
    "returned": lambda seats, seat, retries: je.SeatReturned(_seat(seat, seats), _count(retries)),
    "ended": lambda seats, end, points: je.Ended(je.End(end), _points(points, seats)),
}
"""The readers of inputs by their words."""

_READ_OUTCOME: dict[str, Callable[..., je.Entry]] = {
    "default": lambda seats, seat, text, cause: je.ActionTaken(_seat(seat, seats), _action(text), je.Cause(cause)),
    "fault": lambda seats, seat, reason, faults: je.FaultCommitted(
        _seat(seat, seats), Reason(reason), je.Faults(faults)
    ),
    "ended": _READ_INPUT["ended"],
}
"""The readers of outcomes by their words."""


def _read_start(given: Any, seats: int) -> BeforeKyoku:
    chairs = tuple(map(_read_chair, given["seats"]))
    if len(chairs) != seats:
        raise JournalError(f"expected the state of {seats} seats")
    standing = GameState(
        _points(given["points"], seats),
        _count(given["bakaze"]),
        _seat(given["dealer"], seats),
        honba=_count(given["honba"]),
        kyotaku=_count(given["kyotaku"]),
        number=_count(given["number"]),
        deal=_count(given["deal"]),
        chips=_points(given["chips"], seats) if "chips" in given else (),
    )
    return BeforeKyoku(standing, _count(given["question"]), chairs)


def _read_chair(given: Any) -> ChairState:
    return ChairState(
        presence=Presence(given["presence"]),
        grace=_count(given["grace"]),
        dropped_at=_count(given["dropped_at"]),
        retries=_count(given["retries"]),
        silent=_count(given["silent"]),
        timeouts=_count(given["timeouts"]),
        refusals=_read_refusals(given["refusals"]),
        pace=_read_pace(given["pace"]) if "pace" in given else None,
    )


def _read_refusals(given: Any) -> tuple[tuple[Reason, int], ...]:
    if not isinstance(given, dict):
        raise JournalError(f"{given!a} are not refusals by their reasons")
    return tuple((Reason(reason), _count(count)) for reason, count in given.items())


def _read_pace(given: Any) -> PaceState:
    chosen, forced, turns = (tuple(map(_count, times)) for times in given)
    return PaceState(chosen, forced, turns)


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
        last = self.steps[-1].entries[-1] if self.steps else None
        return last.end if isinstance(last, je.Ended) else None

    @property
    def last_start(self) -> int | None:
        """The place of the last step that starts a kyoku, or None."""
        places = range(len(self.steps) - 1, -1, -1)
        return next((place for place in places if self.steps[place].start is not None), None)


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
    return [event for _, events, _ in played(journal) for event in events]


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
    events: list[ev.Event] = []
    if journal.end is je.End.COMPLETED:
        first = journal.last_start
        start = None if first is None else journal.steps[first].start
        table = journal.header.opening.table(None if start is None else start.standing)
        rest = journal.steps
        if first is not None and start is not None:
            table.resume(start, journal.steps[first].now)
            rest = journal.steps[first + 1 :]
        for step in rest:
            events += _told(_replayed(table, step))
    ended = next((event for event in events if isinstance(event, ev.GameEnded)), None)
    return ended_summary(journal.header, journal.steps[-1] if journal.steps else None, ended)


def ended_summary(header: JournalHeader, last: JournalStep | None, ended: ev.GameEnded | None) -> GameSummary:
    """Return the summary of a game from its last step, and the event of its end if it was completed."""
    duration = 0 if last is None else last.now
    entry = None if last is None else last.entries[-1]
    if not isinstance(entry, je.Ended):
        return GameSummary(header, None, duration, GameResult())
    result = GameResult(entry.points) if ended is None else ended.result
    return GameSummary(header, entry.end, duration, result)


def _replayed(table: Table, step: JournalStep) -> list[Message]:
    """Let a table take a recorded step, and return its messages; raises JournalError if anything else follows."""
    given = step.entries[0]
    try:
        again = table.apply(given, step.now)
    except ValueError as error:
        raise JournalError(f"{given} is not possible: {error}") from error
    if again.entries != step.entries:
        raise JournalError(f"{given} came to {again.entries[1:]}, recorded is {step.entries[1:]}")
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
        raise RecordError("no kyoku")
    opening, room = journal.header.opening, journal.header.room
    built = tuple(with_copies(each.kyoku(), opening.ruleset) for each in kyoku)
    rules = opening.ruleset
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
    missing = "" if journal.end is je.End.COMPLETED else "the end of the game"
    return Replayed(mismatches, (), counts, kyoku, kyoku, 0, missing)


# The format


JOURNAL_FORMAT = RecordFormat(
    key="journal",
    name="journal of ump",
    suffix=".journal",
    sniff=lambda data: data.startswith(JOURNAL),
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
        asked = {
            seat: asked[seat] if seat in asked and asked[seat][0] is question else (question, step.now)
            for seat, question in game.questions.items()
        }
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
            case _:
                assert_never(entry)
