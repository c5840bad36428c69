"""Read the records of Mahjong Soul: JSON as downloaders save it, or the game's own protobuf messages.

A record is a head, with rules and players, and a list of steps, each a message with its name. JSON has the field names
of the game or those of Python's ``MessageToDict``; fields that are zero may be missing. Which tile the dealer drew
first is not recorded unless it is discarded at once: another tile of the hand stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

from ump.model import events as ev
from ump.model.constants import YAKUMAN_HAN
from ump.model.melds import MeldType, place_of_pon
from ump.model.notation import NotationError, meld_of
from ump.model.seats import PLAYERS, Seat
from ump.model.tiles import KIND_OF, RED_FIVES, Face, sort_faces
from ump.model.yaku import Yaku
from ump.record.game_builder import MOST_NAME, GameBuilder
from ump.record.hand_values import MOST_FU, MOST_HAN, joined_dora, stated_value
from ump.record.record_format import MOST_RESULT, Carried, Fact, RecordFormat, carrying
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordError, Stated
from ump.rules.presets import MAJSOUL, MAJSOUL3
from ump.rules.ruleset import KanDoraTime, Length, MultipleRon, Nagashi, Ruleset
from ump.wire.json_text import JSON, read_document
from ump.wire.text import WireError

_MESSAGES = """
Wrapper name=1s data=2y
ResGameRecord head=3:RecordGame data=4y
RecordGame uuid=1s start_time=2u end_time=3u config=5:GameConfig accounts=11*:AccountInfo result=12:GameEndResult
AccountInfo account_id=1u seat=2u nickname=3s level=7:AccountLevel level3=8:AccountLevel
AccountLevel id=1u score=2u
GameEndResult players=1*:PlayerItem
PlayerItem seat=1u total_point=2i part_point_1=3i part_point_2=4i
GameConfig category=1u mode=2:GameMode meta=3:GameMetaData
GameMetaData room_id=1u mode_id=2u
GameMode mode=1u detail_rule=6:GameDetailRule
GameDetailRecords records=1*y version=2u actions=3*:GameAction
GameAction passed=1u type=2u result=3y
RecordNewRound chang=1u ju=2u ben=3u dora=4s scores=5*i liqibang=6u tiles0=7*s tiles1=8*s tiles2=9*s tiles3=10*s
 paishan=14s left_tile_count=15u doras=16*s
RecordDealTile seat=1u tile=2s left_tile_count=3u doras=6*s
RecordDiscardTile seat=1u tile=2s is_liqi=3b moqie=5b doras=8*s is_wliqi=9b
RecordChiPengGang seat=1u type=2u tiles=3*s froms=4*u
RecordAnGangAddGang seat=1u type=2u tiles=3s doras=6*s
RecordBaBei seat=1u doras=6*s moqie=8b
RecordHule hules=1*:HuleInfo old_scores=2*i delta_scores=3*i scores=5*i doras=7*s baopai=9i
HuleInfo hand=1*s ming=2*s hu_tile=3s seat=4u zimo=5b qinjia=6b liqi=7b doras=8*s li_doras=9*s yiman=10b count=11u
 fans=12*:FanInfo fu=13u point_rong=15u point_zimo_qin=16u point_zimo_xian=17u baopai=21u
FanInfo name=1s val=2u id=3u
RecordNoTile liujumanguan=1b players=2*:NoTilePlayerInfo scores=3*:NoTileScoreInfo
NoTilePlayerInfo tingpai=3b hand=4*s
NoTileScoreInfo seat=1u old_scores=2*i delta_scores=3*i
RecordLiuJu type=1u seat=3u tiles=4*s
GameDetailRule dora_count=3u shiduan=4u init_point=5u fandian=6u can_jifei=7b noting_fafu_1=11u have_liujumanguan=14b
 have_qieshangmanguan=15b ming_dora_immediately_open=18b have_toutiao=26b jingsuanyuandian=33u shunweima_2=34i
 shunweima_3=35i shunweima_4=36i have_zimosun=39b guyi_mode=42u dora3_mode=43u begin_open_mode=44u jiuchao_mode=45u
 muyu_mode=46u xuezhandaodi=48u huansanzhang=49u chuanma=50u disable_leijiyiman=60b disable_double_yakuman=62u
 disable_composite_yakuman=63u disable_double_wind_four_fu=66u disable_angang_guoshi=67u enable_renhe=68u
