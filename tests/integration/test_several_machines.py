"""Ray's workers give what this process gives, and one that dies costs a try, not the run.

All tests of a real cluster are here: they share it, and files are what processes divide.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import ray_nodes
from http_endpoint import Call, Reply, endpoint
from polars.testing import assert_frame_equal
from ray_nodes import RayNodes, wait_until_quiet

import accuracy_assay as aa
from accuracy_assay.calibration.raw import uncalibrated
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.runtime import ray_engine
from accuracy_assay.runtime.engine import LOCAL, engine
from accuracy_assay.runtime.one_thread import environment
from accuracy_assay.runtime.ray_engine import RayEngine
from accuracy_assay.study.method import parse_method
from accuracy_assay.study.read.guessed_parts import GuessedPool
from accuracy_assay.study.read.part_reader import PartReader
from accuracy_assay.study.read.pool_parts import frame_parts
from assay_bench.parallel import perform_all
from assay_bench.run import Row, Run


@pytest.fixture(scope="module", autouse=True)
def nodes() -> Iterator[RayNodes]:
    with environment(ray_nodes.SETTINGS):
        nodes = RayNodes.start()
        yield nodes
        nodes.remove()


def test_results_are_those_of_the_local_engine_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_engine, "_TASKS", 2)
    monkeypatch.setattr(ray_engine, "parts_per_task", lambda part_s: 3)
    numbers = range(4 + 12 + 4)  # in three pipelines: of one part per task, of three, and the rest
    wanted = list(LOCAL.map(ray_nodes.square, numbers))
    assert list(engine("ray").map(ray_nodes.square, iter(numbers))) == wanted


def test_an_error_is_that_of_the_local_engine_after_the_results_before_it() -> None:
    def said_by(results: Iterator[int]) -> str:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(InputError) as caught:
            next(results)
        return str(caught.value)

    ours = said_by(LOCAL.map(ray_nodes.refuse_three, range(5)))
    assert ours.startswith("part 4, 3: number must be one of [1, 2]; got 3.")
    assert said_by(RayEngine().map(ray_nodes.refuse_three, range(5))) == ours


def test_a_part_that_kills_every_worker_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_engine, "_TRIES", 1)
    results = RayEngine().map(ray_nodes.die_at_three, range(5))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(AssayError, match=r"^part 4 must be worked on by a worker"):
        next(results)


def test_a_machine_that_goes_away_costs_a_try(nodes: RayNodes, tmp_path: Path) -> None:
    node = nodes.add_mortal()

    def take_away() -> None:
        ray_nodes.wait_for(tmp_path / "reached")
        nodes.kill(node)

    thread = threading.Thread(target=take_away)
    thread.start()
    parts = [(tmp_path, number) for number in range(6)]
    assert list(RayEngine().map(ray_nodes.stay_on_mortal, parts)) == [0, 1, 4, 9, 16, 25]
    thread.join()
    assert (tmp_path / "reached").exists()


def test_who_stops_asking_stops_the_parts_that_have_not_begun(tmp_path: Path) -> None:
    results = RayEngine().map(ray_nodes.begin, [(tmp_path, n) for n in range(30)])
    assert next(results) == 0
    results.close()
    assert len(list(tmp_path.iterdir())) < 30


FUNCTION = {"callable": "ray_nodes:label_rows"}


def make_assay(folder: Path, **service: Any) -> aa.Assay:
    """Return an assay of 60 rows and one service."""
    folder.mkdir(exist_ok=True)
    ids = [f"x{i}" for i in range(60)]
    pool = pl.DataFrame(
        {"id": ids, "text": ["ab" * (i % 4 + 1) for i in range(60)], "folder": str(folder)}
    )
    spec = {
        "assay": {"name": "texts"},
        "attribute": [{"name": "text"}],
        "service": [{"name": "m", "batch_rows": 5, **(service or FUNCTION)}],
        "label": {"choices": ["AB"]},
    }
    return aa.Assay.create(folder / "texts.assay", spec, pool=pool)


def answers_of(assay: aa.Assay) -> Mapping[str, tuple[str, float | None]]:
    with assay.session.journal.reading() as ledger:
        return dict(ledger.predictions["m"])


def test_scores_are_those_of_the_local_engine_though_a_worker_is_killed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    here, there = make_assay(tmp_path / "here"), make_assay(tmp_path / "there")
    (tmp_path / "there" / "die").touch()
    assert here.predict("m") == there.predict("m", engine="ray") == 60
    assert answers_of(there) == answers_of(here)
    assert not (tmp_path / "there" / "die").exists()
    assert capfd.readouterr() == ("", "")


def test_an_endpoint_is_called_once_per_row_and_never_more_often_at_once(tmp_path: Path) -> None:
    at_once, most = threading.Semaphore(2), threading.Event()

    def answer(call: Call) -> Reply:
        if not at_once.acquire(blocking=False):
            most.set()
        time.sleep(0.01)
        at_once.release()
        return Reply({"label": call.content["q"].upper()})

    with endpoint(answer) as server:
        assay = make_assay(
            tmp_path,
            url=server.url,
            request={"q": "{text}"},
            response={"prediction": "label"},
            concurrency=2,
        )
        assert assay.predict("m", engine="ray") == 60
        assert len(server.calls) == 60
    assert not most.is_set()
    assert {said for said, _ in answers_of(assay).values()} == {"AB" * n for n in range(1, 5)}


def test_what_was_recorded_before_an_interruption_is_not_asked_for_again(tmp_path: Path) -> None:
    assay = make_assay(tmp_path)

    def stop(n: int, total: int, cost: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.predict("m", stop, engine="ray")
    recorded = set(answers_of(assay))
    assert 0 < len(recorded) < 60
    wait_until_quiet()
    (tmp_path / "asked").unlink()
    assert assay.predict("m", engine="ray") == 60 - len(recorded)
    asked_again = (tmp_path / "asked").read_text().split()
    assert sorted(asked_again) == sorted({f"x{i}" for i in range(60)} - recorded)


def test_counts_of_a_folder_are_those_of_this_process(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    for number in range(3):
        pl.DataFrame(
            {
                "sex": rng.choice(["f", "m"], 500),
                "age": rng.integers(18, 80, 500),
                "score": rng.choice([0.0, 0.25, 1.0], 500),
            }
        ).write_parquet(tmp_path / f"{number}.parquet")
    attributes = ["sex", Attribute("age", kind="continuous", edges=(30, 60))]

    def counted_by(engine: str) -> pl.DataFrame:
        fitted = aa.estimate(
            tmp_path, attributes, "score", estimator="beta-independent", engine=engine
        )
        return fitted.to_frame()

    assert_frame_equal(counted_by("ray"), counted_by("local"), check_exact=True)


def test_affiliations_of_guessed_rows_are_those_of_this_process(rng: np.random.Generator) -> None:
    space = AttributeSpace((Attribute("sex", ("f", "m")), Attribute("age", ("old", "young"))))
    said = rng.dirichlet([0.3, 0.3], 300)
    frame = pl.DataFrame(
        {"sex": rng.choice(["f", "m"], 300), "p__old": said[:, 0], "p__young": said[:, 1]}
    )
    reader = PartReader(space, {"age": "p__*"}, [], frame.columns)
    soft = replace(uncalibrated(space), method="temperature", sharpness=np.array([1.0, 0.7]))
    cells, sizes = GuessedPool(frame_parts(frame, 90), reader, RayEngine()).cell_sizes(soft)
    here, sizes_here = GuessedPool(frame_parts(frame, 90), reader).cell_sizes(soft)
    np.testing.assert_array_equal(cells, here)
    np.testing.assert_array_equal(sizes, sizes_here)


def test_runs_of_a_benchmark_are_those_of_this_process() -> None:
    task = "synthetic:rows=400,attributes=2,values=3"
    method = parse_method("beta-independent")
    runs = [Run(task, method, seed, "sizes", (100,), seed_size=50) for seed in range(2)]

    def performed_by(engine: str) -> dict[Run, list[Row]]:
        found: dict[Run, list[Row]] = {}
        perform_all(runs, None, 1, found.__setitem__, engine)
        return {run: [row | {"seconds": 0.0} for row in rows] for run, rows in found.items()}

    assert performed_by("ray") == performed_by("local")


def test_a_worker_has_the_gpus_that_it_asks_for_and_stays_with_them() -> None:
    found = list(RayEngine(gpus=1).map(ray_nodes.own_gpu, range(6)))
    assert [square for square, _, _ in found] == [0, 1, 4, 9, 16, 25]
    assert {gpu for _, _, gpu in found} <= {"0", "1"}
    assert len({pid for _, pid, _ in found}) <= 2


def test_more_gpus_than_a_machine_has_are_refused() -> None:
    with pytest.raises(InputError, match=r"gpus must be at most .* got 4, and the most is 2\."):
        list(RayEngine(gpus=4).map(ray_nodes.square, [1]))
