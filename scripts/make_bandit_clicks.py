"""Rebuild the clicks that ship in rank_magic/datasets/open_bandit.

    python scripts/make_bandit_clicks.py [SOURCE]           write the table
    python scripts/make_bandit_clicks.py [SOURCE] --check   only compare, exit 1 if it differs

SOURCE is the small Open Bandit Dataset in one table, a row for each impression (default:
/work/shared/data/open_bandit/clicks.csv.gz). What ships counts impressions and clicks.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

SOURCE = Path("/work/shared/data/open_bandit/clicks.csv.gz")
TARGET = (
    Path(__file__).resolve().parents[1] / "rank_magic" / "datasets" / "open_bandit" / "clicks.csv"
)


def counted(source: Path) -> pd.DataFrame:
    """Count impressions and clicks by policy, campaign and position."""
    clicks = pd.read_csv(source).groupby(["policy", "campaign", "position"])["click"]
    return clicks.agg(impressions="size", clicks="sum").reset_index()


def main() -> int:
    """Write or compare the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    made = counted(arguments.source).to_csv(index=False, lineterminator="\n")
    if arguments.check:
        same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == made
        print("same" if same else f"{TARGET} differs")
        return 0 if same else 1
    TARGET.write_text(made, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
