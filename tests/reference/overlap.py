"""Functions of two rankings: RBO, Compat, Kendall's tau, tau-AP."""

import math
from fractions import Fraction


def overlap(a, b, depth):
    """How many items the first `depth` of both share."""
    return len(set(a[:depth]) & set(b[:depth]))


def rbo_truncated(a, b, p=0.9, depth=None):
    """(1 − p) Σ_{d≤depth} p^{d−1} · overlap_d / d. Cite: Webber, Moffat & Zobel 2010 (TOIS 28), eq.
    4."""
    depth = max(len(a), len(b)) if depth is None else depth
    return (1 - p) * math.fsum(p ** (d - 1) * overlap(a, b, d) / d for d in range(1, depth + 1))


def rbo_min(a, b, p=0.9):
    """RBO if nothing below the seen parts agrees. Cite: Webber et al. 2010, eq. 11.

    The common items found by depth k stay common below it: X_k / d for d > k, summed for ever.
    """
    depth = max(len(a), len(b))
    common = overlap(a, b, depth)
    below = -math.log(1 - p) / p - math.fsum(
        p ** (d - 1) / d for d in range(1, depth + 1)
    )  # Σ_{d>k} p^{d−1} / d
    return rbo_truncated(a, b, p, depth) + (1 - p) * common * below


def rbo_max(a, b, p=0.9):
    """RBO if everything below the seen parts agrees as early as it can. Cite: Webber et al. 2010,
    section 4.4.

    Unseen ranks hold, in order, the other list's items that are not yet here: then nothing new is
    left.
    """
    depth = len(a) + len(b)
    one, two = list(a), list(b)
    for d in range(depth):
        missing_one = [x for x in two if x not in one]
        missing_two = [x for x in one if x not in two]
        if len(one) == d:
            one.append(missing_one[0] if missing_one else ("filler", d))
        if len(two) == d:
            two.append(missing_two[0] if missing_two else ("filler", d))
    value = (1 - p) * math.fsum(
        p ** (d - 1) * overlap(one, two, d) / d for d in range(1, depth + 1)
    )
    return value + p**depth  # by then every item is common, and stays so


def rbo_ext(a, b, p=0.9):
    """Extrapolated RBO: the agreement seen goes on. Cite: Webber et al. 2010, eq. 32 (lists of any
    lengths)."""
    short, long = sorted([list(a), list(b)], key=len)
    few, many = len(short), len(long)
    if not few:
        return 0.0 if many else 1.0
    x = [overlap(short, long, d) for d in range(many + 1)]
    seen = math.fsum(x[d] / d * p**d for d in range(1, many + 1))
    uneven = math.fsum(x[few] * (d - few) / (few * d) * p**d for d in range(few + 1, many + 1))
    beyond = (x[many] - x[few]) / many + x[few] / few
    return (1 - p) / p * (seen + uneven) + beyond * p**many


rbo = rbo_ext


def ideal_for(order, grades):
    """The ideal ranking closest to this one: by grade, then as ranked here, unretrieved last (by
    id)."""
    place = {d: r for r, d in enumerate(order)}
    wanted = [d for d, g in grades.items() if g > 0]
    return sorted(wanted, key=lambda d: (-grades[d], place.get(d, math.inf), str(d)))


def Compat(order, grades, k=None, p=0.95, normalize=True, depth=None):
    """RBO between the ranking and the ideal ranking closest to it, over that of the ideal with
    itself.

    Sums to depth max(len(ranking), len(ideal)) and divides by Σ p^{d−1} to that depth.
    Cite: Clarke, Vtyurina & Smucker 2021, "Assessing top-k preferences" (TOIS 39).
    """
    order = order[:k]
    ideal = ideal_for(order, grades)
    depth = max(len(order), len(ideal)) if depth is None else depth
    if not depth:
        return 0.0
    whole = math.fsum(p ** (d - 1) for d in range(1, depth + 1)) * (1 - p)
    found = rbo_truncated(order, ideal, p, depth) / whole
    best = rbo_truncated(ideal, ideal, p, depth) / whole
    if not normalize:
        return found
    return found / best if best else 0.0


def common_ranks(a, b):
    """Places in a and in b of the items that both rank, in a's order. Lists, or {item: score}."""
    if isinstance(a, dict):
        items = sorted(set(a) & set(b), key=lambda i: (-a[i], str(i)))
        return [-a[i] for i in items], [-b[i] for i in items]
    items = [i for i in a if i in b]
    return [a.index(i) for i in items], [b.index(i) for i in items]


def kendall_tau(a, b, variant="b"):
    """(concordant − discordant) / pairs; variant b corrects for ties: / √((n0 − n1)(n0 − n2)).

    Cite: Kendall 1938, "A new measure of rank correlation"; 1945 for ties (Biometrika).
    """
    x, y = common_ranks(a, b)
    n = len(x)
    agree = ties_x = ties_y = 0
    for i in range(n):
        for j in range(i):
            dx, dy = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
            agree += dx * dy
            ties_x += dx == 0
            ties_y += dy == 0
    pairs = n * (n - 1) // 2
    if variant == "a":
        return agree / pairs if pairs else None
    below = (pairs - ties_x) * (pairs - ties_y)
    return agree / math.sqrt(below) if below else None


def tau_ap(a, b, symmetric=False):
    """(2 / (n − 1)) Σ_{i=2..n} C(i) / (i − 1) − 1.

    C(i): items above rank i of `a` that b also has above that item. Not symmetric: b is the truth,
    errors at the top of a weigh most. symmetric: the mean of both directions.
    Cite: Yilmaz, Aslam & Robertson 2008, "A new rank correlation coefficient for information
    retrieval" (SIGIR). Without ties, over the items that both rank.
    """
    if symmetric:
        return (tau_ap(a, b) + tau_ap(b, a)) / 2
    items = [i for i in a if i in b]
    n = len(items)
    if n < 2:
        return None
    place = {item: b.index(item) for item in items}
    total = sum(
        Fraction(sum(place[above] < place[items[i]] for above in items[:i]), i) for i in range(1, n)
    )
    return float(2 * total / (n - 1) - 1)


MEASURES = {"Compat": Compat}
