# SPDX-License-Identifier: BSD-3-Clause
"""How datasets show themselves: as text, and as HTML in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._dataset import Group
    from ._variable import Variable

STYLE = "border-collapse:collapse;text-align:left"


def size_text(n: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if n < 1024 or unit == "TiB":
            return f"{n:.0f} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1024
    raise AssertionError


def ratio_text(v: Variable) -> str:
    stored = v.stored
    return f"{v.nbytes / stored:.1f}" if stored and v.dtype.kind != "O" else ""


def dims_text(v: Variable) -> str:
    return ", ".join(f"{name}: {size}" for name, size in zip(v.dimensions, v.shape, strict=True))


def own_dims_text(group: Group) -> str:
    return ", ".join(f"{d.name}: {d.size}{' (unlimited)' if d.unlimited else ''}" for d in group.dimensions.values())


def group_text(group: Group) -> str:
    root = group.dataset
    head = "Dataset" if group is root else "Group"
    lines = [f"<cellar.{head} {root.filename} {group.path} ({root.format}{', closed' if root.closed else ''})>"]
    if root.closed:
        return lines[0]
    lines.append(f"  dimensions: {own_dims_text(group)}")
    for v in group.variables.values():
        kept = f", chunks {v.chunks}" if v.chunks else ""
        chain = f", {v.chain}" if v.chain else ""
        lines.append(f"  {v.name}({dims_text(v)}) {v.dtype}{kept}{chain}")
    lines += [f"  {g.path}/" for g in group.groups.values()]
    return "\n".join(lines)


def row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def attribute_rows(attrs: dict[str, object]) -> str:
    return "".join(row([name, str(value)]) for name, value in attrs.items())


def variable_cells(v: Variable) -> list[str]:
    chunks = " × ".join(map(str, v.chunks)) if v.chunks else ""
    return [v.name, dims_text(v), str(v.dtype), chunks, v.chain, size_text(v.stored), ratio_text(v)]


def variable_page(v: Variable) -> str:
    names = ["name", "dimensions", "type", "chunks", "chain", "stored", "ratio"]
    return (
        f'<table style="{STYLE}">{row(names, "th")}{row(variable_cells(v))}</table>'
        f'<table style="{STYLE}">{attribute_rows(dict(v.attrs))}</table>'
    )


def group_page(group: Group) -> str:
    root = group.dataset
    title = f"{escape(root.filename)} {escape(group.path)}"
    if root.closed:
        return f"<b>{title}</b> (closed)"
    rows = "".join(row(variable_cells(v)) for v in group.variables.values())
    names = ["name", "dimensions", "type", "chunks", "chain", "stored", "ratio"]
    parts = [f"<b>{title}</b> ({root.format})<br>{escape(own_dims_text(group))}"]
    if rows:
        parts.append(f'<table style="{STYLE}">{row(names, "th")}{rows}</table>')
    if len(group.attrs):
        table = f'<table style="{STYLE}">{attribute_rows(dict(group.attrs))}</table>'
        parts.append(f"<details><summary>{len(group.attrs)} attributes</summary>{table}</details>")
    for below in group.groups.values():
        parts.append(f"<details><summary>{escape(below.name)}/</summary>{group_page(below)}</details>")
    return "".join(parts)
