"""Tests that no secret stays in a text that is written down."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.server.users.user_database import new_token
from ump.wire.text import without_secrets, without_typed_codes

TOKEN = "00112233445566778899aabbccddeeff"

CASES = [
    ("0 hello name=al password=secret _games=2", "0 hello name=al password=*** _games=2"),
    ("0 hello name=al p%61ssword=secret", "0 hello name=al p%61ssword=***"),
    ("0 hello Password=secret", "0 hello Password=***"),
    (f"0 hello _resume={TOKEN}", "0 hello _resume=***"),
    ('{"type":"join","resume":true,"name":"a"}', '{"type":"join","resume":true,"name":"a"}'),
    ('{"hello":{"resume":"secret","name":"a"}}', '{"hello":{"resume":"***","name":"a"}}'),
    ("0 hello _resume=1", "0 hello _resume=1"),
    ("0 hello _resume=secret", "0 hello _resume=***"),
    (f"1 _resume {TOKEN}", "1 _resume ***"),
    (f"I am A{TOKEN}, or B{TOKEN}.", "I am ***, or ***."),
    ("error bad%20password=secret", "error bad%20password=***"),
    ('{"hello":{"name":"al","password":"secret","room":"a"}}', '{"hello":{"name":"al","password":"***","room":"a"}}'),
    ('{"hello":{"p\\u0061ssword" : "sec\\"ret"}}', '{"hello":{"p\\u0061ssword" : "***"}}'),
    ('{"password":["secret"],"a":"b"}', '{"password":***'),
    ('{"password":{"a":"secret"}}', '{"password":***'),
    ('{"password":"secret', '{"password":"***"'),
    ('{"token":12345}', '{"token":***'),
    ("Authorization: Bearer secret", "Authorization: ***"),
    ("x Bearer secret", "x Bearer  ***"),
    ("0 hello name=a _room=cup:Sakura7 _games=2", "0 hello name=a _room=cup:*** _games=2"),
    ("0 hello name=a _guest=secret _table=K7MQ2XAB _seat=back", "0 hello name=a _guest=*** _table=*** _seat=back"),
    ("1 _table invitation=K7MQ2XAB rule=tenhou", "1 _table invitation=*** rule=tenhou"),
    ("table k7mq-2xab", "table ***"),
    ("table bk7mq-2xab, or /t/BK7MQ2XAB", "table ***, or /t/***"),
    ("table new tenhou, see /t/K7MQ2XAB", "table new tenhou, see /t/***"),
    ("0 hello name=a _watch=cup%3aSakura7", "0 hello name=a _watch=cup%3a***"),
    ('{"type":"join","name":"a","room":"cup:Sakura7"}', '{"type":"join","name":"a","room":"cup:***"}'),
    ("0 hello _room=cup", "0 hello _room=cup"),
    ("GET /auth?name=al&passwd=secret HTTP/1.1", "GET /auth?name=al&passwd=*** HTTP/1.1"),
]


@each_row(("text", "expected"), CASES)
def test_secrets_are_hidden(text: str, expected: str) -> None:
    """Each secret is replaced, and the rest stays."""
    assert without_secrets(text) == expected


@each_row("form", ["{}", "I am {}.", '{{"text":"{}"}}', "{}\n{}"])
def test_the_token_of_a_user_is_hidden_wherever_it_stands(form: str) -> None:
    """A person may type it into any line."""
    token = new_token().text
    assert without_secrets(form.format(token, token)) == form.format("***", "***")


@each_row(
    "text",
    [
        "ump_kifu",
        "21 sute 1z tsumogiri",
        f"1 _commitment {TOKEN * 2}",
        '{"type":"dahai","pai":"1m"}',
        '{"log":"a = b"}',
        "a=b%20c",
        "",
    ],
)
def test_other_texts_stay(text: str) -> None:
    """A text without a secret stays as it is."""
    assert without_secrets(text) == text


@each_row(
    ("line", "expected"),
    [
        ("Mika cup:Sakura7", "Mika cup:***"),
        ("cup:Sakura7 Mika", "cup:*** Mika"),
        ("0 watch Cup： Sakura7\r", "0 watch Cup： ***\r"),
        ("chi:46m", "chi:46m"),
        ('{"type":"dahai","n":12345}', '{"type":"dahai","n":12345}'),
    ],
)
def test_typed_codes_are_hidden(line: str, expected: str) -> None:
    """A code may stand anywhere in a line of a person; answers stay."""
    assert without_typed_codes(line) == expected


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    """No text raises an error, and no password survives in an option or a field."""
    without_secrets(text)
    without_secrets(f'{{"a":"{text}')
    assert "s3cr3t" not in without_secrets(f"{text} password=s3cr3t")


@each_row(
    "piece",
    ['"', '\\"', "password", "bearer ", "=", "%", '"token":', "a", "ump_", "ump_000000000000_", "a:", "a:aaaa ", "a: "],
)
def test_long_texts_take_linear_time(piece: str) -> None:
    """The longest messages of clients are taken; a search that takes quadratic time would take minutes."""
    text = "%" + piece * (64 * 1024 // len(piece))
    without_secrets(without_typed_codes(text))
