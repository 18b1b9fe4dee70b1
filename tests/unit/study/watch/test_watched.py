from pathlib import Path

import pytest
from drifting_rows import drifting_rows

from accuracy_assay.errors import UnknownNameError
from accuracy_assay.study.watch.watch import watch

FOUND = watch(drifting_rows(), ["region", "sex"], "right", time="day", baseline=9)


def test_timelines_are_of_the_rows_asked_for() -> None:
    whole, north = FOUND.timeline(), FOUND.timeline(region="north")
    assert north["labels"].sum() < whole["labels"].sum() == 3000
    late = north.filter(north["time"] >= 20)
    assert late["mean"].mean() < 0.55
    with pytest.raises(UnknownNameError, match="place"):
        FOUND.timeline(place="north")


def test_a_picture_shows_the_whole_and_the_slices_of_alarms(tmp_path: Path) -> None:
    panels = FOUND.panels()
    assert [panel.name for panel in panels[:2]] == ["overall", "region = north"]
    assert panels[1].alarms[0][0] == FOUND.alarms["time"][0]
    assert [panel.name for panel in FOUND.panels({"sex": "F"})] == ["overall", "sex = F"]
    assert FOUND.picture(tmp_path / "watch.svg").read_text().startswith("<?xml")


def test_the_dictionary_says_what_is_printed() -> None:
    made = FOUND.to_dict()
    assert made["says"] == FOUND.headline == str(FOUND).splitlines()[0]
    assert [row["slice"] for row in made["alarms"]] == FOUND.alarms["slice"].to_list()
