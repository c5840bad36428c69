"""The lines of the screen around the table: its head with the clock, the actions with their keys, and the help."""

from __future__ import annotations

from rich.markup import escape

from ump.bots.address import Address
from ump.model.phases import Phase
from ump.terminal.choices import Call, calls_in, tiles_of_action
from ump.terminal.conversation import TableConversation
from ump.terminal.turn import Turn
from ump.text.style import Style
from ump.text.wording import tile_word
from ump.wire.ump.extras import Time

SWITCHES = {"a": "win", "n": "pass", "g": "discard", "h": "hints"}
"""The keys of what can be switched on, with the names that ``ump.wire.human.automatic`` gives them."""

_SWITCH_WORDS = {"win": "auto win", "pass": "no calls", "discard": "auto discard", "hints": "hints"}

HELP = """\
 left right End  choose a tile, the drawn one   Enter   discard it
 4z Enter        choose a tile by its name; 0m or 5M is the red five
 R T             ron, tsumo                     L       riichi, then a tile
 C P K           chi, pon, kan; again: next     F       set a north aside
 Q               nine terminals                 X Esc   pass, or take back
 Y               show a tenpai hand             Enter   go on after a result
 A N G           win by itself, no calls, discard what is drawn; for this kyoku
 H               hints of the server: waits, furiten, shanten
 S ?             scores and differences, these keys
 q q, Ctrl-C     leave; your seat waits for you

 Marks: 5z. as drawn  8p* riichi  7m> called  -- can be chosen  ^^ chosen
"""
"""The keys and marks, at most 79 columns wide."""


def clock_text(time: Time | None, spent: float) -> str:
    """Return the seconds that are left, ``8+60 s``, after ``spent`` seconds; empty without a limit."""
    if time is None:
        return ""
    move = max(0.0, time.move - spent)
    bank = max(0.0, time.bank - max(0.0, spent - time.move))
    return f"{move:.0f}+{bank:.0f} s" if move else f"{bank:.0f} s"


def head_text(address: Address, room: str | None, switches: set[str], clock: str) -> str:
    """Return the first line: server, room, what is switched on, clock."""
    parts = [str(address)] + ([f"room {room}"] if room else [])
    parts += [_SWITCH_WORDS[name] for name in SWITCHES.values() if name in switches]
    left = "  ".join(parts)
    return f"{left}{clock.rjust(max(len(clock) + 2, 78 - len(left)))}" if clock else left


def actions_markup(turn: Turn, style: Style) -> str:
    """Return the actions of a question as markup; a click presses the key."""
    question = turn.question
    parts = []
    if question.phase in (Phase.CALL, Phase.CHANKAN) and question.tile is not None:
        parts.append(f"{tile_word(question.tile, Style(is_pictured=style.is_pictured))}?")
    elif question.phase is Phase.TURN:
        parts.append(f"discard {turn.typed or ''}_")
    for call in calls_in(question.actions):
        text = escape(f" {call.key.upper()} {call.name}{_tiles(turn, call)} ")
        parts.append(f"[reverse][@click=app.press('{call.key}')]{text}[/][/]")
    if turn.is_riichi:
        parts.append("choose a tile, Enter; Esc takes riichi back")
    elif turn.armed is not None:
        parts.append("Enter, or the key again for the next")
    return "  ".join(parts)


def _tiles(turn: Turn, call: Call) -> str:
    """Return the tiles of the chosen way if a call is armed, or of all its ways."""
    if call is turn.armed and turn.ways():
        return f": {tiles_of_action(turn.ways()[turn.way])}"
    found = [tiles_of_action(action) for action in turn.question.actions if isinstance(action, call.types)]
    shown = [tiles for tiles in dict.fromkeys(found) if tiles]
    return f" {'/'.join(shown)}" if shown else ""


def state_text(conversation: TableConversation, *, is_watching: bool) -> str:
    """Return what a person waits for while no game is on the table."""
    waiting = conversation.waiting
    if waiting is not None:
        return f"{waiting.seated} of {waiting.needed} players are here."
    if conversation.position is not None or not conversation.is_greeted:
        return ""
    return "No game is on in this room; the next one will be shown." if is_watching else "Waiting for a table."
