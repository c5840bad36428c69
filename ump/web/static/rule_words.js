// Names of rules and of their values for the page of a room's rules. A name that is missing in English is that of the
// option, without hyphens.

/** The fields of a ruleset in ten lines. The length is said above them. */
export const GROUPS = {
  points: ["start-points", "return-points", "uma", "floating-uma", "chips", "rounding", "equal-scores", "left-sticks"],
  tiles: ["red-fives", "kita"],
  calls: ["kuitan", "kuikae"],
  riichi: ["ippatsu", "riichi-points", "riichi-tiles", "riichi-kan", "open-riichi"],
  dora: ["ura-dora", "kan-dora", "kan-ura", "open-kan-dora"],
  wins: ["multiple-ron", "ron-extras", "own-copies", "kokushi-ankan", "renhou"],
  draws: ["kyushu-kyuhai", "suufon-renda", "suucha-riichi", "suukaikan", "nagashi", "noten-penalty", "tenpai"],
  value: ["double-wind-fu", "kiriage", "kazoe-yakuman"],
  yakuman: [
    "double-suuankou-tanki", "double-kokushi-13", "double-junsei-chuuren", "double-daisuushii", "tenhou-any-tile", "yakuman-add-up",
    "pao-daisangen", "pao-daisuushii", "pao-suukantsu", "pao-cover", "pao-honba", "rinshan-pao",
  ],
  course: ["renchan", "agari-yame", "tenpai-yame", "extra-round", "target", "tobi"],
};

