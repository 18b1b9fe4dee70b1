"""A surface goes to W&B: to the run given, the active one, or one of its own."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.tracked import Tracked


class FakeArtifact:
    """Files as W&B stages them: copied when they are added."""

    def __init__(self, name: str, type: str) -> None:
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,128}", name)
        self.name, self.type, self.files = name, type, {}

    def add_file(self, path: str, name: str) -> None:
        self.files[name] = Path(path).read_bytes()


class FakeConfig(dict):
    def update(self, given: dict[str, Any], allow_val_change: bool = False) -> None:
        assert allow_val_change
        super().update(given)


class FakeRun:
    def __init__(self, id: str) -> None:
        self.id, self.is_finished = id, False
        self.config, self.logged, self.artifacts = FakeConfig(), {}, []

    def log(self, numbers: dict[str, float], step: int | None = None) -> None:
        self.logged[step] = numbers

    def log_artifact(self, artifact: FakeArtifact) -> None:
        self.artifacts.append(artifact)

    def finish(self) -> None:
        self.is_finished = True


class FakeWandb:
    Artifact = FakeArtifact

    def __init__(self, run: FakeRun | None = None) -> None:
        self.run, self.made = run, []

    def init(self, name: str) -> FakeRun:
        self.made.append((name, FakeRun("new")))
        return self.made[-1][1]


def log(monkeypatch: pytest.MonkeyPatch, surface: AccuracySurface, fake: FakeWandb, **given: Any):
    monkeypatch.setitem(sys.modules, "wandb", fake)
    return surface.log_to_wandb("my/reader", **given)


def test_a_run_of_its_own_has_everything_and_is_finished(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeWandb()
    assert log(monkeypatch, surface, fake, step=7) == "new"
    ((name, run),) = fake.made
    tracked = Tracked.of(surface, "my/reader")
    assert (name, run.is_finished) == ("my/reader", True)
    assert run.logged == {7: tracked.metrics}
    assert run.config["accuracy_assay"] == tracked.facts
    (artifact,) = run.artifacts
    assert (artifact.name, artifact.type) == ("my_reader", "accuracy-surface")
    assert set(artifact.files) == {"my_reader.html", "my_reader.md", "my_reader.surface"}


def test_the_active_run_is_used_and_left_open(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeWandb(FakeRun("open"))
    assert log(monkeypatch, surface, fake) == "open"
    assert not fake.made
    assert not fake.run.is_finished


def test_a_run_that_is_given_comes_before_the_active_one(
    surface: AccuracySurface, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, own = FakeWandb(FakeRun("open")), FakeRun("own")
    assert log(monkeypatch, surface, fake, run=own) == "own"
    assert own.logged
    assert not fake.run.logged
