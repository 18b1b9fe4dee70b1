"""Messages say what was wrong, what was got and what to do."""

import pytest

from accuracy_assay import errors
from accuracy_assay.errors import (
    AssayError,
    ConflictError,
    ConvergenceError,
    InputError,
    MissingExtraError,
    ServiceError,
    StaleError,
    StoreError,
    UnknownNameError,
)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    message = str(UnknownNameError("estimator", "anova_gp", ["constant", "anova-gp"]))
    assert message == (
        "estimator must be one of [constant, anova-gp]; got 'anova_gp'. Did you mean 'anova-gp'?"
    )


def test_a_long_list_of_names_is_cut_short() -> None:
    message = str(UnknownNameError("column", "x", range(100)))
    assert "19, ...]" in message
    assert "20," not in message


def test_a_missing_extra_says_how_to_install_it() -> None:
    message = str(MissingExtraError("the labelling page", "web"))
    assert "extra 'web'" in message
    assert message.endswith("pip install 'accuracy-assay[web]'")


@pytest.mark.parametrize(
    ("child", "parent"),
    [
        (InputError, AssayError),
        (UnknownNameError, InputError),
        (MissingExtraError, InputError),
        (ConflictError, InputError),
        (ConvergenceError, AssayError),
        (ServiceError, AssayError),
        (StoreError, AssayError),
        (StaleError, StoreError),
    ],
)
def test_every_error_has_its_place_in_the_tree(child: type, parent: type) -> None:
    assert issubclass(child, parent)


def test_every_error_is_drawn_in_the_tree_and_derives_from_one_base() -> None:
    drawn = errors.__doc__ or ""
    for name in errors.__all__:
        assert f" {name} " in drawn
        assert issubclass(getattr(errors, name), AssayError)


def test_a_hint_of_the_caller_follows_the_nearest_name() -> None:
    message = str(UnknownNameError("task", "digit", ["digits"], hint="Or name a module."))
    assert message.endswith("got 'digit'. Did you mean 'digits'? Or name a module.")
