"""A Tenhou record written by hand: three short kyoku without a seed, so that the walls are rebuilt from the events.

East 1: A discards the east that B waits for (chun and sanshoku, 50 fu, 6,400). East 2: B, who deals, aborts with
nine terminals and honours. East 2 again: C waits for thirteen orphans, and A discards one; A falls below zero (tobi).
"""

from __future__ import annotations

from collections.abc import Sequence

HEAD = '<mjloggm ver="2.3"><GO type="1" lobby="0"/><UN n0="A" n1="%42" n2="%E5%B1%B1" n3="" dan="0,0,0,0"/>'
TAIKYOKU = '<TAIKYOKU oya="0"/>'
TAIL = "</mjloggm>"

WAITING = (4, 8, 12, 40, 44, 48, 76, 80, 84, 108, 132, 133, 134)
"""The hand 234m 234p 234s 1z 777z, which waits for 1z."""
NINE = (0, 32, 36, 68, 72, 104, 108, 112, 116, 16, 20, 24, 56)
"""A hand with nine terminals and honours: 19m 19p 19s 123z, and four simples."""
ORPHANS = (0, 32, 36, 68, 72, 104, 108, 112, 116, 120, 124, 128, 132)


def hands(given: dict[int, Sequence[int]], taken: Sequence[int]) -> str:
    """Return the attributes hai0..hai3; hands that are not given have tiles that no other hand needs."""
    used = {tile for hand in given.values() for tile in hand} | set(taken)
    spare = [tile for tile in range(135, -1, -3) if tile not in used]
    spare += [tile for tile in range(136) if tile not in used and tile not in spare]
    dealt = {seat: given[seat] if seat in given else [spare.pop(0) for _ in range(13)] for seat in range(4)}
    return " ".join(f'hai{seat}="{",".join(map(str, dealt[seat]))}"' for seat in range(4))


EAST_1 = (
    f'<INIT seed="0,0,0,2,4,69" ten="250,250,250,250" oya="0" {hands({1: WAITING}, (69, 109))}/>'
    "<T109/><D109/>"
    '<AGARI ba="0,0" hai="4,8,12,40,44,48,76,80,84,108,109,132,133,134" machi="109" ten="50,6400,0" '
    'yaku="20,1,25,2" doraHai="69" who="1" fromWho="0" sc="250,-64,250,64,250,0,250,0"/>'
)
EAST_2 = (
    f'<INIT seed="1,0,0,0,0,69" ten="186,314,250,250" oya="1" {hands({1: NINE}, (69, 60))}/>'
    "<U60/>"
    '<RYUUKYOKU type="yao9" ba="0,0" sc="186,0,314,0,250,0,250,0" hai1="0,16,20,24,32,36,56,60,68,72,104,108,112,116"/>'
)
EAST_2_AGAIN = (
    f'<INIT seed="1,1,0,5,5,69" ten="186,314,250,250" oya="1" {hands({2: ORPHANS}, (69, 16, 20, 24, 1))}/>'
    '<U16/><E16/><V20/><F20/><BYE who="3"/><W24/><G24/><UN n3=""/><T1/><D1/>'
    '<AGARI ba="1,0" hai="0,1,32,36,68,72,104,108,112,116,120,124,128,132" machi="1" ten="0,32000,5" yakuman="48" '
    'doraHai="69" who="2" fromWho="0" sc="186,-323,314,0,250,323,250,0" '
    'owari="-137,-64.0,314,11.0,573,68.0,250,-15.0"/>'
)

RECORD = HEAD + TAIKYOKU + EAST_1 + EAST_2 + EAST_2_AGAIN + TAIL