export const RULE_WORDS = {
  en: {
    title: (room) => `Rules of ${room}`, differences: "Different from Tenhou", instead: (value) => `(Tenhou: ${value})`,
    same: "Nothing: these are Tenhou's rules.", all: "All rules", noRoom: (room) => `This server has no room ${room}.`,
    groups: {
      points: "Points", tiles: "Tiles", calls: "Calls", riichi: "Riichi", dora: "Dora", wins: "Wins", draws: "Draws", value: "Value",
      yakuman: "Yakuman", course: "Course of the game",
    },
    fields: {
      "left-sticks": "left riichi sticks", kuitan: "open tanyao", kuikae: "swap calling (kuikae)", "riichi-points": "points needed",
      "riichi-tiles": "tiles left in the wall", "riichi-kan": "closed kan in riichi", "open-kan-dora": "dora of open kans",
      "multiple-ron": "several rons", "ron-extras": "honba and sticks of several rons", "floating-uma": "uma by players above",
      "own-copies": "wait on four own tiles", "kokushi-ankan": "kokushi robs closed kans",
      "kyushu-kyuhai": "nine terminals", "suufon-renda": "four winds", "suucha-riichi": "four riichi", suukaikan: "four kans",
      nagashi: "nagashi mangan", tenpai: "tenpai shown", "double-wind-fu": "fu of a double wind pair", "kazoe-yakuman": "counted yakuman",
      "pao-cover": "pao for", "pao-honba": "honba of pao paid by", "rinshan-pao": "pao for an open kan", renchan: "dealer repeats with",
      "extra-round": "extra wind", target: "points needed to end", tobi: "ends below zero",
    },
    values: {
      "head-bump": "nearest wins", double: "two win", all: "all win", concealed: "not if all concealed", "with-melds": "not with melds either",
      declared: "on request", "riichi-only": "riichi alone", ahead: "first dealer ahead", share: "shared", first: "to the first", nearest: "nearest winner", each: "each its own",
      tenths: "to hundreds", whole: "to thousands", "same-shape": "same shape and waits", liable: "liable player", draw: "paid draw", win: "a win",
      own: "its yakuman alone",
    },
  },
  ja: {
    title: (room) => `${room}のルール`, differences: "天鳳との違い", instead: (value) => `（天鳳：${value}）`,
    same: "違いはありません。天鳳のルールです。", all: "すべてのルール", noRoom: (room) => `ルーム ${room} はありません。`,
    groups: {
      points: "点数", tiles: "牌", calls: "鳴き", riichi: "リーチ", dora: "ドラ", wins: "和了", draws: "流局", value: "打点", yakuman: "役満",
      course: "進行",
    },
    fields: {
      length: "長さ", "start-points": "配給原点", "return-points": "返し点", uma: "ウマ", "floating-uma": "浮き人数別のウマ", chips: "祝儀", "ron-extras": "複数ロンの積み棒と供託",
      "equal-scores": "同点", "left-sticks": "残った供託",
      rounding: "端数", "red-fives": "赤ドラ", kuitan: "喰いタン", kuikae: "喰い替え", ippatsu: "一発", "ura-dora": "裏ドラ",
      "kan-dora": "カンドラ", "kan-ura": "カン裏", "open-kan-dora": "明槓のドラ", "multiple-ron": "複数ロン",
      "kyushu-kyuhai": "九種九牌", "suufon-renda": "四風連打", "suucha-riichi": "四家立直", suukaikan: "四開槓", nagashi: "流し満貫",
      "noten-penalty": "ノーテン罰符", tenpai: "テンパイの宣言", "own-copies": "自分で使い切った待ち", renchan: "連荘の条件",
      "agari-yame": "和了やめ", "tenpai-yame": "テンパイやめ", "extra-round": "延長戦", target: "終了に必要な点", tobi: "トビ",
      "riichi-points": "リーチに必要な点", "riichi-tiles": "リーチに必要な残り牌", "riichi-kan": "リーチ後の暗槓",
      "double-wind-fu": "連風牌の雀頭の符", kiriage: "切り上げ満貫", "kazoe-yakuman": "数え役満",
      "double-suuankou-tanki": "四暗刻単騎のダブル役満", "double-kokushi-13": "国士十三面のダブル役満",
      "double-junsei-chuuren": "純正九蓮のダブル役満", "double-daisuushii": "大四喜のダブル役満", "tenhou-any-tile": "天和の和了牌は任意", "yakuman-add-up": "役満の複合",
      "pao-daisangen": "大三元の責任払い", "pao-daisuushii": "大四喜の責任払い", "pao-suukantsu": "四槓子の責任払い",
      "pao-cover": "責任払いの範囲", "pao-honba": "責任払いの積み棒", "rinshan-pao": "大明槓の責任払い", renhou: "人和",
      "open-riichi": "オープンリーチ", "kokushi-ankan": "国士の暗槓への槍槓", kita: "北抜きドラ",
    },
    values: {
      yes: "あり", no: "なし", kyoku: "一局", tonpu: "東風", hanchan: "半荘", ahead: "上家が上位", share: "順位を分ける", first: "トップへ", nearest: "頭ハネ", each: "各自",
      lost: "なくなる", tenths: "百点単位", whole: "千点単位", forbidden: "禁止", "same-tile": "現物のみ禁止", allowed: "あり",
      "at-once": "即めくり", "before-discard": "打牌の直前", "after-discard": "打牌の後", "head-bump": "頭ハネ", double: "ダブロンまで", all: "全員",
      draw: "流局扱い", win: "和了", declared: "申告", automatic: "自動", "riichi-only": "リーチのみ", concealed: "手の内の四枚", "with-melds": "副露も数える",
      tenpai: "テンパイ", noten: "ノーテンでも", none: "なし", "sudden-death": "サドンデス", "repeat-first": "親の連荘あり", never: "不可",
      "same-shape": "形も待ちも同じ", "same-waits": "待ちが同じ", own: "その役満のみ", liable: "責任者", discarder: "放銃者", mangan: "満貫",
      "five-han": "五翻", yakuman: "役満",
    },
  },
  zh: {
    title: (room) => `${room} 的规则`, differences: "与天凤的不同", instead: (value) => `（天凤：${value}）`,
    same: "没有不同：采用天凤规则。", all: "全部规则", noRoom: (room) => `没有房间 ${room}。`,
    groups: {
      points: "点数", tiles: "牌", calls: "鸣牌", riichi: "立直", dora: "宝牌", wins: "和牌", draws: "流局", value: "打点", yakuman: "役满",
      course: "进程",
    },
    fields: {
      length: "局数", "start-points": "起始点数", "return-points": "返点", uma: "马点", "floating-uma": "按浮家数的马点", chips: "祝仪", "ron-extras": "多家荣和的本场与供托",
      "equal-scores": "同分", "left-sticks": "剩余供托",
      rounding: "零头", "red-fives": "赤宝牌", kuitan: "食断", kuikae: "食替", ippatsu: "一发", "ura-dora": "里宝牌", "kan-dora": "杠宝牌",
      "kan-ura": "杠里宝牌", "open-kan-dora": "明杠翻宝牌", "multiple-ron": "多家荣和", "kyushu-kyuhai": "九种九牌",
      "suufon-renda": "四风连打", "suucha-riichi": "四家立直", suukaikan: "四杠散了", nagashi: "流局满贯", "noten-penalty": "未听罚符",
      tenpai: "听牌宣告", "own-copies": "自己用尽的听牌", renchan: "连庄条件", "agari-yame": "和了终局", "tenpai-yame": "听牌终局",
      "extra-round": "加时", target: "终局所需点数", tobi: "击飞", "riichi-points": "立直所需点数", "riichi-tiles": "立直所需余牌",
      "riichi-kan": "立直后暗杠", "double-wind-fu": "连风牌雀头符", kiriage: "切上满贯", "kazoe-yakuman": "累计役满",
      "double-suuankou-tanki": "四暗刻单骑双倍", "double-kokushi-13": "国士十三面双倍", "double-junsei-chuuren": "纯正九莲双倍",
      "double-daisuushii": "大四喜双倍", "tenhou-any-tile": "天和任意和张", "yakuman-add-up": "役满复合", "pao-daisangen": "大三元包牌", "pao-daisuushii": "大四喜包牌",
      "pao-suukantsu": "四杠子包牌", "pao-cover": "包牌范围", "pao-honba": "包牌本场", "rinshan-pao": "大明杠包牌", renhou: "人和",
      "open-riichi": "开立直", "kokushi-ankan": "国士抢暗杠", kita: "拔北宝牌",
    },
    values: {
      yes: "有", no: "无", kyoku: "一局", tonpu: "东风", hanchan: "半庄", ahead: "先亲者在前", share: "平分名次", first: "归首位", nearest: "最近者", each: "各自", lost: "作废",
      tenths: "按百点", whole: "按千点", forbidden: "禁止", "same-tile": "仅禁现物", allowed: "允许", "at-once": "立即", "before-discard": "打牌前",
      "after-discard": "打牌后", "head-bump": "头跳", double: "至多两家", all: "全部", draw: "算流局", win: "算和牌", declared: "宣告",
      automatic: "自动", "riichi-only": "仅立直", concealed: "手中四张", "with-melds": "含副露", tenpai: "听牌", noten: "未听也可", none: "无",
      "sudden-death": "骤死", "repeat-first": "庄家可连庄", never: "不可", "same-shape": "牌型与听牌不变", "same-waits": "听牌不变", own: "仅该役满",
      liable: "包牌者", discarder: "放铳者", mangan: "满贯", "five-han": "五番", yakuman: "役满",
    },
  },
};
