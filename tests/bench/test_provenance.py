import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

import accuracy_assay
from assay_bench import provenance
from assay_bench.provenance import code_version, commit, describe_machine


def test_version_names_the_package_and_its_code() -> None:
    version, _, digest = code_version().partition("+")
    assert version == accuracy_assay.__version__
    assert len(digest) == 12


def test_the_machine_is_described() -> None:
    facts = describe_machine(datetime(2024, 2, 3, 4, 5, tzinfo=UTC))
    assert facts["date"] == "2024-02-03 04:05 UTC"
    assert facts["code"] == code_version()
    assert "jax" in facts["packages"]
    assert "cores" in facts["processor"]


def test_a_commit_is_of_the_checkout_that_holds_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(
            ("git", "-C", tmp_path, *who, *words), capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    module = tmp_path / "src/bench/provenance.py"
    module.parent.mkdir(parents=True)
    shutil.copy(provenance.__file__, module)
    monkeypatch.setattr(provenance, "__file__", str(module))
    of_now = commit.__wrapped__  # type: ignore[attr-defined]
    git("init")
    assert of_now() is None  # the code lies in a checkout that does not hold it
    git("add", ".")
    git("commit", "-m", "x")
    assert of_now() == git("rev-parse", "--short=8", "HEAD")
    module.write_text("changed")
    assert of_now() == git("rev-parse", "--short=8", "HEAD") + "+"
