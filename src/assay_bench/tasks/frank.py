"""Machine summaries judged by people, beside automatic metrics that judge them too.

Table ``frank``: summaries of nine systems from CNN/DM and BBC (Pagnoni, Balachandran and Tsvetkov,
2021). The score is the share of the annotators' verdicts that found a summary factual. A document
is summed up by several systems, so that rows belong together, by the column ``document``.

The free signals are chosen by what they were made for, before any look at how well they do: the
four metrics that compare facts with the article (an entailment model, an entailment of dependency
arcs, two that ask questions), and BERTScore's precision against the article, which asks whether
what a summary says stands there. Metrics against a reference summary (ROUGE, BLEU, METEOR,
BERTScore) measure something else; they stay in the table.
"""

from pathlib import Path

import polars as pl

from accuracy_assay.tasks.task import Task
from assay_bench.tasks.data_folder import read_pool

__all__ = ["frank"]

_JUDGES = ("factcc", "dep_entail", "feqa", "qags", "bertscore_p_art")


def frank(data: Path | None) -> Task:
    """Return the task over the data set and the system: 18 possible arms, nine with a row.

    A metric that has no number for a summary (4% of ``dep_entail``, four rows of ``feqa``) says
    nothing for or against it: it gets the median of the others.
    """
    rows = read_pool(data, "frank")
    return Task(
        name="frank",
        description="Machine summaries of news, scored by how many people find them factual.",
        rows=rows.with_columns(
            pl.format("{} {}", "document", "model_name").alias("id"),
            *(pl.col(judge).fill_null(pl.col(judge).median()) for judge in _JUDGES),
        ),
        attributes=("dataset", "model_name"),
        score="human_factuality",
        signals=_JUDGES,
    )
