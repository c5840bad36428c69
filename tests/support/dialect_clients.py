"""A client for each dialect, which answers well and badly, for games whose messages are compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from support.swapped_tiles import DialectClient, DialectUnderTest

from ump.model.actions import Action, Discard, Pass, Ron, Tsumo
from ump.model.hand import Hand
from ump.model.notation import (
    MAJIANG_FACES,
    MJAI_FACES,
    UMP_FACES,
    parse_majiang_face,
    parse_majiang_meld,
    parse_mjai_face,
    parse_shoupai,
    parse_ump_faces,
    parse_ump_hand,
)
from ump.model.tiles import KIND_OF, Face
from ump.rules.analysis import shanten, waits
from ump.wire.dialect import LoggedIn
from ump.wire.human.session import HumanSession
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import Introduction
from ump.wire.ump.answers import write_action
from ump.wire.ump.sentences01 import Hello, NakuQuestion, SutehaiQuestion
from ump.wire.ump.session import UmpSession

Content = dict[str, Any]

ODDS_OF_NONSENSE = 0.1
"""The chance that an answer is wrong or unreadable."""

ODDS_OF_ADVICE = 0.1
"""The chance of asking for advice in a game of mjai."""

ODDS_OF_SILENCE = 0.01
ODDS_OF_CHATTER = 0.02
"""The chance of a message after one that is no question."""

ODDS_OF_CALL = 0.3
"""The chance of a call or another special action, except a win."""


def worst(hand: Hand, among: Sequence[Face] | None = None) -> Face:
    """Return the tile of these (or of the whole hand) whose discard leaves the lowest shanten."""
    return min(hand.concealed if among is None else among, key=lambda face: distance(hand, face))


def distance(hand: Hand, without: Face) -> int:
    """Return the shanten of the hand without a tile."""
    kinds = hand.kinds[:]
    kinds[KIND_OF[without]] = max(0, kinds[KIND_OF[without]] - 1)
    return shanten(kinds)


class UmpClient(DialectClient):
    """The common part of the clients of both versions of UMP."""

    HELLO: str
    NONSENSE: tuple[str, ...]

    def hear(self, message: str) -> list[bytes]:
        """Answer a question: rightly, wrongly, or not at all."""
        number, command, *words = message.split()
        chance = self.chance
        if command == "hello":
            return [self.HELLO.encode()]
        self.see(command, words)
        if not command.endswith("?"):
            return [chance.choice(self.NONSENSE).encode()] if chance.random() < ODDS_OF_CHATTER else []
        if chance.random() < ODDS_OF_SILENCE:
            return []
        answer = chance.choice(self.NONSENSE) if chance.random() < ODDS_OF_NONSENSE else self.answer(command, words)
        lines = [f"{number} {answer}".encode()]
        return [b"_advise", *lines] if number.endswith("7") else lines

    def see(self, command: str, words: list[str]) -> None:
        """Note an event."""

    def answer(self, command: str, words: list[str]) -> str:
        """Return a sensible answer."""
        raise NotImplementedError


class Ump01Client(UmpClient):
    """A client of UMP 0.1 that uses all extensions of questions."""

    HELLO = "hello name=ears _offer=1 _hand=1 _waits=1 _time=1 _explain=1 _results=1"
    NONSENSE = ("sute 1z", "ron", "tsumo", "chi", "pon 5m 5M", "kan", "ankan 1m", "richi 9p", "yes", "no", "~%", "mu")

    def answer(self, command: str, words: list[str]) -> str:
        """Choose from the offers; prefer a win."""
        if command not in ("sutehai?", "naku?"):
            return "yes"
        extras = (SutehaiQuestion if command == "sutehai?" else NakuQuestion).parse(words).extras
        assert extras.hand is not None
        return write_action(self._chosen(extras.offers or (), Hand(*parse_ump_hand(extras.hand))))

    def _chosen(self, offers: tuple[Action, ...], hand: Hand) -> Action:
        wins = [action for action in offers if isinstance(action, Ron | Tsumo)]
        discards = [action for action in offers if isinstance(action, Discard)]
        others = [action for action in offers if not isinstance(action, Discard)]
        if wins:
            return wins[0]
        if others and self.chance.random() < ODDS_OF_CALL:
            return self.chance.choice(others)
        return min(discards, key=lambda discard: distance(hand, discard.face), default=Pass())


class Ump02Client(UmpClient):
    """A client of UMP 0.2 that follows its hand, and tries calls without knowing whether they are legal."""

    HELLO = "hello name=ears ump=0.2 _explain=1"
    NONSENSE = ("sutehai 1z", "ron", "tsumo", "chi", "pon 5m5M", "kan", "ankan 1m", "yes", "tenpai", "~%", "mu")

    SEEN = {"haipai": (1, True), "tsumo": (2, True), "sutehai": (1, False), "open": (1, False)}  # noqa: RUF012
    """For each command: the place of its tiles among the words, and whether they are added to the hand."""

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._name = ""
        self._hand = Hand()

    def see(self, command: str, words: list[str]) -> None:
        """Follow the client's hand."""
        if command == "seat":
            self._name = words[-1]
        elif command == "kyokustart":
            self._hand = Hand()
        elif command in self.SEEN and words[0] == self._name:
            place, is_added = self.SEEN[command]
            text = words[place]
            if text[0] == "[":  # the tile that is added to a pon
                text = words[2]
            elif command == "open" and text[0] not in "<(":
                return
            for face in parse_ump_faces(text.strip("<>()")):
                (self._hand.add if is_added else self._hand.remove)(face)

    def answer(self, command: str, words: list[str]) -> str:
        """Choose from the offers; the server chooses the tiles of calls."""
        offered = [word for word in words if word in ("ron", "tsumo", "pon", "chi", "kan", "kita")]
        if command == "ready?":
            return "yes"
        if command == "tenpai?":
            return self.chance.choice(("tenpai", "noten"))
        if offered and (offered[0] in ("ron", "tsumo") or self.chance.random() < ODDS_OF_CALL):
            return offered[0]
        if command == "naki?":
            return "no"
        riichi = next((word.removeprefix("richi=") for word in words if word.startswith("richi=")), "")
        if riichi:
            return f"sutehai {UMP_FACES[parse_ump_faces(riichi)[0]]} richi"
        return f"sutehai {UMP_FACES[worst(self._hand)]}"


