import json
from pathlib import Path

import numpy as np
import pytest

from accuracy_assay.errors import AssayError
from assay_bench import scale_point
from assay_bench.scale_point import ScalePoint, main, measure, measure_point, peak_mb


def test_a_world_is_made_and_then_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale_point, "_MOST_REPEATS", 1)
    main(["make", "labels", "200", str(tmp_path)])
    assert capsys.readouterr().out == ""
    cost = measure(tmp_path)
    assert cost.seconds > 0.0
    assert cost.processor_s > 0.0
    assert cost.start_mb <= cost.peak_mb
    assert json.loads(json.dumps(cost.to_dict())) == cost.to_dict()


def test_the_peak_rises_with_what_is_held_and_stays() -> None:
    before = peak_mb()
    held = np.ones(2**27, dtype=np.uint8)
    assert peak_mb() >= 100.0  # MB, of which this array alone has 128
    del held
    assert peak_mb() >= before


def test_a_process_that_fails_is_named_with_its_last_words() -> None:
    with pytest.raises(AssayError, match=r"upwards, size 5: .*way to grow must be one of"):
        measure_point(ScalePoint("upwards", 5))
