import sys

import numpy as np
import pytest

from accuracy_assay.errors import MissingExtraError
from assay_bench.tasks.resnet50 import ResNet50, _batches


def test_without_torch_it_asks_for_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"accuracy-assay\[vision\]"):
        ResNet50()


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_batches_are_the_images_in_order_and_none_is_too_large(n: int) -> None:
    batches = list(_batches(np.arange(n), 2))
    assert all(0 < batch.size <= 2 for batch in batches)
    assert [i for batch in batches for i in batch] == list(range(n))
