"""The spec file: DESIGN's own example is read whole, and every mistake is named."""

from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.spec.model import Spec
from accuracy_assay.spec.read import read_spec

WHOLE = """
[assay]
name = "spoken digits"
budget = 2000
batch = 12
seed = 0
estimator = "anova-gp"
strategy = "variance-reduction"
calibration = "full"

[pool]
path = "pool.parquet"
id = "id"
seed_set = "seed.parquet"

[[attribute]]
name = "gender"
[[attribute]]
name = "accent"
evidence = "p_accent__*"
[[attribute]]
name = "age"
kind = "continuous"
edges = [30, 45, 60]
[[attribute]]
name = "digit"
from_label = true

[[service]]
name = "google"
column = "google_pred"
confidence = "google_confidence"
price = 0.006

[label]
choices = ["0", "1", "2"]
agreement = "equal"
show = { audio = "file" }
"""

HTTP = {
    "name": "s",
    "url": "http://localhost/p",
    "request": {"q": "{text}"},
    "response": {"prediction": "label"},
}


def given(**sections: Any) -> dict[str, Any]:
    least = {"attribute": [{"name": "sex"}], "service": [{"name": "s", "column": "p"}]}
    return {**least, **sections}


def test_a_whole_file_is_read_and_its_paths_are_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "assay.toml"
    path.write_text(WHOLE, encoding="utf-8")
    spec = read_spec(path)
    assert (spec.assay.name, spec.assay.budget) == ("spoken digits", 2000)
    assert spec.pool.path == str(tmp_path / "pool.parquet")
    assert spec.pool.seed_set == str(tmp_path / "seed.parquet")
    assert [a.name for a in spec.attribute if a.evidence or a.from_label] == ["accent", "digit"]
    assert spec.attribute[2].edges == (30.0, 45.0, 60.0)
    assert (spec.service[0].confidence, spec.service[0].price) == ("google_confidence", 0.006)
    assert spec.label.show == {"audio": "file"}


