from pathlib import Path

import pytest
from drifting_rows import drifting_rows

from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.watch import watch
from accuracy_assay.study.watch.watched import Watch


def test_a_saved_watch_answers_as_before(tmp_path: Path) -> None:
    found = watch(drifting_rows(), ["region", "sex"], "right", time="day", baseline=9)
    found.save(tmp_path / "a.watch")
    loaded = Watch.load(tmp_path / "a.watch")
    assert str(loaded) == str(found)
    assert loaded.alarms.equals(found.alarms)
    assert loaded.timeline(sex="F").equals(found.timeline(sex="F"))
    assert loaded.to_dict() == found.to_dict()
    assert [p.name for p in loaded.panels()] == [p.name for p in found.panels()]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.watch").write_text("no archive")
    with pytest.raises(InputError, match="watch file"):
        Watch.load(tmp_path / "a.watch")
