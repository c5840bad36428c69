"""Conversations with a server in each protocol, as a client holds them, and how their messages travel.

A conversation takes messages and returns messages; it has no input or output of its own.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import assert_never
from urllib.parse import parse_qs, quote

from ump.bots.bot import BotPlayer, Legal
from ump.bots.links import STREAMS, Address, AddressError, LineLink, Link, Service, StandardStreamsLink, WebSocketLink
from ump.bots.ump_client import UMP_01, UMP_02, ClientNews, OpenQuestion, UmpClient, UmpVersion
from ump.model import actions
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Riichi
from ump.model.commitments import commitment_of, text_commitment_of
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.notation import MajiangTile, format_majiang_meld, format_majiang_tile
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.hints import waits_after
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON, read_document, write
from ump.wire.majiang.events import rule_object
from ump.wire.majiang.read import MajiangReader
from ump.wire.mjai.actions import MjaiQuestion, write_action
from ump.wire.mjai.events import Message
from ump.wire.mjai.lockstep_session import DEFAULT_ROOM
from ump.wire.mjai.read import Fields, MjaiReader
from ump.wire.mjai.session_base import ASKED_ABOUT
from ump.wire.session import ServerRefusal
from ump.wire.text import WireError
from ump.wire.ump import reader as told
from ump.wire.ump import sentences01
from ump.wire.ump.sentences01 import Commitment, Proof, Reveal, Secret, Seeds, Texts

# A client's part in the walls of its games


def new_text() -> str:
    """Return 256 random bits in hex."""
    return secrets.token_hex(32)


class WallCheck:
    """One client's texts, over all its games and connections.

    The client reports what does not fit: then the server, or a player together with it, may have chosen the walls.
    """

    def __init__(self, report: Callable[[str], object], make_text: Callable[[], str] = new_text) -> None:
        self._report = report
        self._make_text = make_text
        self._text = make_text()
        """The text for the next game."""
        self._revealed: str | None = None
        """The text for the current game."""
        self._commitment: str | None = None
        self._commitments: tuple[str | None, ...] = ()
        self._texts: tuple[str | None, ...] = ()

    @property
    def commitment(self) -> str:
        """The commitment to the text for the next game."""
        return text_commitment_of(self._text)

    def reveal(self) -> Reveal:
        """Return the text, with the commitment to the one for the game after; raise ValueError if it would be wrong."""
        if self.commitment not in self._commitments or self._commitment is None:
            raise ValueError("the server asks for our text, but has not told our commitment and its own")
        self._revealed, self._text = self._text, self._make_text()
        return Reveal(self._revealed, self.commitment)

    def take(self, proof: Proof) -> None:
        """Take what the server says about the walls, and report what does not fit."""
        match proof:
            case Commitment(digest):
                self._commitment, self._commitments, self._texts = digest, (), ()
            case Seeds(commitments):
                self._commitments = commitments
            case Texts(texts):
                self._texts = texts
                self._check_texts()
            case Secret(secret):
                self._check_secret(secret)

    def _check_texts(self) -> None:
        if len(self._texts) != len(self._commitments):
            self._doubt("the server tells other players' texts than commitments")
        for committed, text in zip(self._commitments, self._texts, strict=False):
            if text is not None and text_commitment_of(text) != committed:
                self._doubt("a player's text does not fit its commitment")
            elif text is None and committed is not None:
                self._report("a player has not revealed its text for the walls, so the server plays its seat")
        if self._revealed is not None and self._revealed not in self._texts:
            self._doubt("the server leaves our text out")

    def _check_secret(self, secret: str) -> None:
        if commitment_of(secret) != self._commitment:
            self._doubt("the server's secret does not fit its commitment")
        self._commitment, self._revealed = None, None

    def _doubt(self, why: str) -> None:
        self._report(f"the walls are not proven: {why}")


# Conversations


@value
class ClientFacts:
    """The facts that a client states about itself."""

    name: str
    room: str | None = None
    """The room to play in; None: the server's choice."""
    games: int = 1
    """The number of games to stay for; 0: no limit."""
    user: str | None = None
    password: str | None = None
    seat_token: str | None = None
    """The token of the seat that the client takes back; it then asks for no name or room, and stays for that game."""
    walls: WallCheck | None = None
    """The client's part in the walls of its games, where the protocol has that; None: it takes no part."""


