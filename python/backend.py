# SPDX-License-Identifier: BSD-3-Clause
"""The build backend: scikit-build-core's, with the C sources of the repository put into the sdist."""

from __future__ import annotations

import shutil
from pathlib import Path

from scikit_build_core.build import (  # noqa: F401
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from scikit_build_core.build import build_sdist as _build_sdist

HERE = Path(__file__).parent
PARTS = ["CMakeLists.txt", "LICENSE", "README.md", "cmake", "compat", "examples", "include", "plugins", "src", "docs/man"]


def build_sdist(sdist_directory: str, config_settings: dict[str, list[str] | str] | None = None) -> str:
    """An sdist holds the C library in `library`; in the repository that is the folder above."""
    library = HERE / "library"
    if library.exists():  # built from an sdist
        return _build_sdist(sdist_directory, config_settings)
    try:
        for part in PARTS:
            source = HERE.parent / part
            if source.is_dir():
                shutil.copytree(source, library / part)
            elif source.exists():
                (library / part).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, library / part)
        return _build_sdist(sdist_directory, config_settings)
    finally:
        shutil.rmtree(library, ignore_errors=True)
