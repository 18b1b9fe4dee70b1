from pathlib import Path

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.tasks.registry import DATA_TASKS, load_task


def test_settings_follow_a_colon() -> None:
    task = load_task("synthetic:rows=300,attributes=2,distance=1.5")
    assert task.n_rows == 300
    assert task.evidence == {"a1": "p_a1__*", "a2": "p_a2__*"}
    assert task.name == "synthetic:rows=300,attributes=2,distance=1.5"


def test_exact_hands_over_the_gold_attributes() -> None:
    task = load_task("synthetic-exact:rows=300,attributes=2,distance=1.5")
    assert task.evidence == {}
    assert task.from_label == ()


@pytest.mark.parametrize("name", DATA_TASKS)
def test_tables_that_do_not_ship_need_a_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Pass --data DIR or set ASSAY_DATA"):
        load_task(name)
    with pytest.raises(InputError, match=r"pool\.parquet; got"):
        load_task(name, tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("magic", "got 'magic'"),
        ("synthetic:size=3", "got 'size'"),
        ("synthetic:rows=many", "setting 'rows' must be a number; got 'many'"),
    ],
)
def test_a_wrong_name_or_setting_is_named(name: str, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        load_task(name)
