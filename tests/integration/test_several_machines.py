"""Ray's workers give what this process gives, and one that dies costs a try, not the run.

All tests of a real cluster are here: they share it, and files are what processes divide.
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray_nodes
from ray_nodes import RayNodes

from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.runtime import ray_engine
from accuracy_assay.runtime.engine import LOCAL, engine
from accuracy_assay.runtime.ray_engine import RayEngine


@pytest.fixture(scope="module", autouse=True)
def nodes() -> Iterator[RayNodes]:
    nodes = RayNodes.start()
    yield nodes
    nodes.remove()


def test_results_are_those_of_the_local_engine_in_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ray_engine, "_PARTS_PER_WORKER", 3)  # several pipelines, the last not full
    wanted = list(LOCAL.map(ray_nodes.square, range(14)))
    assert list(engine("ray").map(ray_nodes.square, iter(range(14)))) == wanted


def test_an_error_is_that_of_the_local_engine_after_the_results_before_it() -> None:
    def said_by(results: Iterator[int]) -> str:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(InputError) as caught:
            next(results)
        return str(caught.value)

    ours = said_by(LOCAL.map(ray_nodes.refuse_three, range(5)))
    assert ours.startswith("part 4, 3: number must be one of [1, 2]; got 3.")
    assert said_by(RayEngine().map(ray_nodes.refuse_three, range(5))) == ours


def test_a_worker_that_is_killed_costs_a_try_and_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    parts = [(tmp_path, number) for number in range(6)]
    assert list(RayEngine().map(ray_nodes.die_once, parts)) == [0, 1, 4, 9, 16, 25]
    assert (tmp_path / "died").exists()
    assert capfd.readouterr() == ("", "")


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


def test_a_worker_has_the_gpus_that_it_asks_for_and_stays_with_them() -> None:
    found = list(RayEngine(gpus=1).map(ray_nodes.own_gpu, range(6)))
    assert [square for square, _, _ in found] == [0, 1, 4, 9, 16, 25]
    assert {gpu for _, _, gpu in found} <= {"0", "1"}
    assert len({pid for _, pid, _ in found}) <= 2


def test_more_gpus_than_a_machine_has_are_refused() -> None:
    with pytest.raises(InputError, match=r"gpus must be at most .* got 4, and the most is 2\."):
        list(RayEngine(gpus=4).map(ray_nodes.square, [1]))
