"""Names become objects; what is no name and no object is refused."""

import sys
from pathlib import Path

import pytest

from accuracy_assay import registry
from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.constant import Constant
from accuracy_assay.exploration.uniform import Random


def test_a_name_with_settings_becomes_an_object() -> None:
    assert registry.build_estimator("beta-independent", level=0.5) == BetaIndependent(level=0.5)
    assert registry.build_strategy("random") == Random()


def test_an_object_is_itself() -> None:
    mine = Constant(level=0.8)
    assert registry.build_estimator(mine) is mine


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'beta-independent'\?"):
        registry.build_estimator("beta-independant")
    with pytest.raises(UnknownNameError, match=r"strategy must be one of \[random"):
        registry.build_strategy("magic")


def test_a_misspelt_setting_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"setting of estimator 'constant' .*'level'\?"):
        registry.build_estimator("constant", levle=0.5)


@pytest.mark.parametrize("thing", [42, None, Constant, Random()])
def test_what_cannot_fit_is_refused(thing: object) -> None:
    with pytest.raises(InputError, match=r"estimator must be a name .* Estimator; got"):
        registry.build_estimator(thing)  # type: ignore[arg-type]


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_ray.py").write_text("import ray.data\n\nclass Far: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(registry, "STRATEGIES", {"far": "needs_ray:Far"})
    with pytest.raises(MissingExtraError, match=r"strategy 'far' must have the extra 'ray'"):
        registry.build_strategy("far")


def test_a_module_that_is_no_extra_fails_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "STRATEGIES", {"lost": "no_such_module_at_all:Lost"})
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        registry.build_strategy("lost")


@pytest.mark.parametrize("table", ["ESTIMATORS", "STRATEGIES", "CALIBRATIONS"])
def test_every_registered_name_can_be_imported(table: str) -> None:
    kind = {"ESTIMATORS": "estimator", "STRATEGIES": "strategy", "CALIBRATIONS": "calibrator"}
    for name in getattr(registry, table):
        assert getattr(registry, f"build_{kind[table]}")(name) is not None
