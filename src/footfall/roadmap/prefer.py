"""What a query wishes for, as factors on the costs of moves: tags, a style, a speed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.maths.arrays import Floats
from footfall.roadmap.model import Roadmap
from footfall.roadmap.moves import Moves
from footfall.task import Query

_OTHER_STYLE = 5.0
"""So much dearer is whatever does not show the style that is wished for."""
_MOST = 4.0
"""So much dearer, at most, is a speed that is not wished for."""

Wish = tuple[str | None, float | None, tuple[tuple[str, float], ...]]


def wish_of(query: Query) -> Wish | None:
    """What a query wishes for, so that it can be looked up; None for nothing."""
    if query.style is None and query.speed is None and not query.prefer:
        return None
    return query.style, query.speed, tuple(sorted(query.prefer.items()))


def move_factors(moves: Moves, wish: Wish) -> Floats:
    """(M,) by how much moves are dearer, or cheaper, than without the wish."""
    style, speed, prefer = wish
    tags = [set(clip.tags) for clip in moves.clips]
    by_clip = np.ones(len(moves.clips))
    for tag, factor in prefer:
        by_clip[[tag in own for own in tags]] /= factor
    if style is not None and any(style in own for own in tags):
        by_clip[[style not in own for own in tags]] *= _OTHER_STYLE
    factors = by_clip[moves.clip]
    if speed is not None:
        fps = moves.clips[0].fps
        own_speed = np.maximum(moves.chord, 0.05) * fps / np.maximum(moves.frames, 1)
        factors *= np.minimum(1.0 + np.abs(np.log(own_speed / speed)), _MOST)
    return np.asarray(factors)


def with_wish(roadmap: Roadmap, wish: Wish) -> Roadmap:
    """The roadmap with the costs that a wish gives its moves."""
    factors = move_factors(roadmap.moves, wish)
    edges, table = roadmap.edges, roadmap.table
    moves = replace(table.moves, dearness=table.moves.dearness * factors)
    return replace(
        roadmap, table=replace(table, moves=moves),
        edges=replace(edges, cost=edges.cost * factors[edges.move]),
    )  # fmt: skip
