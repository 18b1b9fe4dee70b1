from assay_bench.task_facts import task_facts


def test_facts_are_of_the_space_and_of_how_attributes_are_known() -> None:
    exact = task_facts("synthetic:rows=500,attributes=2,values=3", None)
    assert (exact.n_rows, exact.n_arms, exact.is_guessed) == (500, 9, False)
    assert 0 < exact.n_active <= 9
    assert task_facts("synthetic:rows=500,attributes=2,values=3,distance=1.5", None).is_guessed
