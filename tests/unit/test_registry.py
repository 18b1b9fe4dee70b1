"""Names become objects; what is no name and no object is refused."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from entry_points import install

from accuracy_assay import registry
from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.estimators.beta_independent import BetaIndependent
from accuracy_assay.estimators.constant import Constant
from accuracy_assay.exploration.uniform import Random
from accuracy_assay.exploration.variance_reduction import VarianceReduction
from accuracy_assay.labelers.csv_file import CsvFile
from accuracy_assay.runtime.imports import installed
from accuracy_assay.services.column import ColumnService

OUTSIDE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine:
    level: float = 0.9
    is_random = False
    def fit(self, observations, rng, previous=None): ...
    def choose(self, surface, candidates, n, rng): ...

class Calibrates:
    def fit(self, seed, gold, pool, rng, on_steps=None): ...

@dataclass(frozen=True)
class Answers:
    model: str = "small"
    def predict(self, rows): return iter(())

class Files:
    def write(self, tasks, choices, path): ...
    def read(self, path): return ()

@dataclass(frozen=True)
class Measures:
    of: str = "all"
    is_error = False
    def deciding(self, columns): return ()
    def qualifies(self, rows, columns): ...
    def scores(self, rows, columns): ...

class Reads:
    def reads(self, path): return path.suffix == ".log"
    def read(self, paths): ...
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with an entry point in each group, called ``mine``."""
    classes = {"estimator": "Mine", "strategy": "Mine", "calibration": "Calibrates"}
    classes |= {"service": "Answers", "labeler": "Files", "measure": "Measures"}
    classes |= {"reader": "Reads"}
    points = {registry.GROUPS[k]: {"mine": f"outside:{v}"} for k, v in classes.items()}
    install(tmp_path, monkeypatch, "outside", OUTSIDE, points)
    yield
    installed.cache_clear()


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
    (tmp_path / "needs_torch.py").write_text("import torch.cuda\n\nclass Far: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(registry.STRATEGIES, "far", "needs_torch:Far")  # type: ignore[arg-type]
    with pytest.raises(MissingExtraError, match=r"strategy 'far' must have the extra 'vision'"):
        registry.build_strategy("far")


def test_a_module_that_is_no_extra_fails_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = "no_such_module_at_all:Lost"
    monkeypatch.setitem(registry.STRATEGIES, "lost", lost)  # type: ignore[arg-type]
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        registry.build_strategy("lost")


@pytest.mark.parametrize("table", ["ESTIMATORS", "STRATEGIES", "CALIBRATIONS"])
def test_every_registered_name_can_be_imported(table: str) -> None:
    kind = {"ESTIMATORS": "estimator", "STRATEGIES": "strategy", "CALIBRATIONS": "calibrator"}
    for name in getattr(registry, table):
        assert getattr(registry, f"build_{kind[table]}")(name) is not None


def test_a_table_of_settings_is_taken_where_a_name_is() -> None:
    assert registry.build_estimator({"name": "constant", "level": 0.95}) == Constant(level=0.95)
    goal = {"name": "variance-reduction", "goal": "worst", "mix": {"3": 1}}
    assert registry.build_strategy(goal) == VarianceReduction(goal="worst", mix={3: 1.0})


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("build", "address"),
    [
        (registry.build_estimator, "outside:Mine"),
        (registry.build_strategy, "outside:Mine"),
        (registry.build_calibrator, "outside:Calibrates"),
        (lambda name: registry.build_labeler(name, Path("answers.xyz")), "outside:Files"),
        (lambda name: registry.build_service(name, {"name": "s"}), "outside:Answers"),
        (registry.build_measure, "outside:Measures"),
        (registry.build_reader, "outside:Reads"),
    ],
    ids=["estimator", "strategy", "calibration", "labeler", "service", "measure", "reader"],
)
def test_methods_of_other_packages_are_taken_by_name_and_by_address(
    build: Any, address: str
) -> None:
    assert type(build("mine")) is type(build(address))
    with pytest.raises(UnknownNameError, match=r"got 'mime'. Did you mean 'mine'\?"):
        build("mime")


