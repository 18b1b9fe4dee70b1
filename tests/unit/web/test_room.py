"""A room: where its media lie, and which service is meant."""

from pathlib import Path

import pytest

from accuracy_assay.errors import InputError


def test_a_fit_lets_the_desk_choose_again(room) -> None:
    assert room.live.on_fit == room.desk.choose_again


def test_media_lie_in_the_declared_folder_or_beside_the_pool(make_room, tmp_path: Path) -> None:
    assert make_room().media_folder is None
    assert make_room(pool={"path": str(tmp_path / "pool.csv")}).media_folder == tmp_path


def test_the_first_service_is_meant_by_default(room) -> None:
    assert room.find_service(None) == room.find_service("reader") == "reader"
    with pytest.raises(InputError, match=r"must be one of \['reader'\]; got 'writer'"):
        room.find_service("writer")
