"""What a spec imports and sends is said before it happens."""

from typing import Any

from accuracy_assay.spec.reach import spec_reach
from accuracy_assay.spec.read import read_spec


def reach(**sections: Any) -> tuple[str, ...]:
    plain = {"attribute": [{"name": "sex"}], "service": [{"name": "a", "column": "a"}]}
    return spec_reach(read_spec(plain | sections))


def test_a_spec_of_columns_and_our_own_methods_reaches_nothing() -> None:
    assert reach() == ()
    assert reach(assay={"estimator": {"name": "anova-gp", "level": 0.8}}) == ()


def test_every_place_that_names_code_is_found() -> None:
    found = reach(
        assay={"estimator": "m:E", "strategy": {"name": "m:S"}, "calibration": "m:C"},
        service=[{"name": "f", "callable": "m:f"}, {"name": "k", "kind": "m:K"}],
        label={"agreement": "m:a"},
        attribute=[{"name": "mood", "from_text": "said", "feature": "m:t"}],
    )
    assert found == tuple(f"imports m:{name}" for name in "CEKSaft")


def test_secrets_are_named_with_where_they_go() -> None:
    service = {
        "name": "far",
        "url": "https://host:8000/v1",
        "headers": {"Authorization": "Bearer ${API_KEY}"},
        "request": {"text": "{words}", "nested": {"key": "${OTHER}"}},
        "response": {"prediction": "label"},
    }
    assert reach(service=[service]) == ("sends ${API_KEY}, ${OTHER} to https://host:8000",)
    assert reach(service=[service | {"headers": {}, "request": {"text": "{words}"}}]) == ()


def test_an_agreement_of_our_own_imports_nothing() -> None:
    spec = {"attribute": [{"name": "sex"}], "service": [{"name": "s", "column": "p"}]}
    for name, wanted in (("absolute:0:5", ()), ("mine:near", ("imports mine:near",))):
        assert spec_reach(read_spec(spec | {"label": {"agreement": name}})) == wanted


def test_judges_reach_as_services_do() -> None:
    service = {"name": "s", "column": "p"}
    judge = {
        "name": "j",
        "url": "https://judge.example/v1",
        "headers": {"Authorization": "Bearer ${JUDGE_KEY}"},
        "request": {"a": "{prediction}"},
        "response": {"verdict": "v"},
    }
    judges = [judge, {"name": "k", "callable": "my_module:judge"}]
    spec = {"attribute": [{"name": "sex"}], "service": [service], "judge": judges}
    assert spec_reach(read_spec(spec)) == (
        "imports my_module:judge",
        "sends ${JUDGE_KEY} to https://judge.example",
    )