class PersonClient(DialectClient):
    """A person, who types choices that are shown, tiles of the hand, commands and nonsense."""

    NONSENSE = (
        "kan",
        "ron",
        "",
        "no",
        "chi 1m2m",
        "r",
        "9z",
        "help me",
        "5m 5m",
        "tsumo",
        "~",
        "waits",
        "advice",
        "board",
        "help",
    )

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._hand: list[str] = []
        self._shown = ""

    def begin(self) -> list[bytes]:
        """Say a name."""
        return [b"eyes"]

    def hear(self, message: str) -> list[bytes]:
        """Answer when the time is shown, which ends each question."""
        chance = self.chance
        if message.startswith("  hand  "):
            concealed = re.split("[<(]", message)[0]
            self._hand = concealed.replace("[", "").replace("]", "").split()[1:]
        if message.startswith("Press Enter"):
            return [b""]
        if message.startswith(("Your turn: ", "Your call: ", "Exhaustive draw: ")):
            self._shown = ""
        self._shown += message + " "
        if not message.endswith((" seconds", " seconds left")):
            return []
        return [self._answer().encode()] if chance.random() >= ODDS_OF_SILENCE else []

    def _answer(self) -> str:
        if self.chance.random() < ODDS_OF_NONSENSE:
            return self.chance.choice(self.NONSENSE)
        parts = self._shown.partition(": ")[2].split(" | ")
        choices = [part.partition(" = ")[0].strip() for part in parts if " = " in part]
        wins = [choice for choice in choices if choice in ("t", "ron")]
        others = [choice for choice in choices[1 if self._is_turn else 0 :] if choice != "Enter"]
        if wins:
            return wins[0]
        if others and self.chance.random() < ODDS_OF_CALL:
            return self.chance.choice(others)
        if not self._is_turn:
            return "pass" if "call" in self._shown else ""
        return self.chance.choice([*self._tiles(), choices[0]])

    @property
    def _is_turn(self) -> bool:
        return self._shown.startswith("Your turn")

    def _tiles(self) -> list[str]:
        """Return the tile of the hand whose discard leaves the lowest shanten."""
        faces = [parse_ump_faces(tile)[0] for tile in self._hand if tile[0].isdigit()]
        return [UMP_FACES[worst(Hand(faces))]] if len(faces) % 3 == 2 else []