@pytest.mark.usefixtures("outside")
def test_checking_refuses_what_building_would() -> None:
    for check in (registry.check_estimator, registry.check_strategy):
        check("mine")
        check({"name": "outside:Mine", "level": 0.5})
        with pytest.raises(InputError, match=r"setting 'level' of \w+ 'mine' must .*got 'x'"):
            check({"name": "mine", "level": "x"})
    registry.check_calibrator("full")
    with pytest.raises(InputError, match="got 'outside:Mine', which has a method 'fit' that"):
        registry.check_calibrator("outside:Mine")


@pytest.mark.usefixtures("outside")
def test_a_service_of_another_package_takes_all_of_its_settings() -> None:
    built: Any = registry.build_service("mine", {"name": "s", "model": "large"})
    assert built.model == "large"
    with pytest.raises(UnknownNameError, match=r"got 'modle'. Did you mean 'model'\?"):
        registry.build_service("mine", {"name": "s", "modle": "large"})


def test_a_service_of_ours_takes_what_it_has_of_a_section() -> None:
    section = {"name": "s", "column": "p", "url": None, "retries": 5, "confidence": None}
    assert registry.build_service("column", section) == ColumnService("p")


def test_a_labeler_is_taken_by_ending_name_or_object() -> None:
    assert isinstance(registry.build_labeler(None, Path("a.csv")), CsvFile)
    assert isinstance(registry.build_labeler("csv", Path("a.txt")), CsvFile)
    mine = CsvFile()
    assert registry.build_labeler(mine, Path("a.txt")) is mine
    with pytest.raises(UnknownNameError, match=r"file type of a.txt .* write module:Class"):
        registry.build_labeler(None, Path("a.txt"))


@pytest.mark.usefixtures("outside")
def test_what_follows_the_name_of_a_measure_is_its_class() -> None:
    recall = registry.build_measure({"name": "recall", "of": "a:b"})
    assert registry.build_measure("recall:a:b") == recall
    assert registry.build_measure("true_positive_rate:a:b") == recall
    for name in ("mine", "outside:Measures"):
        built: Any = registry.build_measure(name)
        assert built.of == "all"
        built = registry.build_measure(f"{name}:yes")
        assert built.of == "yes"


def test_a_measure_that_is_no_name_or_has_no_class_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"got 'recal:yes'\. One of your own"):
        registry.build_measure("recal:yes")
    with pytest.raises(UnknownNameError, match="measure must be one of"):
        registry.build_measure("fairness")
    with pytest.raises(InputError, match="must name a class, such as recall:yes"):
        registry.build_measure("recall")


@pytest.mark.usefixtures("outside")
def test_every_reader_is_ours_or_an_installed_one() -> None:
    found = registry.every_reader()
    assert set(found) == {*registry.READERS, "mine"}
    assert found["mine"].reads(Path("a.log"))


def test_the_settings_of_a_method_are_known_by_name() -> None:
    assert "goal" in registry.settings_of("strategy", "variance-reduction")
    assert registry.settings_of("strategy", "random") == ()
    with pytest.raises(UnknownNameError, match="method must be one of"):
        registry.settings_of("store", "sqlite")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql:/ann:hunter2@host/db",
        "postgresql:ann:hunter2@host/db",
        "postgresql;//ann:hunter2@host/db",
        "postgres//ann:hunter2@host/db",
        "postgresql:hunter2",
        "ann:hunter2@postgresql://host/db",
        "some/folder/db?password=hunter2",
        "sqlite:hunter2.db",
        Path("postgresql://ann:hunter2@host/db"),
    ],
)
def test_a_mistyped_address_of_a_store_makes_no_file_and_shows_no_password(
    address: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="store must be the path of a file, or a URL") as caught:
        registry.open_store(address, is_new=True)
    assert "hunter2" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["mysql://ann:hunter2@host/db", "sqlite:///hunter2.db"])
def test_a_store_of_another_kind_is_refused_by_its_scheme_alone(address: str) -> None:
    with pytest.raises(UnknownNameError, match="store must be one of") as caught:
        registry.open_store(address)
    assert "hunter2" not in str(caught.value)
