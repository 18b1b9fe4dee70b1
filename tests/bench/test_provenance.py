import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

import accuracy_assay
from assay_bench import provenance
from assay_bench.provenance import code_version, commit, describe_machine, describe_origin


def test_version_names_the_package_and_its_code() -> None:
    version, _, digest = code_version().partition("+")
    assert version == accuracy_assay.__version__
    assert len(digest) == 12


def test_the_machine_is_described() -> None:
    facts = describe_machine()
    assert "jax" in facts["packages"]
    assert "cores" in facts["processor"]


def test_an_origin_is_code_commits_and_time() -> None:
    code = f"code {code_version()}"
    one = describe_origin(["b", None, "a", "b"], ["2026-01-02 10:00", "2026-01-01 09:00"])
    assert one == f"{code}, commit a, commit b, 2026-01-01 09:00 to 2026-01-02 10:00 UTC"
    assert describe_origin([], ["2026-01-01 09:00"] * 2) == f"{code}, 2026-01-01 09:00 UTC"
    assert describe_origin([], []) == code
    now = f"{datetime.now(UTC):%Y-%m-%d}"
    assert describe_origin().startswith(code)
    assert now in describe_origin()


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
