"""States of a table as lines of UMP 0.1, so that a page shows them without a game: the sender need not be right."""

from __future__ import annotations

SEATS = "ABCD"
NAMES = ("Kawauso", "defensive-2", "comet", "Tanuki")
PROFILES = ("1612", "bot:-1480?", "1544", "12701?")
HAND = "2m2m5m5m7m1p1p4p9p9p5S7z7z"
RIVER = "9m1z2z5z1s9p2p3z7s4m6p8s1p2m3s6s8p7p5m9s4z6z2s3m"


def tiles(text: str) -> list[str]:
    """Return the tiles of a text without spaces."""
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def dealt(
    names: tuple[str, ...] = NAMES, hand: str = HAND, scores: tuple[int, ...] = (41400, 8500, 27200, 21900)
) -> list[str]:
    """Return the lines that begin a kyoku, seen from the first seat."""
    seats = SEATS[: len(names)]
    return [
        f"_players {' '.join(PROFILES[: len(names)])}",
        f"gamestart A {' '.join(names)}",
        "kyokustart 2z A 2 1000",
        *(f"point {seat} ={score}" for seat, score in zip(seats, scores, strict=False)),
        *(f"haipai {seat} {hand if seat == 'A' else ''}".rstrip() for seat in seats),
        "dora 9m",
    ]


def turns(counts: tuple[int, ...], riichi: str = "") -> list[str]:
    """Return the turns in which each seat fills its river with so many tiles; some seats are in riichi."""
    lines: list[str] = []
    river = tiles(RIVER)
    for at in range(max(counts)):
        for place, count in enumerate(counts):
            if at >= count:
                continue
            seat = SEATS[place]
            if seat in riichi and at == count // 2:
                lines += [f"say {seat} richi"]
            tile = river[(at + 5 * place) % len(river)]
            drawn = f"tsumo {seat} {70 - at}" + (f" {tile}" if seat == "A" else "")
            lines += [drawn, f"sutehai {seat} {tile}" + (" tsumogiri" if at % 3 or seat == "A" else "")]
            if seat in riichi and at == count // 2:
                lines += [f"point {seat} -1000"]
    return lines


def meld(seat: str, source: str, call: str, tile: str, discard: str = "1z") -> list[str]:
    """Return the lines of a call of a seat, and of the discard after it."""
    own = {"chi": f"{int(tile[0]) - 2}{tile[1]}{int(tile[0]) - 1}{tile[1]}", "pon": 2 * tile, "kan": 3 * tile}[call]
    return [
        f"sutehai {source} {tile}",
        f"say {seat} {call}",
        f"open {seat} <{own}> {tile}",
        f"sutehai {seat} {discard}",
    ]


def _turn(offers: str, drawn: str = "7m") -> list[str]:
    return [f"tsumo A 8 {drawn}", f"sutehai? {offers} _drawn={drawn} _time=7+20"]


def _opposite() -> list[str]:
    return [*meld("C", "B", "chi", "4m"), *meld("D", "C", "pon", "6z"), *meld("B", "A", "pon", "3s")]


def _worst() -> list[str]:
    names = tuple(f"{name}-with-a-name-of-32-letters-and"[:32] for name in NAMES)
    lines = dealt(names, "5m" + 3 * "7z" + 3 * "5z" + 3 * "3z" + 3 * "6z", (102300, -12300, 25000, 100000))
    lines += turns((20, 20, 20, 20), "BCD")
    for seat in SEATS:
        sources = [each for each in SEATS if each != seat]
        for number, tile in enumerate(("7z", "5z", "3z", "6z")):
            lines += meld(seat, sources[number % 3], "kan", tile, "9s")
    return [*lines, *(f"dora {tile}" for tile in ("1m", "2m", "3m", "4m")), *_turn("sute=5m5M", "5M")]


def _won() -> list[str]:
    return [
        *dealt(),
        *turns((9, 9, 9, 9), "B"),
        "say B ron",
        "open B 2m3m4m5p6p7p2s3s4s6s7s8s8s",
        "dora 3s",
        "_worth B 3000 12000 0 2000 12000",
        "agari B 40 リーチ 1 一発 1 断幺九 1 ドラ 1 裏ドラ 2",
        "point A -12000",
        "point B +14000",
    ]


