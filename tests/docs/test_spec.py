"""Every key of the spec is documented, and no other."""

import re
from pathlib import Path

import pytest

from accuracy_assay.spec.model import (
    AssaySection,
    AttributeSection,
    JudgeSection,
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


def section(name: str) -> str:
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return next(part for part in parts if part.startswith(f"`{name}`"))


def rows_of_table(text: str) -> list[str]:
    return re.findall(r"^\| `([a-z_]+)` \|", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", SECTIONS)
def test_every_key_is_documented_and_no_other(name: str) -> None:
    assert rows_of_table(section(name)) == list(SECTIONS[name].model_fields)


def test_a_judge_has_its_own_keys_and_the_others_of_a_service() -> None:
    own = section("[[judge]]")
    shared = re.findall(r"`([a-z_]+)`", own[own.index("The keys ") : own.index("are those of")])
    assert {*rows_of_table(own), *shared} == set(JudgeSection.model_fields)
    assert set(shared) <= set(ServiceSection.model_fields)
