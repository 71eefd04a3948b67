# SPDX-License-Identifier: BSD-3-Clause
"""zarr-python 3 on Cellar: `zarr.config.set({"codec_pipeline.path": "cellar.zarr.CodecPipeline"})`.

All chunks of a request are decoded or encoded in one native call, on all threads; chunks of local stores are also read
and written there. What Cellar does not know goes the way it would go without it, and is counted.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from zarr.codecs import BytesCodec, TransposeCodec
from zarr.codecs._v2 import V2Codec
from zarr.codecs.sharding import ShardingCodec
from zarr.core.array_spec import ArraySpec
from zarr.core.codec_pipeline import BatchedCodecPipeline, fill_value_or_default
from zarr.core.common import concurrent_map
from zarr.core.config import config
from zarr.registry import register_pipeline
from zarr.storage import LocalStore, StorePath

from . import _native
from ._errors import Error

Array = np.ndarray[Any, np.dtype[Any]]
KINDS = {"i": "i", "u": "u", "f": "f", "M": "i", "m": "i", "b": "o", "c": "o", "S": "o", "U": "o", "V": "o"}
INLINE = 1 << 18  # a smaller request is not worth another thread

_lock = threading.Lock()
_counts = {"native": 0, "fallback": 0}
_reasons: Counter[str] = Counter()


def counters() -> dict[str, int]:
    """Chunks that went through Cellar ("native"), and through zarr-python's own pipeline ("fallback")."""
    with _lock:
        return dict(_counts)


def reasons() -> dict[str, int]:
    """Why requests fell back, and how often."""
    with _lock:
        return dict(_reasons)


def reset_counters() -> None:
    with _lock:
        _counts.update(native=0, fallback=0)
        _reasons.clear()


def _count(kind: str, n: int, reason: str = "") -> None:
    with _lock:
        _counts[kind] += n
        if reason:
            _reasons[reason] += 1


class Unknown(Exception):
    """Something Cellar leaves to zarr-python, and why."""


@dataclass(frozen=True)
class Plan:
    """How the chunks of an array are coded. `order`: axis i of the encoded chunk is axis order[i] of the array."""

    coder: Any
    order: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def rank(self) -> int:
        return len(self.order)

    def row(
        self, path: str | None, value: Any, start: tuple[int, ...], step: tuple[int, ...], memory: Array, merge: bool
    ) -> tuple[Any, ...]:
        """A chunk for the native call: axes as they are encoded."""
        order = self.order
        return path, value, tuple(start[k] for k in order), tuple(step[k] for k in order), memory.transpose(order), merge


@functools.lru_cache(maxsize=256)
def _coder(chain: str, size: int, kind: str, lengths: tuple[int, ...], fill: bytes, omit: bool) -> Any:
    try:
        return _native.coder(chain, size, kind, lengths, fill, omit)
    except Error as error:
        return Unknown(str(error))


def _steps(codecs: tuple[Any, ...], spec: ArraySpec, dtype: np.dtype[Any]) -> tuple[list[dict[str, Any]], tuple[int, ...]]:
    """The chain as JSON, without what only says how the array lies in memory, and the order of axes."""
    order = tuple(range(len(spec.shape)))
    steps: list[dict[str, Any]] = []
    for codec in codecs:
        if isinstance(codec, TransposeCodec):
            if steps:
                raise Unknown("transpose behind another codec")
            order = tuple(order[i] for i in codec.order)
        elif isinstance(codec, BytesCodec):
            if dtype.itemsize > 1 and getattr(codec.endian, "value", codec.endian) not in (None, "little"):
                raise Unknown("big-endian bytes")
        elif isinstance(codec, V2Codec):
            steps += [c.get_config() for c in (*(codec.filters or ()), codec.compressor) if c is not None]
            order = order if spec.order == "C" else order[::-1]
        elif isinstance(codec, ShardingCodec) and order != tuple(range(len(order))):
            raise Unknown("transposed shards")
        else:
            steps.append(codec.to_dict())
    return steps, order


@functools.lru_cache(maxsize=256)
def _chain_text(codecs: tuple[Any, ...], spec_key: tuple[Any, ...]) -> tuple[str, tuple[int, ...]] | Unknown:
    spec, dtype = spec_key[0], spec_key[1]
    try:
        steps, order = _steps(codecs, spec, dtype)
        return json.dumps(steps), order
    except (Unknown, TypeError, ValueError) as error:
        return Unknown(str(error))