def _won_twice() -> list[str]:
    return [
        *dealt(),
        *turns((9, 9, 9, 9), "B"),
        *("tsumo A 30 5p", "sutehai A 5p tsumogiri", "say B ron", "open B 2m3m4m3p4p2s3s4s6s7s8s8s8s", "dora 3s"),
        *(
            "_worth B 2000 8000 300 2000 8000",
            "agari B 40 riichi 1 tanyao 1 uradora 2",
            "point A -8300",
            "point B +10300",
        ),
        *("say D ron", "open D 1z1z6p7p<6z6z6z>(7z7z7z7z)<5z5z5z>", "_worth D 8000 32000 0 0 32000 C"),
        *("agari D 0 daisangen 13", "point A -16000", "point C -16000", "point D +32000"),
    ]


def _drawn() -> list[str]:
    shown = {"A": HAND, "B": "2m3m4m5p6p7p2s3s4s6s7s8s8s", "D": "1m1m1m3p3p3p7s8s9s5z5z6z6z"}
    return [
        *dealt(),
        *turns((17, 17, 17, 17)),
        *(f"say {seat} {'tenpai' if seat in shown else 'noten'}" for seat in SEATS),
        *(f"open {seat} {hand}" for seat, hand in shown.items()),
        "ryukyoku fanpai",
        *(f"point {seat} {'+1000' if seat in shown else '-3000'}" for seat in SEATS),
    ]


STATES: dict[str, list[str]] = {
    "riichi": [
        *dealt(),
        "_notice The%20director%20pauses%20this%20game%20after%20this%20hand.",
        *turns((16, 16, 16, 16), "B"),
        *_opposite(),
        *_turn(f"sute={HAND}7m richi=4p5S _tenpai=4p/1m:3/4m:2/7m:0/5s:2,5S/4p:3/7p:1/furiten _safe=2m5S _advise"),
    ],
    "call": [
        *dealt(hand="1m2m1p1p1s2s3s3s4s5S7s8s9s"),
        *turns((13, 13, 13, 12), "B"),
        *meld("C", "B", "chi", "4m"),
        "tsumo D 30",
        "sutehai D 3s",
        "naku? 3s chi=1s2s,4s5S pon=3s3s _time=6+12 _shanten=1",
    ],
    "many": [
        *dealt(hand="1m2m1p1p1s2s3s3s4s5S7s8s9s"),
        *turns((6, 6, 6, 5)),
        "tsumo D 30",
        "sutehai D 3s",
        "naku? 3s chi=1s2s,2s4s,4s5S pon=3s3s kan _time=6+12 _shanten=1",
    ],
    "opponent": [*dealt(), *turns((8, 8, 8, 8)), "tsumo C 20", "say C richi", "sutehai C 8m"],
    "melds": [
        *dealt(hand="2m5s5s6s6s4p5p6z6z7z7z1s1s"),
        *turns((14, 14, 14, 14), "C"),
        *meld("A", "B", "pon", "7z", "4p"),
        *meld("A", "C", "pon", "6z", "5p"),
        *meld("A", "D", "pon", "5s", "1s"),
        *meld("A", "B", "pon", "6s", "1s"),
        *_opposite(),
        *_turn("sute=2m1s kakan=7z", "1s"),
    ],
    "three": [
        *dealt(NAMES[:3], "2m2m5m5m7m1p1p4p9p9p9p5S4z", scores=(35000, 41000, 29000)),
        *turns((15, 15, 15), "C"),
        *(line for seat in "ABBC" for line in (f"tsumo {seat} 20", f"say {seat} kita")),
        *_turn("sute=2m richi=2m kita ankan=9p _tenpai=2m/4p:2/7p:1", "9p"),
    ],
    "win": _won(),
    "double": _won_twice(),
    "draw": _drawn(),
    "end": [
        *dealt(),
        *turns((3, 3, 3, 3)),
        "kyokuend",
        "_places 1 51400 4 -41500 2 7200 3 -18100",
        "_record 20260401T120000Z-main-1",
        "gameend 41400 8500 27200 21900",
    ],
    "worst": _worst(),
}
STATES["settings"] = STATES["riichi"]
"""The lines of each state, without the numbers that begin them."""


def numbered(lines: list[str]) -> str:
    """Return the lines as the server writes them."""
    return "".join(f"{number} {line}\r\n" for number, line in enumerate(lines, 1))
