"""Secrets are known by the names before them, and struck out of every text."""

from typing import Any

import pytest

from accuracy_assay.runtime.secrets import (
    hide_secrets,
    is_secret_name,
    shown_error,
    without_password,
    written_secret,
)

SECRET_NAMES = """
api_key apikey API-Key X-Api-Key apiKey Ocp-Apim-Subscription-Key x-functions-key key token
access_token accessToken hf_token X-Amz-Security-Token X-Amz-Signature X-Amz-Credential sig
signature client_secret clientSecret secret_access_key password sslpassword passwd pwd pass
Authorization Proxy-Authorization Cookie private_key
"""
OTHER_NAMES = """
max_tokens tokens keyword keywords keyboard author authority primary_key pad_token eos_token
next_page_token signal passage compass text secretary monkey design passenger
"""


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_names_of_secrets_are_known_however_they_are_written(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_names_that_only_sound_alike_are_not_taken_for_secrets(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"api_key": "abc"}, "api_key"),
        ({"deep": [{"auth": {"client_secret": "abc"}}]}, "deep.auth.client_secret"),
        ({"password": 12345}, "password"),
        ({"token": ["abc", "${KEY}"]}, "token"),
        ({"header": "Bearer abc12345"}, "header"),
        ({"to": "https://host/x?sig=abc"}, "to"),
        ({"key": "abc {text}"}, "key"),
    ],
)
def test_a_secret_that_is_written_out_is_found_at_any_depth(value: Any, name: str) -> None:
    assert written_secret(value) == name


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": "${KEY}", "Authorization": "Bearer ${KEY}"},
        {"token": "{word}"},
        {"max_tokens": 5, "use_token": True, "key": None, "password": ""},
        {"text": "Basic understanding of {topic}"},
        [1, 2.5, "a text"],
    ],
)
def test_what_comes_from_elsewhere_is_no_written_secret(value: Any) -> None:
    assert written_secret(value) is None


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:hunter2@host/db",
        "postgresql://ann:hun@ter2/hunter2@host/db",
        "postgresql:/ann:hunter2@host/db",
        "postgresql:ann:hunter2@host/db",
        "postgres//ann:hunter2@host/db",
        "postgresql+psycopg://ann:hunter2@host/db",
        "postgresql://host/db?user=ann&password=hunter2",
        "http://ann:hunter2@host/x",
        "http://hunter2@host/x",
        "https://ann:hunter2/x@host/x",
        "http://host/x?sig=hunter2&v=1",
        "http://host/x?key=hunter2",
        "http://host/x?a=1&access_token=hunter2'",
        "connection failed: host=h password=hunter2 dbname=x",
        "password='hunter2 hunter2' user=ann",
        "{'client_secret': 'hunter2', 'a': 1}",
        '{"auth": {"api_key": "hunter2"}}',
        "Authorization: Bearer hunter2hunter2",
        "proxy redis://:hunter2@cache:6379",
    ],
)
def test_no_form_of_a_secret_is_left_in_a_text(text: str) -> None:
    hidden = hide_secrets(f"error: no answer from '{text}' (retry).")
    assert "hunter2" not in hidden
    assert "***" in hidden
    assert hidden.startswith("error: no answer from '")
    assert hide_secrets(hidden) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "label for instance 'x17' must be one of ['cat', 'dog']; got 'cta'.",
        "setting must read key=value; got 'level'.",
        "write to ann@example.org, or mailto:ann@example.org",
        "got http://127.0.0.1:8000/mail?to=ann@example.org",
        "basic understanding is bearer of good news",
        "Set it with: export API_KEY=...",
        "header Authorization = 'Bearer ${API_KEY}'",
        "postgresql is away; trying again",
        "max_tokens=5 keyword=cat",
    ],
)
def test_texts_without_a_secret_stay_as_they_are(text: str) -> None:
    assert hide_secrets(text) == text


def test_an_address_without_its_password_still_says_where_it_leads() -> None:
    assert without_password("postgresql://ann:hunter2@host:5432/db?password=x") == (
        "postgresql://host:5432/db"
    )
    assert without_password("my.assay") == "my.assay"


def test_an_error_of_others_is_short_and_holds_no_half_of_a_secret() -> None:
    for padding in range(200, 320):
        error = OSError("x" * padding + " postgresql://ann:hunter2hunter2@host/db")
        assert "hunter2" not in shown_error(error)
        assert len(shown_error(error)) <= 300
    assert shown_error(ValueError("plain")) == "ValueError: plain"
