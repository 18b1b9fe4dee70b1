import pickle

import polars as pl
import pytest

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.runtime.engine import LOCAL
from accuracy_assay.services.function import FunctionService
from accuracy_assay.services.http import HttpService
from accuracy_assay.session import spreading
from accuracy_assay.session.spreading import spread
from accuracy_assay.spec.answerers import JudgeSection, ServiceSection

ENDPOINT = {
    "name": "api",
    "url": "http://127.0.0.1:9/{text}",
    "response": {"prediction": "label"},
    "batch_rows": 10,
}


class Four:
    """An engine with four workers, or fewer where that is all that may work."""

    def __init__(self, name: str, gpus: float, most_workers: int | None) -> None:
        self.given = (name, gpus, most_workers)
        self.n_workers = 4 if most_workers is None else min(4, most_workers)

    map = map_as_done = staticmethod(LOCAL.map)


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "engine", Four)


def made_of(section: ServiceSection) -> HttpService:
    made = pickle.loads(pickle.dumps(spread(section, "ray").build))()
    assert isinstance(made, HttpService)
    return made


@pytest.mark.usefixtures("four")
def test_a_function_is_called_with_its_gpus_and_as_often_as_there_are_workers() -> None:
    service = spread(ServiceSection(name="m", callable="mod:predict", gpus=0.5), "ray")
    assert service.engine.given == ("ray", 0.5, None)
    made = pickle.loads(pickle.dumps(service.build))()
    assert made == FunctionService("m", "mod:predict", 64)


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(("allowed", "workers", "each"), [(1, 1, 1), (3, 3, 1), (9, 4, 2)])
def test_no_more_calls_are_made_at_once_than_by_one_process(
    allowed: int, workers: int, each: int
) -> None:
    section = ServiceSection(**ENDPOINT, concurrency=allowed)
    assert spread(section, "ray").engine.n_workers == workers
    assert made_of(section).concurrency == each
    assert workers * each <= allowed


@pytest.mark.usefixtures("four")
def test_workers_share_the_calls_per_second_first_calls_included() -> None:
    section = ServiceSection(**ENDPOINT, requests_per_second=40.0)
    each = made_of(section).requests_per_second
    assert each is not None
    seconds_of_a_part = (section.batch_rows - 1) / each
    assert 4 * section.batch_rows / seconds_of_a_part == pytest.approx(40.0)
    assert made_of(ServiceSection(**ENDPOINT)).requests_per_second is None


def test_a_judge_is_spread_as_a_service_is() -> None:
    judge = JudgeSection(name="j", callable="operator:itemgetter").of("m")
    assert spread(judge, "local").name == "j of m"


def test_an_engine_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownNameError, match="engine must be one of"):
        spread(ServiceSection(name="m", callable="mod:predict"), "rya")


def test_the_local_engine_predicts_as_the_service_itself() -> None:
    section = ServiceSection(name="m", callable="accuracy_assay.demo.run:nothing", batch_rows=2)
    service = spread(section, "local")
    assert (service.rows_per_part, service.engine) == (2, LOCAL)
    assert list(service.predict(pl.DataFrame({"a": []}))) == []
