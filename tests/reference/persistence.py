"""Persistence and the C/W/L family: one continuation probability per rank says everything.

C_i: chance of going on from rank i to i + 1.  W_i ∝ Π_{j<i} C_j: share of attention that rank i
gets.
L_i = (1 − C_i) Π_{j<i} C_j: chance that i is the last rank looked at. A measure is Σ W_i g_i, with
gains g in [0, 1] (grades clipped and scaled from min_grade..max_grade; rel=… makes them 0 or 1).

Rankings go on for ever: what lies below the results has gain 0 and still takes attention. cwl_eval
looks at 1,000 ranks instead: depth=1000 gives its numbers.
Cite: Moffat, Thomas & Scholer 2013, "Users versus models" (CIKM); Moffat, Bailey, Scholer & Thomas
2017, "Incorporating user expectations and behavior into the measurement of search effectiveness"
(TOIS 35); Azzopardi, Thomas & Moffat 2019, "cwl_eval" (SIGIR).
"""

import math
from fractions import Fraction

from .binary import exact, is_judged, relevant
from .gain import scaled

FAR = 1_000_000  # ranks after which an infinite sum that has not converged is given up


def gains_of(grades, max_grade, min_grade=0, rel=None):
    """Gains in [0, 1]: scaled grades, or 0 and 1 when a threshold is given."""
    if rel is not None:
        return [float(relevant(g, rel)) for g in grades]
    return [float(scaled(g, min_grade, max_grade)) for g in grades]


def exact_gains(grades, max_grade, min_grade=0, rel=None):
    """The same as fractions, for measures with thresholds."""
    if rel is not None:
        return [Fraction(int(relevant(g, rel))) for g in grades]
    return [scaled(g, min_grade, max_grade) for g in grades]


def trigamma(x):
    """ψ'(x) = Σ_{m≥0} 1 / (x + m)², by its asymptotic series after moving x above 30."""
    total = 0.0
    while x < 30:
        total += 1 / x**2
        x += 1
    return (
        total
        + 1 / x
        + 1 / (2 * x**2)
        + 1 / (6 * x**3)
        - 1 / (30 * x**5)
        + 1 / (42 * x**7)
        - 1 / (30 * x**9)
    )


def tail_of_squares(n, c):
    """Σ over i > n of reach_i / reach_{n+1}, when C_i = ((i + c − 1) / (i + c))² from n + 1 on."""
    return (n + c) ** 2 * trigamma(n + c)


def summed(go_on, gains):
    """The same sum, added up until it stops growing; go_on(i, total gain) for ranks below the
    results."""
    total, reach, final, i = 0.0, 1.0, sum(gains), len(gains) + 1
    while reach > 1e-18 and i < FAR:
        total += reach
        reach *= go_on(i, 0, final)
        i += 1
    return total


def view(go_on, gains, tail=None, depth=None):
    """C, W and L of the shown ranks, and how long the reader looks in all (Σ reach).

    go_on(i, g_i, g_1 + … + g_i) is C_i; tail is Σ reach_i / reach_{n+1} below the results; depth:
    so
    many ranks exist (longer rankings are cut, shorter ones go on with gain 0).
    """
    if depth is not None:
        gains = (gains + [0] * depth)[:depth]
    c, reach, cumulated = [], [1.0], 0
    for i, g in enumerate(gains, 1):
        cumulated += g
        c.append(go_on(i, g, cumulated))
        reach.append(reach[-1] * c[-1])
    below = 0.0
    if depth is None and reach[-1] > 0:
        below = reach[-1] * (summed(go_on, gains) if tail is None else tail)
    looked = math.fsum(reach[:-1]) + below
    return {
        "C": c,
        "W": [x / looked for x in reach[:-1]],
        "L": [x * (1 - ci) for x, ci in zip(reach, c, strict=False)],
        "looked": looked,
        "reach": reach[:-1],
    }


def score(model, gains, depth=None):
    if not gains:
        return 0.0
    if depth is not None:
        gains = (gains + [0] * depth)[:depth]
    return math.fsum(w * float(g) for w, g in zip(model["W"], gains, strict=True))


# ------------------------------------------------------------------------ continuation, per measure


def _rbp(p):
    return lambda i, g, total: p


def _insq(T):
    return lambda i, g, total: ((i + 2 * T - 1) / (i + 2 * T)) ** 2


def _inst(T):
    return lambda i, g, total: ((i + 2 * T - total - 1) / (i + 2 * T - total)) ** 2


def _bpm(T, K):
    return lambda i, g, total: int(total < exact(T) and i < exact(K))


