"""Groups of options are spread over the commands that take them, and read back as one value."""

import inspect
from pathlib import Path

import pytest

from accuracy_assay.cli.option_groups import (
    AssayOptions,
    FitOptions,
    GuessOptions,
    RowOptions,
    SignalOptions,
    columns_of,
    given_options,
    refuse_for_assay,
    refuse_for_file,
    refuse_for_table,
    spread,
)
from accuracy_assay.errors import InputError

ROWS = RowOptions(attribute=["sex"], score=["right"], pool="pool.csv")


def test_a_command_has_every_option_of_its_groups_after_its_own() -> None:
    seen: dict[str, object] = {}

    def command(table: RowOptions, session: AssayOptions, count: int = 3) -> None:
        seen.update(table=table, session=session, count=count)

    made = spread(command)
    names = list(inspect.signature(made).parameters)
    assert names[0] == "count"
    of_rows = ["attribute", "score", "y_true", "y_pred", "agreement", "missing_prediction"]
    of_rows += ["id", "annotator", "gold", "pool"]
    assert names[1:] == [*of_rows, "name", "seed_set"]
    given = dict.fromkeys(names[1:]) | {"attribute": ["sex"], "name": "mine"}
    made(count=5, **given)
    assert seen == {
        "table": RowOptions(attribute=["sex"]),
        "session": AssayOptions(name="mine"),
        "count": 5,
    }


def test_a_command_without_a_group_stays_as_it_is() -> None:
    def command(count: int = 3) -> None:
        """Count."""

    assert spread(command) is command


def test_options_become_columns() -> None:
    columns = columns_of(
        ROWS,
        SignalOptions(signal=["sure"], cluster="who"),
        GuessOptions(evidence=["sex=p_sex__*"]),
        what="a surface",
        score=ROWS.one_score(),
    )
    assert (columns.names, columns.score, columns.signals) == (("sex",), "right", ("sure",))
    assert (columns.cluster, columns.evidence) == ("who", {"sex": "p_sex__*"})


def test_what_a_table_needs_is_named() -> None:
    with pytest.raises(InputError, match="a surface must have --attribute; got none"):
        columns_of(RowOptions(), what="a surface")
    with pytest.raises(InputError, match="--score must be given once here; got one, two"):
        RowOptions(score=["one", "two"]).one_score()


def test_options_of_a_table_are_refused_for_an_assay_but_where_its_pool_lies_is_not() -> None:
    refuse_for_assay("the plan of an assay", RowOptions(pool="moved.csv"), FitOptions(seed=3))
    fit = FitOptions(settings=["level=0.8"])
    with pytest.raises(InputError, match="Leave out --attribute, --score, --set, --strategy"):
        refuse_for_assay("the plan of an assay", ROWS, fit, strategy="random")
    assert given_options(AssayOptions(seed_set=Path("s.csv"))) == ["--seed-set"]


def test_options_of_an_assay_are_refused_for_a_table_and_both_for_a_file(tmp_path: Path) -> None:
    refuse_for_table("a plan", AssayOptions())
    with pytest.raises(InputError, match="Leave out --name"):
        refuse_for_table("a plan", AssayOptions(name="mine"))
    file = tmp_path / "s.surface"
    refuse_for_file(
        str(file), RowOptions(score=["right"]), pool="pool.csv"
    )  # reading it will fail
    file.touch()
    with pytest.raises(InputError, match=r"s.surface' with options .* Leave out --score, --pool"):
        refuse_for_file(str(file), RowOptions(score=["right"]), pool="pool.csv")


def test_methods_carry_their_settings() -> None:
    fit = FitOptions(estimator="constant", settings=["level=0.8"])
    assert fit.methods() == {"estimator": {"name": "constant", "level": 0.8}}
