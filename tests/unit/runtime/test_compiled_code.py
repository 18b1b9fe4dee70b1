"""The cache of compiled code: on inside our blocks, off outside, and where the user says."""

import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from patience import PATIENCE_S

from accuracy_assay.runtime import compiled_code
from accuracy_assay.runtime.compiled_code import compiled_code_folder, keep_compiled_code
from accuracy_assay.runtime.precision import precision


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_COMPILATION_CACHE", str(tmp_path / "kept"))
    monkeypatch.setattr(compiled_code, "_WORTH_KEEPING_S", 0.0)
    return tmp_path / "kept"


def compile_something(factor: float) -> None:
    jax.jit(lambda x: jnp.sin(x) * factor + x)(np.arange(5.0)).block_until_ready()


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("*-cache"))


def test_what_is_compiled_inside_a_block_is_kept_and_what_is_outside_is_not(folder: Path) -> None:
    compile_something(1.25)
    assert not kept(folder)
    with precision():
        compile_something(2.25)
    inside = kept(folder)
    assert inside
    compile_something(3.25)
    assert kept(folder) == inside


def test_a_block_finds_what_an_earlier_one_compiled(folder: Path) -> None:
    for _ in range(2):
        with precision():
            compile_something(4.25)
        before = {path.name: path.stat().st_mtime_ns for path in kept(folder)}
        jax.clear_caches()
    assert before
    assert {path.name: path.stat().st_mtime_ns for path in kept(folder)} == before


def test_settings_are_put_back_when_the_last_block_of_any_thread_closes(folder: Path) -> None:
    seen: list[object] = []
    goes_on, is_open = threading.Event(), threading.Event()

    def hold() -> None:
        with keep_compiled_code():
            is_open.set()
            assert goes_on.wait(PATIENCE_S)

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_open.wait(PATIENCE_S)
    with keep_compiled_code(), keep_compiled_code():
        pass
    seen.append(jax.config.jax_compilation_cache_dir)
    goes_on.set()
    thread.join()
    seen.append(jax.config.jax_compilation_cache_dir)
    assert seen == [str(folder), None]


def test_a_folder_that_the_user_gave_to_jax_is_left_alone(folder: Path, tmp_path: Path) -> None:
    own = str(tmp_path / "own")
    jax.config.update("jax_compilation_cache_dir", own)
    try:
        with keep_compiled_code():
            assert jax.config.jax_compilation_cache_dir == own
        assert jax.config.jax_compilation_cache_dir == own
    finally:
        jax.config.update("jax_compilation_cache_dir", None)
    assert not folder.exists()


def test_the_cache_is_off_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_COMPILATION_CACHE", "off")
    assert compiled_code_folder() is None
    with keep_compiled_code():
        assert jax.config.jax_compilation_cache_dir is None


def test_the_folder_follows_the_users_cache_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_COMPILATION_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert compiled_code_folder() == Path("/somewhere/accuracy-assay/jax")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert compiled_code_folder() == Path.home() / ".cache" / "accuracy-assay" / "jax"


def test_numbers_are_wide_inside_the_block_alone() -> None:
    with precision():
        assert jnp.asarray(1.0).dtype == jnp.float64
    assert jnp.asarray(1.0).dtype == jnp.float32
