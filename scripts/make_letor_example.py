"""Rebuild the learning-to-rank data that ship in rank_magic/datasets/letor_example.

    python scripts/make_letor_example.py [SOURCE]

SOURCE holds rank.train, rank.test and their .query files (examples/lambdarank of
github.com/microsoft/LightGBM at commit bae0b7b; default: /work/shared/data/lightgbm_lambdarank).
Features have two decimals and lie between 0 and 1, so they are written as whole hundredths.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import numpy as np
import pandas as pd

SOURCE = Path("/work/shared/data/lightgbm_lambdarank")
TARGET = Path(__file__).resolve().parents[1] / "rank_magic" / "datasets" / "letor_example"


def table(source: Path, split: str, first: int) -> pd.DataFrame:
    """Return a split, its queries numbered from `first`."""
    lines = (source / f"rank.{split}").read_text().splitlines()
    sizes = [int(line) for line in (source / f"rank.{split}.query").read_text().split()]
    features = np.zeros((len(lines), 301), dtype=np.int64)
    for row, line in enumerate(lines):
        for pair in line.split()[1:]:
            place, _, value = pair.partition(":")
            hundredths = float(value) * 100
            if abs(hundredths - round(hundredths)) > 1e-9 or not 0 <= hundredths <= 100:
                raise SystemExit(f"{split}, line {row + 1}: {pair} is no hundredth of 0 to 1")
            features[row, int(place)] = round(hundredths)
    frame = pd.DataFrame(features, columns=[f"f{place}" for place in range(301)])
    frame.insert(0, "split", split)
    frame.insert(1, "query", np.repeat(np.arange(first, first + len(sizes)), sizes))
    frame.insert(2, "doc", [f"{split}-{row}" for row in range(len(lines))])
    frame.insert(3, "grade", [int(line.partition(" ")[0]) for line in lines])
    return frame


def main() -> None:
    """Write the table."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    train = table(source, "train", 0)
    test = table(source, "test", int(train["query"].max()) + 1)
    text = pd.concat([train, test]).to_csv(index=False, lineterminator="\n")
    TARGET.mkdir(exist_ok=True)
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    (TARGET / "rows.csv.xz").write_bytes(packed)
    (TARGET / "LICENSE").write_bytes((source / "LICENSE").read_bytes())


if __name__ == "__main__":
    main()