"""
"""A line is a message; a field is NAME=NUMBER, * if repeated, and its type: s text, y bytes, u uint32, i int32, b bool,
or :MESSAGE. A line that begins with a blank goes on. Names, numbers and types are those of the published definition
(ms-api 0.11.100), for the package protobuf alone, without generated code. Unknown fields are skipped."""

_FIELD = re.compile(r"(\w+)=(\d+)(\*?)(?:([syuib])|:(\w+))")


@cache
def message_classes() -> dict[str, Any]:
    """Return the class of each message by its name; raises ModuleNotFoundError without protobuf."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field_type = descriptor_pb2.FieldDescriptorProto
    types = {
        "s": field_type.TYPE_STRING,
        "y": field_type.TYPE_BYTES,
        "u": field_type.TYPE_UINT32,
        "i": field_type.TYPE_INT32,
        "b": field_type.TYPE_BOOL,
    }
    file = descriptor_pb2.FileDescriptorProto(name="lq.proto", package="lq", syntax="proto3")
    for line in _MESSAGES.strip().replace("\n ", " ").split("\n"):
        name, *fields = line.split()
        message = file.message_type.add(name=name)
        for text in fields:
            field, number, repeated, plain, nested = _FIELD.findall(text)[0]
            added = message.field.add(name=field, number=int(number), label=field_type.LABEL_OPTIONAL)
            if repeated:
                added.label = field_type.LABEL_REPEATED
            if nested:
                added.type, added.type_name = field_type.TYPE_MESSAGE, f".lq.{nested}"
            else:
                added.type = types[plain]
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    classes: dict[str, Any] = {}
    for message in file.message_type:
        descriptor = pool.FindMessageTypeByName(f"lq.{message.name}")
        classes[message.name] = message_factory.GetMessageClass(descriptor)
    return classes


# The fields of a message


MOST_STEPS = 20_000
"""Limit of steps in a record; a long game has 1,500."""

_MOST_POINTS = 10_000_000