class JsonClient(DialectClient):
    """The common part of the clients of JSON dialects."""

    NONSENSE: tuple[bytes, ...]

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.hand = Hand()
        self.drawn: Face | None = None
        self.in_riichi = False

    def deal(self, faces: Sequence[Face]) -> None:
        """Start a kyoku with these tiles."""
        self.hand = Hand(faces)
        self.drawn = None
        self.in_riichi = False

    def draw(self, face: Face) -> None:
        """Add a drawn tile to the hand."""
        self.drawn = face
        self.hand.add(face)

    def lay(self, faces: Sequence[Face]) -> None:
        """Remove tiles from the hand."""
        self.drawn = None
        for face in faces:
            self.hand.remove(face)

    def thrown(self) -> Face:
        """Return the tile to discard."""
        return self.drawn if self.in_riichi and self.drawn is not None else worst(self.hand)

    def pair_of(self, face: Face) -> list[Face]:
        """Return two tiles of the hand of the same kind, by chance, or an empty list."""
        pair = [held for held in self.hand.concealed if KIND_OF[held] == KIND_OF[face]][:2]
        return pair if len(pair) == 2 and self.chance.random() < ODDS_OF_CALL else []

    def declares(self) -> bool:
        """Return, by chance, whether to declare riichi with a tenpai hand."""
        return not self.in_riichi and distance(self.hand, worst(self.hand)) == 0 and self.chance.random() < 0.5

    def or_nonsense(self, answer: Content) -> bytes:
        """Return the text of an answer or, by chance, nonsense."""
        nonsense = self.chance.random() < ODDS_OF_NONSENSE
        return self.chance.choice(self.NONSENSE) if nonsense else json.dumps(answer).encode()


class MjaiClient(JsonClient):
    """A client of mjai that replies to every message or batch, except those that say that it cannot act."""

    NONSENSE = (
        b"{",
        b"[]",
        b'{"type":"hora"}',
        b'{"type":"dahai","pai":"5mr","tsumogiri":true}',
        b'{"type":"pon","consumed":["E","E"]}',
        b'{"type":"reach","actor":7}',
        b'{"type":"none"}',
        b'{"type":"ankan","pai":"1m"}',
        b'{"type":"ryukyoku","reason":"kyushukyuhai"}',
    )
    SEEN = frozenset(
        ("start_game", "start_kyoku", "tsumo", "dahai", "reach", "chi", "pon", "daiminkan", "ankan", "kita")
    )

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self.seat = -1

    def hear(self, message: str) -> list[bytes]:
        """Take all events, and reply to the last one."""
        read = json.loads(message)
        messages: list[Content] = read if isinstance(read, list) else [read]
        for each in messages:
            self._see(each)
        return self.reply(messages[-1])

    def reply(self, last: Content) -> list[bytes]:
        """Return the reply to a message."""
        if last["type"] == "hello":
            is_advised = self.chance.random() < ODDS_OF_ADVICE
            return [json.dumps({"type": "join", "name": "ears", "room": "default", "advice": is_advised}).encode()]
        if last.get("can_act") is False or last["type"] == "error":
            return []
        is_own = last.get("actor") == self.seat
        if last["type"] in ("tsumo", "reach", "chi", "pon") and is_own:
            return [self.or_nonsense(self._turn(last))]
        if last["type"] in ("dahai", "kakan", "ankan", "kita") and not is_own:
            return [self.or_nonsense(self._call(last))]
        return [b'{"type":"none"}']

    def _see(self, message: Content) -> None:
        kind = message["type"]
        if kind == "start_game":
            self.seat = message["id"]
        elif kind == "start_kyoku":
            self.deal(self._faces(message["tehais"][self.seat]))
        elif message.get("actor") != self.seat:
            return
        elif kind == "tsumo":
            self.draw(parse_mjai_face(message["pai"]))
        elif kind in ("dahai", "kakan", "kita"):
            self.lay([parse_mjai_face(message["pai"])])
        elif kind in ("chi", "pon", "daiminkan", "ankan"):
            self.lay(self._faces(message["consumed"]))
        elif kind == "reach":
            self.in_riichi = True

    @staticmethod
    def _faces(names: list[str]) -> list[Face]:
        return [parse_mjai_face(name) for name in names]

    def _turn(self, last: Content) -> Content:
        offers: list[Content] = last.get("possible_actions", [])
        if offers and (offers[0]["type"] == "hora" or self.chance.random() < ODDS_OF_CALL):
            return offers[0]
        if last["type"] == "tsumo" and "possible_actions" not in last and self.declares():
            return {"type": "reach", "actor": self.seat}
        face = worst(self.hand) if last["type"] == "reach" else self.thrown()
        return {"type": "dahai", "actor": self.seat, "pai": MJAI_FACES[face], "tsumogiri": face == self.drawn}

    def _call(self, last: Content) -> Content:
        offers: list[Content] = last.get("possible_actions", [])
        if offers and (offers[0]["type"] == "hora" or self.chance.random() < ODDS_OF_CALL):
            return self.chance.choice(offers)
        pair = self.pair_of(parse_mjai_face(last["pai"])) if last["type"] == "dahai" else []
        if not pair:
            return {"type": "none"}
        call = {"type": "pon", "actor": self.seat, "target": last["actor"], "pai": last["pai"]}
        return {**call, "consumed": [MJAI_FACES[face] for face in pair]}


