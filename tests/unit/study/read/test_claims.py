"""Which reader knows which files, and what to type where there are several formats."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from accuracy_assay.domain.eval_log import EvalLog
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import RowReader
from accuracy_assay.study.read.claims import claims, paths_of, refuse_several, same_start


class Ending:
    """Knows files by the end of their names."""

    def __init__(self, ending: str) -> None:
        self.ending = ending

    def reads(self, path: Path) -> bool:
        return path.is_file() and path.name.endswith(self.ending)

    def read(self, paths: Sequence[Path]) -> EvalLog:
        raise NotImplementedError


READERS: dict[str, RowReader] = {"red": Ending(".red"), "blue": Ending(".blue")}


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def commands_for(folder: Path) -> dict[str, str]:
    """Return what the error says to type, by format."""
    with pytest.raises(InputError, match="2 formats") as caught:
        refuse_several(claims([folder], READERS), "rows")
    lines = str(caught.value).splitlines()[1:]
    return {line.split()[0]: line.partition("): ")[2] for line in lines}


@pytest.mark.parametrize(
    "names",
    [
        ("r/1.red", "r/2.red", "b/1.blue", "b/deep/2.blue"),  # a folder each
        ("1.red", "r/2.red", "1.blue", "b/2.blue"),  # all mixed up
        ("1.red", "many/2.red", "many/1.blue"),  # one file alone
        ("my logs/1.red", "my logs/2.red", "[b]/1.blue", "[b]/2.blue"),  # names to quote
    ],
)
def test_each_command_names_the_files_of_one_format_and_no_others(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    write(tmp_path, *names)
    for kind, line in commands_for(tmp_path).items():
        program, verb, *places = shlex.split(line)
        assert (program, verb) == ("assay", "look")
        known = claims(paths_of(places), READERS)
        assert list(known) == [kind]
        assert sorted(known[kind]) == sorted(tmp_path.rglob(f"*.{kind}"))


def test_files_that_no_pattern_tells_apart_are_spelled_out_if_they_are_few(tmp_path: Path) -> None:
    write(tmp_path, "a1.red", "b2.red", "a1.blue", "b2.blue")
    readers: dict[str, RowReader] = {"ones": Ending(".red"), "others": Ending("1.blue")}
    readers["rest"] = Ending("2.blue")
    with pytest.raises(InputError, match="3 formats"):
        refuse_several(claims([tmp_path], readers), "rows")
    write(tmp_path, *(f"{i}x.red" for i in range(9)), *(f"{i}y.red" for i in range(9)))
    mixed: dict[str, RowReader] = {"x": Ending("x.red"), "y": Ending("y.red")}
    mixed["few"] = Ending("1.red")
    with pytest.raises(InputError, match=r"few .*assay look .*a1\.red"):
        refuse_several(claims([tmp_path], mixed), "rows")


def test_a_path_that_is_named_twice_is_known_once(tmp_path: Path) -> None:
    write(tmp_path, "1.red")
    assert claims([tmp_path, tmp_path / "1.red"], READERS) == {"red": [tmp_path / "1.red"]}


def test_one_format_is_not_refused(tmp_path: Path) -> None:
    write(tmp_path, "1.red", "notes.md")
    refuse_several(claims([tmp_path], READERS), "rows")
    refuse_several({}, "rows")


def test_the_same_start_of_texts_begins_all_of_them() -> None:
    assert same_start(["samples_a", "samples_b"]) == "samples_"
    assert same_start(["a", "b"]) == ""
    assert same_start(["one"]) == "one"
