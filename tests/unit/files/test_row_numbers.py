"""An error of a batch names the row of the table."""

import pytest

from accuracy_assay.errors import AssayError, InputError, UnknownNameError
from accuracy_assay.files.row_numbers import numbered_from


def test_the_last_row_number_is_moved_and_nothing_else() -> None:
    message = "column 'in row 2' must have a value; got a missing one in row 7. Fill it."
    with pytest.raises(InputError) as caught, numbered_from(500):
        raise InputError(message)
    assert str(caught.value) == message.replace("row 7", "row 507")


@pytest.mark.parametrize("error", [UnknownNameError("column", "x", ["y"]), InputError("no row")])
def test_errors_without_a_row_stay_as_they_are(error: AssayError) -> None:
    with pytest.raises(type(error)) as caught, numbered_from(500):
        raise error
    assert caught.value is error