def _plan(codecs: tuple[Any, ...], spec: ArraySpec) -> Plan:
    dtype = spec.dtype.to_native_dtype()
    if dtype.kind not in KINDS or dtype.itemsize == 0 or dtype.hasobject:
        raise Unknown(f"data type {spec.dtype}")
    if not dtype.isnative:
        raise Unknown("elements in the other byte order")
    try:
        chain = _chain_text(codecs, (spec, dtype))
    except TypeError:  # a codec that cannot be hashed
        chain = _chain_text.__wrapped__(codecs, (spec, dtype))
    if isinstance(chain, Unknown):
        raise chain
    text, order = chain
    fill = np.asarray(fill_value_or_default(spec), dtype).tobytes()
    lengths = tuple(spec.shape[i] for i in order)
    omit = not spec.config.write_empty_chunks
    coder = _coder(text, dtype.itemsize, KINDS[dtype.kind], lengths, fill, omit)
    if isinstance(coder, Unknown):
        raise coder
    return Plan(coder, order, dtype)


# --- selections ------------------------------------------------------------------------------


def _items(selection: Any) -> tuple[Any, ...]:
    return selection if isinstance(selection, tuple) else (selection,)


def _part(array: Array, selection: Any, back: tuple[Any, ...]) -> Array:
    """What a basic selection selects, as a view with an axis for each of the chunk's."""
    items = _items(selection)
    part: Array = array[items if Ellipsis in items else (*items, ...)][(*back, ...)]
    return part


def _box(selection: Any, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Any, ...]] | None:
    """Start and step along each axis of a chunk, and the index that gives the axes of numbers back to an array.
    None: not a box, or one that runs backwards."""
    items = _items(selection)
    if len(items) != len(shape):
        return None
    start: list[int] = []
    step: list[int] = []
    back: list[slice | None] = []
    for item, size in zip(items, shape, strict=True):
        if isinstance(item, slice):
            first, stop, by = item.indices(size)
            if by < 1 or stop <= first:
                return None
            start.append(first)
            step.append(by)
            back.append(slice(None))
        elif isinstance(item, (int, np.integer)):
            start.append(int(item))
            step.append(1)
            back.append(None)
        else:
            return None
    return tuple(start), tuple(step), tuple(back)


def _is_basic(selection: Any) -> bool:
    return all(isinstance(item, (slice, int, np.integer)) or item is Ellipsis for item in _items(selection))


def _local(getter: Any) -> str | None:
    """The file of a chunk, where it has one."""
    if type(getter) is StorePath and type(getter.store) is LocalStore:
        return os.path.join(str(getter.store.root), getter.path)
    return None


class _Reading:
    """One read request: the native call's list, and what is left to do behind it."""

    def __init__(self, plan: Plan, batch: list[Any], out: Array, drop_axes: tuple[int, ...]) -> None:
        self.plan, self.batch, self.out, self.drop_axes = plan, batch, out, drop_axes
        self.whole: dict[int, Array] = {}  # chunks that are picked apart by numpy
        self.values: list[Any] = [None] * len(batch)  # bytes of stores that are not local
        self.paths = [_local(row[0]) for row in batch]

    def row(self, i: int) -> tuple[Any, ...]:
        _, spec, chunk_selection, out_selection, _ = self.batch[i]
        box = _box(chunk_selection, spec.shape)
        if box is not None and _is_basic(out_selection) and not self.drop_axes:
            start, step, back = box
            view = _part(self.out, out_selection, back)
        else:
            start, step = (0,) * len(spec.shape), (1,) * len(spec.shape)
            view = self.whole[i] = np.empty(spec.shape, self.plan.dtype)
        return self.plan.row(self.paths[i], self.values[i], start, step, view, False)

    def run(self) -> tuple[dict[str, str], ...]:
        rows = [self.row(i) for i in range(len(self.batch))]
        absent = set(_native.decode(self.plan.coder, self.plan.rank, self.plan.dtype.itemsize, rows))
        for i in range(len(self.batch)):
            if i in absent or i in self.whole:
                self.finish(i, i in absent)
        return tuple({"status": "missing" if i in absent else "present"} for i in range(len(self.batch)))

    def finish(self, i: int, absent: bool) -> None:
        _, spec, chunk_selection, out_selection, _ = self.batch[i]
        if absent:
            self.out[out_selection] = fill_value_or_default(spec)
            return
        part = self.whole[i][chunk_selection]
        self.out[out_selection] = part.squeeze(axis=self.drop_axes) if self.drop_axes else part


