"""Requests by example: values go in, secrets stay hidden, answers are found."""

from typing import Any

import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.services.template import Secrets, columns_of, fill, find

NONE = Secrets({})


@pytest.mark.parametrize("value", ["a text", 3, 0.5, True, None])
def test_a_column_alone_keeps_the_type_of_its_value(value: Any) -> None:
    filled = fill({"q": ["{x}"]}, {"x": value}, NONE)
    assert filled == {"q": [value]}
    assert type(filled["q"][0]) is type(value)


def test_columns_inside_a_text_become_part_of_it() -> None:
    row = {"city": "Pune", "n": 3}
    assert fill("{n} x {city}", row, NONE) == "3 x Pune"
    assert fill({"deep": [{"n": 1, "t": "{city}!"}]}, row, NONE) == {
        "deep": [{"n": 1, "t": "Pune!"}]
    }


def test_the_columns_of_a_template_are_those_that_filling_it_needs() -> None:
    template = {"q": "{text} in {lang}", "list": ["{n}", 3, None], "key": "${KEY}"}
    assert columns_of(template) == {"text", "lang", "n"}
    fill(template, dict.fromkeys(["text", "lang", "n"], "x"), Secrets({"KEY": "k"}, template))


def test_a_secret_goes_in_and_comes_out_of_no_message() -> None:
    secrets = Secrets({"KEY": "s3cret", "OTHER": "unused"}, {"auth": "Bearer ${KEY}"})
    assert fill("Bearer ${KEY}", {}, secrets) == "Bearer s3cret"
    assert secrets.hide("refused: s3cret is no key; unused") == "refused: *** is no key; unused"


def test_a_secret_that_begins_another_does_not_uncover_it() -> None:
    secrets = Secrets({"A": "abc", "B": "abcdef"}, "${A} ${B}")
    assert secrets.hide("got abcdef and abc") == "got *** and ***"


def test_the_text_of_a_row_is_never_taken_for_a_secret() -> None:
    secrets = Secrets({"KEY": "s3cret"}, "${KEY}")
    assert fill("say {text}", {"text": "${KEY}"}, secrets) == "say ${KEY}"
    assert fill("{text}", {"text": "${KEY}"}, secrets) == "${KEY}"


def test_what_was_put_in_is_not_read_again() -> None:
    secrets = Secrets({"KEY": "{text}{{"}, "${KEY}")
    assert fill("${KEY} {text}", {"text": "${KEY} {{x}}"}, secrets) == "{text}{{ ${KEY} {{x}}"


@pytest.mark.parametrize(
    ("template", "filled", "columns"),
    [
        ('Answer as {{"label": "..."}}: {text}', 'Answer as {"label": "..."}: cat', {"text"}),
        ('{{"q": {{"t": "{text}"}}}}', '{"q": {"t": "cat"}}', {"text"}),
        ("{{text}}", "{text}", set()),
        ("{{{text}}}", "{cat}", {"text"}),
        ("${KEY}}}", "s3cret}", set()),
    ],
)
def test_doubled_braces_are_braces(template: str, filled: str, columns: set[str]) -> None:
    secrets = Secrets({"KEY": "s3cret"}, "${KEY}")
    assert columns_of(template) == columns
    assert fill(template, {"text": "cat"}, secrets) == filled


@pytest.mark.parametrize("environment", [{}, {"KEY": ""}])
def test_a_secret_that_is_not_set_is_named(environment: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"variable 'KEY' must be set, .* export KEY="):
        Secrets(environment, ["${KEY}"])


@pytest.mark.parametrize(
    ("path", "found"),
    [("label", "cat"), ("all.1.score", 0.25), ("all.0", {"score": 0.5}), ("a.b", None)],
)
def test_a_dotted_path_leads_through_objects_and_lists(path: str, found: Any) -> None:
    answer = {"label": "cat", "all": [{"score": 0.5}, {"score": 0.25}], "a": {"b": None}}
    assert find(answer, path) == found


@pytest.mark.parametrize(
    ("path", "step"), [("lable", "lable"), ("all.2", "2"), ("all.x", "x"), ("label.0", "0")]
)
def test_a_path_that_leads_nowhere_names_its_step(path: str, step: str) -> None:
    with pytest.raises(LookupError) as raised:
        find({"label": "cat", "all": [1, 2]}, path)
    assert raised.value.args == (step,)
