"""The calibration of the paper's text: a network that starts at zero and always stays.

Section 3.5, appendix E and algorithm 2 have no joint prior to start from and no rule that drops a
network; `calibration.full` has both, because 500 gold rows are few for a network. Above 100,000
arms this departs from the text in one way: the pool does not move temperatures
(`numerics.joint.sampled_training`).
"""

from dataclasses import dataclass
from typing import Literal

from accuracy_assay.calibration.full import Full

__all__ = ["Full2021"]


@dataclass(frozen=True, slots=True)
class Full2021(Full):
    """``Full`` with the settings of the text; parameters are those of `Full`."""

    start: Literal["prior", "zero"] = "zero"
    network: Literal["clear", "always"] = "always"
    # From zero the network has further to go; early stopping ends the training before that.
    max_steps: int = 4_000
    # The size of the paper's pools; without a prior of the pool, more rows teach nothing.
    max_pool_rows: int = 50_000
