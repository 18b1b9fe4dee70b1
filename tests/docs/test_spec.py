"""Every key of the spec is documented, and no other."""

import re
from pathlib import Path

import pytest

from accuracy_assay.spec.model import (
    AssaySection,
    AttributeSection,
    LabelSection,
    PoolSection,
    ServiceSection,
)

PAGE = Path(__file__).parents[2] / "docs" / "spec.md"
SECTIONS = {
    "[assay]": AssaySection,
    "[pool]": PoolSection,
    "[[attribute]]": AttributeSection,
    "[[service]]": ServiceSection,
    "[label]": LabelSection,
}


@pytest.mark.parametrize("name", SECTIONS)
def test_every_key_is_documented_and_no_other(name: str) -> None:
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    own = next(part for part in parts if part.startswith(f"`{name}`"))
    documented = re.findall(r"^\| `([a-z_]+)` \|", own, flags=re.MULTILINE)
    assert documented == list(SECTIONS[name].model_fields)
