"""The messages of Mahjong Soul that a record consists of, for the package protobuf alone, without generated code.

Names, numbers and types are those of the published definition (ms-api 0.11.100). Unknown fields are skipped, so that
later versions of the game change nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

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
or :MESSAGE. A line that begins with a blank goes on."""

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
    for line in _MESSAGES.replace("\n ", " ").split("\n"):
        name, *fields = line.split() or [""]
        if name:
            message = file.message_type.add(name=name)
        for field, number, repeated, plain, nested in (_FIELD.findall(field)[0] for field in fields):
            label = field_type.LABEL_REPEATED if repeated else field_type.LABEL_OPTIONAL
            added = message.field.add(name=field, number=int(number), label=label)
            added.type = types[plain] if plain else field_type.TYPE_MESSAGE
            if nested:
                added.type_name = f".lq.{nested}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = (pool.FindMessageTypeByName(f"lq.{each.name}") for each in file.message_type)
    return {each.name: message_factory.GetMessageClass(each) for each in found}
