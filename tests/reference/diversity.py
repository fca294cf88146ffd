"""Diversity: a document is judged for each subtopic.

Every function takes `order`, the documents from rank 1, and `subtopics`, {doc: {subtopic: grade}}
of
every judged document. A subtopic counts if some document is relevant to it; subtopics weigh the
same
unless weights={subtopic: weight} says otherwise. relevant: grade ≥ rel.

norm="ideal-ideal" divides by a list whose every document is relevant to every subtopic: what ndeval
prints as ERR-IA@k and alpha-DCG@k.
"""

import math
from fractions import Fraction

from .binary import AP, relevant
from .cascade import satisfied


def covered(doc, subtopics, rel):
    """The subtopics for which a document is relevant."""
    return {t for t, g in subtopics.get(doc, {}).items() if relevant(g, rel)}


def intents(subtopics, rel, weights=None):
    """{subtopic: weight} over the subtopics that have a relevant document; the weights sum to 1."""
    known = sorted({t for d in subtopics for t in covered(d, subtopics, rel)}, key=str)
    raw = {t: Fraction(1) if weights is None else Fraction(weights.get(t, 0)) for t in known}
    total = sum(raw.values())
    return {t: w / total for t, w in raw.items()} if total else {}


def novelty(order, subtopics, rel, alpha):
    """For each rank: Σ over its subtopics of (1 − α)^(times seen above). Nothing is divided."""
    seen, result = {}, []
    for doc in order:
        result.append(
            sum((1 - Fraction(alpha)) ** seen.get(t, 0) for t in covered(doc, subtopics, rel))
        )
        for t in covered(doc, subtopics, rel):
            seen[t] = seen.get(t, 0) + 1
    return result


def greedy_ideal(subtopics, rel=1, alpha=Fraction(1, 2)):
    """All judged documents; at each rank the one that adds most novelty, equals by id descending.

    The best order is NP-hard to find; the field normalises by this one. Which of two equals comes
    first can change what follows: the rule is ndeval's. Cite: Clarke et al. 2008 (SIGIR), section
    3.2.
    """
    left, seen, ideal = set(subtopics), {}, []
    while left:

        def adds(doc):
            return sum(
                (1 - Fraction(alpha)) ** seen.get(t, 0) for t in covered(doc, subtopics, rel)
            )

        pick = max(left, key=lambda d: (adds(d), str(d)))
        left.remove(pick)
        ideal.append(pick)
        for t in covered(pick, subtopics, rel):
            seen[t] = seen.get(t, 0) + 1
    return ideal


def log2_discount(r):
    return 1 / math.log2(1 + r)


def _discounted(order, subtopics, k, rel, alpha, discount):
    return math.fsum(
        float(g) * discount(r) for r, g in enumerate(novelty(order, subtopics, rel, alpha)[:k], 1)
    )


def _ideal_ideal(n, depth, alpha, discount):
    return n * math.fsum(
        float((1 - Fraction(alpha)) ** (r - 1)) * discount(r) for r in range(1, depth + 1)
    )


def alpha_DCG(order, subtopics, k=None, rel=1, alpha=Fraction(1, 2), norm=None):
    """Σ_r (Σ_t [relevant to t] (1 − α)^(times t was seen above r)) / log2(1 + r).

    Cite: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, "Novelty and
    diversity in information retrieval evaluation" (SIGIR), eq. 9. norm="ideal-ideal" needs a
    cutoff.
    """
    found = _discounted(order, subtopics, k, rel, alpha, log2_discount)
    if norm != "ideal-ideal":
        return found
    perfect = _ideal_ideal(
        len(intents(subtopics, rel)), len(order) if k is None else k, alpha, log2_discount
    )
    return found / perfect if perfect else 0.0


def alpha_nDCG(order, subtopics, k=None, rel=1, alpha=Fraction(1, 2)):
    """alpha-DCG@k / alpha-DCG@k of the greedy ideal. Cite: Clarke et al. 2008 (SIGIR)."""
    ideal = alpha_DCG(greedy_ideal(subtopics, rel, alpha), subtopics, k, rel, alpha)
    return alpha_DCG(order, subtopics, k, rel, alpha) / ideal if ideal else 0.0


