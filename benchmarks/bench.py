"""Run rank_magic beside its peers and hold it to its bounds: ``python benchmarks/bench.py``.

Checks first that all agree on the values. Then times everything in one run, each piece of work in
turns with what it is compared with, and prints tables; a full run writes them to RESULTS.md, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import bounds  # noqa: E402
import child  # noqa: E402
import numpy as np  # noqa: E402
import peers  # noqa: E402
import report  # noqa: E402
from peers import Contender  # noqa: E402
from report import Table  # noqa: E402
from scipy.optimize import nnls  # noqa: E402
from timing import LONG, in_turns, once, seconds  # noqa: E402

import data  # noqa: E402
import rank_magic as rm  # noqa: E402

RESULTS = HERE / "RESULTS.md"
PARTS = ("agreement", "bounds", "peers", "forms")
AGREED_SIZES = ("200x10", "20x500", "ragged-small")
TOLERANCE = 1e-9
PEER_SIZES = ("1000x100", "1000x1000", "10000x1000", "ragged", "1000000x10")
SMALL_PEER_SIZES = ("50x100", "200x10")
FORMS = ("int", "category", "str", "object")
# How many times as fast we are to be at the sizes named, and than whom.
JUDGED_SIZES = ("1000x1000", "10000x1000")
AHEAD_OF_LIBRARIES, AHEAD_OF_LOOP, AHEAD_WITH_TABLES = 30.0, 3.0, 3.0
LOOP = "numpy loop by hand"


class Disagreement(Exception):
    """A peer has other values than we have."""


class Spent(NamedTuple):
    """The seconds that a contender spent."""

    convert: float
    compute: float

    @property
    def whole(self) -> float:
        return self.convert + self.compute


@dataclass
class Bench:
    """A run: what is measured, and what was found about the contenders so far.

    Attributes
    ----------
    small : bool
        Whether small sizes do, which shows that everything works and nothing about speed.
    only : str
        The parts or bounds whose names hold this word are run; all when it is empty.
    skip : sequence of str
        Peers whose names hold such a word are left out.
    budget : float
        Seconds that a peer may take for one size; it skips sizes at which it would take longer.
    huge : bool
        Whether to go on to 100 million rows.
    """

    small: bool = False
    only: str = ""
    skip: Sequence[str] = ()
    budget: float = 120.0
    huge: bool = False
    spent: dict[tuple[str, str], Spent] = field(default_factory=dict)

    @property
    def sizes(self) -> bounds.Sizes:
        return bounds.SMALL if self.small else bounds.Sizes()

    @cached_property
    def peers(self) -> list[Contender]:
        return peers.installed(self.skip)

    def tables(self) -> Iterator[Table]:
        """Yield the parts of the report as they are found."""
        if self.wanted("agreement"):
            yield self.agreement()
        chosen = [bound for bound in bounds.BOUNDS if self.wanted("bounds", bound.name)]
        if self.huge:
            chosen.append(bounds.HUGE)
        if chosen:
            yield self.bounds(chosen)
        if self.wanted("peers"):
            for size in SMALL_PEER_SIZES if self.small else PEER_SIZES:
                yield self.beside(size)
            if not self.small and self.peers:
                yield self.ahead()
        if self.wanted("forms"):
            yield self.forms()

    def wanted(self, *names: str) -> bool:
        return any(self.only.lower() in name.lower() for name in names)

    def agreement(self) -> Table:
        """Compare the values of all contenders query by query, where definitions agree.

        Raises
        ------
        Disagreement
            If a peer's values differ from ours.
        """
        rows = []
        for contender in (*peers.US[1:], *self.peers):
            off = [furthest(contender, size) for size in AGREED_SIZES]
            rows.append((contender.name, *(f"{difference:.0e}" for difference in off)))
            if not max(off) <= TOLERANCE:
                raise Disagreement(f"{contender.name} is {max(off):.1e} away from rank_magic.")
        return Table(
            "All agree",
            ("largest difference of a query's value to rank_magic's", *AGREED_SIZES),
            rows,
            ("nDCG@10 with linear gain, AP and RR; every document judged, no scores tied.",),
        )

    def bounds(self, chosen: list[bounds.Bound]) -> Table:
        """Measure the bounds."""
        rows = []
        for bound, found in bounds.measured(chosen, self.sizes):
            verdict = "holds" if bound.holds(found.value) else "MISSED"
            limit, value = (
                f"{number:.3g} {bound.unit}".strip() for number in (bound.limit, found.value)
            )
            rows.append((bound.name, limit, value, verdict, found.how))
            print(f"  {bound.name}: {value} (at most {limit}): {verdict}", file=sys.stderr)
        remarks = ("At sizes this small fixed costs decide: the ratios say nothing.",)
        headings = ("work", "at most", "measured", "", "from")
        return Table("Bounds", headings, rows, remarks if self.small else ())

    def beside(self, size: str) -> Table:
        """Time all contenders at one size, one after the other, in several rounds."""
        skipped = {peer: self.expected(peer, size) for peer in self.peers}
        skipped = {peer: cost for peer, cost in skipped.items() if cost > self.budget}
        running = [*peers.US, *(peer for peer in self.peers if peer not in skipped)]
        given = {form: data.with_ids(data.tidy(size), form) for form in {c.form for c in running}}
        for contender in running:
            warm_up(contender)
        failed: dict[Contender, str] = {}
        for _ in range(1 if self.small else 3):
            for contender in running:
                if contender not in failed:
                    try:
                        self.time(contender, size, given[contender.form])
                    except Exception as error:
                        failed[contender] = f"failed: {type(error).__name__}"
        del given
        ours = self.spent[peers.OURS.name, size].whole
        rows = [self.row(contender, size, ours) for contender in running if contender not in failed]
        lacking = {peer: f"skipped: ~{seconds(cost)} expected" for peer, cost in skipped.items()}
        rows += [(peer.name, "", "", why, "", "") for peer, why in (lacking | failed).items()]
        headings = (
            "nDCG@10, AP, RR per query",
            "conversion",
            "computing",
            "whole",
            "/ ours",
            "peak",
        )
        return Table(data.title(size), headings, rows, tuple(self.first_calls(size)))

    def expected(self, peer: Contender, size: str) -> float:
        """Return about how long a peer will take, by the sizes so far; 0 when there are none."""
        before = [of for name, of in self.spent if name == peer.name]
        if not before:
            return 0.0
        if len(before) == 1:
            growth = zip(data.costs(size)[:2], data.costs(before[0])[:2], strict=True)
            return max(now / then for now, then in growth) * self.spent[peer.name, before[0]].whole
        taken = np.array([self.spent[peer.name, of].whole for of in before])
        known = np.array([data.costs(of) for of in before]) / taken[:, None]
        # Divided by its time, each size counts alike.
        rates, _ = nnls(known / known.max(axis=0), np.ones(len(before)))
        return float(np.array(data.costs(size)) / known.max(axis=0) @ rates)

    def time(self, contender: Contender, size: str, given: Any) -> None:
        """Time a contender and keep the better of its times; what takes long is done once."""
        best = self.spent.get((contender.name, size))
        if best is not None and best.whole > LONG:
            return
        convert, converted = once(contender.convert, given)
        found = Spent(convert, once(contender.compute, converted)[0])
        self.spent[contender.name, size] = min(best or found, found, key=lambda spent: spent.whole)

    def row(self, contender: Contender, size: str, ours: float) -> tuple[str, ...]:
        spent = self.spent[contender.name, size]
        times = [seconds(part) for part in (*spent, spent.whole)]
        if contender.convert is peers.as_it_is:
            times[0] = "none"
        peak = ""
        if not self.small and spent.whole <= LONG:
            peak = f"{child.ask('memory', contender.name, size)['peak'] / 2**20:,.0f} MB"
        return (contender.name, *times, f"{spent.whole / ours:.3g}", peak)

    def first_calls(self, size: str) -> Iterator[str]:
        """Yield how long first calls take that compile, told once."""
        for peer in self.peers:
            if peer.compiles and size == PEER_SIZES[0] and not self.small:
                cold = seconds(child.cold(peer.name, size))
                yield f"{peer.name}, cold (first call of a process, nothing compiled): {cold}."

    def ahead(self) -> Table:
        """Say how far ahead we are of the fastest library and of a loop by hand."""
        rivals = [
            ("the fastest of the libraries", peers.OURS, peers.LIBRARIES, AHEAD_OF_LIBRARIES),
            (LOOP, peers.OURS, [peers.CONTENDERS[LOOP]], AHEAD_OF_LOOP),
        ]
        if peers.OURS_TABLES in peers.US:
            libraries = "the fastest of the libraries, from run and qrels"
            rivals.append((libraries, peers.OURS_TABLES, peers.LIBRARIES, AHEAD_WITH_TABLES))
        rows = []
        for size in JUDGED_SIZES:
            for name, us, them, least in rivals:
                theirs = [
                    self.spent[peer.name, size] for peer in them if (peer.name, size) in self.spent
                ]
                if theirs:
                    times = min(spent.whole for spent in theirs) / self.spent[us.name, size].whole
                    verdict = "holds" if times >= least else "MISSED"
                    rows.append((size, name, f"{least:g} x", f"{times:.3g} x", verdict))
        return Table("How far ahead", ("size", "of", "at least", "measured", ""), rows)

    def forms(self) -> Table:
        """Time our evaluation of the forms that ids and rows may have."""
        size, rows = self.sizes.main, []
        frame = data.tidy(size)
        scores = frame["score"].to_numpy()
        for form in FORMS:
            for order in ("grouped", "shuffled"):
                given = data.with_ids(frame, form)
                given = data.shuffled(given) if order == "shuffled" else given
                works = [lambda given=given: rm.evaluate(given), lambda: np.argsort(scores)]
                ours, sort = in_turns(works, 1 if self.small else 3)
                rows.append((form, order, seconds(ours), f"{ours / sort:.3g}"))
        headings = ("ids", "rows", "nDCG@10, ERR@10, RR, AP", "/ argsort of the scores")
        return Table(f"Forms of {data.title(size)}", headings, rows)


def furthest(contender: Contender, size: str) -> float:
    """Return the largest difference of a contender's values to ours."""
    frame = data.separated(data.tidy(size))
    ours = peers.values(peers.OURS_TEXT, data.with_ids(frame, peers.OURS_TEXT.form))
    theirs = peers.values(contender, data.with_ids(frame, contender.form))
    if theirs.shape != ours.shape:
        raise Disagreement(f"{contender.name} has {theirs.shape} values, rank_magic {ours.shape}.")
    return float(np.abs(theirs.to_numpy() - ours.to_numpy()).max())


