"""A certificate in words: the verdict first, and every number from the certificate itself."""

from dataclasses import replace

import numpy as np
import pytest
from certified_world import certified_world

import accuracy_assay as aa


@pytest.fixture
def found(rng: np.random.Generator) -> aa.Certificate:
    return aa.certify(certified_world(rng), ["topic"], "right", judge="llm", tolerance=0.05)


def test_the_first_line_is_the_verdict_on_everything(found: aa.Certificate) -> None:
    first = found.remarks()[0]
    assert first.startswith("llm")
    assert found.verdict in first
    assert "5.0 points" in first


def test_refused_slices_and_the_rest_follow(found: aa.Certificate) -> None:
    said = found.remarks()
    assert said[1].startswith("may not decide: topic = law: lenient by")
    assert said[2].startswith("may decide on everything else")


def test_nothing_is_said_to_be_blind_that_is_not(found: aa.Certificate) -> None:
    assert "name it with blind" in found.remarks()[-1]
    assert "blind" not in "".join(replace(found, is_blind=True).remarks())


def test_labels_that_were_left_out_are_counted(found: aa.Certificate) -> None:
    assert (
        "left out: 7 labels of tests"
        in replace(found, left_out={"labels of tests": 7, "others": 0}).remarks()
    )
