"""trec_eval version 10's measures under its own names, to the last printed digit.

Everything is computed from the ranking's grades (None: not in the pool, negative: in the pool but
not
judged) and all grades of the query. rel is trec_eval's -l; depth (-M) and condensed lists (-J)
belong
to the Query. Gains are the grades (a table {grade: gain} as trec_eval's LEVEL=GAIN). A query that
retrieved nothing scores 0 (version 10 with -c prints those rows).

Facts found by matching out.test.aq, aql, aqc and aqcM; see tests/DISAGREEMENTS.md.
"""

import math

from . import binary
from .binary import hits, is_judged, relevant

CUT = {
    "P": binary.P,
    "recall": binary.R,
    "map_cut": binary.AP,
    "success": binary.Success,
    "relative_P": binary.RelativeP,
}


def gains_of(grades, table=None):
    return [0 if not is_judged(g) else (table or {}).get(g, g) for g in grades]


def ideal_gains(judged, table=None):
    return sorted((x for x in gains_of(judged, table) if x > 0), reverse=True)


def dcg(gains, k=None):
    """Σ gain / log2(1 + r); version 10 and 9 discount the first rank by log2(2) = 1."""
    return math.fsum(x / math.log2(r + 1) for r, x in enumerate(gains[:k], 1))


def ndcg(grades, judged, k=None, table=None):
    """Linear gain; the ideal is cut at k too."""
    ideal = dcg(ideal_gains(judged, table), k)
    return dcg(gains_of(grades, table), k) / ideal if ideal else 0.0


def ndcg_rel(grades, judged, table=None):
    """nDCG at the rank of every document with gain, averaged over all of them.

    A document that is not retrieved takes the DCG at the end over the full ideal DCG.
    """
    gains, ideal = gains_of(grades, table), ideal_gains(judged, table)
    at = [dcg(gains, r) / dcg(ideal, r) for r, x in enumerate(gains, 1) if x > 0]
    if not ideal:
        return 0.0
    missing = len(ideal) - len(at)
    return (math.fsum(at) + missing * dcg(gains) / dcg(ideal)) / len(ideal)


def Rndcg(grades, judged, rel=1, table=None):
    """nDCG at the ranks where the ideal's gain changes, averaged.

    Those ranks: the number of judged documents with at least each positive gain (DCG to the end of
    the
    results when they are fewer). The end of the results counts as one more when it lies more than
    one
    rank below the last of them. 0 when nothing is relevant at `rel`, whatever the gains.
    """
    if not hits(judged, rel):
        return 0.0
    gains, ideal = gains_of(grades, table), ideal_gains(judged, table)
    ends = [sum(x >= level for x in ideal) for level in sorted(set(ideal), reverse=True)]
    at = [dcg(gains, end) / dcg(ideal, end) for end in ends]
    if len(gains) > len(ideal) + 1:
        at.append(dcg(gains) / dcg(ideal))
    return math.fsum(at) / len(at) if at else 0.0


def G(grades, judged, table=None):
    """Σ gain_r / log2(2 + cost_r − found_r), over all gain there is.

    found_r: gain of ranks 1..r; cost_r: Σ_{i≤r} max(1, ideal gain at i), so 1 a rank below the
    ideal's end.
    """
    gains, ideal = gains_of(grades, table), ideal_gains(judged, table)
    found, cost, total = 0.0, 0.0, 0.0
    for r, x in enumerate(gains):
        found += x
        cost += max(1, ideal[r] if r < len(ideal) else 0)
        if x:
            total += x / math.log2(2 + cost - found)
    return total / sum(ideal) if ideal else 0.0


def binG(grades, judged, rel=1):
    """(1 / |R|) Σ over relevant retrieved of 1 / log2(2 + other documents above it)."""
    other, total = 0, 0.0
    for g in grades:
        if relevant(g, rel):
            total += 1 / math.log2(2 + other)
        else:
            other += 1
    return total / hits(judged, rel) if total else 0.0


def rbp(grades, judged, p=0.9, table=None):
    """(1 − p) Σ p^{r−1} gain. When the query's highest judged gain is above 1, gains are divided by
    it.

    (In C the range is scaled by variables that are never set; they behave as 0.) -l has no effect.
    """
    gains = gains_of(grades, table)
    top = max(gains_of(judged, table), default=0)
    scale = top if top > 1 else 1
    return (1 - p) * math.fsum(p ** (r - 1) * x / scale for r, x in enumerate(gains, 1))


def rbp_resid(grades, judged, p=0.9):
    """(1 − p) Σ_{not judged} p^{r−1} + p^n, but 0 when everything retrieved is judged."""
    open_ranks = [r for r, g in enumerate(grades, 1) if not is_judged(g)]
    if not open_ranks:
        return 0.0
    return (1 - p) * math.fsum(p ** (r - 1) for r in open_ranks) + p ** len(grades)