def warm_up(contender: Contender) -> None:
    """Let a contender load and compile what it needs."""
    contender.compute(contender.convert(data.with_ids(data.tidy("10x10"), contender.form)))


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small sizes, to see that it works")
    parser.add_argument("--only", default="", metavar="NAME", help=f"one of {PARTS}, or a bound")
    parser.add_argument("--no-peers", action="store_true", help="rank_magic alone")
    parser.add_argument("--skip", nargs="*", default=[], metavar="PEER", help="leave peers out")
    parser.add_argument("--budget", type=float, default=120.0, help="seconds per peer and size")
    parser.add_argument("--huge", action="store_true", help="also 100 million rows (10 GB)")
    parser.add_argument("--output", type=Path, help="where to write; RESULTS.md for a full run")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return 0, or 1 when contenders disagree on the values."""
    given = parsed(arguments)
    skip = [""] if given.no_peers else given.skip
    bench = Bench(given.small, given.only, skip, given.budget, given.huge)
    full = not (given.small or given.only or given.no_peers or given.skip)
    output = given.output or (RESULTS if full else None)
    texts = [report.head(peer.package for peer in peers.PEERS[:4])]
    print(texts[0], flush=True)
    try:
        for table in bench.tables():
            texts.append(str(table))
            print(f"\n{table}", flush=True)
    except Disagreement as error:
        print(f"\nNothing was timed: {error}", file=sys.stderr)
        return 1
    if output is not None:
        output.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        print(f"\nWritten to {output}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