def ERR_IA(
    order,
    subtopics,
    k=None,
    rel=1,
    alpha=Fraction(1, 2),
    norm=None,
    max_grade=None,
    satisfaction=None,
    weights=None,
):
    """Σ_t P(t) ERR_t.

    Binary (satisfaction=None): a relevant document satisfies with chance α. Graded:
    satisfaction="exp2"
    gives R = (2^g − 1) / 2^max. norm="ideal-ideal" (binary only) is ndeval's ERR-IA@k.
    Cite: Chapelle, Ji, Liao, Velipasaoglu, Lai & Wu 2011, "Intent-based diversification of web
    search
    results" (Information Retrieval 14); Chapelle et al. 2009 (CIKM), section 7.
    """
    if norm == "ideal-ideal":
        found = _discounted(order, subtopics, k, rel, alpha, lambda r: 1 / r)
        perfect = _ideal_ideal(
            len(intents(subtopics, rel)), len(order) if k is None else k, alpha, lambda r: 1 / r
        )
        return found / perfect if perfect else 0.0
    total = Fraction(0)
    for t, weight in intents(subtopics, rel, weights).items():
        reading = Fraction(1)
        for r, doc in enumerate(order[:k], 1):
            grade = subtopics.get(doc, {}).get(t)
            if satisfaction is None:
                chance = Fraction(alpha) if relevant(grade, rel) else Fraction(0)
            else:
                chance = satisfied(grade, max_grade, satisfaction)
            total += weight * reading * chance / r
            reading *= 1 - chance
    return float(total)


def nERR_IA(order, subtopics, k=None, rel=1, alpha=Fraction(1, 2)):
    """Binary ERR-IA@k / ERR-IA@k of the greedy ideal (whose first k are best in gain rank by
    rank)."""
    ideal = ERR_IA(greedy_ideal(subtopics, rel, alpha), subtopics, k, rel, alpha)
    return ERR_IA(order, subtopics, k, rel, alpha) / ideal if ideal else 0.0


def NRBP(order, subtopics, k=None, rel=1, alpha=Fraction(1, 2), beta=Fraction(1, 2)):
    """((1 − (1 − α) β) / n) Σ_r β^{r−1} Σ_t [relevant to t] (1 − α)^(times t was seen above r).

    Cite: Clarke, Kolla & Vechtomova 2009, "An effectiveness measure for ambiguous and
    underspecified
    queries" (ICTIR), eq. 11.
    """
    n = len(intents(subtopics, rel))
    found = sum(
        Fraction(beta) ** (r - 1) * g
        for r, g in enumerate(novelty(order, subtopics, rel, alpha)[:k], 1)
    )
    return float((1 - (1 - Fraction(alpha)) * Fraction(beta)) * found / n) if n else 0.0


def nNRBP(order, subtopics, k=None, rel=1, alpha=Fraction(1, 2), beta=Fraction(1, 2)):
    """NRBP / NRBP of the greedy ideal of all judged documents."""
    ideal = NRBP(greedy_ideal(subtopics, rel, alpha), subtopics, k, rel, alpha, beta)
    return NRBP(order, subtopics, k, rel, alpha, beta) / ideal if ideal else 0.0


def AP_IA(order, subtopics, k=None, rel=1, weights=None):
    """Σ_t P(t) AP_t. Cite: Agrawal, Gollapudi, Halverson & Ieong 2009, "Diversifying search
    results" (WSDM)."""
    total = Fraction(0)
    for t, weight in intents(subtopics, rel, weights).items():
        grades = [subtopics.get(d, {}).get(t) for d in order]
        judged = [s[t] for s in subtopics.values() if t in s]
        total += weight * AP(grades, judged, k, rel)
    return float(total)


def P_IA(order, subtopics, k=None, rel=1, weights=None):
    """Σ_t P(t) P_t@k. Cite: Agrawal et al. 2009 (WSDM)."""
    depth = len(order) if k is None else k
    total = Fraction(0)
    for t, weight in intents(subtopics, rel, weights).items():
        total += (
            weight * Fraction(sum(t in covered(d, subtopics, rel) for d in order[:k]), depth)
            if depth
            else 0
        )
    return float(total)


def StRecall(order, subtopics, k=None, rel=1):
    """Subtopics covered by the first k / subtopics. Cite: Zhai, Cohen & Lafferty 2003 (SIGIR),
    "S-recall"."""
    known = intents(subtopics, rel)
    found = {t for d in order[:k] for t in covered(d, subtopics, rel)}
    return len(found) / len(known) if known else 0.0


MEASURES = {
    f.__name__: f
    for f in (alpha_DCG, alpha_nDCG, ERR_IA, nERR_IA, NRBP, nNRBP, AP_IA, P_IA, StRecall)
}
