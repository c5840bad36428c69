"""Connections that are lost and come back, and messages that cannot be read; links and pauses are made up."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from io import BytesIO
from threading import Thread

import pytest
from support.client_chair import Watched
from support.rows import each_row
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request, TextMessage

from ump.bots import session
from ump.bots.bot import Legal
from ump.bots.conversations import introduced, protocol_of
from ump.bots.links import (
    AddressError,
    Link,
    LinkError,
    Service,
    StandardStreamsLink,
    read_address,
    service_of,
    wrong_service,
)
from ump.bots.session import RETRY_SECONDS, ClientOptions, PlayedGames, play
from ump.model.actions import Action
from ump.players.observation import Observation
from ump.wire.json_text import MAX_DOCUMENT
from ump.wire.session import UNKNOWN_TOKEN

HELLO = "0 hello ump=0.1 name=x"
START = [HELLO, "1 gamestart A me b c d"]
GAME = [*START, "2 gameend 25000 25000 25000 25000"]
BYE = "9 bye"


class Passive(Watched):
    """Plays the default."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        return legal.default


class MadeUp(Link):
    """A link whose messages the test chooses; then the server closes."""

    def __init__(self, messages: list[str], *, is_silent: bool = False) -> None:
        """A silent one first lets the client wait for so long that it checks who is there."""
        self.said: list[str] = []
        self._is_silent = is_silent
        self.is_closed = False
        self._messages = list(messages)

    def receive(self) -> str | None:
        """Return the next message."""
        if self._is_silent:
            self._is_silent = False
            raise TimeoutError
        return self._messages.pop(0) if self._messages else None

    def send(self, messages: list[str]) -> None:
        """Keep what the client says."""
        self.said += messages

    def close(self) -> None:
        """Note it."""
        self.is_closed = True


class Plan:
    """The result of each attempt to connect: messages, or an error."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *attempts: list[str] | LinkError, is_silent: bool = False
    ) -> None:
        self.links: list[MadeUp] = []
        self.pauses: list[float] = []
        self.reports: list[str] = []
        self._attempts = list(attempts)
        self._is_silent = is_silent
        monkeypatch.setattr(session, "open_link", self._open)

    def _open(self, *address: object, **options: object) -> Link:
        attempt = self._attempts.pop(0) if self._attempts else LinkError("refused")
        if isinstance(attempt, LinkError):
            raise attempt
        self.links.append(MadeUp(attempt, is_silent=self._is_silent))
        return self.links[-1]

    def play(
        self, games: int = 1, retry: float = RETRY_SECONDS, address: str = "localhost:19000", protocol: str = "ump-0.1"
    ) -> PlayedGames:
        """Play, and check that every link was closed."""
        client = ClientOptions(read_address(address), protocol=protocol, name="me", games=games, retry=retry)
        outcome = play(Passive(), client, self.reports.append, sleep=self.pauses.append)
        assert all(link.is_closed for link in self.links)
        return outcome


def test_a_lost_connection_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client joins again for the games that are left; a game that was cut off does not count."""
    plan = Plan(monkeypatch, GAME, START, LinkError("refused"), [*GAME, BYE])
    assert plan.play(games=2) == PlayedGames(2, 0, 0, None)
    assert [link.said[0].split()[4] for link in plan.links] == ["_games=2", "_games=1", "_games=1"]
    assert plan.pauses == [1, 2, 4]
    assert plan.reports == [
        "lost the connection: the server has closed it; connecting again in 1 s",
        "lost the connection: the server has closed it; connecting again in 2 s",
        "refused; connecting again in 4 s",
    ]


TOKEN = "00112233445566778899aabbccddeeff"
SEATED = [HELLO, f"1 _resume {TOKEN}", "2 gamestart A me b c d"]


