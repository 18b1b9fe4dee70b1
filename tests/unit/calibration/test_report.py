"""The report as a table and as plain values."""

import json

import pytest

from accuracy_assay.calibration.report import CalibrationReport, Quality
from accuracy_assay.numerics.joint.reliability import Reliability

BEFORE = Reliability((3, 7), (0.55, 0.95), (0.5, 0.7), 0.19)
AFTER = Reliability((10,), (0.7,), (0.7,), 0.0)
SEX = Quality("sex", 0.6, 0.4, 0.69, BEFORE, AFTER)
JOINT = Quality("joint", 1.6, 1.2, 1.8, BEFORE, AFTER)
REPORT = CalibrationReport("full", 50, 10, (SEX,), JOINT, ("a note",), {"width": 16})


def test_a_report_survives_json() -> None:
    again = CalibrationReport.from_dict(json.loads(json.dumps(REPORT.to_dict())))
    assert again == REPORT


def test_a_report_without_a_seed_set_survives_json() -> None:
    empty = CalibrationReport("raw", 0, 0)
    assert CalibrationReport.from_dict(json.loads(json.dumps(empty.to_dict()))) == empty
    assert empty.to_frame().height == 0


@pytest.mark.parametrize(("row", "quality"), [(0, SEX), (1, JOINT)])
def test_the_table_has_a_row_per_attribute_and_one_for_the_joint(row, quality) -> None:
    found = REPORT.to_frame().row(row, named=True)
    assert found == {
        "attribute": quality.name,
        "log_loss_before": quality.log_loss_before,
        "log_loss_after": quality.log_loss_after,
        "log_loss_prior": quality.log_loss_prior,
        "ece_before": 0.19,
        "ece_after": 0.0,
    }
