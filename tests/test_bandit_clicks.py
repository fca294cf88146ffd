"""The clicks that ship are counted out of the Open Bandit Dataset, and say whose they are."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import pandas as pd

from rank_magic.datasets import load_bandit_clicks

FOLDER = files("rank_magic.datasets") / "open_bandit"
# Of what awk counts in the impressions, `policy,campaign,position,impressions,clicks`, sorted.
DIGEST = "8396dcae3eace6ab57897f26b3c88f8fc9f5a7f5631516c526d27276c4dfb993"


def test_the_table_is_what_awk_counts() -> None:
    lines = (FOLDER / "clicks.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert hashlib.sha256("\n".join([*sorted(lines), ""]).encode()).hexdigest() == DIGEST


def test_there_are_ten_thousand_impressions_for_each_policy_and_campaign() -> None:
    clicks = load_bandit_clicks()
    shown = clicks.groupby(["policy", "campaign"])["impressions"].sum()
    assert (len(shown), set(shown)) == (6, {10_000})
    assert clicks["clicks"].sum() == 287  # as the docstring says
    assert clicks.columns.tolist() == ["policy", "campaign", "position", "impressions", "clicks"]
    key = ["policy", "campaign", "position"]
    assert clicks[key].equals(clicks[key].sort_values(key, ignore_index=True))
    assert sorted(clicks["position"].unique()) == [1, 2, 3]


def test_every_call_gives_a_frame_of_its_own() -> None:
    first, untouched = load_bandit_clicks(), load_bandit_clicks()
    first["clicks"] = 0
    pd.testing.assert_frame_equal(load_bandit_clicks(), untouched)


def test_the_licence_lies_beside_the_table() -> None:
    terms = (FOLDER / "LICENSE.md").read_text(encoding="utf-8")
    for word in ("Open Bandit Dataset", "Apache License 2.0", "Changes", "clicks.csv"):
        assert word in terms
    assert (files("rank_magic.datasets") / "electronics" / "LICENSE-Apache-2.0.txt").is_file()
