"""Rankings and judgments as they lie in memory elsewhere, as frames of a row per document.

`dicts` reads what pytrec_eval and ranx take, `lists` a row per query with lists in it, `arrays`
what learning-to-rank libraries take; `recognise` tells which it is.
"""

from rank_magic.shapes.arrays import from_arrays
from rank_magic.shapes.lists import from_lists
from rank_magic.shapes.recognise import as_qrels, as_run

__all__ = ["as_qrels", "as_run", "from_arrays", "from_lists"]
