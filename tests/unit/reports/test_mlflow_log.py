"""A surface goes to MLflow: its numbers, its page, its card and itself."""

import re
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import MissingExtraError


class FakeMlflow:
    """What is used of MLflow, kept in lists."""

    def __init__(self, active: object = None) -> None:
        self.active, self.runs = active, []
        self.metrics, self.tags, self.files = {}, {}, {}

    def active_run(self) -> object:
        return self.active

    @contextmanager
    def start_run(self, run_name: str):
        self.runs.append(run_name)
        yield SimpleNamespace(info=SimpleNamespace(run_id="new"))
        self.runs.append("ended")

    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        assert all(re.fullmatch(r"[/\w.\- ]{1,250}", name) for name in metrics)
        self.metrics[step] = metrics

    def set_tags(self, tags: dict[str, str]) -> None:
        self.tags |= tags

    def log_artifacts(self, folder: str) -> None:
        self.files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_numbers_and_files_go_to_a_run_of_its_own(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = FakeMlflow()
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    assert surface.log_to_mlflow("my/reader", step=7) == "new"
    assert fake.runs == ["my/reader", "ended"]
    logged, overall = fake.metrics[7], surface.overall
    ends = [logged[f"overall/{name}"] for name in ("accuracy", "lower", "upper")]
    assert ends == [overall.mean, overall.lower, overall.upper]
    assert logged["slice/age _60/accuracy"] == surface.slices().found[0].estimate.mean
    assert set(fake.files) == {"my_reader.html", "my_reader.md", "my_reader.surface"}
    (tmp_path / "s.surface").write_bytes(fake.files["my_reader.surface"])
    again = AccuracySurface.load(tmp_path / "s.surface")
    assert again.to_frame().equals(surface.to_frame())
    assert fake.tags["accuracy_assay.pool_rows"] == "105"


def test_an_active_run_is_used_and_left_open(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeMlflow(SimpleNamespace(info=SimpleNamespace(run_id="open")))
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    assert surface.log_to_mlflow() == "open"
    assert fake.runs == []


def test_without_mlflow_the_extra_is_named(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[mlflow\]"):
        surface.log_to_mlflow()
