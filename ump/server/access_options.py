"""The options that say who may play: users, and who may enter a room."""

from __future__ import annotations

from ump.database.place import Place
from ump.model.choices import quoted
from ump.server import option_kinds as kinds
from ump.server.access import OPEN, Access
from ump.server.option import Group, Option, Scope
from ump.server.option_kinds import Kind

LONGEST_CODE = 16
"""Characters of an invitation code: with the name of its room it has to fit where clients name a room."""


def _read_access(raw: object) -> Access:
    """Return who may enter a room; raises ValueError."""
    given = kinds.read_text(raw)
    kind, _, code = given.partition(":")
    if given == "open":
        return OPEN
    if given == "users":
        return Access(is_for_users=True)
    if kind not in ("code", "users+code") or not code:
        raise ValueError(f"{quoted(given)} is unknown; expected open, users, code:TEXT or users+code:TEXT")
    if len(code) > LONGEST_CODE or not code.isalnum() or not code.isascii():
        raise ValueError(f"the code has 1 to {LONGEST_CODE} letters and digits")
    return Access(is_for_users=kind != "code", code=code)


ACCESS: Option[Access] = Option(
    "access",
    Kind("WHO", _read_access, words=("open", "users", "code:", "users+code:")),
    OPEN,
    Group.ROOMS,
    Scope.ROOM,
    "Who may enter: open (everybody), users (who log in) or code:TEXT (who name ROOM:TEXT); users+code:TEXT asks both.",
    "open",
    "users",
)
ONE_PER_OWNER: Option[bool] = Option(
    "one-per-owner",
    kinds.SWITCH,
    False,
    Group.ROOMS,
    Scope.ROOM,
    "Never seat two players of one owner together: alice/akagi and alice/washizu are both of alice.",
    section="users",
)
USERS: Option[str | None] = Option(
    "users",
    kinds.text("PLACE"),
    None,
    Group.GAMES,
    Scope.SERVER,
    "Users, as 'ump users' keeps them, in a FILE or postgresql://USER@HOST/DATABASE: their names are theirs alone.",
    "none",
    "users",
)
PLAIN_SECRETS: Option[bool] = Option(
    "plain-secrets",
    kinds.SWITCH,
    False,
    Group.GAMES,
    Scope.SERVER,
    "Take passwords and access tokens over every connection, because a proxy before the server encrypts them.",
    section="users",
)

SITE: Option[Place | None] = Option(
    "site",
    kinds.PLACE,
    None,
    Group.GAMES,
    Scope.SERVER,
    "Database that the servers of one site share, as postgresql://USER@HOST/DATABASE, in place of --users and --index.",
    "none",
    "several-servers",
)

ACCESS_OPTIONS = (ACCESS, ONE_PER_OWNER, USERS, PLAIN_SECRETS, SITE)
"""All of them, in the order of the documentation."""
