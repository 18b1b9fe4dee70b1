import json
from pathlib import Path

import polars as pl
import pytest

import accuracy_assay as aa


def test_one_arm_is_that_arm(assay, saved: Path) -> None:
    answer = assay("query", saved, "sex=M", "age=70", "--json")
    arm = aa.AccuracySurface.load(saved).at(sex="M", age=70.0)
    assert json.loads(answer.out)["mean"] == arm.mean


def test_a_bin_is_named_as_it_is_shown(assay, saved: Path) -> None:
    shown, typed = (
        json.loads(assay("query", saved, condition, "--json").out)
        for condition in ("age=>= 60", "age=70")
    )
    assert shown == typed


def test_no_conditions_are_the_whole_pool(assay, saved: Path) -> None:
    overall = aa.AccuracySurface.load(saved).overall
    assert assay("query", saved).out.strip() == str(overall)


def test_the_answer_under_a_mix_follows_the_mix(assay, saved: Path, tmp_path: Path) -> None:
    mix = tmp_path / "mix.csv"
    pl.DataFrame({"sex": ["F", "M"], "weight": [1.0, 0.0]}).write_csv(mix)
    under = json.loads(assay("query", saved, "--mix", mix, "--json").out)
    women = json.loads(assay("query", saved, "sex=F", "--json").out)
    assert under["mean"] == pytest.approx(women["mean"])


def test_conditions_beside_a_mix_are_refused(assay, saved: Path, rows: Path) -> None:
    answer = assay("query", saved, "sex=F", "--mix", rows)
    assert answer.code == 2
    assert "conditions or a mix, not both" in answer.err


def test_a_value_that_does_not_exist_is_named(assay, saved: Path) -> None:
    answer = assay("query", saved, "sex=X")
    assert answer.code == 2
    assert answer.err.startswith("error: value of attribute 'sex' must be one of [F, M]; got 'X'.")
    assert "Traceback" not in answer.err


def test_a_boolean_is_understood_however_it_is_typed(assay, tmp_path: Path) -> None:
    rows = tmp_path / "vip.csv"
    rows.write_text("vip,level,correct\n" + "true,1.0,1\nfalse,2.0,0\n" * 20)
    surface = tmp_path / "vip.surface"
    options = ("--score", "correct", "--estimator", "beta-independent", "--out", surface)
    assert assay("surface", rows, "-a", "vip", "-a", "level", *options).code == 0
    answers = {assay("query", surface, f"vip={text}").out for text in ("true", "True", "TRUE")}
    assert len(answers) == 1
    assert "99.8%" in answers.pop()
    assert assay("query", surface, "level=2").out == assay("query", surface, "level=2.0").out


def test_the_values_of_an_attribute_are_listed_with_the_whole(assay, saved: Path) -> None:
    found = json.loads(assay("query", saved, "--by", "sex", "--json").out)
    loaded = aa.AccuracySurface.load(saved)
    assert list(found) == ["overall", "by", "difference", "ratio", "label_trust"]
    assert found["difference"]["mean"] == pytest.approx(loaded.difference("sex").mean)
    assert found["overall"]["mean"] == loaded.overall.mean
    assert found["by"] == loaded.marginal("sex").to_dicts()
    text = assay("query", saved, "--by", "sex", "--by", "age").out
    assert "F, >= 60" in text
    assert f"{loaded.at(sex='F', age=70.0).mean:.1%}" in text
    assert f"overall {loaded.overall}" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [(("sex=F",), "--by, or conditions, or a mix"), (("--by", "height"), "got 'height'")],
)
def test_by_stands_alone_and_names_attributes(
    assay, saved: Path, more: tuple[str, ...], message: str
) -> None:
    answer = assay("query", saved, "--by", "sex", *more)
    assert answer.code == 2
    assert message in answer.err