class LockstepClient(MjaiClient):
    """A client of mjai in lock-step: it replies to every message, also where it cannot act."""

    def reply(self, last: Content) -> list[bytes]:
        """Return the reply to a message."""
        return super().reply(last) or ([] if last["type"] == "error" else [b'{"type":"none"}'])


class RequestClient(MjaiClient):
    """A client of mjai that replies only to requests, sometimes with an old id."""

    def reply(self, last: Content) -> list[bytes]:
        """Choose from the possible actions."""
        if last["type"] != "request_action":
            return []
        offers: list[Content] = last["possible_actions"]
        discards = {parse_mjai_face(offer["pai"]): offer for offer in offers if offer["type"] == "dahai"}
        others = [offer for offer in offers if offer["type"] not in ("dahai", "none")]
        chosen: Content = discards[worst(self.hand, list(discards))] if discards else {"type": "none"}
        if others and (others[0]["type"] == "hora" or self.chance.random() < ODDS_OF_CALL):
            chosen = self.chance.choice(others)
        request = last["request_id"] - (self.chance.random() < ODDS_OF_CHATTER)
        return [self.or_nonsense({**chosen, "request_id": request})]


class MajiangClient(JsonClient):
    """A client of Majiang that replies to every message with a sequence number."""

    HELLO: Content = {"name": "ears", "explain": True}  # noqa: RUF012
    NONSENSE = (
        b"{",
        b'{"hule":"-"}',
        b'{"dapai":"m0_"}',
        b'{"dapai":"z1*"}',
        b'{"fulou":"m555="}',
        b'{"fulou":7}',
        b'{"gang":"z1111"}',
        b'{"daopai":"-"}',
        b"{}",
    )

    def __init__(self, chance: Random) -> None:
        super().__init__(chance)
        self._wind = 0

    def begin(self) -> list[bytes]:
        """Say hello."""
        return [json.dumps({"hello": self.HELLO}).encode()]

    def hear(self, message: str) -> list[bytes]:
        """Take a message, and reply."""
        read: Content = json.loads(message)
        kind = read["type"] if "type" in read else next(iter(read))
        content: Content = read["data"] if "data" in read else read[kind]
        decides = self._see(kind, content)
        if "seq" not in read:
            return []
        answer = self._turn() if decides else self._call(content) if kind == "dapai" else {}
        nonsense = self.or_nonsense(answer) if decides or kind == "dapai" else b"{}"
        return [nonsense.replace(b"{", b'{"seq":%d,' % read["seq"], 1).replace(b",}", b"}")]

    def _see(self, kind: str, content: Content) -> bool:
        """Follow the client's hand; return whether the client must discard."""
        if kind == "kaiju":  # to a client that comes back it has the game so far
            decides = [self._see(*next(iter(each.items()))) for kyoku in content.get("log", ()) for each in kyoku]
            return decides[-1] if decides else False
        if kind == "qipai":
            self.in_riichi = False
            self._wind = next(wind for wind, hand in enumerate(content["shoupai"]) if hand)
            self.deal(parse_shoupai(content["shoupai"][self._wind]).faces)
        elif kind not in ("zimo", "gangzimo", "dapai", "fulou", "gang") or content["l"] != self._wind:
            return False
        elif kind in ("zimo", "gangzimo"):
            self.draw(parse_majiang_face(content["p"]))
            return True
        elif kind == "dapai":
            self.in_riichi = self.in_riichi or "*" in content["p"]
            self.lay([parse_majiang_face(content["p"][:2])])
        else:
            meld = parse_majiang_meld(content["m"], 0)
            self.lay(meld.own if meld.added is None else [meld.added])
            return kind == "fulou" and not meld.is_kan
        return False

    def _turn(self) -> Content:
        face = self.thrown()
        marks = ("_" if face == self.drawn else "") + ("*" if self.declares() else "")
        return {"dapai": MAJIANG_FACES[face] + marks}

    def _call(self, content: Content) -> Content:
        if content["l"] == self._wind:
            return {"daopai": "-"}
        tile = content["p"][:2]
        pair = self.pair_of(parse_majiang_face(tile))
        if not pair:
            return {"hule": "-"} if self.chance.random() < ODDS_OF_CHATTER else {}
        sign = {1: "-", 2: "=", 3: "+"}[(self._wind - content["l"]) % 4]
        return {"fulou": tile[0] + "".join(MAJIANG_FACES[face][1] for face in pair) + tile[1] + sign}


