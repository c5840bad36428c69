"""Targets: everything that reads bytes or text from outside into a value."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import tempfile
import tomllib
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from support.memory_site import POLLING, UPGRADE, MemorySite, request

from scripts.fuzzing.clients import CLIENT_TARGETS
from scripts.fuzzing.driver import Target
from scripts.fuzzing.sessions import SESSION_TARGETS
from scripts.fuzzing.transcripts import (
    BATCHES,
    LOCKSTEP,
    MAJIANG,
    OLD_MAJIANG,
    PLAIN,
    RECORDED,
    REQUESTS,
    SOCKET_IO,
    UMP,
    UMP_02,
    dialect_named,
    from_clients,
    journals,
    records,
    text_of,
)
from ump.bots.links import AddressError, read_address
from ump.model import notation, written
from ump.model.notation import NotationError
from ump.net.connection_budget import NetworkList
from ump.net.endpoints import host_name, read_host_name
from ump.net.http.polling import PacketKind, PayloadError, read_message, read_payload
from ump.net.proxy_header import BINARY, read_proxy_header
from ump.record.conversion import Conversion, convert
from ump.record.formats import FORMATS, named, read_games
from ump.record.journal import JournalError, check_journal, read_journal, read_last_kyoku, summary_of
from ump.record.record_files import records_of_stream, unpacked
from ump.record.recorded_game import RecordError
from ump.record.replay import Replay
from ump.record.text import game_lines
from ump.server.config import read_command_line, server_settings
from ump.server.new_table import restored
from ump.server.settings import ConfigError, all_options
from ump.terminal.replay_app import ReplayedGame, head_text
from ump.wire.dialect import LoggedIn
from ump.wire.human.answers import read_tiles, typed_line
from ump.wire.majiang.session import SocketIOMajiangSession
from ump.wire.names import check_name
from ump.wire.text import WireError, decode
from ump.wire.ump.hello import read_extensions, read_introduction, version_of
from ump.wire.ump.sentence import split_id
from ump.wire.ump.sentences01 import ClientHello

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"

# Clients' messages, before and without a table

BEGINNING = 20
"""Messages of a client that replies to each message of the server, of which a session without a table ignores most."""


def unseated(dialect: str) -> Callable[[bytes], None]:
    """Return a function that lets a new session of a dialect receive each line."""

    def run(data: bytes) -> None:
        session = dialect_named(dialect).session()
        session.greet()
        for number, line in enumerate(data.split(b"\n")):
            session = getattr(session.receive(line, float(number)), "session", None) or session
            session.take()

    return run


def _beginnings(*dialects: str) -> Callable[[], list[bytes]]:
    """Return a function that returns one whole game of what clients have said, and the beginnings of others."""

    def seeds() -> list[bytes]:
        whole, *others = from_clients(*dialects)()
        return [whole, *(b"\n".join(each.split(b"\n")[:BEGINNING]) for each in others)]

    return seeds


def _typed(data: bytes) -> None:
    for line in data.split(b"\n"):
        read_tiles(typed_line(line))


def _hello(data: bytes) -> None:
    line = text_of(data).strip()
    if not line:  # sessions leave empty lines out
        return
    _, words = split_id(line)
    options = dict(ClientHello.parse(words[1:]).options)
    version_of(options)
    read_introduction(options)
    read_extensions(options)


def _name(data: bytes) -> None:
    check_name(decode(text_of(data)), "name=")


HELLOS = (
    b"0 hello ump=0.1 name=ears _offer=1 _hand=1 _time=1 _explain=1 _lang=en _games=0 _room=main",
    b"0 hello ump=0.2 user=a password=b name=%E9%9B%80 _resume=1 _proof=1",
    b"7 hello name=a _watch=main-1 _resume=0123456789abcdef0123456789abcdef _seed=" + b"0f" * 32,
)

NAMES = (b"ears", b"%E9%BA%BB%E9%9B%80", b"a b", "Nguyễn".encode(), b"%00%7f", b"x" * 32)

# HTTP


INPUTS_OF_SITE = 50
"""The number of inputs that a site takes, each on its own connection: far fewer than it takes at once from a host."""


class _Sites:
    """Sites that take some inputs one after the other: to set one up takes as long as an input."""

    def __init__(self) -> None:
        self._site: MemorySite | None = None
        self._inputs = 0

    @contextmanager
    def open(self) -> Iterator[MemorySite]:
        """Open a site; after the input, check that nothing of it is left. A site that fails is not used again."""
        site, self._site = self._site or MemorySite(), None
        self._inputs += 1
        yield site
        site.close()
        for kept in (site.streams, site.sessions, site.callers, site.usher.came):
            kept.clear()
        if self._inputs % INPUTS_OF_SITE:
            self._site = site


_SITES = _Sites()


def _http(data: bytes) -> None:
    with _SITES.open() as site:
        site.stream().send(data)


def _web_socket(data: bytes) -> None:
    with _SITES.open() as site:
        socket = site.socket()
        socket.stream.send(data)


def _packets(data: bytes) -> None:
    session = SocketIOMajiangSession(LoggedIn("ears", "uid"))
    session.greet()
    for packet in read_payload(data):
        if packet.kind is PacketKind.MESSAGE:
            session.receive(read_message(packet.content).content, 0.0)


PROXY_HEADERS = [
    b"PROXY TCP4 192.0.2.7 127.0.0.1 40000 19000\r\n0 hello",
    b"PROXY TCP6 2001:db8::7 ::1 40000 19000\r\n",
    BINARY + b"\x21\x11\0\x14\xc0\0\x02\x07\x7f\0\0\x01\x9c\x40\x4a\x38\x20\0\x05\x01\0\0\0\0",
]


def _host_name(data: bytes) -> None:
    named = host_name(text_of(data))
    if named is not None:
        read_host_name(named)


def _http_seeds() -> list[bytes]:
    cookie = {"Cookie": "a=b; MAJIANG=0123456789abcdef"}
    return [
        request("/mjai", UPGRADE) + _frames()[0],
        request("/ws/ranked?room=main&name=a", UPGRADE | {"Authorization": "Bearer sesame"}),
        request("/server/auth/", method="POST", body=b"name=ears&passwd=*"),
        request("/server/logout", cookie),
        request(POLLING, cookie) + request("/", {"Connection": "close"}),
        request(f"{POLLING}&sid=abc", cookie, method="POST", body=b'42["ROOM"]\x1e42["GAME",{"seq":1}]\x1e3'),
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + request("/"),
    ]


def _frames() -> list[bytes]:
    text = b'{"type":"none"}'
    masked = bytes((0x81, 0x80 | len(text))) + b"\1\2\3\4" + bytes(c ^ (i % 4 + 1) for i, c in enumerate(text))
    zero = b"\0\0\0\0"
    return [
        masked * 2,
        b"\x01\x82" + zero + b"[1" + b"\x80\x83" + zero + b",2]" + b"\x89\x80" + zero + b"\x8a\x80" + zero,
        b"\x81\xfe\x01\x00" + zero + b"x" * 256 + b"\x88\x82" + zero + b"\x03\xe8",
        b"\x82\xff" + (2**40).to_bytes(8, "big") + zero + b"x" * 100,
    ]


# Records


def reading(key: str) -> Callable[[bytes], None]:
    """Return a function that reads games in a format and replays them."""

    def run(data: bytes) -> None:
        for game in read_games(data, named(key)):
            Replay(game).run()

    return run


def _converting(data: bytes) -> None:
    for key in ("mjlog", "tenhou6", "paipu", "ump01"):
        convert("fuzz", data, Conversion(key, lossy=True))


def _showing(data: bytes) -> None:
    """Print the games of a record as everybody and each seat saw them, and step through them at a terminal."""
    for game in read_games(data):
        for seat in (None, *range(len(game.names))):
            with suppress(RecordError):  # a record may hide the tiles of a seat, or contradict itself
                deque(game_lines(game, seat), maxlen=0)
        if game.kyoku:
            _stepping(ReplayedGame(game))


def _stepping(replayed: ReplayedGame) -> None:
    at = replayed.place(0)
    while (further := replayed.stepped(at, 20)) != at:
        at = further
        replayed.positions(at)
        replayed.told(at)
        head_text(replayed, at, 0, is_playing=False)


def _resuming(data: bytes) -> None:
    """Go on with a game as a server does that starts again, from its last kyoku and from its beginning."""
    try:
        journal = read_last_kyoku(data)
        summary_of(journal)
        if journal.end is None and journal.steps:
            restored(journal)
    except JournalError:
        pass
    whole = read_journal(data)
    check_journal(whole)
    restored(whole, keeps_game=True)


def _unfinished() -> list[bytes]:
    whole = journals()
    return [*whole, *(each[: len(each) * part // 4] for each in whole for part in (1, 2, 3))]


def _unpacking(data: bytes) -> None:
    for source in records_of_stream(io.BytesIO(data)):
        if source.data is not None:
            read_games(unpacked(source.data))


def _archives() -> list[bytes]:
    some = (journals()[0], *journals()[len(RECORDED) :][:2])
    found = [gzip.compress(each, mtime=0) for each in some]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for number, each in enumerate(some):
                archive.writestr(zipfile.ZipInfo(f"{number}.journal"), each)
        found.append(packed.getvalue())
    return [*found, *(_tarred(mode, some[number % 3]) for number, mode in enumerate(("w:xz", "w", "w:gz", "w:bz2")))]


def _tarred(mode: str, journal: bytes) -> bytes:

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo("1.journal")
        member.size = len(journal)
        archive.addfile(member, io.BytesIO(journal))
    return packed.getvalue()


def _record_targets() -> Iterable[Target]:
    for form in FORMATS:
        if form.read is not None:
            yield Target(
                f"record-{form.key}",
                f"records in the format {form.name}, replayed",
                lambda key=form.key: records()[key],  # type: ignore[misc]
                reading(form.key),
                (RecordError,),
            )


def _every_record() -> list[bytes]:
    return [each for records_of_format in records().values() for each in records_of_format]


# Configuration

FOLDERS = ("log_dir", "trace", "record_dir", "log_file", "deny", "users")
"""Keys of files and folders that the server would create or read; inputs that name one elsewhere are left out."""

_OUTSIDE = re.compile(rb"^[ \t\"']*(?:%b)" % "|".join(FOLDERS).encode(), re.MULTILINE)
"""The beginning of a line that may name one of them, where no letter is escaped."""

_OPTIONS = all_options()


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder, in memory if possible, that is removed at the end."""
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(prefix="ump-fuzz-", dir=memory if os.path.isdir(memory) else None)


