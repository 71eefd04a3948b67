# SPDX-License-Identifier: BSD-3-Clause
"""What an index selects along each dimension: a number, a range, or a list of positions."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

Positions = np.ndarray[Any, np.dtype[np.intp]]
Selector = int | range | Positions


class Run(NamedTuple):
    """Positions start, start + step, ... of the file, and where they go in the array."""

    start: int
    length: int
    step: int
    target: slice


def expand(key: Any, rank: int) -> list[Any]:
    """One item for each dimension: the ellipsis is written out."""
    items = list(key) if isinstance(key, tuple) else [key]
    if any(item is None for item in items):
        raise IndexError("a variable has no new axes to index: use numpy.newaxis on the array it gives")
    ellipses = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1 or len(items) - len(ellipses) > rank:
        raise IndexError(f"too many indices: the variable has {rank} dimensions")
    if ellipses:
        at = ellipses[0]
        items[at : at + 1] = [slice(None)] * (rank - len(items) + 1)
    return items + [slice(None)] * (rank - len(items))


def positions(item: Any, axis: int, size: int) -> Positions:
    """A list of positions, or a mask of them, along one dimension."""
    array = np.asarray(item)
    if array.ndim == 0:
        raise IndexError(f"axis {axis}: an index is a whole number, a slice, a list of positions or a mask, not {item!r}")
    if array.ndim != 1:
        raise IndexError(f"axis {axis}: an index array has one dimension; {array.ndim} were given")
    if array.dtype == bool:
        if len(array) != size:
            raise IndexError(f"axis {axis}: a mask of {len(array)} for {size} positions")
        return np.flatnonzero(array)
    if array.size == 0:
        return np.empty(0, np.intp)
    if array.dtype.kind not in "iu":
        raise IndexError(f"axis {axis}: positions are whole numbers or a mask, not {array.dtype}")
    out = array.astype(np.intp)
    out = np.where(out < 0, out + size, out)
    if out.min() < 0 or out.max() >= size:
        raise IndexError(f"axis {axis}: a position is out of bounds for size {size}")
    return out


def number(item: Any, axis: int, size: int, grows: bool) -> int:
    at = operator.index(item)
    if at < -size or (at >= size and not grows):
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
    return at + size if at < 0 else at


def is_number(item: Any) -> bool:
    if isinstance(item, (bool, np.bool_)):
        return False
    return hasattr(item, "__index__") and getattr(item, "ndim", 0) == 0


def select(key: Any, shape: tuple[int, ...]) -> list[Selector]:
    """The selectors for reading."""
    out: list[Selector] = []
    for axis, (item, size) in enumerate(zip(expand(key, len(shape)), shape, strict=True)):
        if isinstance(item, slice):
            out.append(range(*item.indices(size)))
        elif is_number(item):
            out.append(number(item, axis, size, False))
        else:
            out.append(positions(item, axis, size))
    return out


def grown(item: slice, size: int, wanted: int | None) -> range:
    """A slice along an unlimited dimension, which writing makes longer: the stop, or the data's length, says how far."""
    now = range(*item.indices(size))
    if now.step < 0:
        return now
    start = 0 if item.start is None else operator.index(item.start)
    start = max(start + size, 0) if start < 0 else start
    if item.stop is not None:
        stop = operator.index(item.stop)
        return range(start, stop, now.step) if stop > size else now
    if wanted is None or wanted <= len(now):
        return now
    return range(start, start + (wanted - 1) * now.step + 1, now.step)


def select_to_write(
    key: Any, shape: tuple[int, ...], unlimited: tuple[bool, ...], data_shape: tuple[int, ...]
) -> list[Selector]:
    """The selectors for writing values of this shape."""
    items = expand(key, len(shape))
    kept = [axis for axis, item in enumerate(items) if not is_number(item)]
    lengths: dict[int, int] = dict(zip(reversed(kept), reversed(data_shape)))  # noqa: B905 (broadcasting)
    out: list[Selector] = []
    for axis, (item, size) in enumerate(zip(items, shape, strict=True)):
        if isinstance(item, slice):
            wanted = lengths.get(axis)
            out.append(grown(item, size, wanted) if unlimited[axis] else range(*item.indices(size)))
        elif is_number(item):
            out.append(number(item, axis, size, unlimited[axis]))
        else:
            out.append(positions(item, axis, size))
    return out


def kept_shape(selectors: list[Selector]) -> tuple[int, ...]:
    return tuple(len(s) for s in selectors if not isinstance(s, int))


def runs(selector: Selector) -> list[Run]:
    """The selector as few runs of equal steps."""
    if isinstance(selector, int):
        return [Run(selector, 1, 1, slice(0, 1))]
    if isinstance(selector, range):
        return [Run(selector.start, len(selector), selector.step, slice(0, len(selector)))] if len(selector) else []
    return list(array_runs(selector))


def array_runs(at: Positions) -> Iterator[Run]:
    first = 0
    values = at.tolist()
    n = len(values)
    while first < n:
        last = first
        step = values[first + 1] - values[first] if first + 1 < n else 1
        while step and last + 1 < n and values[last + 1] - values[last] == step:
            last += 1
        yield Run(values[first], last - first + 1, step if last > first else 1, slice(first, last + 1))
        first = last + 1