class _Fields:
    """The fields of one message; a field that is missing is zero, false or empty. Raises RecordError for others."""

    def __init__(self, content: JSON) -> None:
        if not isinstance(content, dict):
            raise RecordError("expected an object")
        self._content = content

    def number(self, name: str, most: int = _MOST_POINTS, default: int = 0) -> int:
        """Return an integer, whose amount is at most ``most``."""
        return _number(self._content.get(name, default), name, most)

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return a list of integers."""
        return tuple(_number(number, name, _MOST_POINTS) for number in self._list(name))

    def flag(self, name: str) -> bool:
        """Return a switch; some are numbers."""
        return bool(self._content.get(name))

    def text(self, name: str) -> str:
        """Return a text."""
        text = self._content.get(name, "")
        if not isinstance(text, str):
            raise RecordError(f"{name}: expected a text")
        return text

    def face(self, name: str) -> Face:
        """Return a tile."""
        return _face(self._content.get(name))

    def faces(self, name: str) -> tuple[Face, ...]:
        """Return a list of tiles."""
        return tuple(map(_face, self._list(name)))

    def fields(self, name: str) -> _Fields:
        """Return a message inside this one."""
        return _Fields(self._content.get(name, {}))

    def all(self, name: str) -> list[_Fields]:
        """Return a list of messages inside this one."""
        return list(map(_Fields, self._list(name)))

    def has(self, name: str) -> bool:
        """Whether a field is there."""
        return self._content.get(name) not in (None, {}, [], "")

    def _list(self, name: str) -> list[JSON]:
        listed = self._content.get(name, [])
        if not isinstance(listed, list) or len(listed) > MOST_STEPS:
            raise RecordError(f"{name}: expected an array")
        return listed


def _number(content: JSON, name: str, most: int) -> int:
    if type(content) is not int or abs(content) > most:
        raise RecordError(f"{name}: expected a number")
    return content


def _face(content: JSON) -> Face:
    """Return a tile: 0m is the red five of m, 1z to 7z are the winds and the white, green and red dragon."""
    if not isinstance(content, str) or not re.fullmatch("[0-9][mps]|[1-7]z", content):
        raise RecordError(f"expected a tile, got {ascii(content)[:20]}")
    suit = "mpsz".index(content[1])
    if content[0] == "0":
        return RED_FIVES[suit]
    return suit * 9 + int(content[0]) - 1


# The forms of a file


Steps = list[tuple[str, _Fields]]
"""Steps with the names of their messages."""

_DETAILS = b".lq.GameDetailRecords"
"""The name of the message that holds the steps."""

_BARE = bytes([len(_DETAILS)]) + _DETAILS
"""The start of a wrapped ``GameDetailRecords``; the byte before, a line feed, counts as a leading blank."""

_ANSWER = b"\x1a"
"""The first byte of a ``ResGameRecord``: its field ``head``."""

_STEP = re.compile(rb'"(?:\.lq\.)?RecordNewRound"')

_NUMBERED = re.compile(r"(part_point|shunweima|noting_fafu)_?([0-9])")
_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def _sniff(data: bytes) -> bool:
    if data.startswith(b"{"):
        return _STEP.search(data) is not None
    return data.startswith(_BARE) or (data.startswith(_ANSWER) and _DETAILS in data)


def _read_steps(data: bytes) -> tuple[_Fields, Steps]:
    if data.startswith(_BARE):
        return _read_messages(b"\n" + data)
    if not data.startswith(b"{"):
        return _read_messages(data)
    try:
        read = _snake(read_document(data))
    except WireError as error:
        raise RecordError(str(error)) from None
    whole = _Fields(read)
    head = _Fields({})
    if whole.has("head"):
        head = whole.fields("head")
    elif whole.has("mjshead"):
        head = whole.fields("mjshead")
    steps: Steps = []
    for action in _Fields({"steps": _body(read)}).all("steps"):
        step = action
        if action.has("result"):
            step = action.fields("result")
        if action.number("type", default=1) == 1 and step.has("name"):
            steps.append((step.text("name").removeprefix(".lq."), step.fields("data")))
    return head, steps


def _body(read: JSON) -> JSON:
    """Return the list of steps of a document, however deep it lies."""
    body: JSON = None
    if isinstance(read, dict):
        for name in ("data", "mjslog", "record"):
            if name in read:
                body = read[name]
                break
    while isinstance(body, dict):
        body = body.get("data") or body.get("actions") or body.get("records")
    return body or []


def _snake(content: JSON) -> JSON:
    """Return JSON with the game's names of fields: ``doraCount`` is ``dora_count``, ``partPoint1`` ``part_point_1``."""
    if isinstance(content, dict):
        return {_snake_name(name): _snake(field) for name, field in content.items()}
    if isinstance(content, list):
        return list(map(_snake, content))
    return content


def _snake_name(name: str) -> str:
    return _NUMBERED.sub(r"\1_\2", _CAMEL.sub(_lowered, name))


def _lowered(capital: re.Match[str]) -> str:
    return f"_{capital[1].lower()}"