def _config(data: bytes) -> None:
    if _reaches_out(data):
        return
    file = Path(_folder().name, "fuzz.toml")
    file.write_bytes(data)
    server_settings(read_command_line({"config": [str(file)], "record-dir": ["none"]}, _OPTIONS))


def _reaches_out(data: bytes) -> bool:
    if b"\\" not in data and not _OUTSIDE.search(data.replace(b"-", b"_")):
        return False  # so most inputs are parsed only once
    try:
        read = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return False
    return any(key.replace("-", "_") in FOLDERS for key in read)


def _config_seeds() -> list[bytes]:
    """Return the examples of files in the documentation, each table of them alone, and a small file."""
    page = (DOCS / "server.md").read_text(encoding="utf-8")
    examples = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    kept = ["\n".join(line for line in each.split("\n") if not line.startswith(FOLDERS)) for each in examples]
    small = 'listen = ["none"]\nrules = "tenhou"\n[rooms.a]\nset = ["uma=30,10,-10,-30"]\ntime = "5+15"\nhouse = []\n'
    kept = [each.replace("rated = true", "rated = false") for each in kept]  # a rated room needs a folder
    tables = [table for each in kept for table in each.split("\n\n") if table.startswith("[")]
    return [each.encode() for each in (*kept, *tables, small)]


