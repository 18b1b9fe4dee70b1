"""Faces with twelve guessed attributes whose joint distribution is that of real annotations.

Table ``celeb_faces``: twelve of CelebA's forty annotated attributes (Liu et al., ICCV 2015; not
the paper's twelve), with 592 of 4,096 arms of at least five rows. The service's correctness and
the attribute predictors are made: rare arms are served worse, and predictors err together, most on
poor images. A predictor's column holds its stated probability of one.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import read_pool

__all__ = ["ATTRIBUTES", "celeb_faces"]

ATTRIBUTES = (
    "attractive",
    "big_nose",
    "bushy_eyebrows",
    "high_cheekbones",
    "mouth_slightly_open",
    "oval_face",
    "wearing_lipstick",
    "receding_hairline",
    "straight_hair",
    "male",
    "young",
    "wearing_earrings",
)


def celeb_faces(data: Path | None) -> Task:
    """Return the task over twelve guessed attributes: 4,096 arms."""
    rows = read_pool(data, "celeb_faces")
    no = [(1.0 - pl.col(f"p_{name}__1")).alias(f"p_{name}__0") for name in ATTRIBUTES]
    return Task(
        name="celeb_faces",
        description="Real combinations of twelve attributes of faces, each guessed; made service.",
        rows=rows.with_columns(no),
        attributes=ATTRIBUTES,
        evidence={name: f"p_{name}__*" for name in ATTRIBUTES},
    )
