"""A Majiang player that knows only the messages, and checks each of them."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

from support.majiang_table import Said, type_of

from ump.model.notation import parse_majiang_face, parse_shoupai
from ump.model.tiles import KIND_OF, KINDS
from ump.rules.analysis import shanten

FOR_ALL = ("dapai", "fulou", "gang", "hule", "pingju")
WITHOUT_SEQ = ("kaigang",)
AFTER = {
    "qipai": ("zimo",),
    "zimo": ("dapai", "gang", "hule", "pingju", "kaigang"),
    "dapai": ("zimo", "fulou", "hule", "pingju", "kaigang"),
    "fulou": ("dapai", "gangzimo", "kaigang"),
    "gang": ("gangzimo", "hule", "kaigang"),
    "gangzimo": ("dapai", "gang", "hule", "kaigang"),
    "kaigang": ("dapai", "gang", "gangzimo", "zimo", "fulou", "pingju"),
    "hule": ("hule", "qipai", "jieju"),
    "pingju": ("qipai", "jieju"),
    "kaiju": ("qipai",),
    "jieju": ("kaiju",),
}
"""The messages that may follow each message."""


class Bot:
    """A bot that follows its hand and all scores, wins and declares when it can, and sometimes calls."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self.id = -1
        self.last = ""
        self._seq = 0
        self._l = 0
        self._hand: list[str] = []
        self._drawn: str | None = None
        self._melds = 0
        self._is_open = False
        self._riichi = False
        self._unpaid: int | None = None
        self._defen = [25_000] * 4
        """Scores by id, as a client computes them that receives no message about sticks."""
        self._sticks = 0
        self._jushu = 0
        self.said: Counter[str] = Counter()
        """The number of times that the bot has sent each word."""

    def hear(self, message: Said) -> Said | None:
        """Take a message; return its reply."""
        type_ = type_of(message)
        content = message[type_]
        assert not self.last or type_ in AFTER[self.last], (self.last, type_)
        assert ("seq" in message) == (type_ not in WITHOUT_SEQ)
        assert ("timer" in message) == (type_ not in (*WITHOUT_SEQ, "jieju"))
        self.last = type_
        self._settle(type_, content)
        getattr(self, f"_hear_{type_}")(content)
        if "seq" not in message:
            return None
        self._seq = 1 if type_ == "kaiju" else self._seq + 1
        assert message["seq"] == self._seq
        reply = self._reply(type_, content)
        self.said.update(reply.keys())
        return reply | {"seq": message["seq"]}

    # Messages

    def _settle(self, type_: str, content: Any) -> None:
        """Pay for a riichi when the next message shows that it stands: an inference that every client must make."""
        if self._unpaid is not None and (
            type_ in ("zimo", "fulou") or (type_ == "pingju" and content["name"] != "三家和")
        ):
            self._defen[self._id(self._unpaid)] -= 1_000
            self._sticks += 1
        if type_ in ("zimo", "fulou", "pingju", "hule"):
            self._unpaid = None

    def _id(self, wind: int) -> int:
        return (self._jushu + wind) % 4

    def _hear_kaiju(self, content: Any) -> None:
        assert len(content["rule"]) == 28
        assert content["qijia"] == 0
        self.id = content["id"]
        self._defen = [content["rule"]["配給原点"]] * 4
        self._sticks = 0

    def _hear_qipai(self, content: Any) -> None:
        self._jushu = content["jushu"]
        self._l = (self.id - self._jushu) % 4
        assert content["lizhibang"] == self._sticks
        assert content["defen"] == [self._defen[self._id(wind)] for wind in range(4)]
        assert [bool(hand) for hand in content["shoupai"]] == [wind == self._l for wind in range(4)]
        own = content["shoupai"][self._l]
        self._hand = [suit + digit for suit, digits in re.findall("([mpsz])([0-9]+)", own) for digit in digits]
        assert len(self._hand) == 13
        self._drawn, self._melds, self._is_open, self._riichi = None, 0, False, False

    def _hear_zimo(self, content: Any) -> None:
        assert bool(content["p"]) == (content["l"] == self._l)
        self._drawn = content["p"] or None
        if self._drawn is not None:
            self._hand.append(self._drawn)

    _hear_gangzimo = _hear_zimo

    def _hear_dapai(self, content: Any) -> None:
        if content["p"].endswith("*"):
            self._unpaid = content["l"]
        if content["l"] == self._l:
            self._hand.remove(content["p"][:2])
            self._riichi |= content["p"].endswith("*")

    def _hear_fulou(self, content: Any) -> None:
        if content["l"] == self._l:
            called = re.search("([0-9])[-=+]", content["m"])
            assert called is not None
            digits = content["m"].replace(called[0], "", 1)
            self._lay_down(digits[0], digits[1:])
            self._is_open = True

    def _hear_gang(self, content: Any) -> None:
        if content["l"] == self._l:
            suit, digits = content["m"][0], re.split("[-=+]", content["m"][1:])
            if len(digits) == 1:
                self._lay_down(suit, digits[0])
            else:
                self._hand.remove(suit + digits[1])

    def _lay_down(self, suit: str, digits: str) -> None:
        for digit in digits:
            self._hand.remove(suit + digit)
        self._melds += 1
        self._drawn = None

    def _hear_kaigang(self, content: Any) -> None:
        parse_majiang_face(content["baopai"])

    def _hear_hule(self, content: Any) -> None:
        assert parse_shoupai(content["shoupai"]).drawn is not None
        self._sticks = 0
        self._pay(content)

    def _hear_pingju(self, content: Any) -> None:
        for hand in content["shoupai"]:
            if hand:
                parse_shoupai(hand)
        self._pay(content)

    def _pay(self, content: Any) -> None:
        for wind, points in enumerate(content["fenpei"]):
            self._defen[self._id(wind)] += points

    def _hear_jieju(self, content: Any) -> None:
        first = content["rank"].index(1)
        self._defen[first] += 1_000 * self._sticks
        assert content["defen"] == self._defen
        for kyoku in content["log"]:
            own = (self.id - kyoku[0]["qipai"]["jushu"]) % 4
            hands = kyoku[0]["qipai"]["shoupai"]
            assert [bool(hand) for hand in hands] == [wind == own for wind in range(4)]
            for entry in kyoku:
                ((type_, told),) = entry.items()
                if type_ in ("zimo", "gangzimo"):
                    assert bool(told["p"]) == (told["l"] == own)

    # Replies

    def _reply(self, type_: str, content: Any) -> Said:
        if type_ in ("zimo", "gangzimo") and content["l"] == self._l:
            return self._turn()
        if type_ == "fulou" and content["l"] == self._l:
            return {} if self._kan_was_called(content) else {"dapai": self._worst()}
        if type_ == "dapai" and content["l"] != self._l:
            return self._call(content["l"], content["p"][:2])
        if type_ == "gang" and content["l"] != self._l and self._shanten(self._added(content["m"])) == -1:
            return {"hule": "-"}
        if type_ == "dapai":
            return self._declaration()
        return {}

    @staticmethod
    def _kan_was_called(content: Any) -> bool:
        return len(re.sub("[^0-9]", "", content["m"])) == 4

    @staticmethod
    def _added(meld: str) -> str:
        return meld[0] + meld[-1]

    def _turn(self) -> Said:
        if self._shanten() == -1:
            return {"hule": "-"}
        assert self._drawn is not None
        four = [tile for tile in set(self._hand) if self._count(tile) == 4]
        if four and not self._riichi and self._chance.random() < 0.8:
            same = sorted((tile for tile in self._hand if self._kind(tile) == self._kind(four[0])), reverse=True)
            return {"gang": four[0][0] + "".join(tile[1] for tile in same)}
        if self._riichi:
            return {"dapai": f"{self._drawn}_"}
        tile = self._worst()
        mark = "_" if tile == self._drawn and self._hand.count(tile) == 1 else ""
        riichi = "*" if not self._is_open and self._shanten_without(tile) == 0 else ""
        return {"dapai": f"{tile}{mark}{riichi}"}

    def _call(self, source: int, tile: str) -> Said:
        if self._shanten(tile) == -1:
            return {"hule": "-"}
        if self._riichi or self._chance.random() < 0.6:
            return self._declaration()
        same = sorted((held for held in self._hand if self._kind(held) == self._kind(tile)), reverse=True)
        mark = {1: "+", 2: "=", 3: "-"}[(source - self._l) % 4]
        if len(same) >= 2:
            taken = same[: self._chance.choice((2, len(same)))]
            return {"fulou": tile[0] + "".join(held[1] for held in taken) + tile[1] + mark}
        if mark == "-" and tile[0] != "z":
            return self._chi(tile) or self._declaration()
        return self._declaration()

    def _chi(self, tile: str) -> Said | None:
        number = int(tile[1]) or 5
        for low in range(number - 2, number + 1):
            wanted = [each for each in range(low, low + 3) if each != number]
            own = [next((h for h in self._hand if h[0] == tile[0] and (int(h[1]) or 5) == each), "") for each in wanted]
            if all(own):
                digits = sorted([*(held[1] for held in own), f"{tile[1]}-"], key=lambda digit: int(digit[0]) or 5)
                return {"fulou": tile[0] + "".join(digits)}
        return None

    def _declaration(self) -> Said:
        """Declare tenpai after every discard: only after the last one it counts."""
        return {"daopai": "-"} if self._shanten() == 0 and self._chance.random() < 0.7 else {}

    def _worst(self) -> str:
        return min(self._hand, key=lambda tile: (self._shanten_without(tile), self._chance.random()))

    def _shanten(self, *more: str) -> int:
        kinds = [0] * KINDS
        for tile in (*self._hand, *more):
            kinds[self._kind(tile)] += 1
        return shanten(kinds)

    def _shanten_without(self, tile: str) -> int:
        rest = self._hand.copy()
        rest.remove(tile)
        kinds = [0] * KINDS
        for held in rest:
            kinds[self._kind(held)] += 1
        return shanten(kinds)

    def _count(self, tile: str) -> int:
        return sum(self._kind(held) == self._kind(tile) for held in self._hand)

    @staticmethod
    def _kind(tile: str) -> int:
        return KIND_OF[parse_majiang_face(tile)]