class OldMajiangClient(MajiangClient):
    """A client of Majiang that asks for the message format of 2015."""

    HELLO: Content = {**MajiangClient.HELLO, "form": "type-data"}  # noqa: RUF012


class SocketIOClient(MajiangClient):
    """A client of Majiang over Socket.IO that has logged in, and sends events."""

    def begin(self) -> list[bytes]:
        """Return nothing: the server greets first."""
        return []

    def hear(self, message: str) -> list[bytes]:
        """Take an event, and reply if it belongs to the game."""
        name, *arguments = json.loads(message)
        if name == "HELLO":
            return [b'["ROOM"]']
        replies = super().hear(json.dumps(arguments[0])) if name == "GAME" else []
        return [b'["GAME",%b]' % reply for reply in replies]


EARS = Introduction(name="ears")


def ump01() -> UmpSession:
    """Return the session of a new connection to the UMP port; the client may choose 0.2."""
    return UmpSession(Hello((("ump", "0.1"), ("name", "ump"))))


UMP01 = DialectUnderTest("ump 0.1", ump01, Ump01Client)

EVERY_DIALECT: tuple[DialectUnderTest, ...] = (
    UMP01,
    DialectUnderTest("ump 0.2", ump01, Ump02Client),
    DialectUnderTest("plain words", HumanSession, PersonClient, is_person=True),
    DialectUnderTest("mjai in lock-step", LockstepSession, LockstepClient),
    DialectUnderTest("mjai in batches", lambda: BatchSession(EARS), MjaiClient),
    DialectUnderTest("mjai in lines", lambda: LineSession(EARS), MjaiClient),
    DialectUnderTest(
        "mjai on request",
        lambda: RequestSession("ears", None, is_validation=True, waits=waits, wants_advice=True),
        RequestClient,
    ),
    DialectUnderTest("majiang", MajiangSession, MajiangClient),
    DialectUnderTest("majiang of 2015", MajiangSession, OldMajiangClient),
    DialectUnderTest("majiang over Socket.IO", lambda: SocketIOMajiangSession(LoggedIn("ears", "uid")), SocketIOClient),
)
"""Every dialect with its client."""