class Conversation(ABC):
    """One connection as the client sees it."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        self.is_greeted = False
        """Whether the server has shown that it speaks this protocol."""
        self.is_over = False
        """Whether the client has nothing to wait for any more."""
        self._player = player
        self._introduction = introduction

    def begin(self) -> list[str]:
        """Return the messages that the client sends first; most protocols have none."""
        return []

    def leave(self) -> list[str]:
        """Return the messages with which the client gives its seat back before the game is over."""
        return []

    @abstractmethod
    def receive(self, message: str) -> list[str]:
        """Take one message without its line end, and return the messages to send.

        Raises WireError (a ValueError) for an unreadable message, ValueError for one that contradicts earlier ones,
        ServerRefusal for an error of the server, and BotFault if the player does not tolerate it.
        """


# UMP 0.1 and 0.2


class UmpConversation(Conversation):
    """UMP, in 0.1 with lists of legal actions where the server has them."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts, version: UmpVersion = UMP_01) -> None:
        super().__init__(player, introduction)
        self._client = UmpClient(version)
        self._last: int | None = None
        """The number of the player's games after the last one here; None: the server says which is the last."""
        if introduction.games and not version.has_bye:
            self._last = player.games + introduction.games

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        replies: list[str] = []
        for news in self._client.receive(message):
            replies += self._take(news)
        return replies

    def leave(self) -> list[str]:
        """Return ``bye``."""
        return self._client.leave() if self.is_greeted else []

    def _take(self, news: ClientNews) -> list[str]:
        match news:
            case OpenQuestion():
                legal = Legal(news.actions, news.phase, news.tile, news.seconds)
                return [self._client.answer(self._player.choose(legal))]
            case told.ReadyAsked():
                return [self._client.go_on()]
            case told.HelloReceived():
                self._greet()
                return [self._client.introduce(news, self._options())]
            case told.ByeReceived():
                self.is_over = True
                return [self._client.say_bye(news)]
            case told.SeedAsked():
                if self._introduction.walls is not None:
                    return [f"{news.id} {self._introduction.walls.reveal().serialise()}"]
            case Commitment() | Secret() | Seeds() | Texts():
                if self._introduction.walls is not None:
                    self._introduction.walls.take(news)
            case sentences01.SeatToken(token):
                self._player.seat_token = token
            case sentences01.Illegal(reason=reason):
                self._player.refuse(reason.value)
            case sentences01.Notice(text):
                self._player.report(f"the server says: {text!r}")
            case _:
                if isinstance(news, Event):
                    self._see(news)
        return []

    def _see(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._begin_game(event.names)
        self._player.see(event)
        if isinstance(event, GameEnded) and self._last is not None:
            self.is_over = self._player.games >= self._last

    def _begin_game(self, names: tuple[str, ...]) -> None:
        seat = self._client.seat
        if seat is None:
            raise ValueError("the server gives us no seat")
        self._player.begin_game(seat, names, self._client.preset)
        self._client.seen = self._player.seen

    def _greet(self) -> None:
        self.is_greeted = True
        if self._introduction.walls is not None and "_seed" not in self._client.server.get("_ext", "").split(","):
            self._player.report("this server does not let players add to the walls")

    def _options(self) -> list[tuple[str, str | None]]:
        """Return the options of the own hello."""
        introduction = self._introduction
        is_new = introduction.seat_token is None
        walls = introduction.walls
        extension = "1" if self._client.version is UMP_01 else None
        return [
            ("name", introduction.name if is_new else None),
            ("_games", str(introduction.games)),
            ("_explain", "1"),
            ("_resume", introduction.seat_token or "1"),
            ("_room", introduction.room if is_new else None),
            ("user", introduction.user),
            ("password", introduction.password),
            ("_seed", None if walls is None else walls.commitment),
            ("_offer", extension),
            ("_time", extension),
        ]


# mjai as a client speaks it: in lock-step, from standard streams, and on request.
#
# A riichi takes two steps in mjai: the client declares it, the server repeats the declaration, and then the client
# names the tile. The bot decides both at once.

NOTHING: Message = {"type": "none"}
"""The reply to a message that asks nothing."""

_OWN = ASKED_ABOUT[Phase.TURN] | {"reach"}
"""Own moves after which the seat acts."""

_OTHERS = dict.fromkeys(ASKED_ABOUT[Phase.CALL], Phase.CALL) | dict.fromkeys(ASKED_ABOUT[Phase.CHANKAN], Phase.CHANKAN)
"""Moves of others after which the seat may act, and the question that they ask."""

_REFUSED = ("rejected", "unparseable", "defaulted")
"""The outcomes of a reply that does not count. A stale one came too late, often because others have decided."""


@value
class _Asked:
    """A question that a message asks."""

    phase: Phase
    tile: Face | None
    is_echo: bool = False
    """Whether the message repeats the seat's own riichi, and asks for its tile."""


class ToldQuestion:
    """A question as a client knows it: a ``QuestionView`` that accepts every action."""

    def __init__(self, phase: Phase, tile: Face | None, hand: Hand, legal: tuple[Action, ...] = ()) -> None:
        """``legal`` are the actions that are known to be legal; most servers list none."""
        self.phase = phase
        self.tile = tile
        self.hand = hand
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Return the known actions."""
        return self._legal

    def check(self, action: Action) -> None:
        """Accept every action: only servers refuse them."""


class MjaiConversation(Conversation):
    """The common part of all three forms."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        super().__init__(player, introduction)
        self._reader = MjaiReader()
        self._riichi: Discard | None = None
        """The discard of a riichi that the bot has declared."""

    def _see(self, message: Fields) -> None:
        """Pass the events of one message on."""
        if message.get("type") == "error":
            raise ServerRefusal(str(message.get("message", "")))
        for event in self._reader.read(message):
            self._pass_on(event)
            self.is_greeted = True

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._riichi = None
            self._player.begin_game(self._reader.seat, event.names)
        if not self._player.is_in_game:
            raise WireError("an event before the start of the game")
        self._player.see(event)

    def _asked(self, message: Fields) -> _Asked | None:
        """Return the question that a message may ask, or None."""
        type_, is_own = str(message.get("type")), message.get("actor") == self._reader.seat
        seen = self._player.seen
        if is_own and type_ in _OWN:
            return _Asked(Phase.TURN, seen.drawn, is_echo=type_ == "reach")
        if not is_own and type_ in _OTHERS:
            return _Asked(_OTHERS[type_], seen.last_tile)
        return None

    def _reply(self, asked: _Asked, message: Fields) -> Message:
        """Return the reply to a question; ``message`` may list actions that the server offers or excludes."""
        if asked.is_echo:
            discard, self._riichi = self._riichi, None
            return self._written(discard or self._best_tenpai_discard(asked, message), asked)
        legal = self._player.legal(asked.phase, asked.tile, partial(self._is_offered, asked, message))
        action = self._player.choose(legal)
        if isinstance(action, Riichi):
            self._riichi = Discard(action.face, action.tsumogiri)
        return self._written(action, asked)

    def _best_tenpai_discard(self, asked: _Asked, message: Fields) -> Discard:
        """Return the discard of a riichi that the bot has not declared, or not in this connection.

        It is the one after which most tiles win. Where no discard keeps tenpai, the drawn tile goes. Raises WireError
        if no tile was drawn.
        """
        seen, drawn = self._player.seen, asked.tile
        if drawn is None:
            raise WireError("a riichi without a draw")
        held = seen.hand.faces
        discards = [Discard(face, face == drawn and held[face] == 1) for face in dict.fromkeys(seen.hand.concealed)]
        offered = [discard for discard in discards if self._is_offered(asked, message, discard)]
        waits = waits_after(seen, [each.face for each in offered])
        best, most = Discard(drawn, tsumogiri=True), (-1, False)
        for discard in offered:
            if discard.face in waits:
                live = sum(left for _, left in waits[discard.face].live)
                rank = live, discard.face == KIND_OF[discard.face]  # rather a plain five than a red one
                if rank > most:
                    best, most = discard, rank
        return best

    def _is_offered(self, asked: _Asked, message: Fields, action: Action) -> bool:
        """Tell whether a server that lists actions, or tiles that must stay, allows this one."""
        if isinstance(action, Riichi) and action.opened:
            return False
        excluded, offers = message.get("cannot_dahai"), message.get("possible_actions")
        written = self._written(action, asked)
        if isinstance(excluded, list) and isinstance(action, Discard):
            return written["pai"] not in excluded
        if not isinstance(offers, list) or written == NOTHING:
            return True
        listed = [offer for offer in offers if isinstance(offer, dict)]
        lists_discards = any(offer.get("type") == "dahai" for offer in listed)
        if isinstance(action, Discard) and not lists_discards:
            return True
        return any(_means(offer, written) for offer in listed)

    def _written(self, action: Action, asked: _Asked) -> Message:
        if isinstance(action, DeclareTenpai | DeclareNoten):
            return NOTHING
        seen = self._player.seen
        source = seen.me if seen.source is None else seen.source
        question = ToldQuestion(asked.phase, asked.tile, seen.hand)
        return write_action(action, MjaiQuestion(seen.me, source, question))


def _means(offer: Mapping[str, JSON], written: Message) -> bool:
    """Tell whether an offer is this action. Servers leave different fields out, so only common ones count."""
    for key in ("type", "pai", "consumed"):
        if key in offer and key in written and not _same(offer[key], written[key]):
            return False
    return True


def _same(one: object, other: object) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return one == other


def _object(message: str) -> dict[str, JSON]:
    read = read_document(message.encode())
    if not isinstance(read, dict):
        raise WireError("expected a JSON object")
    return read


class LockstepConversation(MjaiConversation):
    """mjai over TCP: exactly one reply to each message, and one game for each connection.

    A client that has taken its seat back reads the kyoku so far again. Those messages say that it cannot act on them.
    """

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        if not message.strip():
            return []
        read = _object(message)
        if read.get("type") == "hello":
            self.is_greeted = True
            return [write(self._join())]
        self._see(read)
        if read.get("type") == "start_game":
            self._player.take_token(read.get("resume"))
        self.is_over = read.get("type") == "end_game"
        asked = None if read.get("can_act") is False else self._asked(read)
        if asked is None or (read.get("possible_actions") == [] and asked.phase is not Phase.TURN):
            return [write(NOTHING)]
        return [write(self._reply(asked, read))]

    def _join(self) -> Message:
        """Return the reply to the hello, which asks for a token, or for the seat of one."""
        introduction = self._introduction
        room, resume = introduction.room or DEFAULT_ROOM, introduction.seat_token or True
        return {"type": "join", "name": introduction.name, "room": room, "resume": resume}


class PipedConversation(MjaiConversation):
    """mjai over standard streams: batches (an array in a line), or lines that may say ``"can_act":false``."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        super().__init__(player, introduction)
        self.is_greeted = True

    def receive(self, message: str) -> list[str]:
        """Take one line."""
        if not message.strip():
            return []
        read = read_document(message.encode())
        is_batch = isinstance(read, list)
        listed = read if isinstance(read, list) else [read]
        events = [each for each in listed if isinstance(each, dict)]
        if not events:
            raise WireError("expected mjai events")
        for event in events:
            self._see(event)
        last = events[-1]
        asked = None if last.get("can_act") is False else self._asked(last)
        if asked is None:
            return [write(NOTHING)] if is_batch else []
        return [write(self._reply(asked, last))]


class RequestConversation(MjaiConversation):
    """mjai over a WebSocket: a reply to each request, with its id."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        super().__init__(player, introduction)
        self.is_greeted = True  # the handshake has shown it
        self._last: _Asked | None = None
        """The question that the last move may ask."""

    def receive(self, message: str) -> list[str]:
        """Take one frame."""
        read = _object(message)
        type_ = read.get("type")
        if type_ == "request_action":
            if self._last is None:
                raise WireError("a request before the first move")
            return [write({**self._reply(self._last, read), "request_id": read.get("request_id")})]
        if type_ == "action_ack" and read.get("status") in _REFUSED:
            self._player.refuse(" ".join(str(read[key]) for key in ("status", "reason") if key in read))
        if type_ == "validation_result":
            self._player.report(f"validation: {'passed' if read.get('passed') is True else 'failed'}")
        self._see(read)
        self._last = self._asked(read) or self._last
        self.is_over = type_ == "end_game"
        return []


# Majiang's messages as a client speaks them: a reply to each message that has a number (``seq``).
#
# Majiang asks nobody whether a hand is tenpai: a bot declares it in its reply to the last discard. This client always
# does, so that a tenpai hand is paid.

_PHASES = {"dapai": Phase.CALL, "gang": Phase.CHANKAN}
"""Moves of others after which the seat may act, and the question that they ask."""

_TURN = frozenset(("zimo", "gangzimo", "fulou"))
"""Own moves after which the seat acts; not after an open kan, which is a ``fulou`` too."""

_LENGTH = "場数"
"""The length of the game in a rule object."""

_FRAME = frozenset(("seq", "timer"))
"""Keys of a message besides its type."""


class MajiangConversation(Conversation):
    """Majiang over TCP or a WebSocket."""

    def __init__(self, player: BotPlayer, introduction: ClientFacts) -> None:
        super().__init__(player, introduction)
        self._reader = MajiangReader()
        self._last = player.games + introduction.games if introduction.games else None
        """The number of the player's games after the last one here; None: there is no last one."""

    def begin(self) -> list[str]:
        """Return the hello."""
        introduction = self._introduction
        given = {
            "name": introduction.name,
            "room": introduction.room,
            "user": introduction.user,
            "password": introduction.password,
            "games": introduction.games,
            "resume": introduction.seat_token or True,
        }
        hello = {key: text for key, text in given.items() if text is not None}
        return [write({"hello": {**hello, "explain": True}})]

    def receive(self, message: str) -> list[str]:
        """Take one message."""
        if not message.strip():
            return []
        read = read_document(message.encode())
        types = [key for key in read if key not in _FRAME] if isinstance(read, dict) else []
        if not isinstance(read, dict) or len(types) != 1:
            raise WireError("expected a Majiang message")
        type_ = types[0]
        content = read[type_]
        self._take(type_, content)
        if "seq" not in read:
            return []
        return [write({**self._reply(type_, content), "seq": read["seq"]})]

    def _take(self, type_: str, content: JSON) -> None:
        fields: Fields = content if isinstance(content, dict) else {}
        if type_ == "error":
            raise ServerRefusal(str(fields.get("message", "")))
        if type_ == "refused":
            self._player.refuse(str(fields.get("reason", "")))
        for event in self._reader.read(type_, content):
            self.is_greeted = True
            self._pass_on(event)
        if type_ == "kaiju":
            self._player.take_token(fields.get("resume"))
            for moved, told in _told_again(fields.get("log")):
                self._take(moved, told)

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._player.begin_game(self._reader.seat, event.names, _ruleset(self._reader.rule))
        if not self._player.is_in_game:
            raise WireError("a message before the start of the game")
        self._player.see(event)
        self.is_over = self._last is not None and self._player.games >= self._last

    def _reply(self, type_: str, content: JSON) -> dict[str, object]:
        seen = self._player.seen
        actor = _actor(seen, content)
        is_own = actor == seen.me
        if is_own and type_ in _TURN and seen.kan is None:
            legal = self._player.legal(Phase.TURN, seen.drawn, _can_write)
            return _written(self._player.choose(legal), seen, seen.drawn)
        if actor is None or type_ not in _PHASES:
            return {}
        reply: dict[str, object] = {}
        if not is_own:
            legal = self._player.legal(_PHASES[type_], seen.last_tile)
            reply = _written(self._player.choose(legal), seen, seen.last_tile)
        is_last = type_ == "dapai" and not seen.left
        return {"daopai": "-"} if is_last and not reply else reply


def _told_again(log: JSON) -> Iterator[tuple[str, JSON]]:
    """Yield the messages of the current kyoku so far, which a client receives when it comes back to its seat."""
    kyoku = log[-1] if isinstance(log, list) and log else []
    for entry in kyoku if isinstance(kyoku, list) else []:
        if isinstance(entry, dict):
            yield from entry.items()


def _actor(seen: Observation, content: JSON) -> int | None:
    """Return the seat that a move belongs to."""
    wind = content.get("l") if isinstance(content, dict) else None
    return (seen.dealer + wind) % seen.ruleset.seats if isinstance(wind, int) else None


def _can_write(action: actions.Action) -> bool:
    """Tell whether Majiang has a word for an action."""
    return not (isinstance(action, actions.Riichi) and action.opened)


def _written(action: actions.Action, seen: Observation, tile: Face | None) -> dict[str, object]:
    """Return the reply for an action, without its number."""
    match action:
        case actions.Discard():
            return {"dapai": format_majiang_tile(MajiangTile(action.face, action.tsumogiri))}
        case actions.Riichi():
            return {"dapai": format_majiang_tile(MajiangTile(action.face, action.tsumogiri, True))}
        case actions.Tsumo() | actions.Ron():
            return {"hule": "-"}
        case actions.KyushuKyuhai():
            return {"daopai": "-"}
        case actions.Chi() | actions.Pon():
            return {"fulou": _call(action.own, seen, tile)}
        case actions.Daiminkan():
            return {"fulou": _call(_held(seen, tile), seen, tile)}
        case actions.Ankan(kind):
            return {"gang": format_majiang_meld(Meld(MeldType.ANKAN, _held(seen, kind)), seen.me)}
        case actions.Kakan(face):
            return {"gang": _added(face, seen)}
        case actions.Kita():
            raise ValueError("Majiang has no games of three")
        case actions.Pass() | actions.DeclareTenpai() | actions.DeclareNoten():
            return {}
        case _:
            assert_never(action)


def _held(seen: Observation, tile: Face | None) -> tuple[Face, ...]:
    """Return the concealed tiles of the kind of a tile."""
    return tuple(face for face in seen.hand.concealed if tile is not None and KIND_OF[face] == KIND_OF[tile])


def _call(own: tuple[Face, ...], seen: Observation, tile: Face | None) -> str:
    """Write the meld that a call of the last tile makes."""
    assert tile is not None, "calls are about a tile"
    kinds = {KIND_OF[face] for face in (*own, tile)}
    equal = MeldType.PON if len(own) == 2 else MeldType.DAIMINKAN
    return format_majiang_meld(Meld(equal if len(kinds) == 1 else MeldType.CHI, own, tile, seen.source), seen.me)


def _added(face: Face, seen: Observation) -> str:
    """Write the kan that this tile and the pon of its kind make."""
    place = place_of_pon(seen.hand.melds, KIND_OF[face])
    assert place is not None, "an added kan is legal only with a pon"
    pon = seen.hand.melds[place]
    return format_majiang_meld(Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, face), seen.me)


