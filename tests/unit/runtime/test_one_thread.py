import os

import pytest

from accuracy_assay.runtime.one_thread import environment, one_thread


def test_what_the_user_has_set_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    assert "OMP_NUM_THREADS" not in one_thread()
    assert one_thread()["POLARS_MAX_THREADS"] == "1"


def test_variables_are_set_inside_the_block_and_put_back_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_KNOWN", "before")
    before = dict(os.environ)
    with environment({"ASSAY_KNOWN": "a", "ASSAY_NEW": "b"}):
        assert (os.environ["ASSAY_KNOWN"], os.environ["ASSAY_NEW"]) == ("a", "b")
    assert dict(os.environ) == before
