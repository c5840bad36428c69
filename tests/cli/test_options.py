"""Options of commands that are made from the fields of a dataclass."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from ump.cli.command_line import fills, option_of, options_of
from ump.model.setting import setting
from ump.model.value import value


def _even(text: str) -> int:
    if int(text) % 2:
        raise ValueError(f"{text} is odd")
    return int(text)


@value
class Journey:
    """A toy with one field of each kind."""

    end: str
    start: str = setting("here", "Where it begins.", name="from")
    days: int = setting(1, "How long it takes.", least=1, most=9)
    speed: float = setting(2.5, "How fast it is.", least=0)
    returns: bool = setting(False, "Come back.")
    wheels: int | None = setting(None, "An even number.", read=_even)
    season: int | None = setting(None, "The season.", choices={"summer": 2, "winter": 4})
    stops: tuple[int, ...] = setting((), "Even numbers.", read=_even)
    secret: str | None = setting(None, "A secret.", variable="TOY_SECRET")
    kept: int = 7


@click.command()
@click.argument("end")
@click.option("--loud", is_flag=True)
@options_of(Journey, "journey", without=["days"])
def travel(journey: Journey, loud: bool) -> None:
    """Print the value that the command takes."""
    click.echo(f"{journey} {loud}")


@click.command()
@option_of(Journey, "days")
@click.option("--loud", is_flag=True)
@click.argument("end")
@fills(Journey, "journey")
def stay(journey: Journey, loud: bool) -> None:
    """Print the value that the command takes."""
    click.echo(f"{journey} {loud}")


def test_a_command_takes_one_value() -> None:
    """The options and arguments with the names of fields fill it; the other parameters stay."""
    words = ["there", "--from", "home", "--speed", "3", "--returns", "--wheels", "4", "--season", "winter", "--loud"]
    took = CliRunner().invoke(travel, words, env={"TOY_SECRET": "x"})
    assert took.output == f"{Journey('there', 'home', 1, 3.0, True, 4, 4, (), 'x')} True\n"
    stops = CliRunner().invoke(travel, ["there", "--stops", "2", "--stops", "4"])
    assert stops.output == f"{Journey('there', stops=(2, 4))} False\n"
    assert CliRunner().invoke(travel, ["there"]).output == f"{Journey('there')} False\n"
    assert CliRunner().invoke(stay, ["there", "--days", "2"]).output == f"{Journey('there', days=2)} False\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("there --wheels 3", "Invalid value for '--wheels': 3 is odd"),
        ("there --stops 2 --stops 3", "Invalid value for '--stops': 3 is odd"),
        ("there --season spring", "Invalid value for '--season': 'spring' is not one of 'summer', 'winter'."),
        ("there --speed -1", "Invalid value for '--speed': -1.0 is not in the range x>=0."),
        ("there --days 1", "No such option '--days'"),
    ],
)
def test_a_wrong_value_names_its_option(words: str, complaint: str) -> None:
    """The message is that of click, with the reason of the field's reader."""
    refused = CliRunner().invoke(travel, words.split())
    assert refused.exit_code == 2
    assert complaint in refused.output


def test_help_shows_defaults() -> None:
    """Switches and fields without a value have none."""
    lines = [" ".join(line.split()) for line in CliRunner().invoke(travel, ["--help"]).output.splitlines()]
    assert "--from TEXT Where it begins. [default: here]" in lines
    assert "--returns Come back." in lines
    assert "--stops TEXT Even numbers." in lines
    assert "--season [summer|winter] The season." in lines
    assert "--secret TEXT A secret. [env var: TOY_SECRET]" in lines