def _read_messages(data: bytes) -> tuple[_Fields, Steps]:
    """Return the steps of a ``ResGameRecord``, or of the bare ``GameDetailRecords`` that it has an address of."""
    try:
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError

        classes = message_classes()
    except ModuleNotFoundError:
        raise RecordError(
            "Mahjong Soul's protobuf needs the package protobuf: pip install 'ump-mahjong[majsoul]'"
        ) from None

    def unwrapped(raw: bytes) -> Any:
        wrapper = classes["Wrapper"].FromString(raw)
        name = wrapper.name.removeprefix(".lq.")
        if name not in classes:
            raise RecordError(f"unknown step {ascii(name)[:40]}")
        return classes[name].FromString(wrapper.data)

    def fields(message: Any) -> _Fields:
        return _Fields(MessageToDict(message, preserving_proto_field_name=True))

    try:
        head = _Fields({})
        if data.startswith(_ANSWER):
            answer = classes["ResGameRecord"].FromString(data)
            head, data = fields(answer.head), answer.data
        details = unwrapped(data)
        raw = [action.result for action in details.actions if action.type == 1] or list(details.records)
        steps: Steps = []
        for message in map(unwrapped, raw[:MOST_STEPS]):
            steps.append((message.DESCRIPTOR.name, fields(message)))
        return head, steps
    except (DecodeError, AttributeError) as error:
        raise RecordError(f"damaged protobuf: {error}") from None


# Rules


_OTHER_GAMES = (
    *("jiuchao_mode", "xuezhandaodi", "huansanzhang", "chuanma", "muyu_mode", "open_hand", "reveal_discard"),
    *("begin_open_mode", "field_spell_mode", "zhanxing", "tianming_mode", "yongchang_mode", "hunzhiyiji_mode"),
    *("wanxiangxiuluo_mode", "beishuizhizhan_mode", "dora3_mode", "guyi_mode"),
)
"""The fields of rules that are set in games with other tiles, yaku or goals."""

_LENGTHS = {1: Length.TONPU, 2: Length.HANCHAN, 11: Length.TONPU, 12: Length.HANCHAN}
"""The length of a game by its mode; modes from 11 on are of three players."""

_RANKED = 2
"""The category of ranked rooms, whose rules are those of the presets."""

_REDS = {0: (0, 0, 0), 2: (0, 1, 1), 3: (1, 1, 1), 4: (1, 2, 1)}


def _rules(head: _Fields, seats: int) -> tuple[Ruleset, bool]:
    """Return the rules, and whether the record states them."""
    config = head.fields("config")
    mode = config.fields("mode")
    rule = mode.fields("detail_rule")
    other = [name for name in _OTHER_GAMES if rule.flag(name)]
    if other:
        raise RecordError(f"another game than riichi mahjong: {', '.join(other)}")
    length = _LENGTHS.get(mode.number("mode"))
    preset = MAJSOUL3
    if seats == 4:
        preset = MAJSOUL
    ours = replace(preset, length=length or Length.HANCHAN)
    if config.number("category", default=_RANKED) == _RANKED or not mode.has("detail_rule"):
        return ours, length is not None
    return _own_rules(ours, rule), length is not None


def _own_rules(ours: Ruleset, rule: _Fields) -> Ruleset:
    """Return the rules of a room that its owner has set up."""
    uma = tuple(rule.number(f"shunweima_{place}", 1_000) for place in range(2, ours.seats + 1))
    changed = replace(
        ours,
        name=f"{ours.name}*",
        red_fives=_REDS.get(rule.number("dora_count"), ours.red_fives),
        start_points=rule.number("init_point", default=ours.start_points),
        return_points=rule.number("jingsuanyuandian", default=ours.return_points),
        target=rule.number("fandian", default=ours.target),
        uma=(-sum(uma), *uma),
        kuitan=rule.number("shiduan") == 1,
        tobi=rule.flag("can_jifei"),
        kiriage=rule.flag("have_qieshangmanguan"),
        noten_penalty=rule.number("noting_fafu_1", default=1_000) * (ours.seats - 1),
        kazoe_yakuman=not rule.flag("disable_leijiyiman"),
        yakuman_add_up=not rule.flag("disable_composite_yakuman"),
        double_wind_fu=4,
        kokushi_ankan=not rule.flag("disable_angang_guoshi"),
    )
    if not rule.flag("have_liujumanguan"):
        changed = replace(changed, nagashi=Nagashi.NO)
    if rule.flag("disable_double_wind_four_fu"):
        changed = replace(changed, double_wind_fu=2)
    if rule.flag("have_toutiao"):
        changed = replace(changed, multiple_ron=MultipleRon.HEAD_BUMP)
    if rule.flag("ming_dora_immediately_open"):
        changed = replace(changed, open_kan_dora=KanDoraTime.AT_ONCE)
    if rule.flag("disable_double_yakuman"):
        changed = replace(
            changed,
            double_suuankou_tanki=False,
            double_kokushi_13=False,
            double_junsei_chuuren=False,
            double_daisuushii=False,
        )
    return changed


