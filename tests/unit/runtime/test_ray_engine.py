"""What can be said without a cluster; one works in tests/integration."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from ray import cloudpickle

from accuracy_assay.errors import AssayError, InputError, MissingExtraError
from accuracy_assay.runtime.engine import engine
from accuracy_assay.runtime.one_thread import environment, one_thread
from accuracy_assay.runtime.ray_engine import (
    RayEngine,
    _as_done,
    _in_order,
    _StayingWorker,
    _work_on_table,
    parts_per_task,
)


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """A worker changes its variables; here it is this process."""
    with environment(one_thread()):
        yield


def worked_on(work: Any, *parts: Any) -> list[tuple[int, bytes]]:
    """Return what a worker sends back for the parts."""
    packed = [cloudpickle.dumps(part) for part in parts]
    table = pyarrow.table({"index": list(range(len(parts))), "part": packed})
    done = _work_on_table(table, cloudpickle.dumps(work), ()).to_pydict()
    return list(zip(done["index"], done["result"], strict=True))


def ordered(parts: list[Any], results: list[tuple[int, bytes]]) -> Iterator[Any]:
    return _in_order(range(len(parts)), iter(results))


def test_results_that_come_early_wait_for_their_turn() -> None:
    done = worked_on(lambda part: part * 2, 1, 2, 3)
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        assert list(ordered([1, 2, 3], [done[i] for i in order])) == [2, 4, 6]


def test_a_result_whose_turn_has_come_is_not_held_back() -> None:
    done = worked_on(abs, -1, -2)
    results = ordered([-1, -2], [done[0]])
    assert next(results) == 1
    with pytest.raises(AssayError, match=r"^part 2 must be worked on by a worker of the Ray"):
        next(results)


def test_results_in_any_order_do_not_wait_and_what_is_lost_is_told_at_the_end() -> None:
    done = worked_on(abs, -1, -2, -3)
    results = _as_done(range(3), iter([done[2], done[0]]))
    assert [next(results), next(results)] == [3, 1]
    with pytest.raises(AssayError, match=r"^part 2 must be worked on by a worker of the Ray"):
        next(results)


def test_an_error_that_cannot_be_pickled_comes_back_as_its_text() -> None:
    class StubbornError(Exception):
        def __reduce__(self) -> Any:
            raise TypeError("no")

    def fail(part: int) -> None:
        raise StubbornError("not today")

    with pytest.raises(AssayError, match=r"^StubbornError: not today$"):
        list(ordered([1], worked_on(fail, 1)))


def test_an_error_of_ours_comes_back_as_it_is() -> None:
    def fail(part: int) -> None:
        raise InputError("no")

    with pytest.raises(InputError, match=r"^part 1, 7: no$"):
        list(ordered([7], worked_on(fail, 7)))


def test_a_worker_that_stays_unpacks_the_work_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counted_loads.py").write_text(
        "loads = []\n"
        "class Work:\n"
        "    def __setstate__(self, state):\n"
        "        loads.append(state)\n"
        "    def __getstate__(self):\n"
        "        return {'a': 1}\n"
        "    def __call__(self, part):\n"
        "        return part, len(loads)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import counted_loads

    packed = cloudpickle.dumps(counted_loads.Work())
    worker = _StayingWorker(packed, sys.path)
    for index in (0, 1):
        part = pyarrow.table({"index": [index], "part": [cloudpickle.dumps("x")]})
        result = worker(part).to_pydict()["result"][0]
        assert cloudpickle.loads(result) == (False, ("x", 1))


def test_a_worker_finds_modules_where_the_caller_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_service.py").write_text("def double(part):\n    return 2 * part\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "own_service", raising=False)
    by_name = b"cown_service\ndouble\n."  # a pickle that names the function
    table = pyarrow.table({"index": [0], "part": [cloudpickle.dumps(4)]})
    done = _work_on_table(table, by_name, (str(tmp_path),)).to_pydict()
    assert cloudpickle.loads(done["result"][0]) == (False, 8)


@pytest.mark.parametrize("part_s", [0.0, 1e-4, 0.3, 2.0, 1e4])
def test_a_task_has_parts_for_two_seconds_and_at_least_one(part_s: float) -> None:
    n_parts = parts_per_task(part_s)
    assert 1 <= n_parts <= 32
    assert n_parts in (1, 32) or 2.0 - part_s < n_parts * part_s <= 2.0


def test_the_engine_is_found_by_its_name() -> None:
    assert engine("ray") == RayEngine()
    assert engine("ray", gpus=0.5, most_workers=3) == RayEngine(0.5, 3)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("accuracy_assay.runtime.ray_engine", "accuracy_assay.runtime.ray_cluster"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"engine 'ray' must have the extra 'ray'"):
        engine("ray")
