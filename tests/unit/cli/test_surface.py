import json
from pathlib import Path

import pytest

import accuracy_assay as aa

ATTRIBUTES = ("-a", "sex", "-a", "age:30,60", "--score", "correct")
PLAIN = ("--estimator", "beta-independent")


def test_surface_file_equals_what_python_estimates(saved: Path, rows: Path) -> None:
    age = aa.Attribute("age", kind="continuous", edges=(30, 60))
    direct = aa.estimate(rows, ["sex", age], score="correct", estimator="beta-independent")
    assert aa.AccuracySurface.load(saved).to_frame().equals(direct.to_frame())


def test_programs_get_the_worst_arms_in_order(assay, rows: Path) -> None:
    arms = json.loads(assay("surface", rows, *ATTRIBUTES, *PLAIN, "--json").out)
    assert [arm["upper"] for arm in arms] == sorted(arm["upper"] for arm in arms)
    assert arms[0]["sex"] == "M"


def test_people_get_as_many_worst_arms_as_they_want(assay, rows: Path) -> None:
    answer = assay("surface", rows, *ATTRIBUTES, *PLAIN, "--worst", 2)
    assert "M, >= 60" in answer.out
    assert "F, < 30" not in answer.out


def test_an_assay_has_a_surface_too(assay, store: str) -> None:
    assert assay("run", store, "--answers", "labels.csv").code == 0
    answer = assay("surface", store, "--service", "good", "--out", "s.surface", "--json")
    assert {arm["sex"] for arm in json.loads(answer.out)} == {"f", "m"}
    assert aa.AccuracySurface.load("s.surface").n_labels == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("my.assay", "--score", "x"), "must follow its spec"),
        (("my.assay", "--estimator", "constant"), "must follow its spec"),
        (("labels.csv",), "must have --attribute"),
        (("my.assay", "--service", "god"), "Did you mean 'good'?"),
    ],
)
def test_mistakes_are_named(assay, store: str, arguments: tuple[str, ...], message: str) -> None:
    answer = assay("surface", *arguments)
    assert answer.code == 2
    assert message in answer.err
    assert "Traceback" not in answer.err