# Steps


_YAKU_NAMES = (
    *("MENZEN_TSUMO", "RIICHI", "CHANKAN", "RINSHAN", "HAITEI", "HOUTEI", "HAKU", "HATSU", "CHUN", "SEAT_WIND"),
    *("ROUND_WIND", "TANYAO", "IIPEIKOU", "PINFU", "CHANTA", "ITTSU", "SANSHOKU_DOUJUN", "DOUBLE_RIICHI"),
    *("SANSHOKU_DOUKOU", "SANKANTSU", "TOITOI", "SANANKOU", "SHOUSANGEN", "HONROUTOU", "CHIITOITSU", "JUNCHAN"),
    *("HONITSU", "RYANPEIKOU", "CHINITSU", "IPPATSU", "DORA", "RED_DORA", "URA_DORA", "DORA", "TENHOU"),
    *("CHIHOU", "DAISANGEN", "SUUANKOU", "TSUUIISOU", "RYUUIISOU", "CHINROUTOU", "KOKUSHI", "SHOUSUUSHII"),
    *("SUUKANTSU", "CHUUREN"),
)
"""The names of the yaku with the numbers from 1 on."""

_YAKU = {
    **{number: Yaku[name] for number, name in enumerate(_YAKU_NAMES, 1)},
    47: Yaku.JUNSEI_CHUUREN,
    48: Yaku.SUUANKOU_TANKI,
    49: Yaku.KOKUSHI_13,
    50: Yaku.DAISUUSHII,
    59: Yaku.RENHOU_YAKUMAN,
}
"""The yaku by Mahjong Soul's numbers. 34 are norths that were set aside, which are dora here."""

_DRAWS = {
    1: ev.DrawReason.KYUSHU_KYUHAI,
    2: ev.DrawReason.SUUFON_RENDA,
    3: ev.DrawReason.SUUKAIKAN,
    4: ev.DrawReason.SUUCHA_RIICHI,
    5: ev.DrawReason.SANCHAHO,
}
"""The reasons of abortive draws by their type."""

_CALLS = (MeldType.CHI, MeldType.PON, MeldType.DAIMINKAN)
"""Calls by their type."""

_ANKAN = 3
"""The type of a closed kan; that of an added one is 2."""