def _options(data: bytes) -> None:
    """Read an option of the command line on the first line with the values on the others."""
    name, *values = text_of(data).split("\n")
    if name not in ("config", *(folder.replace("_", "-") for folder in FOLDERS)):
        given = read_command_line({name: values}, _OPTIONS)
        server_settings(read_command_line({"record-dir": ["none"]}, _OPTIONS)) if given is None else None


OPTION_SEEDS = (
    *(b"rules\ntenhou", b"set\nkuitan=no\numa=30,10,-10,-30", b"time\n10+20", b"house\nefficiency:3\nmjai:a*2=x y"),
    *(b"listen\ntcp:19000:interface=127.0.0.1\n0", b"http-name\nexample.org", b"bot-delay\n0.3-1.2", b"games\n5"),
    *(b"grace\n60", b"room\nmain", b"sync\nkyoku", b"takeover\nefficiency", b"faults\nchombo", b"per-host\n250"),
)

# Notations

PARSERS: tuple[Callable[[str], object], ...] = (
    *(
        notation.parse_ump_faces,
        notation.parse_ump_hand,
        notation.parse_mpsz,
        notation.parse_shoupai,
        notation.parse_majiang_tile,
    ),
    *(notation.parse_tenhou_tiles, notation.parse_id_tiles, written.parse_written_hand),
    *(lambda text: notation.parse_majiang_meld(text, 0), lambda text: notation.parse_id_meld(text, 1)),
)