def test_a_seat_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client sends the token of its game instead of a name; after that game it plays on under its name."""
    plan = Plan(monkeypatch, SEATED, LinkError("refused"), [*GAME, BYE], [*GAME, BYE])
    assert plan.play(games=2) == PlayedGames(2, 0, 0, None)
    new = "0 hello ump=0.1 name=me _games={} _explain=1 _resume=1 _offer=1 _time=1"
    back = f"0 hello ump=0.1 _games=1 _explain=1 _resume={TOKEN} _offer=1 _time=1"
    assert [link.said[0] for link in plan.links] == [new.format(2), back, new.format(1)]
    assert plan.pauses == [1, 2]


def test_a_seat_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the game has ended meanwhile, the client begins a new one."""
    gone = [HELLO, "1 error unknown%20token;%20the%20game%20is%20over,%20or%20it%20was%20never%20given%20out"]
    plan = Plan(monkeypatch, SEATED, gone, [*GAME, BYE])
    assert plan.play() == PlayedGames(1, 0, 0, None)
    assert [link.said[0].split()[3] for link in plan.links] == ["name=me", "_games=1", "name=me"]
    assert plan.reports[1] == f"the server says: {UNKNOWN_TOKEN}; connecting again in 2 s"


@pytest.mark.parametrize(
    ("message", "pauses"),
    [("full", [1, 2, 4]), ("replaced%20by%20a%20newer%20connection%20of%20the%20same%20player", [1])],
)
def test_a_refused_return(monkeypatch: pytest.MonkeyPatch, message: str, pauses: list[float]) -> None:
    """A server that is full is asked again, but two programs do not push each other from one seat."""
    plan = Plan(monkeypatch, SEATED, *[[HELLO, f"1 error {message}"]] * 9)
    outcome = plan.play(retry=10)
    assert (outcome.failure, plan.pauses) == (f"the server says: {message.replace('%20', ' ')}", pauses)


def test_pauses_become_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client gives up after two minutes of pauses without a game."""
    plan = Plan(monkeypatch, [HELLO])
    assert plan.play().failure == "refused"
    assert plan.pauses == [1, 2, 4, 8, *[15] * 7]


@pytest.mark.parametrize(
    ("address", "protocol", "is_silent"),
    [
        ("ws://localhost:19080/mjai", "mjai-request", False),
        ("ws://localhost:19080/majiang", "majiang", False),
        ("ws://localhost:19080/ump", "ump-0.1", False),
        ("localhost:14615", "majiang", True),
    ],
)
def test_a_bot_that_waits_for_a_seat_comes_again(
    address: str, protocol: str, is_silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that has said nothing yet was reached: by the WebSocket's handshake, or because its port was checked."""
    monkeypatch.setattr(session, "check_port", lambda *_: None)
    plan = Plan(monkeypatch, [], [], is_silent=is_silent)
    assert plan.play(address=address, protocol=protocol).failure == "refused"
    assert plan.pauses == [1, 2, 4, 8, *[15] * 7]
    assert plan.reports[0] == "lost the connection: the server has closed it; connecting again in 1 s"


def test_a_web_socket_of_another_protocol_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that says something unreadable does not become right."""
    plan = Plan(monkeypatch, ["what?"])
    outcome = plan.play(address="ws://localhost:19080/ump")
    assert (outcome.failure is not None and "does not speak ump-0.1" in outcome.failure, plan.pauses) == (True, [])


def test_without_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who does not want that gets the reason at once."""
    plan = Plan(monkeypatch, [HELLO])
    assert plan.play(retry=0).failure == "lost the connection: the server has closed it"


def test_a_server_that_was_never_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt must succeed: a wrong address does not become right."""
    plan = Plan(monkeypatch, LinkError("no connection"))
    assert (plan.play().failure, plan.pauses) == ("no connection", [])


def test_bye_before_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that sends clients away at once is not asked in a tight loop."""
    plan = Plan(monkeypatch, [HELLO, BYE])
    plan.play()
    assert plan.reports[0].startswith("the server has ended the connection before a game was over; connecting again")


