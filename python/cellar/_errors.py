# SPDX-License-Identifier: BSD-3-Clause
"""The exception for every failure of the C library."""

from __future__ import annotations

import errno
import os
from typing import NoReturn


class Error(OSError):
    """Why a call failed: one sentence, and its parts.

    `code` is one of netCDF's (negative) or the system's errno; `file`, `variable`, `chunk` and `filter` say what
    the failure is about, "" where it is not about such a thing.
    """

    code: int
    file: str
    variable: str
    chunk: str
    filter: str

    def __init__(
        self, sentence: str, code: int = 0, file: str = "", variable: str = "", chunk: str = "", filter: str = ""
    ) -> None:
        super().__init__(sentence)
        self.code, self.file, self.variable, self.chunk, self.filter = code, file, variable, chunk, filter
        if code > 0:
            self.errno = code

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.code, self.file, self.variable, self.chunk, self.filter)


class MissingFileError(Error, FileNotFoundError):
    """There is no such file."""


class FilePermissionError(Error, PermissionError):
    """The system does not allow it."""


class ExistingFileError(Error, FileExistsError):
    """The file exists already."""


_CLASSES: dict[int, type[Error]] = {
    errno.ENOENT: MissingFileError,
    errno.EACCES: FilePermissionError,
    errno.EPERM: FilePermissionError,
    errno.EEXIST: ExistingFileError,
    -35: ExistingFileError,
}


def fail(code: int, sentence: str, file: str, variable: str, chunk: str, filter: str) -> NoReturn:
    """Called by the native module."""
    sentence = sentence or (os.strerror(code) if code > 0 else f"error {code}")
    raise _CLASSES.get(code, Error)(sentence, code, file, variable, chunk, filter)
