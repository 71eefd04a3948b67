# SPDX-License-Identifier: BSD-3-Clause
"""The types of a file and numpy's, each from the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native

if TYPE_CHECKING:
    from ._dataset import Group

CHAR, STRING = 2, 12
VLEN, OPAQUE, ENUM, COMPOUND = 13, 14, 15, 16
FIRST_USER_TYPE = 32
OBJECT = np.dtype(object)

NUMPY_OF = {
    type_id: np.dtype(name)
    for type_id, name in enumerate(["i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"], start=1)
}
TYPE_OF = {dtype: type_id for type_id, dtype in NUMPY_OF.items()}


@dataclass(frozen=True)
class UserType:
    """A type the file defines. `dtype` is what one element is in numpy."""

    name: str
    dtype: np.dtype[Any]
    id: int = field(default=0, compare=False)


@dataclass(frozen=True)
class CompoundType(UserType):
    """A structure: `dtype` has its fields."""


@dataclass(frozen=True)
class EnumType(UserType):
    """Whole numbers with names."""

    enum_dict: dict[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class VLType(UserType):
    """Lists of any length; `dtype` is that of their elements. A variable's array holds one array for each."""


@dataclass(frozen=True)
class OpaqueType(UserType):
    """Bytes without a meaning, as numpy's void."""


def compound_dtype(group: Group, size: int, parts: list[tuple[str, int, tuple[int, ...], int]]) -> np.dtype[Any]:
    names, offsets, formats = [], [], []
    for name, offset, shape, type_id in parts:
        dtype = element_dtype(group, type_id)
        names.append(name)
        offsets.append(offset)
        formats.append((dtype, shape) if shape else dtype)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def user_type(group: Group, type_id: int) -> UserType:
    """The type with this id, as the file tells it; kept by the dataset."""
    known = group._root._user_types
    if type_id not in known:
        name, kind, size, base, parts = _native.describe_type(group._id, type_id)
        if kind == COMPOUND:
            known[type_id] = CompoundType(name, compound_dtype(group, size, parts), type_id)
        elif kind == ENUM:
            dtype = NUMPY_OF[base]
            members = {member: int(np.frombuffer(value, dtype)[0]) for member, value in parts}
            known[type_id] = EnumType(name, dtype, type_id, members)
        elif kind == VLEN:
            known[type_id] = VLType(name, element_dtype(group, base), type_id)
        else:
            known[type_id] = OpaqueType(name, np.dtype((np.void, size)), type_id)
    return known[type_id]


def element_dtype(group: Group, type_id: int) -> np.dtype[Any]:
    """What numpy has for one element: object for strings and lists."""
    if type_id in NUMPY_OF:
        return NUMPY_OF[type_id]
    if type_id == STRING:
        return OBJECT
    kind = user_type(group, type_id)
    return OBJECT if isinstance(kind, VLType) else kind.dtype


def file_type(group: Group, dtype: Any) -> tuple[int, UserType | None]:
    """The id of the type that a variable with this dtype has; structures are defined in the file on first need."""
    if isinstance(dtype, UserType):
        return dtype.id, dtype
    if dtype is str:
        return STRING, None
    dtype = np.dtype(dtype)
    plain = dtype.newbyteorder("=")
    if plain in TYPE_OF:
        return TYPE_OF[plain], None
    if dtype.kind in "UT" or dtype == OBJECT:
        return STRING, None
    if dtype.names is not None:
        known = group._find_compound(dtype)
        if known is None:
            raise TypeError(f"the file has no type for {dtype}: make one with create_compound() and give that")
        return known.id, known
    raise TypeError(
        f"a file has no type for {dtype}: numbers of 1, 2, 4 and 8 bytes, 'S1', str, and types made with "
        "create_compound(), create_enum(), create_vlen() and create_opaque() are kept"
    )