@pytest.mark.parametrize(
    ("messages", "failure", "pauses"),
    [
        ([HELLO, "1 error full"], "the server says: full", []),
        ([*START, "2 error broken"], "refused", [1]),
        (["hello"], "localhost:19000 does not speak ump-0.1: 'hello' does not begin with an id", []),
        ([HELLO, "1 tsumo A 69"], "localhost:19000 does not speak ump-0.1: an event before the start of the game", []),
        (
            [*START, "2 tsumo A 69"],
            "localhost:19000 does not speak ump-0.1: an event of a kyoku before its start",
            [],
        ),
        ([*START, *["x"] * 30], "localhost:19000 does not speak ump-0.1: 'x' does not begin with an id", []),
    ],
)
def test_failures(monkeypatch: pytest.MonkeyPatch, messages: list[str], failure: str, pauses: list[float]) -> None:
    """A refusal and nonsense are final; an error in a game is not."""
    plan = Plan(monkeypatch, messages)
    outcome = plan.play(retry=2)
    assert (outcome.failure, plan.pauses) == (failure, pauses)


def test_single_unreadable_messages_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are reported."""
    plan = Plan(monkeypatch, [*START, "oops", *GAME[2:], BYE])
    assert plan.play() == PlayedGames(1, 0, 0, None)
    assert plan.reports == ["ignored a message: 'oops' does not begin with an id"]


def test_refused_answers_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome says how many answers the server has refused."""
    plan = Plan(monkeypatch, [*START, "2 _illegal 1 not_held", *GAME[2:], BYE])
    assert plan.play().refusals == 1
    assert plan.reports == ["the server refuses the bot's answer: not_held"]


def test_a_web_socket_that_ends_without_a_closing_frame() -> None:
    """A server that is killed says no farewell: the connection is lost, and the client tries again."""
    where, thread = serve_frames()
    pauses: list[float] = []
    outcome = play(Passive(), ClientOptions(read_address(f"{where}/mjai"), retry=1), sleep=pauses.append)
    thread.join()
    assert pauses == [1]
    assert outcome.failure is not None and "Connection refused" in outcome.failure


def test_a_web_socket_that_ends_before_an_answer() -> None:
    """The client reads what came before the closing frame, and answers no more."""
    started = '{"kaiju":{"id":0,"player":["me","b","c","d"],"qijia":0},"seq":1}'
    where, thread = serve_frames(
        TextMessage(started), TextMessage('{"error":{"message":"stopping"}}'), CloseConnection(1000)
    )
    outcome = play(Passive(), ClientOptions(read_address(f"{where}/majiang"), retry=0))
    thread.join()
    assert outcome == PlayedGames(0, 0, 0, "the server says: stopping")


def serve_frames(*events: TextMessage | CloseConnection) -> tuple[str, Thread]:
    """Return the address of a server that accepts one WebSocket, sends these frames with that, and ends."""
    listening = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        frames = WSConnection(ConnectionType.SERVER)
        with listening:
            connection = listening.accept()[0]
        with connection:  # nobody listens any more when it ends, so the client's next attempt is refused
            frames.receive_data(connection.recv(4096))
            assert [type(event) for event in frames.events()] == [Request]
            connection.sendall(b"".join(map(frames.send, (AcceptConnection(), *events))))

    thread = Thread(target=accept)
    thread.start()
    return f"ws://127.0.0.1:{listening.getsockname()[1]}", thread


