"""trec_eval's names, with the meaning they have in its version 10.

With ``ties="trec"`` they print trec_eval's numbers to the last digit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from rank_magic.errors import MeasureError
from rank_magic.measures.base import Measure
from rank_magic.measures.binary import AP, RR, P, R, RPrec, Success
from rank_magic.measures.counts import GMAP, NumRel, NumRelRet, NumRet, Unjudged
from rank_magic.measures.gain import nDCG
from rank_magic.measures.incomplete import bpref, infAP
from rank_magic.measures.sets import SetF, SetP, SetR
from rank_magic.measures.trec import (
    Trec11pt,
    TrecBinG,
    TrecGmBpref,
    TrecIPrec,
    TrecNonrelevantRetrieved,
    TrecRbpResidual,
    TrecRelativeP,
    TrecRprecMult,
    TrecSetMap,
    TrecUtility,
)
from rank_magic.measures.trec_gain import TrecG, TrecNdcgRel, TrecRbp, TrecRndcg

__all__ = ["CUT", "PLAIN", "VALUED", "trec_measure", "trec_names"]

LINEAR = {"gain": "linear", "discount": "log2"}

# Names as trec_eval writes them, and what they are here, with parameters.
PLAIN: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "num_ret": (NumRet, {}),
    "num_rel": (NumRel, {}),
    "num_rel_ret": (NumRelRet, {}),
    "num_nonrel_judged_ret": (TrecNonrelevantRetrieved, {}),
    "map": (AP, {}),
    "gm_map": (GMAP, {}),
    "Rprec": (RPrec, {}),
    "bpref": (bpref, {}),
    "gm_bpref": (TrecGmBpref, {}),
    "recip_rank": (RR, {}),
    "infAP": (infAP, {}),
    "11pt_avg": (Trec11pt, {}),
    "set_P": (SetP, {}),
    "set_recall": (SetR, {}),
    "set_map": (TrecSetMap, {}),
    "set_F": (SetF, {}),
    "set_relative_P": (TrecRelativeP, {}),
    "utility": (TrecUtility, {}),
    "binG": (TrecBinG, {}),
    "G": (TrecG, {}),
    "Rndcg": (TrecRndcg, {}),
    "ndcg": (nDCG, LINEAR),
    "ndcg_rel": (TrecNdcgRel, {}),
    "rbp": (TrecRbp, {}),
    "rbp_resid": (TrecRbpResidual, {}),
}
# Names that are followed by a cutoff, such as P_10.
CUT: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "P": (P, {}),
    "recall": (R, {}),
    "map_cut": (AP, {}),
    "ndcg_cut": (nDCG, LINEAR),
    "success": (Success, {}),
    "relative_P": (TrecRelativeP, {}),
    "unj": (Unjudged, {}),
}
# Names that are followed by the value of a parameter, and what trec_eval means by it.
VALUED: dict[str, tuple[type[Measure], str, Callable[[float], float]]] = {
    "iprec_at_recall": (TrecIPrec, "recall", float),
    "Rprec_mult": (TrecRprecMult, "multiple", float),
    "set_F": (SetF, "beta", math.sqrt),
}
# Without "trec." in front these would be taken for something else.
MISTAKABLE = {"utility", "binG", "G", "Rndcg", "ndcg", "ndcg_rel", "rbp", "rbp_resid"}
# What trec_eval prints beside measures, and where it is found here.
NO_MEASURES = {
    "num_q": "counts queries: see evaluation.coverage",
    "runid": "is the name of the run, not a number",
    "relstring": "is text, not a number: see evaluation.explain(query)",
}


def trec_names() -> list[str]:
    """Return trec_eval's names, those that carry a number with an example of it."""
    plain = [f"trec.{name}" if name in MISTAKABLE else name for name in PLAIN]
    cut = [f"{name}_10" for name in CUT]
    return [*plain, *cut, "iprec_at_recall_0.10", "Rprec_mult_0.20", "set_F_1"]


def trec_measure(text: str) -> tuple[type[Measure], dict[str, Any]] | None:
    """Return what trec_eval calls by this name; None when it has no such name.

    Parameters
    ----------
    text : str
        A name such as ``ndcg_cut_10`` or ``trec.ndcg``, letter case aside. Without ``trec.`` in
        front only the names are read that can't be mistaken.

    Returns
    -------
    pair of type of Measure and dict, or None
        The measure and its parameters.

    Raises
    ------
    MeasureError
        If trec_eval prints something of this name that is not a measure.
    """
    name = text.lower().removeprefix("trec.")
    bare = name == text.lower()
    if (what := NO_MEASURES.get(re.sub(r"_\d+$", "", name))) is not None:
        raise MeasureError(f"trec_eval's {name} {what}.")
    for known, found in PLAIN.items():
        if known.lower() == name and not (bare and known in MISTAKABLE):
            return found
    number = re.fullmatch(r"(\w+?)_(\d+(?:\.\d+)?)", name)
    if number is None:
        return None
    for known, (cls, parameters) in CUT.items():
        if known.lower() == number[1] and number[2].isdigit():
            return cls, {**parameters, "k": int(number[2])}
    for known, (cls, parameter_, meant) in VALUED.items():
        if known.lower() == number[1]:
            return cls, {parameter_: meant(float(number[2]))}
    return None
