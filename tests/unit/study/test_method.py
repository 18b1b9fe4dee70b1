import polars as pl
import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.registry import build_calibrator, build_estimator
from accuracy_assay.study.method import (
    Method,
    columns_for,
    is_available,
    parse_method,
)
from accuracy_assay.tasks.task import Task


def test_an_estimator_alone_labels_at_random() -> None:
    assert parse_method("constant") == Method("constant", "constant", "random", "full")


def test_signals_and_strategy_are_read_off_the_name() -> None:
    method = parse_method("beta-independent+signals/largest-variance")
    assert method.estimator == "beta-independent"
    assert method.strategy == "largest-variance"
    assert method.use_signals


@pytest.mark.parametrize("text", ["magic", "constant/magic", "constant@magic", "+signals"])
def test_an_unknown_part_is_named(text: str) -> None:
    with pytest.raises(UnknownNameError):
        parse_method(text)
    assert not is_available(text)


def test_an_address_is_taken_for_each_part() -> None:
    estimator = "accuracy_assay.estimators.constant:Constant"
    strategy = "accuracy_assay.exploration.uniform:Random"
    calibration = "accuracy_assay.calibration.raw:Raw"
    method = parse_method(f"{estimator}+signals/{strategy}@{calibration}")
    assert (method.estimator, method.strategy) == (estimator, strategy)
    assert method.calibration == calibration
    assert method.use_signals
    assert is_available(method.name)
    assert not is_available("nowhere_at_all:Mine")


def test_settings_follow_a_colon_in_each_part() -> None:
    method = parse_method("beta-gp-sl:supervision=gamma,learning_rate=0.001@full:start=zero")
    estimator = build_estimator(method.estimator)
    assert (estimator.supervision, estimator.learning_rate) == ("gamma", 0.001)  # type: ignore[attr-defined]
    assert build_calibrator(method.calibration).start == "zero"  # type: ignore[attr-defined]
    with_signals = parse_method("accuracy_assay.estimators.constant:Constant:level=0.5+signals")
    assert with_signals.use_signals
    assert build_estimator(with_signals.estimator).level == 0.5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("constant:level=0.9,level=0.8", "each key once.*got 'level=0.8'"),
        ("constant:level=0.9,wide", "must be key=value.*got 'wide'"),
        ("constant:width=2", "setting of estimator 'constant'.*got 'width'"),
        ("constant@full:start=one", "got 'one'"),
    ],
)
def test_a_wrong_setting_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_method(text)


@pytest.mark.parametrize(("signals", "referees"), [(True, True), (False, True), (True, False)])
def test_referees_are_read_off_the_name_beside_signals(signals: bool, referees: bool) -> None:
    name = "constant" + "+signals" * signals + "+referees" * referees
    method = parse_method(f"{name}/random")
    assert (method.estimator, method.strategy) == ("constant", "random")
    assert (method.use_signals, method.use_referees) == (signals, referees)


def refereed(**roles: object) -> Task:
    rows = pl.DataFrame(
        {
            "id": ["x", "y"],
            "sex": ["F", "M"],
            "correct": [1, 0],
            "own": ["a", "b"],
            "ibm": ["a", "a"],
            "sure": [0.1, 0.2],
        }
    )
    services = {"own": "own", "ibm": "ibm"}
    options = {"y_pred": "own", "services": services, "signals": ("sure",), **roles}
    return Task("toy", "Two rows.", rows, ("sex",), **options)  # type: ignore[arg-type]


def test_a_task_hands_over_what_the_method_uses() -> None:
    plain = columns_for(parse_method("constant"), refereed())
    assert (plain.signals, plain.referees) == ((), ())
    both = columns_for(parse_method("constant+signals+referees"), refereed())
    assert (both.signals, both.y_pred, both.referees) == (("sure",), "own", ("ibm",))


def test_a_task_without_other_services_is_named() -> None:
    with pytest.raises(InputError, match="answers of other services; got 'toy'"):
        columns_for(parse_method("constant+referees"), refereed(services={"own": "own"}))
