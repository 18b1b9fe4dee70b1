"""What every service promises, checked over each kind that is registered."""

import sys
from collections.abc import Iterator
from types import ModuleType

import polars as pl
import pytest
from http_endpoint import Call, Reply, endpoint

from accuracy_assay.protocols import Prediction, Service
from accuracy_assay.registry import SERVICES, build_service

ROWS = pl.DataFrame({"id": [f"x{i}" for i in range(30)], "number": range(30), "said": range(30)})


def answer(call: Call) -> Reply:
    return Reply({"label": call.content["n"]})


@pytest.fixture(params=sorted(SERVICES))
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service of each kind that says the row's number."""
    module = ModuleType("conforming_service")
    module.said = lambda rows: [row["number"] for row in rows]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "conforming_service", module)
    with endpoint(answer) as server:
        settings = {
            "name": "tested",
            "column": "said",
            "callable": "conforming_service:said",
            "batch_rows": 7,
            "url": server.url,
            "request": {"n": "{number}"},
            "response": {"prediction": "label"},
        }
        yield build_service(request.param, settings)


def predictions(service: Service, rows: pl.DataFrame) -> list[Prediction]:
    return [p for group in service.predict(rows) for p in group]


def test_every_row_is_predicted_once(service: Service) -> None:
    made = predictions(service, ROWS)
    assert sorted(p.position for p in made) == list(range(ROWS.height))


def test_a_prediction_is_the_text_for_its_own_row(service: Service) -> None:
    shuffled = ROWS.sample(fraction=1.0, shuffle=True, seed=0)
    made = {p.position: p.prediction for p in predictions(service, shuffled)}
    assert made == {i: str(n) for i, n in enumerate(shuffled["number"])}


def test_no_rows_need_no_predictions(service: Service) -> None:
    assert predictions(service, ROWS.clear()) == []
