"""Rebuild the shop data that ships in rank_magic/datasets/electronics.

    python scripts/make_electronics.py [SOURCE]           write the four tables
    python scripts/make_electronics.py [SOURCE] --check   only compare, exit 1 if one differs

SOURCE holds qrels.txt, queries.tsv, products.csv.gz, individual_ratings.csv and runs/*.run
(default: /work/shared/data/chorus_electronics). Everything is read as text and written as
text, so a score in the shipped table is, digit for digit, the score in its run file.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

import pandas as pd

SOURCE = Path("/work/shared/data/chorus_electronics")
TARGET = Path(__file__).resolve().parents[1] / "rank_magic" / "datasets" / "electronics"

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
PAIR = ["query_id", "doc_id"]
RATERS = {f"agent_{n}_rating": f"agent_{n}" for n in (1, 2, 3)}


def read(path: Path, sep: str = ",", names: list[str] | None = None) -> pd.DataFrame:
    """Read a table as text; an empty field stays an empty text."""
    return pd.read_csv(path, sep=sep, names=names, dtype=str, keep_default_na=False)


def pairs(source: Path) -> pd.DataFrame:
    """Every judged pair and every pair in a top 100, with its grade and its scores."""
    judged = read(source / "qrels.txt", sep=" ", names=["query_id", "zero", "doc_id", "grade"])
    table = judged[[*PAIR, "grade"]]
    for system in SYSTEMS:
        run = read(
            source / "runs" / f"{system}.run",
            sep=" ",
            names=["query_id", "q0", "doc_id", "rank", system, "tag"],
        )
        table = table.merge(run[[*PAIR, system]], on=PAIR, how="outer", validate="1:1")
    return table.fillna("").sort_values(PAIR, ignore_index=True)


def ratings(source: Path) -> pd.DataFrame:
    """The three raters' own grades, one row each."""
    wide = read(source / "individual_ratings.csv").rename(columns=RATERS)
    long = wide.melt(PAIR, list(RATERS.values()), var_name="rater", value_name="grade")
    return long.sort_values([*PAIR, "rater"], ignore_index=True)


def build(source: Path) -> dict[str, pd.DataFrame]:
    """Make the tables that ship, by file name."""
    shown = pairs(source)
    products = read(source / "products.csv.gz")
    titles = products.loc[products["doc_id"].isin(shown["doc_id"]), ["doc_id", "title"]]
    return {
        "queries.csv": read(source / "queries.tsv", sep="\t"),
        "titles.csv.gz": titles.sort_values("doc_id", ignore_index=True),
        "pairs.csv.gz": shown,
        "ratings.csv.gz": ratings(source),
    }


def content(path: Path) -> bytes:
    """What a file says, whatever its compression."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def main() -> int:
    """Write the tables, or compare them with those that are there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()

    differing = []
    for name, table in build(options.source).items():
        text = table.to_csv(index=False, lineterminator="\n").encode()
        path = TARGET / name
        if options.check:
            same = path.exists() and content(path) == text
            differing += [] if same else [name]
        else:
            # No time stamp: the same tables give the same bytes.
            path.write_bytes(gzip.compress(text, 9, mtime=0) if path.suffix == ".gz" else text)
        size = path.stat().st_size if path.exists() else 0
        print(f"{name:15} {len(table):6} rows {size:8} bytes")
    if differing:
        print(f"Not what {options.source} gives: {', '.join(differing)}. Run without --check.")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