def _bpm_dynamic(T, K, hb, hc, median):
    """The limits move after each document: T by hb (g − median), K by hc (g − median)."""

    def go_on(i, g, total):
        moved = (total - g) - (i - 1) * exact(median)  # after the i − 1 documents above
        wanted, patience = exact(T) + exact(hb) * moved, exact(K) + exact(hc) * moved
        return int(total < wanted and i < patience)

    return go_on


def _ift(goal, rate, T, b1, R1, A, b2, R2):
    def go_on(i, g, total):
        c1 = 1 - 1 / (1 + b1 * math.exp((T - total) * R1)) if goal else 1.0
        c2 = 1 / (1 + b2 * math.exp((A - total / i) * R2)) if rate else 1.0
        return c1 * c2

    return go_on


# ------------------------------------------------------------------------------------- the measures


def RBP(grades, judged, k=None, p=0.8, rel=1, max_grade=1, min_grade=0):
    """(1 − p) Σ_{r≤k} p^{r−1} g_r. rel=None: graded, g scaled to [0, 1].

    Cite: Moffat & Zobel 2008, "Rank-biased precision for measurement of retrieval effectiveness"
    (TOIS 27).
    """
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    return (1 - p) * math.fsum(p ** (r - 1) * g for r, g in enumerate(gains, 1))


def RBP_residual(grades, judged, k=None, p=0.8):
    """What RBP could still gain: (1 − p) Σ_{unjudged r} p^{r−1} + p^n, n the ranks looked at.

    Cite: Moffat & Zobel 2008, section 5. (trec_eval leaves the p^n out when all shown are judged.)
    """
    shown = grades[:k]
    return (1 - p) * math.fsum(
        p ** (r - 1) for r, g in enumerate(shown, 1) if not is_judged(g)
    ) + p ** len(shown)