def iprec(grades, judged, recall, rel=1, add=0.5):
    """Highest precision at or below the point where int(recall · |R| + ½) relevant are found.

    Version 9 adds 0.9 instead of ½. The product is a binary floating-point number.
    """
    wanted = int(recall * hits(judged, rel) + add)
    reached = [
        hits(grades, rel, r) / r
        for r in range(1, len(grades) + 1)
        if hits(grades, rel, r) >= wanted
    ]
    return max(reached, default=0.0)


def Rprec_mult(grades, judged, multiple, rel=1):
    """Precision at rank int(multiple · |R| + 0.9)."""
    cut = int(multiple * hits(judged, rel) + 0.9)
    return hits(grades, rel, cut) / cut if cut else 0.0


def set_F(grades, judged, x, rel=1):
    """(x + 1) P R / (R + x P): F_β with x = β²."""
    p, r = binary.SetP(grades, judged, None, rel), binary.SetR(grades, judged, None, rel)
    return float((x + 1) * p * r / (r + x * p)) if p else 0.0


def relstring(grades, length=10):
    """One character a document: the grade 0-9, '>' above, '-' not in the pool, '.' in it but not
    judged."""

    def character(g):
        return "-" if g is None else "." if g < 0 else str(int(g)) if g <= 9 else ">"

    return "'" + "".join(map(character, grades[:length])) + "'"


def value(name, grades, judged, rel=1, table=None, add=0.5, **params):
    """What trec_eval computes under this name (as printed: P_10, iprec_at_recall_0.10, set_F …).

    add=0.9 gives version 9's iprec_at_recall and 11pt_avg.
    """
    base, _, number = name.rpartition("_")
    if base in CUT and number.isdigit():
        return float(CUT[base](grades, judged, int(number), rel))
    if base == "ndcg_cut":
        return ndcg(grades, judged, int(number))
    if base == "unj":
        return float(binary.Unjudged(grades, judged, int(number)))
    if base == "iprec_at_recall":
        return iprec(grades, judged, float(number), rel, add)
    if base == "Rprec_mult":
        return Rprec_mult(grades, judged, float(number), rel)
    if base == "relstring" or name == "relstring":
        return relstring(grades, int(number) if base == "relstring" else 10)
    if base == "set_F" and number != "":
        return set_F(grades, judged, float(number), rel)
    if base in ("rbp", "rbp_resid") and number.startswith("p="):
        return (rbp if base == "rbp" else rbp_resid)(grades, judged, float(number[2:]))
    simple = {
        "num_ret": lambda: len(grades),
        "num_rel": lambda: hits(judged, rel),
        "num_rel_ret": lambda: hits(grades, rel),
        "num_nonrel_judged_ret": lambda: sum(is_judged(g) and not relevant(g, rel) for g in grades),
        "map": lambda: binary.AP(grades, judged, None, rel),
        "Rprec": lambda: binary.RPrec(grades, judged, None, rel),
        "bpref": lambda: binary.bpref(grades, judged, None, rel),
        "recip_rank": lambda: binary.RR(grades, judged, None, rel),
        "infAP": lambda: binary.infAP(grades, judged, None, rel),
        "utility": lambda: binary.Utility(grades, judged, None, rel, **params),
        "11pt_avg": lambda: (
            math.fsum(iprec(grades, judged, i / 10, rel, add) for i in range(11)) / 11
        ),
        "binG": lambda: binG(grades, judged, rel),
        "G": lambda: G(grades, judged, table),
        "dcg": lambda: dcg(gains_of(grades, table)),
        "ideal_dcg": lambda: dcg(ideal_gains(judged, table)),
        "ndcg": lambda: ndcg(grades, judged, None, table),
        "ndcg_rel": lambda: ndcg_rel(grades, judged, table),
        "Rndcg": lambda: Rndcg(grades, judged, rel, table),
        "set_P": lambda: binary.SetP(grades, judged, None, rel),
        "set_relative_P": lambda: binary.SetP(grades, judged, None, rel, relative=True),
        "set_recall": lambda: binary.SetR(grades, judged, None, rel),
        "set_map": lambda: binary.SetAP(grades, judged, None, rel),
        "set_F": lambda: binary.SetF(grades, judged, None, rel),
        "yaap": lambda: binary.YAAP(grades, judged, None, rel),
        "rbp": lambda: rbp(grades, judged, table=table, **params),
        "rbp_resid": lambda: rbp_resid(grades, judged, **params),
    }
    return float(simple[name]())


AVERAGES = {
    "gm_map": "map",
    "gm_bpref": "bpref",
}  # printed for "all" only: geometric means, 0 as 0.00001
SUMS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")  # "all" is their sum
