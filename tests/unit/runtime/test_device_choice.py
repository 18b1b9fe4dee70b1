"""Where fits run: what is set, and what is said where there is no GPU."""

import os
import sys
from types import SimpleNamespace

import jax
import pytest

from accuracy_assay.errors import InputError, MissingExtraError, UnknownNameError
from accuracy_assay.runtime import device_choice
from accuracy_assay.runtime.device_choice import choose_device, share_gpu_memory


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(jax, "default_backend", lambda: "cpu")
    return monkeypatch


def test_a_gpu_that_is_there_is_taken(no_gpu: pytest.MonkeyPatch) -> None:
    no_gpu.setattr(jax, "default_backend", lambda: "gpu")
    choose_device("gpu")
    assert "JAX_PLATFORMS" not in os.environ


def test_without_the_extra_it_is_named(no_gpu: pytest.MonkeyPatch) -> None:
    no_gpu.setattr(device_choice, "installed", lambda group: {"tpu": ()})
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[gpu\]"):
        choose_device("gpu")


def test_with_the_extra_and_no_gpu_the_error_says_where_to_look(
    no_gpu: pytest.MonkeyPatch,
) -> None:
    no_gpu.setattr(device_choice, "installed", lambda group: {"xla_cuda12": ()})
    with pytest.raises(InputError, match=r"this machine has; got 'gpu'.* nvidia-smi"):
        choose_device("gpu")


def test_a_variable_that_forbids_it_is_named(no_gpu: pytest.MonkeyPatch) -> None:
    no_gpu.setenv("JAX_PLATFORMS", "cpu")
    with pytest.raises(InputError, match="JAX_PLATFORMS is 'cpu'"):
        choose_device("gpu")


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="device must be one of"):
        choose_device("cuda:1")


def test_auto_says_nothing_to_jax(no_gpu: pytest.MonkeyPatch) -> None:
    choose_device("auto")
    assert "JAX_PLATFORMS" not in os.environ


def test_the_processor_is_chosen_for_this_process_and_its_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[tuple[str, str]] = []
    config = SimpleNamespace(update=lambda name, value: said.append((name, value)))
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(config=config))
    monkeypatch.setenv("JAX_PLATFORMS", "cuda")
    choose_device("cpu")
    assert os.environ["JAX_PLATFORMS"] == "cpu"
    assert said == [("jax_platforms", "cpu")]


def test_memory_is_shared_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    for given, wanted in ((None, "false"), ("true", "true")):
        monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", given or "")
        if given is None:
            monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE")
        share_gpu_memory()
        assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == wanted