def INSQ(grades, judged, k=None, T=1.0, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = ((i + 2T − 1) / (i + 2T))².

    W_i = 1 / (S (i + 2T − 1)²) with S = Σ_{i≥1} 1 / (i + 2T − 1)² = π²/6 − Σ_{i<2T} 1/i² for whole
    2T.
    Cite: Moffat, Scholer & Thomas 2012, "Models and metrics: IR evaluation as a user process"
    (ADCS).
    """
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    return score(view(_insq(T), gains, tail_of_squares(len(gains), 2 * T), depth), gains, depth)


def INST(grades, judged, k=None, T=1.0, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = ((i + T + T_i − 1) / (i + T + T_i))², T_i = T − (g_1 + … + g_i), what is still wanted.

    Cite: Bailey, Moffat, Scholer & Thomas 2015, "User variability and IR system evaluation"
    (SIGIR);
    Moffat, Bailey, Scholer & Thomas 2015, "INST" (ADCS).
    """
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    tail = tail_of_squares(len(gains), 2 * T - math.fsum(gains))
    return score(view(_inst(T), gains, tail, depth), gains, depth)


def BPM(grades, judged, k=None, T=1, K=10, max_grade=1, min_grade=0, rel=None, depth=None):
    """Static Bejeweled player: stops when gain T is reached or K documents are seen.

    Σ_{i≤s} g_i / s: mean gain a document, s the smaller of K and the first rank whose cumulated
    gain
    reaches T. Thresholds are compared exactly (fractions): thirds add up to 1.
    Cite: Zhang, Liu, Li, Zhang, Xu & Ma 2017, "Evaluating web search with a Bejeweled player model"
    (SIGIR), in cwl_eval's C/W/L form (gains in [0, 1], cost 1 a document). ir_measures' BPM@k has
    K = k.
    """
    gains = exact_gains(grades[:k], max_grade, min_grade, rel)
    return score(view(_bpm(T, K), gains, depth=depth), gains, depth)


def BPM_dynamic(
    grades,
    judged,
    k=None,
    T=1,
    K=10,
    hb=1,
    hc=1,
    median=Fraction(1, 2),
    max_grade=1,
    min_grade=0,
    rel=None,
    depth=None,
):
    """Dynamic Bejeweled player: each document moves T by hb (g − median) and K by hc (g − median).

    At rank i the reader goes on while the gain so far is below T and i below K, as they stand after
    the i − 1 documents above.
    Cite: Zhang et al. 2017 (SIGIR), as cwl_eval's documentation states it. (Its code, 1.0.12, moves
    T
    where it should move K, after T was used: it computes hc = 0.)
    """
    gains = exact_gains(grades[:k], max_grade, min_grade, rel)
    return score(view(_bpm_dynamic(T, K, hb, hc, median), gains, depth=depth), gains, depth)


def IFT(
    grades,
    judged,
    k=None,
    model="goal-rate",
    T=2.0,
    b1=0.9,
    R1=10.0,
    A=0.2,
    b2=0.9,
    R2=10.0,
    max_grade=1,
    min_grade=0,
    rel=None,
    depth=None,
):
    """Information foraging: go on while the goal T is not met (C1) and the rate stays above A (C2).

    C1_i = 1 − (1 + b1 e^{(T − G_i) R1})^{−1};  C2_i = (1 + b2 e^{(A − G_i / i) R2})^{−1}, G_i the
    gain so
    far, i its cost. model: "goal" (C1), "rate" (C2) or "goal-rate" (C1 · C2).
    Cite: Azzopardi, Thomas & Craswell 2018, "Measuring the utility of search engine result pages"
    (SIGIR).
    """
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    go_on = _ift("goal" in model, "rate" in model, T, b1, R1, A, b2, R2)
    below = None  # C1 alone is the same at every rank below the results: 1 / (1 − C1)
    if model == "goal":
        below = 1 + b1 * math.exp((T - math.fsum(gains)) * R1)
    return score(view(go_on, gains, below, depth), gains, depth)


def NERR8(grades, judged, k=10, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = 1 − g_i above rank k, then 0. Cite: Azzopardi, Mackenzie & Moffat 2021, "ERR is not
    C/W/L" (ICTIR), eq. 8."""
    gains = gains_of(grades, max_grade, min_grade, rel)
    return score(
        view(lambda i, g, total: 1 - g if i < k else 0.0, gains, None, depth), gains, depth
    )


def NERR9(grades, judged, k=10, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = (1 − g_i) · i / (i + 1) above rank k, then 0. Cite: as NERR8, eq. 9."""
    gains = gains_of(grades, max_grade, min_grade, rel)
    return score(
        view(lambda i, g, total: (1 - g) * i / (i + 1) if i < k else 0.0, gains, None, depth),
        gains,
        depth,
    )


def NERR10(grades, judged, k=None, p=0.9, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = p (1 − g_i). Cite: as NERR8, eq. 10."""
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    return score(view(lambda i, g, total: p * (1 - g), gains, 1 / (1 - p), depth), gains, depth)


def NERR11(grades, judged, k=None, T=1.0, max_grade=1, min_grade=0, rel=None, depth=None):
    """C_i = (1 − g_i) ((i + 2T − 1) / (i + 2T))². Cite: as NERR8, eq. 11."""
    gains = gains_of(grades[:k], max_grade, min_grade, rel)
    insq = _insq(T)
    model = view(
        lambda i, g, total: (1 - g) * insq(i, g, total),
        gains,
        tail_of_squares(len(gains), 2 * T),
        depth,
    )
    return score(model, gains, depth)


def cwl(name, gains, k=10, p=0.8, T=1.0, K=10, hb=1.0, hc=1.0, median=0.5, ift=None):
    """C, W, L of the shown ranks for a measure of the family, from its gains.

    P: C = 1 above k. SDCG: C_i = log2(i + 1) / log2(i + 2) above k. RR: C = 1 until the first gain.
    """
    n = len(gains)
    models = {
        "P": (lambda i, g, total: 1.0 if i < k else 0.0, None),
        "SDCG": (lambda i, g, total: math.log2(i + 1) / math.log2(i + 2) if i < k else 0.0, None),
        "RR": (lambda i, g, total: 0.0 if total > 0 else 1.0, math.inf),
        "RBP": (_rbp(p), 1 / (1 - p)),
        "INSQ": (_insq(T), tail_of_squares(n, 2 * T)),
        "INST": (_inst(T), tail_of_squares(n, 2 * T - math.fsum(gains))),
        "BPM": (_bpm(T, K), None),
        "BPM_dynamic": (_bpm_dynamic(T, K, hb, hc, median), None),
        "IFT": (
            _ift(
                True,
                True,
                **(ift or {"T": 2.0, "b1": 0.9, "R1": 10.0, "A": 0.2, "b2": 0.9, "R2": 10.0}),
            ),
            None,
        ),
    }
    return view(models[name][0], list(gains), models[name][1])


def AP_cwl(grades, rel=1):
    """W of AP as C/W/L: its Σ W_i g_i divides by the relevant retrieved, not by all relevant.

    C_i = Σ_{j>i} (g_j / j) / Σ_{j≥i} (g_j / j). Cite: Moffat, Thomas & Scholer 2013 (CIKM).
    """
    gains = [Fraction(int(relevant(g, rel))) for g in grades]
    still = [sum(gains[j] / (j + 1) for j in range(i, len(gains))) for i in range(len(gains))]
    total = sum(still)
    return float(sum(w * g for w, g in zip(still, gains, strict=True)) / total) if total else 0.0


MEASURES = {
    f.__name__: f
    for f in (RBP, RBP_residual, INSQ, INST, BPM, BPM_dynamic, IFT, NERR8, NERR9, NERR10, NERR11)
}