class _Writing:
    """One write request."""

    def __init__(self, plan: Plan, batch: list[Any], value: Array, drop_axes: tuple[int, ...]) -> None:
        self.plan, self.batch, self.value, self.drop_axes = plan, batch, value, drop_axes
        self.values: list[Any] = [None] * len(batch)
        self.paths = [_local(row[0]) for row in batch]

    def row(self, i: int) -> tuple[Any, ...]:
        _, spec, chunk_selection, out_selection, complete = self.batch[i]
        box = _box(chunk_selection, spec.shape)
        if box is None or (self.value.shape and not _is_basic(out_selection)) or self.drop_axes:
            start, step = (0,) * len(spec.shape), (1,) * len(spec.shape)
            view, merge = self.merged(i), False
        else:
            start, step, back = box
            view, merge = self.part(i, back), not complete
        return self.plan.row(self.paths[i], self.values[i] if merge else None, start, step, view, merge)

    def part(self, i: int, back: tuple[Any, ...]) -> Array:
        _, spec, chunk_selection, out_selection, _ = self.batch[i]
        if self.value.shape:
            return _part(self.value, out_selection, back)
        counts = tuple(
            len(range(*item.indices(size))) if isinstance(item, slice) else 1
            for item, size in zip(_items(chunk_selection), spec.shape, strict=True)
        )
        return np.broadcast_to(self.value, counts)

    def merged(self, i: int) -> Array:
        """The whole chunk with the values put in by numpy."""
        _, spec, chunk_selection, out_selection, _ = self.batch[i]
        chunk = np.empty(spec.shape, self.plan.dtype)
        zeros = (0,) * len(spec.shape)
        row = self.plan.row(self.paths[i], self.values[i], zeros, (1,) * len(zeros), chunk, False)
        if _native.decode(self.plan.coder, self.plan.rank, self.plan.dtype.itemsize, [row]):
            chunk[...] = fill_value_or_default(spec)
        values = self.value
        if values.shape:
            values = values[out_selection]
            if self.drop_axes:
                values = values[tuple(None if k in self.drop_axes else slice(None) for k in range(len(spec.shape)))]
        chunk[chunk_selection] = values
        return chunk

    def run(self) -> list[bytes | None]:
        rows = [self.row(i) for i in range(len(self.batch))]
        encoded: list[bytes | None] = _native.encode(self.plan.coder, self.plan.rank, self.plan.dtype.itemsize, rows)
        return encoded


async def _fetch(batch: list[Any], wanted: list[int]) -> dict[int, Any]:
    """The encoded bytes of these chunks, from stores that are not local."""
    buffers = await concurrent_map(
        [(batch[i][0], batch[i][1].prototype) for i in wanted],
        lambda getter, prototype: getter.get(prototype),
        config.get("async.concurrency"),
    )
    return {i: None if b is None else b.as_numpy_array() for i, b in zip(wanted, buffers, strict=True)}


async def _store(batch: list[Any], encoded: list[bytes | None], wanted: list[int]) -> None:
    async def put(i: int) -> None:
        setter, spec = batch[i][0], batch[i][1]
        value = encoded[i]
        if value is None:
            await setter.delete()
        else:
            await setter.set(spec.prototype.buffer.from_bytes(value))

    await concurrent_map([(i,) for i in wanted], put, config.get("async.concurrency"))


async def _call(work: Any, nbytes: int) -> Any:
    return work() if nbytes < INLINE else await asyncio.to_thread(work)


@dataclass(frozen=True)
class CodecPipeline(BatchedCodecPipeline):
    """zarr-python's pipeline, with native calls wherever Cellar knows the codecs and the data type."""

    def _request(self, batch: list[Any], array: Any) -> tuple[Plan, Array]:
        memory = array.as_ndarray_like()
        if not isinstance(memory, np.ndarray):
            raise Unknown(f"memory of {type(memory)}")
        plan = _plan(tuple(self), batch[0][1])
        if memory.dtype != plan.dtype:
            raise Unknown("values of another data type")
        shape = batch[0][1].shape
        if any(row[1].shape != shape for row in batch):
            raise Unknown("chunks of several shapes")
        return plan, memory

    async def read(self, batch_info: Iterable[Any], out: Any, drop_axes: tuple[int, ...] = ()) -> Any:  # type: ignore[override]
        batch = list(batch_info)
        if not batch:
            return ()
        try:
            plan, memory = self._request(batch, out)
        except Unknown as reason:
            _count("fallback", len(batch), str(reason))
            return await super().read(batch, out, drop_axes)
        _count("native", len(batch))
        reading = _Reading(plan, batch, memory, drop_axes)
        remote = [i for i, path in enumerate(reading.paths) if path is None]
        if remote:
            for i, value in (await _fetch(batch, remote)).items():
                reading.values[i] = value
        return await _call(reading.run, memory.nbytes)

    async def write(self, batch_info: Iterable[Any], value: Any, drop_axes: tuple[int, ...] = ()) -> None:
        batch = list(batch_info)
        if not batch:
            return
        try:
            plan, memory = self._request(batch, value)
        except Unknown as reason:
            _count("fallback", len(batch), str(reason))
            await super().write(batch, value, drop_axes)
            return
        _count("native", len(batch))
        writing = _Writing(plan, batch, memory, drop_axes)
        remote = [i for i, path in enumerate(writing.paths) if path is None]
        if len(remote) < len(batch):
            store = batch[0][0].store
            await store._ensure_open()
            store._check_writable()
        if remote:
            for i, found in (await _fetch(batch, [i for i in remote if not batch[i][4]])).items():
                writing.values[i] = found
        encoded = await _call(writing.run, plan.dtype.itemsize * int(np.prod(batch[0][1].shape)) * len(batch))
        if remote:
            await _store(batch, encoded, remote)


register_pipeline(CodecPipeline)
