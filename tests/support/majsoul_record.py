"""Games as Mahjong Soul writes them, so that tests need no record with the names of its players."""

from __future__ import annotations

from typing import Any

from ump.model import events as ev
from ump.model.melds import MeldType
from ump.model.tiles import RED_FIVES, Face
from ump.record.majsoul import _DRAWS, _YAKU
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.rules.ruleset import Length

NUMBERS = {yaku: number for number, yaku in reversed(_YAKU.items())}

Step = dict[str, Any]
"""A message with its name."""


def record(game: RecordedGame) -> Step:
    """Return the head and the steps of a game, as JSON of a page's script has them."""
    assert game.ended is not None
    seats = range(len(game.names))
    mode = (10 if len(seats) == 3 else 0) + (1 if game.ruleset.length is Length.TONPU else 2)
    players = [
        {"seat": seat, "part_point_1": game.ended.points[seat], "total_point": 100 * game.ended.results[seat]}
        for seat in seats
    ]
    head = {
        "config": {"category": 2, "mode": {"mode": mode, "detail_rule": {}}, "meta": {"mode_id": 12}},
        "accounts": [
            {"seat": seat, "nickname": game.names[seat], "level": {"id": 10301 + seat}, "level3": {"id": 20301 + seat}}
            for seat in seats
        ],
        "result": {"players": players},
    }
    return {"head": head, "data": [step for kyoku in game.kyoku for step in steps(kyoku)]}


def steps(kyoku: RecordedKyoku) -> list[Step]:
    """Return the steps of one kyoku."""
    writer = _Kyoku(kyoku)
    for event in kyoku.events:
        writer.write(event)
    return writer.steps


def tile(face: Face) -> str:
    """Write a tile."""
    return f"0{'mps'[RED_FIVES.index(face)]}" if face in RED_FIVES else f"{face % 9 + 1}{'mpsz'[face // 9]}"


def tiles(faces: tuple[Face, ...]) -> list[str]:
    """Write tiles."""
    return [tile(face) for face in faces]


class _Kyoku:
    def __init__(self, kyoku: RecordedKyoku) -> None:
        self.steps: list[Step] = []
        self._started = kyoku.started
        self._seats = len(kyoku.started.points)
        self._hands: dict[int, list[str]] = {}
        self._doras: list[str] = []
        self._is_begun = False
        self._tenpai: list[Step] = []

    def _add(self, name: str, **fields: Any) -> None:
        self.steps.append({"name": f".lq.Record{name}", "data": fields})

    def write(self, event: ev.Event) -> None:
        """Add an event."""
        match event:
            case ev.HandDealt():
                self._hands[event.seat] = tiles(event.faces or ())
            case ev.DoraRevealed():
                self._doras.append(tile(event.indicator))
            case ev.TileDrawn(face=face) if face is not None:
                self._draw(event.seat, tile(face))
            case ev.RiichiDeclared():
                self._add("DiscardTile", is_liqi=True)
            case ev.TileDiscarded():
                told = self.steps.pop()["data"] if self.steps[-1]["data"].keys() == {"is_liqi"} else {}
                told |= {"seat": event.seat, "tile": tile(event.face), "moqie": event.tsumogiri}
                self._add("DiscardTile", **told, doras=self._doras[:])
            case ev.TileCalled(seat=seat, meld=meld) if meld.called is not None:
                kind = (MeldType.CHI, MeldType.PON, MeldType.DAIMINKAN).index(meld.type)
                froms = [*[seat] * len(meld.own), meld.source]
                self._add("ChiPengGang", seat=seat, type=kind, tiles=tiles((*meld.own, meld.called)), froms=froms)
            case ev.KanDeclared(seat=seat, meld=meld):
                added = meld.added
                kind = 3 if added is None else 2
                self._add("AnGangAddGang", seat=seat, type=kind, tiles=tile(meld.own[0] if added is None else added))
            case ev.KitaDeclared():
                self._add("BaBei", seat=event.seat)
            case ev.HandWon():
                self._win(event)
            case ev.TenpaiDeclared():
                self._tenpai.append({"seat": event.seat, "tingpai": event.tenpai})
            case ev.KyokuDrawn():
                self._drawn(event)

    def _draw(self, seat: int, drawn: str) -> None:
        if self._is_begun:
            self._add("DealTile", seat=seat, tile=drawn, doras=self._doras[:])
            return
        self._is_begun = True
        started = self._started
        self._hands[started.dealer] = sorted([*self._hands[started.dealer], drawn])
        self._add(
            "NewRound",
            chang=started.bakaze,
            ju=started.dealer,
            ben=started.honba,
            liqibang=started.kyotaku,
            scores=list(started.points),
            doras=self._doras[:],
            **{f"tiles{seat}": hand for seat, hand in self._hands.items()},
        )

    def _win(self, won: ev.HandWon) -> None:
        value, is_tsumo = won.value, won.loser is None
        is_dealer = won.seat == self._started.dealer
        times = 13 if value.yakuman else 1
        worth = value.points(self._seats, is_dealer=is_dealer, is_tsumo=is_tsumo)
        base = -(-value.base // 100) * 100
        twice = -(-2 * value.base // 100) * 100
        hule = {
            "seat": won.seat,
            "zimo": is_tsumo,
            "hu_tile": tile(won.tile),
            "hand": tiles(won.faces[:-1] if is_tsumo else won.faces),
            "li_doras": tiles(won.ura),
            "yiman": value.yakuman > 0,
            "count": value.yakuman or value.han,
            "fu": value.fu,
            "fans": [{"id": NUMBERS[yaku], "val": han // times} for yaku, han in value.yaku],
            "point_rong": 0 if is_tsumo else worth,
            "point_zimo_xian": twice if is_dealer else base,
            "point_zimo_qin": 0 if is_dealer else twice,
            "baopai": 0 if won.liable is None else won.liable + 1,
        }
        if self.steps[-1]["name"] != ".lq.RecordHule":
            self._add("Hule", hules=[], delta_scores=[0] * self._seats)
        told = self.steps[-1]["data"]
        told["hules"].append(hule)
        told["delta_scores"] = [sum(both) for both in zip(told["delta_scores"], won.changes, strict=True)]

    def _drawn(self, drawn: ev.KyokuDrawn) -> None:
        kinds = {reason: kind for kind, reason in _DRAWS.items()}
        if drawn.reason in kinds:
            self._add("LiuJu", type=kinds[drawn.reason])
            return
        players = [{"tingpai": each["tingpai"]} for each in sorted(self._tenpai, key=lambda each: int(each["seat"]))]
        scores = [{"delta_scores": list(drawn.changes)}]
        is_nagashi = drawn.reason is ev.DrawReason.NAGASHI_MANGAN
        self._add("NoTile", players=players, scores=scores, liujumanguan=is_nagashi)
