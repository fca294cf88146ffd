"""Clicks on a fashion shop's carousel: how often each of its three places was shown and clicked.

The table lies in ``open_bandit/`` as plain CSV with its licence beside it.
``scripts/make_bandit_clicks.py`` counts it out of the impressions.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd

__all__ = ["load_bandit_clicks"]


def load_bandit_clicks() -> pd.DataFrame:
    """Load how often items in a carousel of three places were shown and clicked.

    One row per policy, campaign and position, counted over 60,000 real impressions of the fashion
    shop ZOZOTOWN in the last week of November 2019.

    Returns
    -------
    DataFrame of shape (18, 5)
        Ordered by policy, campaign and position. The index counts the rows from 0.

        ``policy``
            Text: ``random`` drew the item for each place at random, so that places differ in
            nothing but their position; ``bts`` (Bernoulli Thompson sampling) learned from clicks
            which items to show, so that its clicks mix position with choice.
        ``campaign``
            Text: ``all``, ``men``, ``women``, which draw on 80, 34 and 46 items.
        ``position``
            int64: 1 is left, 2 the middle, 3 right. The three stand side by side.
        ``impressions``, ``clicks``
            int64. 287 of the 60,000 impressions were clicked, so rates by position are rough.

    Notes
    -----
    Counted from the small version of the Open Bandit Dataset, as it comes with the package obp
    0.4.1 (github.com/st-tech/zr-obp), Apache License 2.0.

    References
    ----------
    Saito, Aihara, Matsutani and Narita, Open Bandit Dataset and Pipeline: towards realistic and
    reproducible off-policy evaluation, NeurIPS Datasets and Benchmarks, 2021.

    Examples
    --------
    >>> from rank_magic.datasets import load_bandit_clicks
    >>> clicks = load_bandit_clicks()
    >>> drawn = clicks[clicks["policy"] == "random"]
    >>> drawn.groupby("position")[["impressions", "clicks"]].sum()
              impressions  clicks
    position
    1                9935      38
    2               10174      51
    3                9891      41
    """
    with (files(__package__) / "open_bandit" / "clicks.csv").open("rb") as file:
        return pd.read_csv(file, dtype={"policy": str, "campaign": str})