class _Game:
    """One game, step by step."""

    def __init__(self, builder: GameBuilder, seats: int) -> None:
        self._builder = builder
        self._seats = seats
        self._source: Seat = 0
        """The seat of the last discard, kan or north."""
        self._indicators = 0
        """The number of indicators that lie open."""
        self._first: Face | None = None
        """The first draw of the dealer, until its first discard."""

    def take(self, name: str, step: _Fields, following: tuple[str, _Fields]) -> None:
        """Take a step; the ``following`` one tells which tile the dealer drew first."""
        match name:
            case "RecordNewRound":
                self._start(step, *following)
                return
            case "RecordDealTile":
                self._reveal(step)  # that of a closed kan comes before the replacement tile
                self._builder.add(ev.TileDrawn(self._seat(step), 0, step.face("tile")))
            case "RecordDiscardTile":
                self._reveal(step)  # that of an open or added kan comes before the discard
                self._discard(step)
            case "RecordChiPengGang":
                self._call(step)
            case "RecordAnGangAddGang":
                self._kan(step)
            case "RecordBaBei":
                self._source = self._seat(step)
                self._builder.add(ev.KitaDeclared(self._source))
            case "RecordHule":
                self._win(step)
            case "RecordNoTile":
                self._exhaust(step)
            case "RecordLiuJu":
                reason = _DRAWS.get(step.number("type"))
                if reason is None:
                    raise RecordError(f"unknown draw {step.number('type')}")
                self._builder.add(ev.KyokuDrawn(reason, (0,) * self._seats))
            case _:
                raise RecordError(f"unknown step {ascii(name)[:40]}")
        self._first = None

    def _seat(self, step: _Fields, name: str = "seat") -> Seat:
        return self._as_seat(step.number(name))

    def _as_seat(self, number: int) -> Seat:
        if not 0 <= number < self._seats:
            raise RecordError(f"seat: expected a number from 0 to {self._seats - 1}")
        return number

    def _start(self, step: _Fields, next_name: str, following: _Fields) -> None:
        hands = [list(step.faces(f"tiles{seat}")) for seat in range(self._seats)]
        dealer = self._seat(step, "ju")
        self._first = _first_draw(hands[dealer], next_name, following)
        if self._first not in hands[dealer]:
            raise RecordError("the dealer has not drawn")
        hands[dealer].remove(self._first)
        bakaze, honba, kyotaku = step.number("chang", 1_000), step.number("ben", 1_000), step.number("liqibang", 1_000)
        points = step.numbers("scores")[: self._seats]
        self._builder.add(ev.KyokuStarted(bakaze, dealer, honba, kyotaku, points, (1, 1)))
        for seat, hand in enumerate(hands):
            self._builder.add(ev.HandDealt(seat, sort_faces(hand)))
        if step.has("dora"):
            indicators: tuple[Face, ...] = (step.face("dora"),)
        else:
            indicators = step.faces("doras")
        self._indicators = 1
        if not indicators:
            raise RecordError("no dora indicator")
        self._builder.add(ev.DoraRevealed(indicators[0]))
        self._builder.add(ev.TileDrawn(dealer, 0, self._first))

    def _reveal(self, step: _Fields) -> None:
        """Reveal new indicators: a step repeats all of them."""
        indicators = step.faces("doras")
        for indicator in indicators[self._indicators :]:
            self._builder.add(ev.DoraRevealed(indicator))
        self._indicators = max(self._indicators, len(indicators))

    def _discard(self, step: _Fields) -> None:
        seat, face = self._seat(step), step.face("tile")
        if step.flag("is_liqi") or step.flag("is_wliqi"):
            self._builder.add(ev.RiichiDeclared(seat))
        self._builder.add(ev.TileDiscarded(seat, face, step.flag("moqie"), False))
        self._source = seat

    def _call(self, step: _Fields) -> None:
        faces, froms, number = step.faces("tiles"), step.numbers("froms"), step.number("type")
        if not froms or not faces or not 0 <= number < len(_CALLS):
            raise RecordError("not a call")
        meld = meld_of("call", faces[:-1], faces[-1:], self._as_seat(froms[-1]))  # the called tile is the last one
        if meld.type is not _CALLS[number]:
            raise RecordError(f"a {meld.type.value} is not a {_CALLS[number].value}")
        self._builder.add(ev.TileCalled(self._seat(step), meld))

    def _kan(self, step: _Fields) -> None:
        seat, face = self._seat(step), step.face("tiles")
        kyoku = self._builder.kyoku
        self._source = seat
        if step.number("type") == _ANKAN:
            own = tuple(held for held in kyoku.hand(seat) or () if KIND_OF[held] == KIND_OF[face])
            if not own:
                raise RecordError("a kan of tiles that are not held")
            self._builder.add(ev.KanDeclared(seat, meld_of("closed kan", own, (), None)))
            return
        place = place_of_pon(kyoku.melds[seat], KIND_OF[face])
        if place is None:
            raise RecordError("a tile is added to a pon that does not exist")
        self._builder.add(ev.KanDeclared(seat, replace(kyoku.melds[seat][place], type=MeldType.KAKAN, added=face)))

    def _exhaust(self, step: _Fields) -> None:
        for seat, player in enumerate(step.all("players")[: self._seats]):
            self._builder.add(ev.TenpaiDeclared(seat, player.flag("tingpai"), None, ()))
        changes = [0] * self._seats
        for payments in step.all("scores"):
            for seat, change in enumerate(payments.numbers("delta_scores")[: self._seats]):
                changes[seat] += change
        reason = ev.DrawReason.EXHAUSTED
        if step.flag("liujumanguan"):
            reason = ev.DrawReason.NAGASHI_MANGAN
        self._builder.add(ev.KyokuDrawn(reason, tuple(changes)))

    def _win(self, step: _Fields) -> None:
        """Take all wins: the record has the sum of their payments, of which the first gets honba and sticks."""
        wins = step.all("hules")
        rest = list(step.numbers("delta_scores")[: self._seats])
        if len(rest) != self._seats or not wins:
            raise RecordError("a win without its payments")
        later = []
        for win in wins[1:]:
            paid = win.number("point_rong")
            changes = [0] * self._seats
            changes[self._seat(win)] = paid
            changes[self._source] -= paid
            rest = [total - own for total, own in zip(rest, changes, strict=True)]
            later.append(changes)
        for win, changes in zip(wins, (rest, *later), strict=True):
            self._add_win(win, tuple(changes), win.number("baopai") or step.number("baopai"))

    def _add_win(self, win: _Fields, changes: tuple[int, ...], liable: int) -> None:
        seat, is_tsumo, tile = self._seat(win), win.flag("zimo"), win.face("hu_tile")
        is_dealer = seat == self._builder.kyoku.dealer
        worth, count = self._worth(win, is_dealer=is_dealer), win.number("count", MOST_HAN)
        yakuman = 0
        if win.flag("yiman"):
            yakuman = count
        yaku, unknown = _yaku(win, is_yakuman=yakuman > 0)
        value = stated_value(
            yaku,
            count,
            win.number("fu", MOST_FU),
            yakuman,
            worth,
            seats=self._seats,
            is_dealer=is_dealer,
            is_tsumo=is_tsumo,
        )
        faces, loser = sort_faces(win.faces("hand")), None
        if is_tsumo:
            faces = (*faces, tile)
        else:
            loser = self._source
        payer = None
        if liable:
            payer = self._as_seat(liable - 1)
        won = ev.HandWon(
            seat=seat,
            loser=loser,
            tile=tile,
            faces=faces,
            melds=(),
            riichi=False,
            ura=win.faces("li_doras"),
            value=value,
            changes=changes,
            liable=payer,
        )
        self._builder.add(won, Stated(worth=worth, unknown_yaku=unknown))

    def _worth(self, win: _Fields, *, is_dealer: bool) -> int:
        """Return what all payers of a win pay together, without honba."""
        if not win.flag("zimo"):
            return win.number("point_rong")
        other = win.number("point_zimo_xian")
        if is_dealer:
            return other * (self._seats - 1)
        return win.number("point_zimo_qin") + other * (self._seats - 2)


