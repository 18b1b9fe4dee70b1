"""What may change in the spec of an assay that has begun."""

from typing import Any

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.spec.edit import edited_spec, refuse_other_meaning, spec_changes
from accuracy_assay.spec.read import read_spec

SPEC = read_spec(
    {
        "assay": {"name": "pets", "budget": 40},
        "attribute": [{"name": "sex"}],
        "service": [
            {"name": "good", "column": "good"},
            {"name": "far", "url": "http://host/{id}", "response": {"prediction": "label"}},
        ],
        "label": {"choices": ["cat", "dog"]},
    }
)


def test_only_the_named_keys_change() -> None:
    new = edited_spec(SPEC, {"assay": {"budget": 50, "strategy": "random"}})
    assert spec_changes(SPEC, new) == ("assay.budget", "assay.strategy")
    assert new.assay.name == "pets"
    assert spec_changes(SPEC, edited_spec(SPEC, {"assay": {"budget": 40}})) == ()


def test_services_are_changed_by_name_and_new_names_add_one() -> None:
    changes = {"service": [{"name": "far", "price": 0.5}, {"name": "new", "column": "bad"}]}
    new = edited_spec(SPEC, changes)
    assert [s.name for s in new.service] == ["good", "far", "new"]
    assert new.service[1].price == 0.5
    assert new.service[1].url == SPEC.service[1].url
    refuse_other_meaning(SPEC, new)
    with pytest.raises(InputError, match="must be named"):
        edited_spec(SPEC, {"service": [{"price": 1}]})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"assay": {"name": "x"}}, "assay.name must stay 'pets', since the store finds"),
        ({"assay": {"seed": 5}}, "assay.seed must stay 0"),
        ({"pool": {"id": "key"}}, "pool.id must stay 'id'"),
        ({"attribute": [{"name": "age"}]}, "attribute must stay"),
        ({"label": {"agreement": "wer"}}, "label.agreement must stay 'equal'"),
        ({"label": {"choices": ["cat", "cow"]}}, "lack \\['dog'\\]"),
    ],
)
def test_what_labels_rest_on_stays(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        refuse_other_meaning(SPEC, edited_spec(SPEC, changes), ["cat", "dog"])


def test_a_service_cannot_be_left_out() -> None:
    content = SPEC.model_dump(mode="json", exclude_defaults=True)
    less = read_spec({**content, "service": content["service"][:1]})
    with pytest.raises(InputError, match=r"services must stay.*without \['far'\]"):
        refuse_other_meaning(SPEC, less)


def test_a_misspelt_key_is_named() -> None:
    with pytest.raises(UnknownNameError, match="budgte"):
        edited_spec(SPEC, {"assay": {"budgte": 5}})


def test_judges_are_added_and_changed_by_name() -> None:
    with_one = edited_spec(SPEC, {"judge": [{"name": "llm", "callable": "mine:judge"}]})
    assert [j.name for j in with_one.judge] == ["llm"]
    assert any(key.startswith("judge.llm.") for key in spec_changes(SPEC, with_one))
    changed = edited_spec(with_one, {"judge": [{"name": "llm", "price": 0.5}]})
    assert (changed.judge[0].callable, changed.judge[0].price) == ("mine:judge", 0.5)
    assert spec_changes(with_one, changed) == ("judge.llm.price",)
    with pytest.raises(InputError, match="a judge must be named to be changed"):
        edited_spec(with_one, {"judge": [{"price": 1.0}]})
