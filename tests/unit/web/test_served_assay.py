"""A served assay: its parts work together."""


def test_after_a_fit_the_next_instances_are_chosen_again(served) -> None:
    assert served.live.on_fit == served.queue.choose_again
