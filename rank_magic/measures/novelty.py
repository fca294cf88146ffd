"""What measures of diversity are made of: subtopics, and what is new about a document."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.errors import MeasureError
from rank_magic.measures.base import Floats
from rank_magic.measures.binary import Binary
from rank_magic.measures.parameters import parameter
from rank_magic.ties import sequential_sum

__all__ = ["Diverse", "Novelty"]


class Diverse(Binary, abstract=True):
    """Base of the measures that look at subtopics."""

    def layers(self, block: Block) -> list[Block]:
        """Return the rankings as judged for each subtopic."""
        if not block.layers:
            raise MeasureError(
                f"{self.name} needs subtopics. Say which column holds them: subtopic='...'."
            )
        return [block.layer(number) for number in range(len(block.layers))]

    def intents(self, block: Block) -> NDArray[Any]:
        """Return how many subtopics of each query have a relevant document."""
        table = self.relevant(block)
        there = [layer.pool.number(table) > 0 for layer in self.layers(block)]
        return np.sum(there, axis=0)

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return self.intents(block) > 0

    def whole(self, block: Block) -> NDArray[Any]:
        return self.intents(block)

    def ideal_contributions(self, block: Block) -> Floats:
        # Which order is best for all subtopics at once is not told by grades.
        return np.zeros((block.queries, 0))


class Novelty(Diverse, abstract=True):
    """Base of the measures that value a document by what is new about it.

    Novelty of a document is Σ over its subtopics of (1 − α)^(times the subtopic was seen above).
    A measure of this kind is Σ_r novelty_r · w(r), over some whole.
    """

    alpha: float = parameter(0.5, "how much of a subtopic one document settles", low=0, high=1)

    def weights(self, width: int) -> Floats:
        """Return what novelty is worth at each rank."""
        raise NotImplementedError

    def terms(self, block: Block) -> Floats:
        table = self.relevant(block)
        width = block.width(self.k)
        novelty = np.zeros((block.queries, width))
        for layer in self.layers(block):
            if self.alpha > 0:
                # Each document ends the interest in its subtopic with probability alpha: what
                # is left of it is the novelty, also in expectation over ties.
                ends = layer.stops(table * self.alpha, self.k) / self.alpha
                novelty[:, : ends.shape[1]] += ends
            else:
                novelty += layer.expected(table, self.k)
        return novelty * self.weights(width)

    def ideal(self, block: Block) -> Floats:
        """Return what the greedy ideal ranking is worth, shape (queries,)."""
        width = block.pool.codes.shape[1] if self.k is None else self.k
        novelty = greedy_novelty(block, self.relevant(block), float(self.alpha), width)
        return sequential_sum(novelty * self.weights(novelty.shape[1]))


def greedy_novelty(block: Block, table: Floats, alpha: float, width: int) -> Floats:
    """Return the novelty at each rank of the greedy ideal ranking.

    At each rank stands the judged document that adds most novelty. The best order of all is
    NP-hard to find; the field normalises by this one (Clarke et al. 2008, section 3.2). Among
    equals the one with the higher grades comes first, by subtopic; where ids decide
    (``ties="trec"``) the highest id, as in ndeval.
    """
    relevant = np.stack([np.take(table, layer) > 0 for layer in block.pool.layers])
    most = int(relevant.any(axis=0).sum(axis=1).max(initial=0))
    width = max(1, min(width, most))
    left = np.array(relevant.any(axis=0))
    seen = np.zeros((len(relevant), block.queries))
    rows = np.arange(block.queries)
    standing = block.pool.standing
    if standing is None:
        parts = [part.ravel() for part in (block.pool.codes, *block.pool.layers)]
        standing = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)[1]
        standing = standing.reshape(block.pool.codes.shape)
    novelty = np.zeros((block.queries, width))
    for rank in range(width):
        adds = sequential_layers(relevant * ((1.0 - alpha) ** seen)[:, :, None])
        adds = np.where(left, adds, -1.0)
        best = adds.max(axis=1)
        pick = np.where(adds == best[:, None], standing, -1).argmax(axis=1)
        novelty[:, rank] = np.maximum(best, 0.0)
        seen += relevant[:, rows, pick]
        left[rows, pick] = False
    return novelty


def sequential_layers(layers: Floats) -> Floats:
    """Sum over the first axis, one layer after the other."""
    total = layers[0].astype(np.float64)
    for layer in layers[1:]:
        total = total + layer
    return total