def test_a_spec_survives_its_json_form(tmp_path: Path) -> None:
    path = tmp_path / "assay.toml"
    path.write_text(WHOLE, encoding="utf-8")
    spec = read_spec(path)
    assert read_spec(spec.model_dump(mode="json")) == spec
    assert read_spec(spec) is spec


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (given(assai={}), "key of spec .* got 'assai'. Did you mean 'assay'"),
        (given(assay={"bugdet": 3}), r"key of \[assay\] .* got 'bugdet'. Did you mean 'budget'"),
        (
            given(attribute=[{"name": "a"}, {"name": "b", "edgs": [1]}]),
            r"\[\[attribute\]\] number 2 .* got 'edgs'. Did you mean 'edges'",
        ),
        (given(service=[{"name": "s", "colum": "p"}]), "Did you mean 'column'"),
    ],
)
def test_a_misspelt_key_is_named_with_the_nearest(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        read_spec(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"service": [{"name": "s", "column": "p"}]}, "must have the key 'attribute'"),
        (given(attribute=[]), "'attribute' of spec must have at least 1 entry"),
        (given(attribute=[{"name": "a"}, {"name": "a"}]), "different names.*'a', 'a'"),
        (given(assay={"budget": "many"}), "'budget' .* must be a valid integer.* got 'many'"),
        (given(assay={"batch": 0}), "'batch' .* greater than or equal to 1; got 0"),
        (given(assay=3), "'assay' of spec must be a section with keys; got 3"),
        (given(attribute=[{"name": "a", "kind": "nominal"}]), "'categorical'.* got 'nominal'"),
        (given(attribute=[{"name": "a", "evidence": "p_a"}]), "one star.* got 'p_a'"),
        (
            given(attribute=[{"name": "a", "evidence": "p_*", "from_label": True}]),
            "evidence.* or revealed.* not both",
        ),
        (
            given(service=[{"name": "s"}]),
            "exactly one of column, callable, url and kind; got none",
        ),
        (given(service=[{"name": "s", "callable": "f"}]), "module:function; got 'f'"),
        (given(service=[{"name": "s", "url": "http://x"}]), "where the prediction is in the"),
        (given(service=[{**HTTP, "request": {}}]), "must say what to send"),
        (given(label={"choices": ["a", "a"]}), "choices must differ"),
        (given(label={"choices": ["a", ["b"]]}), r"entry 2 of 'choices' .* got \['b'\]"),
        (given(label={"show": {"video": "v"}}), "'audio'.* got 'video'"),
        ("nowhere.toml", "existing file; got 'nowhere.toml'"),
        (7, "path of a TOML file, a mapping or a Spec; got int"),
    ],
)
def test_a_mistake_is_named(spec: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_spec(spec)


@pytest.mark.parametrize("text", ["[assay", "a = ", "\x00", "[[assay]]\n[assay]"])
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "assay.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"must be a TOML file; got '.*assay\.toml'"):
        read_spec(path)


@pytest.mark.parametrize(
    "secret",
    [
        {"headers": {"Authorization": "Bearer abc123"}},
        {"headers": {"X-Api-Key": "abc123"}},
        {"headers": {"X-Api-Key": 5}, "url": "http://localhost"},
        {"url": "http://localhost/p?api_key=abc123"},
        {"url": "http://user:abc123@localhost/p"},
        {"url": "http://localhost/p?key=${KEY}"},
        {"request": {"q": "{text}", "api_key": "abc123"}},
        {"request": {"q": "{text}", "deep": [{"auth": {"api_key": "abc123"}}]}},
        {"request": {"q": "{text}", "client_secret": "abc123"}},
        {"request": {"q": "{text}", "clientSecret": "abc123"}},
        {"request": {"q": "{text}", "password": "abc123 {text}"}},
        {"request": {"q": "{text}", "say": "Bearer abc123abc123"}},
        {"request": "api_key=abc123 secret"},
        {"headers": {"X-Signature": "abc123"}},
        {"headers": {"Authorization": "Bearer abc123 {text}"}},
        {"url": "http://localhost/p?sig=abc123"},
        {"url": "http://localhost/p?v=1&X-Amz-Signature=abc123"},
        {"url": "http://localhost/p?password=abc123"},
        {"url": "http://abc123@localhost/p"},
        {"url": "http:/ann:abc123@localhost/p"},
        {"url": "http://ann:abc123/x@localhost/p secret"},
        {"url": ["http://ann:abc123@localhost/p"]},
    ],
)
def test_a_written_secret_is_refused_and_not_shown(secret: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        read_spec(given(service=[{**HTTP, **secret}]))
    assert "abc123" not in str(caught.value)
    assert "secret" in str(caught.value)


@pytest.mark.parametrize(
    "sections",
    [
        {"assay": {"estimator": {"name": "m:C", "api_key": "abc123"}}},
        {"assay": {"strategy": {"name": "m:C", "deep": {"client_secret": "abc123"}}}},
        {"assay": {"calibration": {"level": 0.9, "api_key": "abc123"}}},
        {"assay": [{"api_key": "abc123"}]},
        {"service": {"name": "s", "url": "http://ann:abc123@host/"}},
        {"service": [{"name": "s", "kind": "m:C", "settings": {"a": [{"token": "abc123"}]}}]},
        {"assay": {"name": "http://ann:abc123@host/"}},
        {"service": [{"name": "http://ann:abc123@host/", "column": "p"}]},
        {"service": [{"name": "http://ann:abc123@host/"}]},
        {"service": [{"name": "s", "column": "p", "signals": ["x?api_key=abc123"]}]},
        {"pool": {"path": "postgresql://ann:abc123@host/db"}},
        {"pool": {"seed_set": "https://host/x.csv?sig=abc123"}},
    ],
)
def test_no_section_shows_a_secret_in_its_error(sections: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        read_spec(given(**sections))
    assert "abc123" not in str(caught.value)


@pytest.mark.parametrize(
    "service",
    [
        {"url": "http://localhost/p?keyword={text}&author={a}"},
        {"url": "http://localhost/p?token={text}"},
        {"request": {"q": "{text}", "max_tokens": 5, "token": "{text}", "pad_token": "<pad>"}},
    ],
)
def test_names_that_hold_no_secret_are_fine(service: dict[str, Any]) -> None:
    read_spec(given(service=[{**HTTP, **service}]))


def test_a_secret_by_name_is_fine() -> None:
    service = {**HTTP, "headers": {"Authorization": "Bearer ${KEY}"}}
    service["request"] = {"q": "{text}", "api_key": "${KEY}"}
    assert read_spec(given(service=[service])).service[0].headers["Authorization"].endswith("}")


def test_numbers_as_choices_become_texts() -> None:
    assert read_spec(given(label={"choices": [0, 1, 2.5]})).label.choices == ("0", "1", "2.5")
    large = read_spec(given(label={"choices": [1_000_000, 2.0, True]})).label.choices
    assert large == ("1000000", "2", "true")


def test_a_fit_is_due_once_a_round_unless_the_spec_says_otherwise() -> None:
    assert read_spec(given(assay={"batch": 7})).assay.labels_per_fit == 7
    assert read_spec(given(assay={"refit_every": 50})).assay.labels_per_fit == 50
    assert isinstance(read_spec(given()), Spec)
