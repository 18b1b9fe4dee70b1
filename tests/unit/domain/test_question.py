"""A question says what is asked, of whom and at what price."""

import math

import pytest

from accuracy_assay.domain.question import LABEL, Question, QuestionType
from accuracy_assay.errors import InputError


def test_a_question_asks_anyone_for_a_label_at_the_price_of_one_by_default() -> None:
    question = Question("x1")
    assert QuestionType(question.asks, question.of) == LABEL
    assert question.price == 1.0


@pytest.mark.parametrize("price", [0.0, -1.0, math.inf, math.nan])
def test_a_price_is_a_number_above_zero(price: float) -> None:
    with pytest.raises(InputError, match="price of a question about 'x1' must be a number above"):
        Question("x1", price=price)