def serve(data: bytes) -> tuple[str, Thread]:
    """Return the address of a server that sends these bytes to one client and resets the connection."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with listening, listening.accept()[0] as connection, suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(data)

    thread = Thread(target=answer)
    thread.start()
    return f"127.0.0.1:{listening.getsockname()[1]}", thread


@pytest.mark.parametrize("scheme", ["", "ws://"])
@pytest.mark.parametrize("data", [b"", b"x" * (MAX_DOCUMENT + 1)], ids=["reset", "endless"])
def test_ports_of_something_else(scheme: str, data: bytes) -> None:
    """A port that resets the connection, or sends without end, gives one reason and no exception."""
    where, thread = serve(data)
    outcome = play(Passive(), ClientOptions(read_address(scheme + where)))
    thread.join()
    assert outcome.failure is not None
    assert where in outcome.failure
    assert "\n" not in outcome.failure


def test_standard_streams() -> None:
    """Lines are read and written; the end of the input is the end."""
    written = BytesIO()
    streams = StandardStreamsLink(BytesIO("[1]\r\n\xe9\n".encode()), written)
    assert (streams.receive(), streams.receive(), streams.receive()) == ("[1]", "é", None)
    streams.send(["a", "b"])
    streams.close()
    assert written.getvalue() == b"a\nb\n"


@each_row(
    ("first", "service"),
    [
        (b"0 hello ump=0.1 name=ump\r\n", Service.UMP),
        (b"0 error full\r\n", Service.UMP),
        (b'{"type":"hello","protocol":"mjsonp"}\n', Service.MJAI),
        (b'{"error":{"message":"expected a hello"}}\n', Service.MAJIANG),
        (b"HTTP/1.1 400 Bad Request\r\n", Service.HTTP),
        (b"SSH-2.0-OpenSSH_9.6\r\n", Service.SSH),
        (b"220 mail\r\n", None),
        (b"", None),
    ],
)
def test_services(first: bytes, service: Service | None) -> None:
    """The first bytes of a service name it."""
    assert service_of(first) is service


def test_unknown_services_are_quoted() -> None:
    """An unknown service is quoted, so that people recognise it."""
    said = wrong_service(b"220 mail\xff\r\n", Service.UMP, "host:25")
    assert said == "host:25 does not speak UMP: '220 mail\\ufffd\\r\\n'; UMP is usually on port 19000"


@each_row(
    ("text", "where", "path"),
    [
        ("localhost:19000", "localhost:19000", ""),
        ("[::1]:19000", "[::1]:19000", ""),
        ("mjsonp://h:1/room", "h:1", "room"),
        ("mjsonp://h", "h:11600", ""),
        ("ws://h:8080/ws/ranked?room=a", "h:8080", "ws/ranked"),
        ("wss://h/mjai", "h:443", "mjai"),
    ],
)
def test_addresses(text: str, where: str, path: str) -> None:
    """Addresses are read in every common form."""
    address = read_address(text)
    assert (address.where, address.path) == (where, path)


@each_row("text", ["localhost", "localhost:x", "localhost:70000", ":19000", ""])
def test_wrong_addresses(text: str) -> None:
    """Other texts are refused in one line."""
    with pytest.raises(AddressError):
        read_address(text)


@each_row(
    ("address", "protocol"),
    [("-", "ump-0.1"), ("localhost:1", "mjai-pipe"), ("localhost:1", "mjai-request"), ("ws://h:1/ump", "mjai")],
)
def test_a_protocol_needs_its_transport(address: str, protocol: str) -> None:
    """A protocol that cannot be spoken there is refused before connecting."""
    with pytest.raises(AddressError, match="cannot be spoken at"):
        play(Passive(), ClientOptions(read_address(address), protocol=protocol))


INTRODUCED = [
    ("ws://h:80", "mjai-request", "room", "/mjai?name=%E9%9B%80%261&room=room"),
    ("ws://h:80/ws/ranked", None, None, "/ws/ranked?name=%E9%9B%80%261"),
    ("ws://h:80/mjai?room=a&name=b", None, "room", "/mjai?room=a&name=b"),
    ("ws://h:80/ump", None, "room", "/ump"),
    ("ws://h:80", "majiang", "room", "/majiang"),
]
"""Addresses, protocols and rooms, and the target of the URL."""


@each_row(("text", "name", "room", "target"), INTRODUCED)
def test_the_url_names_the_player(text: str, name: str | None, room: str | None, target: str) -> None:
    """Mjai on request has no hello: name and room stand in the URL, unless the user has written others there."""
    address = read_address(text)
    protocol = protocol_of(address, name)
    assert introduced(address, protocol, "雀&1", room).target == target
