import json
import sys
from pathlib import Path

import pytest

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
