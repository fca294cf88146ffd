"""Measures of ir_measures, converted with the meaning that they have there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rank_magic.errors import MeasureError
from rank_magic.measures.base import REGISTRY

__all__ = ["IR_MEASURES", "from_ir_measures", "is_foreign"]

Parameters = dict[str, Any]


def _scaled(given: Parameters) -> Parameters:
    """Convert the parameters of the C/W/L family, which cwl_eval computes over 1,000 ranks."""
    if given.pop("min_rel", 0) != 0:
        raise MeasureError("min_rel other than 0 has no equivalent; shift the grades instead.")
    top = given.pop("max_rel", None)
    converted = {**given, "max_grade": top, "horizon": 1000}
    return {name: value for name, value in converted.items() if value is not None}


def _bpm(given: Parameters) -> Parameters:
    converted = _scaled(given)
    if "k" not in converted:
        raise MeasureError("BPM of ir_measures needs a cutoff, the reader's patience: BPM@10.")
    patience = converted.pop("k")
    return {**converted, "K": patience}


def _iprec(given: Parameters) -> Parameters:
    # pytrec_eval wraps trec_eval 9, and is given the recall with two decimals.
    if "recall" not in given:
        raise MeasureError("IPrec of ir_measures needs a recall: IPrec@0.1.")
    return {**given, "recall": round(given["recall"], 2), "rounding": "up"}


def _ndcg(given: Parameters) -> Parameters:
    gain: Any = "exp2" if given.pop("dcg", "log2") == "exp-log2" else "linear"
    table = given.pop("gains", None)
    return {**given, "gain": gain if table is None else table, "discount": "log2"}


def _rbp(given: Parameters) -> Parameters:
    if "rel" not in given:
        raise MeasureError("RBP without rel is supported by no provider of ir_measures.")
    return given


def _sdcg(given: Parameters) -> Parameters:
    converted = _scaled(given)
    converted.pop("horizon")
    return {**converted, "discount": "log2"}


def _set_f(given: Parameters) -> Parameters:
    # ir_measures passes beta on as trec_eval's x, which is the square.
    return {**given, "beta": float(given.get("beta", 1.0)) ** 0.5}


def _compat(given: Parameters) -> Parameters:
    normalize = given.pop("normalize", True)
    return {**given, "normalize": "ideal" if normalize else "no"}


def _same(given: Parameters) -> Parameters:
    return given


# ir_measures' names, ours, what ir_measures takes when nothing is said, and how to convert.
IR_MEASURES: dict[str, tuple[str, Parameters, Callable[[Parameters], Parameters]]] = {
    "AP": ("AP", {"rel": 1}, _same),
    "AP_IA": ("AP-IA", {"rel": 1}, _same),
    "BPM": ("BPM", {"T": 1.0}, _bpm),
    "Bpref": ("bpref", {"rel": 1}, _same),
    "Compat": ("Compat", {"p": 0.95}, _compat),
    "ERR": ("ERR", {"max_grade": 4}, _same),
    "ERR_IA": ("ERR-IA", {"rel": 1, "normalize": "perfect"}, _same),
    "INSQ": ("INSQ", {"T": 1.0}, _scaled),
    "INST": ("INST", {"T": 1.0}, _scaled),
    "IPrec": ("trec.iprec_at_recall", {"rel": 1}, _iprec),
    "Judged": ("Judged", {}, _same),
    "NRBP": ("NRBP", {"rel": 1, "alpha": 0.5, "beta": 0.5}, _same),
    "NumRel": ("NumRel", {"rel": 1}, _same),
    "P": ("P", {"rel": 1}, _same),
    "P_IA": ("P-IA", {"rel": 1}, _same),
    "R": ("R", {"rel": 1}, _same),
    "RBP": ("RBP", {"p": 0.8}, _rbp),
    "RR": ("RR", {"rel": 1}, _same),
    "Rprec": ("RPrec", {"rel": 1}, _same),
    "SDCG": ("SDCG", {}, _sdcg),
    "SetAP": ("trec.set_map", {"rel": 1}, _same),
    "SetF": ("SetF", {"rel": 1}, _set_f),
    "SetP": ("SetP", {"rel": 1}, _same),
    "SetR": ("SetR", {"rel": 1}, _same),
    "StRecall": ("StRecall", {"rel": 1}, _same),
    "Success": ("Success", {"rel": 1}, _same),
    "alpha_DCG": ("alpha-DCG", {"rel": 1, "alpha": 0.5, "normalize": "perfect"}, _same),
    "alpha_nDCG": ("alpha-nDCG", {"rel": 1, "alpha": 0.5}, _same),
    "infAP": ("infAP", {"rel": 1}, _same),
    "nDCG": ("nDCG", {}, _ndcg),
    "nERR_IA": ("nERR-IA", {"rel": 1}, _same),
    "nNRBP": ("nNRBP", {"rel": 1, "alpha": 0.5, "beta": 0.5}, _same),
}
WITHOUT = {
    "Accuracy": "it compares pairs of documents, not ranks",
    "NumQ": "it counts queries; see evaluation.coverage",
    **dict.fromkeys(
        ("NERR8", "NERR9", "NERR10", "NERR11"), "it is no ERR, but C/W/L with ERR's stopping"
    ),
}


def is_foreign(measure: object) -> bool:
    """Return whether an object is a measure of ir_measures, without importing it."""
    return type(measure).__module__.partition(".")[0] == "ir_measures" and hasattr(measure, "NAME")


def from_ir_measures(measure: Any) -> tuple[type, Parameters]:
    """Return our measure and its parameters for one of ir_measures.

    Parameters
    ----------
    measure : ir_measures.Measure
        Such as ``ir_measures.nDCG @ 10``, whose gain is linear.

    Raises
    ------
    MeasureError
        If it has no exact equivalent.
    """
    name, given = str(measure.NAME), dict(measure.params)
    if given.pop("judged_only", False):
        raise MeasureError(
            f"{measure!r} looks at judged documents only, which is a convention here: "
            f"evaluate(..., unjudged='remove')."
        )
    if "cutoff" in given:
        given["k"] = given.pop("cutoff")
    if name == "NumRet":
        return REGISTRY["numrelret" if "rel" in given else "numret"], given
    if name == "SetP" and given.pop("relative", False):
        return REGISTRY["trec.relative_p"], {"rel": 1, **given}
    if name not in IR_MEASURES:
        reason = WITHOUT.get(name, "it is not known here")
        raise MeasureError(f"{measure!r} of ir_measures has no equivalent: {reason}.")
    ours, usual, convert = IR_MEASURES[name]
    return REGISTRY[ours.lower()], convert({**usual, **given})
