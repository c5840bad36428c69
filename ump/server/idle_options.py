"""Options that would have no effect, because another one is missing or closes what they are about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ump.model.value import value
from ump.server import access_options, limit_options, options, record_options
from ump.server.option import ConfigError, Option
from ump.server.options import Given


@value
class Need:
    """The conditions under which an option has an effect."""

    met: bool
    by: str
    """The key of the option that would meet it."""
    otherwise: str
    """Why the option has no effect without that."""


def needs(
    *, records: bool, log_file: bool, users: bool, http: bool, rated: bool
) -> Mapping[Need, Collection[Option[Any]]]:
    """Return the options with a need, for a server that has or does all this."""
    return {
        Need(records, "record_dir", "no game is recorded (--record-dir none)"): (
            record_options.INDEX,
            record_options.SYNC,
        ),
        Need(log_file, "log_file", "there is no --log-file"): (record_options.LOG_SIZE, record_options.LOG_FILES),
        Need(users, "users", "the server knows no users (--users)"): (access_options.PLAIN_SECRETS,),
        Need(http, "http", "there is no HTTP port (--http none)"): (
            limit_options.HTTP_NAME,
            limit_options.STATUS_FOR,
            options.NO_PAGES,
        ),
        Need(rated, "rated", "no room is rated (--rated)"): (options.RATED_EVERY,),
    }


def refuse_idle_options(given: Sequence[Given], wanted: Mapping[Need, Collection[Option[Any]]]) -> None:
    """Raise ConfigError for an option that would have no effect.

    ``given`` are the options of all places, the most specific first. What a more specific place than the option's own
    switches off is meant so: ``--record-dir none`` tries a file that has an ``index``.
    """
    for need, dependent in wanted.items():
        for option in () if need.met else dependent:
            for layer in given:
                if layer.get(option) not in (None, option.default):
                    raise ConfigError(f"{layer.name_of(option)}: this has no effect, because {need.otherwise}")
                if layer.has(need.by):
                    break
