# SPDX-License-Identifier: BSD-3-Clause
"""Cellar's codecs for zarr-python 3 and numcodecs, so that every store it writes opens there.

Both find them by entry point. They run one chunk at a time; cellar.zarr.CodecPipeline runs whole chains at once.
"""

from __future__ import annotations

import asyncio
import functools
import json
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from . import _native

Array = np.ndarray[Any, np.dtype[Any]]
KINDS = {"i": "i", "u": "u", "f": "f"}
TABLE: dict[str, dict[str, Any]] = {codec["name"]: codec for codec in json.loads(_native.codecs())}


@functools.lru_cache(maxsize=256)
def _coder(chain: str, dtype: np.dtype[Any], shape: tuple[int, ...], fill: bytes | None) -> Any:
    return _native.coder(chain, dtype.itemsize, KINDS.get(dtype.kind, "o"), shape, fill, False)


def encode(chain: str, values: Array, fill: bytes | None = None) -> bytes:
    """One chunk, encoded by a chain. `fill`: the bytes of one element, for codecs that leave fill values alone."""
    values = np.ascontiguousarray(values)
    zeros, ones = (0,) * values.ndim, (1,) * values.ndim
    row = (None, None, zeros, ones, values, False)
    coder = _coder(chain, values.dtype, values.shape, fill)
    (out,) = _native.encode(coder, values.ndim, values.dtype.itemsize, [row])
    assert out is not None
    return out


def decode(chain: str, stored: Any, dtype: np.dtype[Any], shape: tuple[int, ...], fill: bytes | None = None) -> Array:
    """One chunk of this type and shape, decoded."""
    values: Array = np.empty(shape, dtype)
    zeros, ones = (0,) * len(shape), (1,) * len(shape)
    row = (None, stored, zeros, ones, values, False)
    _native.decode(_coder(chain, values.dtype, shape, fill), len(shape), dtype.itemsize, [row])
    return values


# --- zarr-python 3 ---------------------------------------------------------------------------

try:
    from zarr.abc.codec import ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer
    from zarr.dtype import UInt8
except ImportError:
    pass
else:

    class _Named:
        """A codec that is its name and its configuration, which the C library reads."""

        codec_name: ClassVar[str]
        is_fixed_size = False
        configuration: str  # JSON

        def __init__(self, configuration: str = "{}") -> None:
            object.__setattr__(self, "configuration", configuration)

        @classmethod
        def from_dict(cls, data: dict[str, Any]) -> Any:
            return cls(json.dumps(data.get("configuration", {}), sort_keys=True))

        def to_dict(self) -> dict[str, Any]:
            return {"name": self.codec_name, "configuration": json.loads(self.configuration)}

        def compute_encoded_size(self, input_byte_length: int, _chunk_spec: Any) -> int:
            raise NotImplementedError

        @property
        def chain(self) -> str:
            return json.dumps([self.to_dict()])

    def _fill(spec: ArraySpec) -> bytes | None:
        if spec.fill_value is None:
            return None
        return np.asarray(spec.fill_value, spec.dtype.to_native_dtype()).tobytes()

    class ElementsCodec(_Named, ArrayArrayCodec):  # type: ignore[misc]
        """A codec that sees elements, and stands before "bytes": its output is bytes, as an array of them."""

        def resolve_metadata(self, chunk_spec: ArraySpec) -> ArraySpec:
            spec = replace(chunk_spec, dtype=UInt8(), fill_value=np.uint8(0))
            object.__setattr__(spec, "shape", (-1,))  # as long as it is
            return spec

        async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> NDBuffer:
            values = chunk_array.as_numpy_array()
            stored = await asyncio.to_thread(encode, self.chain, values, _fill(chunk_spec))
            return chunk_spec.prototype.nd_buffer.from_numpy_array(np.frombuffer(stored, np.uint8))

        async def _decode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> NDBuffer:
            stored = np.ascontiguousarray(chunk_array.as_numpy_array())
            dtype = chunk_spec.dtype.to_native_dtype()
            values = await asyncio.to_thread(decode, self.chain, stored, dtype, chunk_spec.shape, _fill(chunk_spec))
            return chunk_spec.prototype.nd_buffer.from_numpy_array(values)

    class SerializerCodec(_Named, ArrayBytesCodec):  # type: ignore[misc]
        """A codec in place of "bytes": it makes bytes of elements itself."""

        async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
            stored = await asyncio.to_thread(encode, self.chain, chunk_array.as_numpy_array(), _fill(chunk_spec))
            return chunk_spec.prototype.buffer.from_bytes(stored)

        async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
            dtype, stored = chunk_spec.dtype.to_native_dtype(), chunk_bytes.as_numpy_array()
            values = await asyncio.to_thread(decode, self.chain, stored, dtype, chunk_spec.shape, _fill(chunk_spec))
            return chunk_spec.prototype.nd_buffer.from_numpy_array(values)

    class StoredCodec(_Named, BytesBytesCodec):  # type: ignore[misc]
        """A codec behind "bytes". What it is given has the chunk's size: it is the first, or follows a shuffle."""

        async def _encode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
            dtype = chunk_spec.dtype.to_native_dtype()
            raw = chunk_bytes.as_numpy_array().view("u1")
            whole = raw.size == dtype.itemsize * int(np.prod(chunk_spec.shape))
            values = raw.view(dtype).reshape(chunk_spec.shape) if whole else raw
            return chunk_spec.prototype.buffer.from_bytes(await asyncio.to_thread(encode, self.chain, values))

        async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
            dtype = chunk_spec.dtype.to_native_dtype()
            stored = chunk_bytes.as_numpy_array()
            values = await asyncio.to_thread(decode, self.chain, stored, dtype, chunk_spec.shape)
            return chunk_spec.prototype.buffer.from_array_like(values.reshape(-1).view("u1"))

    ELEMENTS = ["nbit", "scaleoffset", "bitgroom", "granularbitround", "fpzip", "ndcell", "ndmean",
                "ndlorenzo"]  # fmt: skip
    STORED = ["szip", "lz4", "bitshuffle", "lzf"]
    for _names, _base in ((ELEMENTS, ElementsCodec), (["zfp"], SerializerCodec), (STORED, StoredCodec)):
        for _name in _names:
            if _name in TABLE:
                _made = type(f"zarr3_{_name}", (_base,), {"codec_name": TABLE[_name]["zarr3"], "__module__": __name__})
                globals()[_made.__name__] = dataclass(frozen=True, init=False)(_made)


