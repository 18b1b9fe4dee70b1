from pathlib import Path

from scale_costs import made_curves

from assay_bench.scale import Curve
from assay_bench.scale_section import scale_section


def test_each_part_of_a_curve_has_its_exponents_beside_the_expected_one() -> None:
    exponents, points = scale_section(made_curves(), [Path("scale.png")]).tables
    rows = [row for row in exponents.rows if row[0] == "observed cells"]
    assert [row[1:4] for row in rows] == [("250", "4,000", "3"), ("8,000", "48,000", "1")]
    assert all(row[4].startswith("1.00 ±") for row in rows)
    assert ("signals", "1", "16", "-") in [row[:4] for row in exponents.rows]
    assert len(points.rows) == sum(len(curve.sizes) for curve in made_curves())


def test_with_two_points_no_exponent_is_told() -> None:
    (rows, *_) = made_curves()
    short = Curve(rows.growth, rows.sizes[:2], rows.costs[:2])
    exponents, _ = scale_section([short], []).tables
    assert exponents.rows[0][4:] == ("too few points", "too few points")