def _first_draw(hand: Sequence[Face], next_name: str, following: _Fields) -> Face:
    """Return the dealer's first draw: all 14 tiles are sorted, and only what follows may tell it."""
    if not hand:
        raise RecordError("no hand is dealt")
    if next_name == "RecordHule":
        for win in following.all("hules"):
            return win.face("hu_tile")
    if next_name != "RecordDiscardTile":
        return hand[-1]
    discarded = following.face("tile")
    if following.flag("moqie"):
        return discarded
    for face in hand:
        if face != discarded:
            return face
    return discarded


def _yaku(win: _Fields, *, is_yakuman: bool) -> tuple[list[tuple[Yaku, int]], str | None]:
    """Return the yaku of a win, or none and the numbers of those that are unknown."""
    listed = [(fan.number("id"), fan.number("val", MOST_HAN)) for fan in win.all("fans")]
    unknown = [f"yaku {number}" for number, han in listed if han and number not in _YAKU]
    if unknown:
        return [], ", ".join(unknown)[:60]
    factor = 1
    if is_yakuman:
        factor = YAKUMAN_HAN
    return joined_dora((_YAKU[number], han * factor) for number, han in listed if han), None


# Games


def read_majsoul(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the game of a record; raise RecordError, with the step, if it is damaged or another game."""
    head, steps = _read_steps(data)
    seats = _seats_of(steps)
    ruleset, is_stated = _rules(head, seats)
    builder = GameBuilder(ruleset)
    builder.add(ev.GameStarted(_names(head, seats)))
    game = _Game(builder, seats)
    steps.append(("", _Fields({})))  # nothing follows the last step
    for number, ((name, step), following) in enumerate(pairwise(steps), 1):
        try:
            game.take(name, step, following)
        except (RecordError, NotationError) as error:
            raise RecordError(f"step {number}, {ascii(name)[1:-1][:40]}: {error}") from None
    read = replace(builder.game(), ended=_end(head, seats), room=_room(head), ranks=_ranks(head, seats))
    if not is_stated:
        read = replace(read, rules_stated=False, length_stated=False)
    return (read,)


def _seats_of(steps: Steps) -> int:
    """Return the number of players at the first kyoku; raise RecordError if there is none."""
    for name, step in steps:
        if name == "RecordNewRound":
            seats = len(step.numbers("scores"))
            if seats in PLAYERS:
                return seats
            break
    raise NoKyokuError


def _names(head: _Fields, seats: int) -> tuple[str, ...]:
    """Return the names of the players; those of the computer have none."""
    names = {account.number("seat"): account.text("nickname")[:MOST_NAME] for account in head.all("accounts")}
    return tuple(names.get(seat, "") for seat in range(seats))


def _room(head: _Fields) -> str:
    """Return the number of the ranked room and length, if there is one: 12 is jade south."""
    config = head.fields("config")
    if not config.has("meta"):
        return ""
    return str(config.fields("meta").number("mode_id") or "")


def _ranks(head: _Fields, seats: int) -> tuple[int | None, ...]:
    """Return the players' ids of level in games of so many; nothing if none of them has one."""
    level = "level3"
    if seats == 4:
        level = "level"
    ids: dict[int, int] = {}
    for account in head.all("accounts"):
        if account.has(level):
            ids[account.number("seat")] = account.fields(level).number("id")
    if not any(ids.values()):
        return ()
    return tuple(ids.get(seat) or None for seat in range(seats))


def _end(head: _Fields, seats: int) -> ev.GameEnded | None:
    """Return the end of the game; None for steps without a head."""
    players = {player.number("seat"): player for player in head.fields("result").all("players")}
    if set(players) != set(range(seats)):
        return None
    points = tuple(players[seat].number("part_point_1") for seat in range(seats))
    results = tuple(players[seat].number("total_point", MOST_RESULT) // 100 for seat in range(seats))
    order = sorted(range(seats), key=lambda seat: (-points[seat], seat))
    return ev.GameEnded(points, tuple(order.index(seat) + 1 for seat in range(seats)), results)


MAJSOUL_RECORD = RecordFormat(
    key="majsoul",
    name="Mahjong Soul record",
    suffix=".majsoul.json",
    sniff=_sniff,
    read=read_majsoul,
    write=None,
    carries=carrying(
        {
            Carried.YES: (
                *(Fact.HANDS, Fact.RULES, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA),
                Fact.ORDER,
            )
        }
    ),
)
"""The records of Mahjong Soul (雀魂), which the pages and programs of its players save."""
