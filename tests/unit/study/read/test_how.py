"""Methods and settings of a fit are looked up before any work."""

import pytest

from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.estimators.constant import Constant
from accuracy_assay.runtime.engine import LOCAL
from accuracy_assay.study.read.how import How, check_target


def test_names_become_objects() -> None:
    how = How.of({"name": "constant", "level": 0.8}, engine="local", seed=3)
    assert how == How(Constant(level=0.8), seed=3, engine=LOCAL)


def test_there_are_two_targets() -> None:
    check_target("pool")
    check_target("population")
    check_target(None)
    with pytest.raises(UnknownNameError, match=r"got 'pol'. Did you mean 'pool'\?"):
        How.of("constant", target="pol")


def test_a_seed_is_a_whole_number() -> None:
    with pytest.raises(InputError, match="seed must be a whole number"):
        How.of("constant", seed=1.5)


@pytest.mark.parametrize("pool", ["pool.csv", None])
def test_the_pool_is_the_target_where_one_is_given_unless_it_is_named(pool: str | None) -> None:
    assert How.of("constant").about(pool).is_pool is (pool is not None)
    assert How.of("constant", target="pool").about(pool).is_pool
    assert not How.of("constant", target="population").about(pool).is_pool