# --- numcodecs, for stores of version 2 -------------------------------------------------------

try:
    from numcodecs.abc import Codec
    from numcodecs.compat import ensure_contiguous_ndarray, ndarray_copy
except ImportError:
    pass
else:
    QUANTIZERS = ("bitgroom", "granularbitround")  # what they make is read as it is

    class V2Codec(Codec):  # type: ignore[misc]
        """A codec of version 2, whose decoder is told neither type nor shape of the chunk. Where it needs them and its
        configuration does not have them, it refuses."""

        name: ClassVar[str]

        def __init__(self, **configuration: Any) -> None:
            self.configuration = configuration

        def get_config(self) -> dict[str, Any]:
            return {"id": self.codec_id, **self.configuration}

        @classmethod
        def from_config(cls, config: dict[str, Any]) -> V2Codec:
            return cls(**config)

        @property
        def chain(self) -> str:
            return json.dumps([self.get_config()])

        def encode(self, buf: Any) -> bytes:
            values = np.asarray(buf)
            shape = self.configuration.get("shape")
            return encode(self.chain, values.reshape(shape) if shape else values)

        def decode(self, buf: Any, out: Any = None) -> Any:
            stored = ensure_contiguous_ndarray(buf).view("u1")
            if self.name in QUANTIZERS:
                return stored if out is None else ndarray_copy(stored, out)
            values = decode(self.chain, stored, *self.decoded_form(stored)).reshape(-1).view("u1")
            return values if out is None else ndarray_copy(values, out)

        def decoded_form(self, stored: Array) -> tuple[np.dtype[Any], tuple[int, ...]]:
            if self.name == "ndcell":  # it moves elements, whatever they are
                size = self.configuration["elementsize"]
                return np.dtype(f"V{size}"), tuple(self.configuration["shape"])
            if self.name == "lz4":  # HDF5's form begins with the number of bytes
                return np.dtype("u1"), (int.from_bytes(stored[:8].tobytes(), "big"),)
            raise ValueError(
                f"{self.codec_id}: a store of version 2 does not tell numcodecs the type and shape of a chunk; "
                'read it with zarr.config.set({"codec_pipeline.path": "cellar.zarr.CodecPipeline"}) or cellar.open()'
            )

    for _name in ("ndcell", "ndmean", "ndlorenzo", "lz4", "bitshuffle", "lzf", "szip", "zfp", "fpzip", "nbit",
                  "scaleoffset", "bitgroom", "granularbitround"):  # fmt: skip
        if _name in TABLE:
            _made = type(f"zarr2_{_name}", (V2Codec,), {"codec_id": TABLE[_name]["zarr2"], "name": _name,
                                                          "__module__": __name__})  # fmt: skip
            globals()[_made.__name__] = _made