def _tiles(data: bytes) -> None:
    text = text_of(data)
    for parse in PARSERS:
        try:
            parse(text)
        except NotationError:
            continue


TILES = (
    *(b"1m5M<2p3p4p>6z", b"1m 5mr F P", b"m10z6,s67-8,z666=6", b"10m6z", b"0,16,128", b"[110, 153, 460]", b"1m0m6z"),
    *("一萬二筒東南中".encode(), "🀇🀙🀐🀀".encode(), b"123m406p789s1122z", b"s67-8", b"z66-66_2", b"(6z6z6z6z)", b"m5_*"),
)

PARSER_TARGETS: tuple[Target, ...] = (
    Target("ump", "what UMP clients say before they have a seat", from_clients(UMP, UMP_02), unseated(UMP)),
    Target("hello", "the options of a hello", lambda: HELLOS, _hello, (WireError,)),
    Target("name", "names of players and rooms", lambda: NAMES, _name, (WireError,)),
    Target("typed", "lines that people type", from_clients(PLAIN), _typed),
    Target("plain", "what people say before they have a seat", from_clients(PLAIN), unseated(PLAIN)),
    Target("mjai-lockstep", "mjai in lock-step, before a seat", from_clients(LOCKSTEP), unseated(LOCKSTEP)),
    Target("mjai-batches", "mjai in batches, before a seat", from_clients(BATCHES), unseated(BATCHES)),
    Target("mjai-requests", "mjai on request, before a seat", from_clients(REQUESTS), unseated(REQUESTS)),
    Target("majiang", "Majiang, before a seat", _beginnings(MAJIANG, OLD_MAJIANG), unseated(MAJIANG)),
    Target("proxy", "headers of the PROXY protocol", lambda: PROXY_HEADERS, read_proxy_header, (ValueError,)),
    Target("http", "whole connections to the HTTP port", _http_seeds, _http),
    Target("websocket", "frames over an open WebSocket", _frames, _web_socket),
    Target(
        "packets",
        "packets of Engine.IO and Socket.IO",
        lambda: [b"\x1e".join(b"42" + line for line in each.split(b"\n")[:50]) for each in from_clients(SOCKET_IO)()],
        _packets,
        (PayloadError,),
    ),
    Target(
        "host-name", "host names of HTTP", lambda: (b"example.org:80", b"[::1]:1", b"a.b."), _host_name, (ValueError,)
    ),
    *_record_targets(),
    Target("record", "records of an unknown format", _every_record, lambda data: read_games(data), (RecordError,)),
    Target("convert", "records that are converted", _every_record, _converting, (RecordError,)),
    Target("show", "records that are printed and replayed", _every_record, _showing, (RecordError,)),
    Target("archive", "packed records", _archives, _unpacking, (RecordError,)),
    Target("resume", "journals from which a server goes on", _unfinished, _resuming, (JournalError,)),
    Target("config", "files of --config", _config_seeds, _config, (ConfigError,)),
    Target("option", "options of the command line", lambda: OPTION_SEEDS, _options, (ConfigError,)),
    Target("tiles", "all notations of tiles", lambda: TILES, _tiles),
    Target(
        "address",
        "addresses of servers",
        lambda: (b"localhost:19000", b"ws://a:1/ump?x=y", b"mjsonp://[::1]:11600/a"),
        lambda data: read_address(text_of(data)),
        (AddressError,),
    ),
    Target(
        "deny",
        "files of --deny",
        lambda: (b"192.0.2.0/24 # a\n2001:db8::/32\n", b"# no\n\n10.1.2.3\n"),
        lambda data: NetworkList.parse(text_of(data)),
        (ValueError,),
    ),
)
"""All parsers."""

TARGETS: dict[str, Target] = {target.name: target for target in (*PARSER_TARGETS, *CLIENT_TARGETS, *SESSION_TARGETS)}
"""All targets by name."""
