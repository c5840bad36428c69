// The course: its lessons with their tasks, as JSON. words/lessons_en.js says what each asks, ump/server/lessons.py plays the deals.

export const LESSONS = [
  {"id": "tiles", "group": "hand", "art": "1m5p9s", "tasks": [
    {"kind": "tap", "hand": "129m457p17s13567z", "accepted": ["1z", "3z", "5z", "6z", "7z"]},
    {"kind": "tap", "hand": "129m457p17s13567z", "accepted": ["1m", "9m", "1s"]},
    {"kind": "tap", "hand": "458p5s8m9p", "accepted": ["5p", "8p"]}
  ]},
  {"id": "shape", "group": "hand", "art": "234m55p", "tasks": [
    {"kind": "tap", "hand": "1p3p4s7z", "shown": "234m678p555s11p77z", "accepted": ["1p", "7z"]},
    {"kind": "tap", "hand": "123m55678p234s777z", "accepted": ["5p"]},
    {"kind": "choose", "options": ["1133m2288p4477s55z", "1133m2288p4477s56z", "123m456m789m112p22z", "345m345p345s66777z"], "accepted": [0, 3]}
  ]},
  {"id": "waits", "group": "hand", "art": "23s", "tasks": [
    {"kind": "waits", "hand": "234m678p777z11p23s", "accepted": ["1s", "4s"]},
    {"kind": "waits", "hand": "123m456p789s55z46s", "accepted": ["5s"]},
    {"kind": "waits", "hand": "123m456p789s1122z", "accepted": ["1z", "2z"]},
    {"kind": "waits", "hand": "34567m22p567888s", "accepted": ["2m", "5m", "8m"]}
  ]},
  {"id": "discard", "group": "hand", "art": "46s4z", "tasks": [
    {"kind": "discard", "hand": "5m123m9p456p67s88s34z", "accepted": ["3z", "4z"]},
    {"kind": "discard", "hand": "234m567678p11346s", "accepted": ["6s"]},
    {"kind": "discard", "hand": "2356m9m34p22s56s789s", "accepted": ["9m"]},
    {"kind": "discard", "hand": "234567m12p44699s7z", "accepted": ["7z"]}
  ]},
  {"id": "yaku", "group": "win", "art": "777z", "tasks": [
    {"kind": "choose", "options": ["456m789p11s23s<123m> ron 4s", "456m678p22s34s<345p> ron 2s", "123m789p11s23s<777z> ron 4s"], "accepted": [1, 2]},
    {"kind": "choose", "options": ["456m789p22s24s<123m> ron 3s", "456m789p123m22s24s ron 3s", "456m789p123m22s24s tsumo 3s"], "accepted": [2]}
  ]},
  {"id": "riichi", "group": "win", "art": "34p", "tasks": [
    {"kind": "act", "deal": {"hands": ["234m567p678s5s34p9m", "2468m1357p13579s", "1133m2244p6688s1z", "1199m1177p5566z9s"], "draws": "1z1z2z3z5s2z3z4z2p", "dora": "9s", "ura": "8m", "moves": ["A sute 1z", "B sute 1z", "C sute 2z", "D sute 3z"]}, "accepted": ["richi 9m"]},
    {"kind": "act", "deal": {"hands": ["234m567p678s5s34p9m", "2468m1357p13579s", "1133m2244p6688s1z", "1199m1177p5566z9s"], "draws": "1z1z2z3z5s2z3z4z2p", "dora": "9s", "ura": "8m", "moves": ["A sute 1z", "B sute 1z", "C sute 2z", "D sute 3z", "A richi 9m", "B sute 2z", "C sute 3z", "D sute 4z"]}, "accepted": ["tsumo"]}
  ]},
  {"id": "calls", "group": "win", "art": "66z", "tasks": [
    {"kind": "act", "deal": {"hands": ["24m567p678s66z19m5s", "1357m1357p1357s6z", "2468m2468p2468s4z", "1199m2277p3399s3m"], "draws": "1z6z4z3m", "dora": "9s", "moves": ["A sute 1z", "B sute 6z"]}, "accepted": ["pon 6z 6z"]},
    {"kind": "act", "deal": {"hands": ["24m567p678s66z19m5s", "1357m1357p1357s6z", "2468m2468p2468s4z", "1199m2277p3399s3m"], "draws": "1z6z4z4z3m", "dora": "9s", "moves": ["A sute 1z", "B sute 6z", "A pon 6z 6z", "A sute 1m", "B sute 4z", "C sute 4z", "D sute 3m"]}, "accepted": ["chi 2m 4m"]},
    {"kind": "choose", "deal": {"hands": ["24m567p678s66z19m5s", "1357m1357p1357s6z", "2468m2468p2468s4z", "1199m2277p3399s3m"], "draws": "1z3m", "dora": "9s", "moves": ["A sute 1z", "B sute 3m"]}, "options": ["yes", "no"], "accepted": [1]}
  ]},
  {"id": "open", "group": "win", "art": "77z", "tasks": [
    {"kind": "act", "deal": {"hands": ["345m44456p24s77z9m", "1357m1377p1357s7z", "2468m2268p2468s4z", "1199m2288p3399s3m"], "draws": "1z7z", "dora": "3p", "moves": ["A sute 1z", "B sute 7z"]}, "accepted": ["pon 7z 7z"]},
    {"kind": "act", "deal": {"hands": ["234m5567p23s678s6m", "1357m1357p1357s7z", "2468m2468p2468s4z", "1199m2277p3399s1s"], "draws": "1z4z4z1s", "dora": "9s", "moves": ["A sute 1z", "B sute 4z", "C sute 4z", "D sute 1s"]}, "accepted": ["no"]}
  ]},
  {"id": "dora", "group": "value", "art": "4p5p", "tasks": [
    {"kind": "tap", "hand": "345p", "shown": "dora 4p", "accepted": ["5p"]},
    {"kind": "tap", "hand": "189p", "shown": "dora 9p", "accepted": ["1p"]},
    {"kind": "tap", "hand": "1234z", "shown": "dora 4z", "accepted": ["1z"]},
    {"kind": "tap", "hand": "567z", "shown": "dora 7z", "accepted": ["5z"]},
    {"kind": "choose", "shown": "234m567p345678s05p dora 4p", "options": ["1", "2", "3", "4"], "accepted": [3]}
  ]},
  {"id": "furiten", "group": "value", "art": "1s4s", "tasks": [
    {"kind": "choose", "options": ["234m678p777z11p23s river 9m1s4p", "123m456p789s55z46s river 4s6s7s", "34567m22p567888s river 1z8m9p"], "accepted": [0, 2]},
    {"kind": "act", "deal": {"hands": ["234m678p66777z23s", "1357m1357p1357s4s", "2468m2468p2468s4z", "1199m2277p3399s1z"], "draws": "9p4s", "dora": "9s", "moves": ["A sute 9p", "B sute 4s"]}, "accepted": ["ron"]},
    {"kind": "choose", "deal": {"hands": ["234m678p66777z23s", "1357m1357p1357s4s", "2468m2468p2468s4z", "1199m2277p3399s1z"], "draws": "1s4s4z1z9m", "dora": "9s", "moves": ["A sute 1s", "B sute 4s"]}, "options": ["yes", "no"], "accepted": [1]},
    {"kind": "discard", "hand": "234m678p55s678s346p", "shown": "river 2p", "accepted": ["3p"]}
  ]},
  {"id": "passing", "group": "value", "art": "4s", "tasks": [
    {"kind": "choose", "deal": {"hands": ["234m678p66777z23s", "1357m1357p1357s4s", "2468m2468p2468s1s", "1199m2277p3399s1z"], "draws": "9p4s1s1z9m4s", "dora": "9s", "moves": ["A sute 9p", "B sute 4s", "A no", "C sute 1s"]}, "options": ["yes", "no"], "accepted": [1]},
    {"kind": "act", "deal": {"hands": ["234m678p66777z23s", "1357m1357p1357s4s", "2468m2468p2468s1s", "1199m2277p3399s1z"], "draws": "9p4s1s1z9m4s", "dora": "9s", "moves": ["A sute 9p", "B sute 4s", "A no", "C sute 1s", "D sute 1z", "A sute 9m", "B sute 4s"]}, "accepted": ["ron"]}
  ]},
  {"id": "points", "group": "value", "art": "0m0p0s", "tasks": [
    {"kind": "choose", "shown": "234m567p67s55s123p ron 8s", "options": ["1000", "2000", "3900", "8000"], "accepted": [1]},
    {"kind": "choose", "shown": "123m456p777z55s67s ron 8s", "options": ["1000", "2600", "5200", "8000"], "accepted": [1]},
    {"kind": "choose", "shown": "234m567p67s55s678p ron 8s dora 4s", "options": ["2000", "3900", "8000", "12000"], "accepted": [2]},
    {"kind": "choose", "shown": "234m567p67s55s678p ron 8s dora 4s", "options": ["3900", "8000", "12000", "18000"], "accepted": [2]}
  ]},
  {"id": "defence", "group": "others", "art": "9m1z", "tasks": [
    {"kind": "act", "deal": {"hands": ["1379m258p147s125z", "234m567p678s5s34p9m", "2468m2468p2468s4z", "1199m2277p3399s1z"], "draws": "3z7z4z5z6z5s4z1z1p", "dora": "9s", "moves": ["A sute 3z", "B sute 7z", "C sute 4z", "D sute 5z", "A sute 6z", "B richi 9m", "C sute 4z", "D sute 1z"]}, "accepted": ["sute 9m", "sute 1z"]},
    {"kind": "choose", "deal": {"hands": ["1379m258p147s125z", "234m567p678s5s34p9m", "2468m2468p2468s4z", "1199m2277p3399s1z"], "draws": "3z7z4z5z6z5s4z1z1p", "dora": "9s", "moves": ["A sute 3z", "B sute 7z", "C sute 4z", "D sute 5z", "A sute 6z", "B richi 9m", "C sute 4z", "D sute 1z"]}, "options": ["5p", "1m"], "accepted": [1]}
  ]},
  {"id": "push", "group": "others", "art": "5p9m", "tasks": [
    {"kind": "act", "deal": {"hands": ["234m067p67s88m78p4m", "234m567p678s5s34p9m", "2468m2468p2468s4z", "1199m2288p3399s1z"], "draws": "3z7z4z5z6p5s4z1z1m", "dora": "7m", "moves": ["A sute 3z", "B sute 7z", "C sute 4z", "D sute 5z", "A sute 4m", "B richi 9m", "C sute 4z", "D sute 1z"]}, "accepted": ["richi 1m", "sute 1m"]},
    {"kind": "act", "deal": {"hands": ["2379m258p147s125z", "234m567p678s5s34p9m", "2468m2468p2468s4z", "1199m2277p3399s1z"], "draws": "3z7z4z5z6z5s4z1z7m", "dora": "9s", "moves": ["A sute 3z", "B sute 7z", "C sute 4z", "D sute 5z", "A sute 6z", "B richi 9m", "C sute 4z", "D sute 1z"]}, "accepted": ["sute 1z", "sute 9m", "sute 5z", "sute 2z"]}
  ]},
  {"id": "end", "group": "others", "art": "1z2z", "tasks": [
    {"kind": "choose", "options": ["1000", "1500", "3000"], "accepted": [2]},
    {"kind": "choose", "options": ["1000", "1500", "3000"], "accepted": [1]},
    {"kind": "choose", "options": ["1000", "1500", "3000"], "accepted": [0]}
  ]},
  {"id": "first", "group": "others", "art": "5z6z7z", "tasks": [
    {"kind": "play", "accepted": []}
  ]}
];
