import json
import sys
from pathlib import Path

import pytest

import accuracy_assay as aa

OWN = """
[assay]
estimator = "constant"
strategy = "random"
[pool]
path = "pool.parquet"
[[attribute]]
name = "sex"
[[service]]
name = "own"
price = 0.5
callable = "own_reader_of_this_test:read"
"""


def test_a_labelled_file_is_replayed_to_the_end_of_the_budget(assay, store: str) -> None:
    status = json.loads(assay("run", store, "--answers", "labels.csv", "--json").out)
    assert (status["labels"], status["asked"], status["spent"]) == (30, 30, 30)
    again = assay("run", store, "--answers", "labels.csv")
    assert again.code == 0
    assert "30 instances labelled, 30 asked for" in again.out
    assert "nothing to ask for" in assay("ask", store).out


def test_a_goal_that_is_reached_ends_the_run_and_is_said(assay, store: str) -> None:
    with aa.Assay.open(store) as opened:
        opened.edit({"assay": {"batch": 5, "stop": {"half_width": 0.49, "for": "overall"}}})
    ended = assay("run", store, "--answers", "labels.csv")
    assert ended.code == 0
    assert "nothing more to ask for: the goal is reached" in ended.out
    assert json.loads(assay("run", store, "--json").out)["labels"] < 30


@pytest.fixture
def own(assay, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The store of an assay whose service is a function of the working folder."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    (folder / "own_reader_of_this_test.py").write_text(
        "def read(rows):\n    return ['cat' if r['sex'] == 'f' else 'dog' for r in rows]\n"
    )
    (folder / "own.toml").write_text(OWN)
    assert assay("init", "own.assay", "--spec", "own.toml").code == 0
    return "own.assay"


def test_an_engine_that_does_not_exist_is_named_before_anything_is_paid(assay, own: str) -> None:
    answer = assay("run", own, "--yes", 40, "--engine", "rya")
    assert answer.code == 2
    assert "engine must be one of [local, ray]; got 'rya'. Did you mean 'ray'?" in answer.err
    (service,) = json.loads(assay("status", own, "--json").out)["services"]
    assert service["predicted"] == 0


def test_a_function_of_the_working_folder_is_a_service_and_is_paid_once(assay, own: str) -> None:
    for _ in range(2):
        answer = assay("run", own, "--yes", 40, "--json")
        (service,) = json.loads(answer.out)["services"]
        assert (service["predicted"], service["cost"]) == (80, 40.0)


def test_nothing_is_spent_before_the_cost_is_agreed_to(assay, own: str) -> None:
    refused = assay("run", own, "--yes", 39)
    assert refused.code == 2
    assert "got 40.00" in refused.err
    assert "--yes 40.00" in refused.err
    (service,) = json.loads(assay("status", own, "--json").out)["services"]
    assert service["cost"] == 0.0


def test_a_limit_bounds_the_calls_and_the_cost(assay, own: str) -> None:
    answer = assay("run", own, "--limit", 3, "--yes", 1.5, "--json")
    (service,) = json.loads(answer.out)["services"]
    assert (service["predicted"], service["cost"]) == (3, 1.5)
    some = assay("run", own, "--labelled-only", "--json")  # nothing is labelled: nothing to pay
    assert json.loads(some.out)["services"][0]["predicted"] == 3


def test_an_unknown_service_is_named(assay, store: str) -> None:
    answer = assay("run", store, "--service", "god")
    assert answer.code == 2
    assert "Did you mean 'good'?" in answer.err


def test_labels_that_contradict_each_other_are_refused_before_anything_is_asked(
    assay, store: str, folder: Path
) -> None:
    (folder / "two.csv").write_text("id,label\nx1,cat\nx2,dog\nx1,dog\n")
    answer = assay("run", store, "--answers", "two.csv")
    assert answer.code == 2
    assert "labels of two.csv to instance 'x1' must agree; got 'cat' and 'dog'" in answer.err
    (folder / "columns.csv").write_text("id,label,label\nx1,cat,dog\n")
    answer = assay("run", store, "--answers", "columns.csv")
    assert answer.code == 2
    assert "column 'label' of columns.csv must stand there once" in answer.err
    assert json.loads(assay("status", store, "--json").out)["events"] == 1


NUMBERS = """
[assay]
estimator = "beta-independent"
strategy = "random"
[pool]
path = "numbers.csv"
[[attribute]]
name = "vip"
[[service]]
name = "reader"
column = "{column}"
[label]
choices = {choices}
"""


@pytest.mark.parametrize(
    ("column", "choices"), [("number", "[2, 3]"), ("number", '["2.0", "3.0"]'), ("yes", "[true]")]
)
def test_the_same_column_as_predictions_and_labels_is_right_everywhere(
    assay, folder: Path, column: str, choices: str
) -> None:
    lines = [f"{i}.0,{2 + i % 2}.0,{'true' if i % 3 else 'false'},True" for i in range(30)]
    (folder / "numbers.csv").write_text("\n".join(["id,number,vip,yes", *lines]) + "\n")
    (folder / "numbers.toml").write_text(NUMBERS.format(column=column, choices=choices))
    header = "id,label,vip,yes" if column == "number" else "id,number,vip,label"
    (folder / "told.csv").write_text("\n".join([header, *lines]) + "\n")
    assert assay("init", "n.assay", "--spec", "numbers.toml").err == ""
    assert assay("run", "n.assay", "--answers", "told.csv").code == 0
    arms = json.loads(assay("surface", "n.assay", "--json").out)["worst"]
    assert [arm["mean"] for arm in arms] == pytest.approx([1.0, 1.0])


@pytest.mark.filterwarnings("default")
def test_a_service_that_never_predicts_a_choice_is_remarked_on_at_init(
    assay, folder: Path
) -> None:
    (folder / "numbers.csv").write_text("id,vip,word\n1,true,two\n2,false,three\n")
    (folder / "n.toml").write_text(NUMBERS.format(column="word", choices="[2, 3]"))
    answer = assay("init", "n.assay", "--spec", "n.toml")
    assert answer.code == 0
    assert "warning: service 'reader' never predicts one of the choices ['2', '3']" in answer.err


def test_judges_are_asked_after_the_services_and_their_cost_is_agreed_to(
    assay, own: str, folder: Path
) -> None:
    (folder / "own_judge_of_this_test.py").write_text(
        "def judge(rows):\n    return [r['prediction'] == 'cat' for r in rows]\n"
    )
    judge = 'name = "llm"\nprice = 0.25\ncallable = "own_judge_of_this_test:judge"\n'
    (folder / "own.toml").write_text(f"{OWN}[[judge]]\n{judge}")
    assert assay("init", "judged.assay", "--spec", "own.toml").code == 0
    refused = assay("run", "judged.assay", "--yes", 40)
    assert "judge llm of own: 80 calls, 20.00" in refused.err
    assert "got 60.00" in refused.err
    status = json.loads(assay("run", "judged.assay", "--yes", 60, "--json").out)
    assert status["judges"] == [{"name": "llm", "service": "own", "judged": 80, "cost": 20.0}]
    shown = assay("status", "judged.assay").out
    assert "judged" in shown
    with aa.Assay.open("judged.assay") as opened:
        problem = opened.session.parts().snapshots.take(opened.spec.service[0]).problem
    said = problem.signals["llm of own"].to_list()
    assert said == ["true" if sex == "f" else "false" for sex in opened.pool["sex"]]
