"""The answer that a player is composing: the chosen tile, a call without its tiles yet, a name that is being typed.

Keys come in, and an action comes out when one is complete. It knows no screen and sends nothing.
"""

from __future__ import annotations

from ump.bots.ump_client import OpenQuestion
from ump.model.actions import Action
from ump.model.notation import parse_ump_face
from ump.model.tiles import RED_OF, Face
from ump.terminal.choices import KEYS, CallKey, HeldTile, action_with, actions_of

_SUITS = "mpsz"


class Turn:
    """The keys that were pressed for one question."""

    def __init__(self, question: OpenQuestion, tiles: list[HeldTile]) -> None:
        self.question = question
        self.tiles = tiles
        """The concealed tiles, the drawn one last."""
        self.chosen: int | None = None
        """The place of the chosen tile."""
        self.armed: CallKey | None = None
        """The call whose tiles are being chosen."""
        self.way = 0
        """The chosen way of the armed call; riichi has its tile in ``chosen``."""
        self.typed = ""
        """The digit of a tile whose suit is still to come."""
        self.missed: tuple[str, bool] | None = None
        """The tile that was typed last and could not be chosen, and whether it is in the hand."""
        legal = self.legal_places()
        if len(legal) == 1:
            self.chosen = legal[0]

    @property
    def is_riichi(self) -> bool:
        """Whether a tile is being chosen for riichi."""
        return self.armed is not None and self.armed.key == "l"

    def legal_places(self) -> list[int]:
        """Return the places of the tiles that can be discarded now."""
        return [place for place, tile in enumerate(self.tiles) if self._with(tile) is not None]

    def ways(self) -> list[Action]:
        """Return the ways of the armed call; none for riichi, which has its tile."""
        if self.armed is None or self.is_riichi:
            return []
        return actions_of(self.armed, self.question.actions)

    def move(self, step: int) -> None:
        """Choose the next tile to the right (1) or left (-1) that can be discarded, or the next way of a call."""
        if self.ways():
            self.way = (self.way + step) % len(self.ways())
            return
        legal = self.legal_places()
        if not legal:
            return
        if self.chosen not in legal:
            self.chosen = legal[0] if step > 0 else legal[-1]
        else:
            self.chosen = legal[(legal.index(self.chosen) + step) % len(legal)]

    def move_to_end(self) -> None:
        """Choose the drawn tile, or the last one that can be discarded."""
        legal = self.legal_places()
        self.chosen = legal[-1] if legal else None

    def choose(self, place: int) -> Action | None:
        """Choose a tile, and return its discard; None if it cannot be discarded."""
        if place in self.legal_places():
            self.chosen = place
            return self._with(self.tiles[place])
        return None

    def confirm(self) -> Action | None:
        """Return the action that is chosen; None if there is none."""
        ways = self.ways()
        if ways:
            return ways[self.way]
        return None if self.chosen is None else self._with(self.tiles[self.chosen])

    def can_press(self, key: str) -> bool:
        """Return whether the letter of a call stands for a legal action."""
        return bool(actions_of(KEYS[key], self.question.actions))

    def press(self, key: str) -> Action | None:
        """Take the letter of a call: return its action, or let the player choose between several."""
        call = KEYS[key]
        found = actions_of(call, self.question.actions)
        if not found:
            return None
        if call.key == "l":
            self._arm_riichi(call)
            return None
        if len(found) == 1:
            return found[0]
        self.way = (self.way + 1) % len(found) if self.armed is call else 0
        self.armed = call
        return None

    def cancel(self) -> bool:
        """Take back an armed call or a typed digit; return whether there was one."""
        was_begun = self.armed is not None or bool(self.typed)
        self.armed, self.way, self.typed = None, 0, ""
        return was_begun

    def type(self, character: str) -> bool:
        """Take a digit, or the suit after one; return whether the character was meant so."""
        self.missed = None
        if character in "0123456789":
            self.typed = character
            return True
        if not self.typed or character.lower() not in _SUITS:
            return False
        self._choose_face(self.typed, character)
        self.typed = ""
        return True

    def _choose_face(self, digit: str, suit: str) -> None:
        """Choose a tile by its name. ``0m`` and ``5M`` are red; ``5m`` is red, too, if there is no other."""
        is_red = digit == "0" or suit.isupper()
        self.missed = f"{digit}{suit}", False
        try:
            plain = parse_ump_face(f"{'5' if digit == '0' else digit}{suit.lower()}")
        except ValueError:
            return
        red: Face | None = RED_OF.get(plain)
        wanted = [red] if is_red else [plain, red]
        legal = self.legal_places()
        for face in wanted:
            for place in reversed(legal):
                if self.tiles[place].face == face:
                    self.chosen, self.missed = place, None
                    return
        self.missed = f"{digit}{suit}", any(tile.face in wanted for tile in self.tiles)

    def _arm_riichi(self, call: CallKey) -> None:
        self.armed = call
        places = self.legal_places()
        if self.chosen not in places:
            self.chosen = places[-1] if places else None

    def _with(self, tile: HeldTile) -> Action | None:
        return action_with(tile, self.question.actions, riichi=self.is_riichi)