def _ruleset(rule: Fields) -> Ruleset | None:
    """Return the first preset that has this rule object, or None; the length of the game does not matter."""
    for preset in PRESETS.values():
        if {**rule_object(preset), _LENGTH: rule.get(_LENGTH)} == rule:
            return preset
    return None


# The protocols that a bot can speak: the conversation of each, and how its messages travel.

Converse = Callable[[BotPlayer, ClientFacts], Conversation]


@value
class Protocol:
    """One protocol."""

    name: str
    """The name of the option ``--protocol``."""
    converse: Converse
    service: Service | None = None
    """The service of its lines over TCP; None: it has none."""
    ending: str = "\n"
    """The characters that end each line that the client sends."""
    speaks_first: bool = True
    """Whether the server speaks first over TCP."""
    path: str | None = None
    """The usual path of its WebSocket; None: it has none."""
    in_lines: bool = False
    """Whether a frame may hold several lines."""
    in_streams: bool = False
    """Whether it is spoken over standard streams."""


PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("ump-0.1", UmpConversation, Service.UMP, "\r\n", path="ump", in_lines=True),
        Protocol("ump-0.2", partial(UmpConversation, version=UMP_02), Service.UMP, "\r\n", path="ump", in_lines=True),
        Protocol("mjai", LockstepConversation, Service.MJAI),
        Protocol("mjai-pipe", PipedConversation, in_streams=True),
        Protocol("mjai-request", RequestConversation, path="mjai"),
        Protocol("majiang", MajiangConversation, Service.MAJIANG, speaks_first=False, path="majiang"),
    )
}
"""All protocols by name, the default first."""

