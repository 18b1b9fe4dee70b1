"""The names that the guest declares work as those of the product do."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from entry_points import install

from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.registry import build_estimator, check_estimator
from accuracy_assay.runtime.imports import import_named, installed
from accuracy_assay.study.method import is_available
from accuracy_assay.tasks.registry import GROUP, load_task

TABLES = {
    *("adult5", "adult6", "am2g", "am2d", "am3g", "am3d", "am1n", "am1n-deepspeech"),
    *("whisper-text", "bbq", "mmlu_pair", "frank"),
}
MADE = {"faces", "simple"}
PAPERS = {"mf-celeba", "mf-imdb", "ac-cocos", "ac-cocos10k"}


@pytest.fixture
def _no_fairlearn(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fairlearn", "fairlearn.metrics"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "assay_bench.peers.metric_frame", raising=False)


@pytest.fixture
def rival(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that declares a task under a name of ours."""
    install(tmp_path, monkeypatch, "rival", "def far(): ...", {GROUP: {"simple": "rival:far"}})
    yield
    installed.cache_clear()


def test_every_task_is_a_function() -> None:
    assert set(installed(GROUP)) >= TABLES | MADE | PAPERS
    for name in TABLES | MADE | PAPERS:
        assert callable(import_named("task", name, GROUP))


@pytest.mark.parametrize("name", sorted(TABLES))
def test_tables_that_do_not_ship_need_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pass --data DIR or set ASSAY_DATA"):
        load_task(name)
    with pytest.raises(InputError, match=r"pool\.parquet; got"):
        load_task(name, tmp_path)


def test_settings_and_the_ending_exact_are_taken() -> None:
    task = load_task("faces-exact:rows=300,seed=1")
    assert (task.n_rows, task.evidence, task.name) == (300, {}, "faces-exact:rows=300,seed=1")
    assert load_task("simple:rows_per_share=10").n_rows == 860


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("adlut5", r"task must be one of \[digits, synthetic, .*got 'adlut5'.*mean 'adult5'"),
        ("adult5:rows=3", "task 'adult5' must have no settings; got 'rows=3'"),
        ("mf-celeba:service=3", r"setting of task 'mf-celeba'.*\[n_train, n_pool, seed\]"),
        ("faces:rows=many", "setting 'rows' must be a number; got 'many'"),
        ("faces:rows=0.5", "setting 'rows' of task 'faces' must be a valid integer"),
    ],
)
def test_a_mistake_is_named(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_task(name)


def test_a_misspelt_peer_gets_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"\[anova-gp, .*'shrinkage'\?"):
        build_estimator("shrinkge")


@pytest.mark.usefixtures("rival")
def test_a_name_of_ours_comes_before_that_of_another_package() -> None:
    assert load_task("simple").attributes == ("position",)


@pytest.mark.usefixtures("_no_fairlearn")
def test_a_missing_extra_is_named() -> None:
    for take in (build_estimator, check_estimator):
        with pytest.raises(MissingExtraError, match=r"'metric-frame' must have the extra 'peers'"):
            take("metric-frame")
    assert not is_available("metric-frame")


def test_a_peer_whose_extra_is_there_is_available() -> None:
    assert is_available("metric-frame")
