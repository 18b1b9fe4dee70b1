from collections.abc import Iterator
from itertools import count

import pytest

from accuracy_assay.errors import (
    AssayError,
    DamageError,
    InputError,
    ServiceError,
    UnknownNameError,
)
from accuracy_assay.runtime.engine import LOCAL, LocalEngine, engine, work_on


def halve(number: int) -> int:
    if number % 2:
        raise InputError(f"number must be even; got {number}.")
    return number // 2


def test_results_come_in_the_order_of_the_parts() -> None:
    assert list(LOCAL.map(halve, [6, 2, 4])) == [3, 1, 2]


def test_no_parts_give_no_results() -> None:
    assert list(LOCAL.map(halve, [])) == []


def test_a_part_begins_when_its_result_is_asked_for() -> None:
    results = LOCAL.map(halve, (2 * n for n in count()))
    assert [next(results), next(results)] == [0, 1]


def test_an_error_names_its_part_and_keeps_its_class() -> None:
    with pytest.raises(InputError, match=r"^part 2, 3: number must be even; got 3\.$"):
        list(LOCAL.map(halve, [2, 3]))


@pytest.mark.parametrize(
    ("error", "plain"),
    [
        (UnknownNameError("column", "a", ["b"]), InputError),
        (DamageError("it is damaged", [1]), AssayError),
        (ServiceError("it is away"), ServiceError),
    ],
)
def test_an_error_that_a_message_alone_cannot_make_becomes_one_that_it_can(
    error: AssayError, plain: type[AssayError]
) -> None:
    def fail(part: str) -> None:
        raise error

    with pytest.raises(plain) as caught:
        work_on(fail, 0, "rows 1 to 9")
    assert str(caught.value) == f"part 1, rows 1 to 9: {error}"
    assert isinstance(error, type(caught.value))
    assert type(caught.value)(*caught.value.args).args == caught.value.args


def test_an_error_of_python_keeps_its_text_and_notes_its_part() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        work_on(lambda part: 1 // part, 4, 0)
    assert caught.value.__notes__ == ["in part 5, 0"]


def test_a_part_that_is_no_line_is_called_by_its_number() -> None:
    for part in ("two\nlines", list(range(100))):
        with pytest.raises(InputError, match=r"^part 8: no$"):
            work_on(_refuse, 7, part)


def test_ctrl_c_stops_and_begins_no_other_part() -> None:
    begun = []

    def work(part: int) -> int:
        begun.append(part)
        if part == 1:
            raise KeyboardInterrupt
        return part

    def parts() -> Iterator[int]:
        yield from range(5)

    with pytest.raises(KeyboardInterrupt):
        list(LOCAL.map(work, parts()))
    assert begun == [0, 1]


def test_the_local_engine_is_found_by_its_name_whatever_a_worker_would_need() -> None:
    assert engine("local") == engine("local", gpus=2.0, most_workers=3) == LocalEngine()


def test_here_one_part_is_done_at_a_time_and_in_order() -> None:
    assert LOCAL.n_workers == 1
    assert list(LOCAL.map_as_done(halve, [6, 2, 4])) == [3, 1, 2]


def test_an_engine_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"engine must be one of \[local, ray\]; got 'spa"):
        engine("spark")


def _refuse(part: object) -> None:
    raise InputError("no")
