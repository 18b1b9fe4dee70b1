"""Every setting of the default estimator and strategy is documented with its default."""

import re
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.estimators.anova.anova_gp import AnovaGP
from accuracy_assay.exploration.variance_reduction import VarianceReduction

PAGE = Path(__file__).parents[2] / "docs" / "anova-gp.md"
DOCUMENTED = {"anova-gp": AnovaGP, "variance-reduction": VarianceReduction}


def shown(default: object) -> str:
    """Return a default as the page writes it."""
    if default is None:
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, str):
        return f'`"{default}"`'
    if isinstance(default, float) and Fraction(default).limit_denominator(9) == Fraction(1, 3):
        return "1/3"
    return f"{default:g}"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_setting_is_documented_with_its_default_and_no_other(name: str) -> None:
    made_by: Any = DOCUMENTED[name]
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    section = next(part for part in parts if part.startswith(f"`{name}`"))
    documented = re.findall(r"^\| `([a-z_]+)` \| ([^|]+) \|", section, flags=re.MULTILINE)
    expected = [(field.name, shown(field.default)) for field in fields(made_by)]
    assert documented == expected
