"""Put the benchmark's last results into the README.

``python scripts/quote_benchmark.py`` after `make bench`, which writes them to
``benchmarks/RESULTS.md``.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZE = "10,000 queries x 1,000 documents"
PLACE = re.compile(r"<!-- speed -->\n\n.*?<!-- end -->", re.DOTALL)


def quoted() -> str:
    """Return the README with what the benchmark found for one size, and where."""
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    machine = results.split("\n\n")[1]
    table = results.partition(f"## {SIZE}\n\n")[2].partition("\n\n")[0]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quote = f"{SIZE}; {machine}\n\n{table}"
    return PLACE.sub(lambda _: f"<!-- speed -->\n\n{quote}\n\n<!-- end -->", text)


if __name__ == "__main__":
    (ROOT / "README.md").write_text(quoted(), encoding="utf-8")
