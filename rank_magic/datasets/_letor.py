"""LightGBM's learning-to-rank example: queries, documents with features, grades."""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

__all__ = ["load_letor"]


def load_letor() -> pd.DataFrame:
    """Load LightGBM's learning-to-rank example: 251 queries, grades, 301 features.

    Returns
    -------
    DataFrame of shape (3773, 305)
        A row per query and document, in the source's order. The index counts the rows from 0.

        ``split``
            Text: ``train`` (201 queries, 3,005 rows) or ``test`` (50 queries, 768 rows).
        ``query``
            Whole number, 0 to 250. The rows of a query stand together.
        ``doc``
            Text, the split and the place of the row in it.
        ``grade``
            Whole number, 0 to 4.
        ``f0`` to ``f300``
            float64, features from 0 to 1 with two decimals. What they mean was not published.

    Notes
    -----
    The data come from github.com/microsoft/LightGBM, folder ``examples/lambdarank``, at commit
    bae0b7b, under the MIT licence, which lies beside them. ``scripts/make_letor_example.py``
    builds them.

    Examples
    --------
    >>> from rank_magic.datasets import load_letor
    >>> letor = load_letor()
    >>> letor.groupby("split")["query"].nunique().to_dict()
    {'test': 50, 'train': 201}
    >>> letor["grade"].value_counts().sort_index().tolist()
    [851, 1467, 1110, 266, 79]
    """
    with (files(__package__) / "letor_example" / "rows.csv.xz").open("rb") as file:
        table = pd.read_csv(file, compression="xz", dtype={"split": str, "doc": str})
    names = table.columns[4:]
    return pd.concat([table.iloc[:, :4], table[names] / 100], axis="columns")