_BY_SCHEME = {STREAMS: "mjai-pipe", "mjsonp": "mjai"}
_BY_PATH = {"ump": "ump-0.1", "majiang": "majiang", "mjai": "mjai-request", "": "mjai-request"}


def protocol_of(address: Address, name: str | None) -> Protocol:
    """Return the protocol for an address: the named one, or the usual one. Raises AddressError if they do not fit."""
    usual = _BY_PATH.get(address.path, "mjai-request") if address.is_web_socket else "ump-0.1"
    protocol = PROTOCOLS[name or _BY_SCHEME.get(address.scheme, usual)]
    if address.scheme == STREAMS:
        fits = protocol.in_streams
    elif address.is_web_socket:
        fits = protocol.path is not None
    else:
        fits = protocol.service is not None
    if not fits:
        raise AddressError(f"{protocol.name} cannot be spoken at {address if address.host else 'standard streams'}")
    return protocol


def open_link(address: Address, protocol: Protocol, *, name: str, token: str | None, room: str | None) -> Link:
    """Connect; raises OSError, mostly a LinkError with a reason for people, if nothing or another service answers."""
    if address.scheme == STREAMS:
        return StandardStreamsLink()
    if address.is_web_socket:
        return WebSocketLink(introduced(address, protocol, name, room), token=token, in_lines=protocol.in_lines)
    link = LineLink(address, protocol.ending)
    if protocol.speaks_first and protocol.service is not None:
        try:
            link.check(protocol.service)
        except BaseException:
            link.close()
            raise
    return link


def check_port(address: Address, protocol: Protocol) -> None:
    """Raise LinkError if another service answers there; for servers that wait until the client has spoken."""
    if protocol.service is None or address.is_web_socket:
        return
    link = LineLink(address, protocol.ending)
    try:
        link.check_by_probe(protocol.service)
    finally:
        link.close()


def introduced(address: Address, protocol: Protocol, name: str, room: str | None) -> Address:
    """Return the address with the usual path, and with the name and room that the client cannot say otherwise.

    What the address says itself stays.
    """
    target = address.target if address.path else f"/{protocol.path}"
    if protocol.converse is RequestConversation:
        said = parse_qs(target.partition("?")[2], keep_blank_values=True)
        for key, text in (("name", name), ("room", room)):
            if text is not None and key not in said:
                target += f"{'&' if '?' in target else '?'}{key}={quote(text, safe='')}"
    return Address(address.scheme, address.host, address.port, target)
