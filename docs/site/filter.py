#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""filter.py FILE: a page or a public header in the form that Doxygen wants, on standard output.

The sources stay plain: pages are Markdown as web hosts show it, headers have ordinary comments. Here headings get the
anchors that such hosts give them (Doxygen before 1.9.8 makes others), links to pages become references to those, and the
comments of headers become Doxygen's.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the site is made of: docs/ and these. Anything else that a page links to lies beside the site as a file.
INPUT = re.search(r"^INPUT += (.*)$", open(os.path.join(ROOT, "docs/site/Doxyfile"), encoding="utf-8").read(), flags=re.M)[1].split()
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def slug(heading):
    """The anchor of a heading, as web hosts make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def page_label(path):
    """The name of a page: its path below docs/, or in the project, with dashes."""
    path = os.path.relpath(os.path.abspath(path), ROOT)
    path = path[len("docs/"):] if path.startswith("docs/") else path
    return "page-" + re.sub(r"[^a-z0-9]+", "-", os.path.splitext(path)[0].lower())


def target(page, link, is_address):
    """A link of a page as Doxygen takes it; as the address of what it leads to, where the text has code: Doxygen shows that of a reference as it is."""
    if re.match(r"[a-z]+:", link):
        return link
    path, _, anchor = link.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    name = os.path.relpath(os.path.abspath(file), ROOT)
    if file.endswith(".md") and (name in INPUT or name.startswith("docs/")):
        label = page_label(file)
        if is_address:
            return ("index" if name == "docs/index.md" else label) + ".html" + ("#%s-%s" % (label, anchor) if anchor else "")
        return "@ref " + label + ("-" + anchor if anchor else "")
    if name in INPUT:
        return "@ref " + os.path.basename(file)
    if os.path.isdir(file) or not path:
        return None
    return "files/" + name


def linked(page, line):
    def one(found):
        has_code = "`" in found[2]
        to = target(page, found[3], has_code)
        if found[1]:
            return "![%s](%s)" % (found[2], os.path.basename(found[3]))
        # A file .md as a link of Markdown Doxygen takes for a page.
        if to and not to.startswith("@ref") and (has_code or to.startswith("files/") and to.endswith(".md")):
            return '<a href="%s">%s</a>' % (to, re.sub(r"`([^`]*)`", r"<code>\1</code>", found[2]))
        return "[%s](%s)" % (found[2], to) if to else found[2]

    parts = re.split(r"(`[^`]*`)", line)  # a link may have code in its text, code never has a link
    if any(LINK.search(part) for part in parts[1::2]):
        return "".join(part if part.startswith("`") else LINK.sub(one, part) for part in parts)
    return LINK.sub(one, line)


def escaped(line):
    """Doxygen takes @word and \\word for commands, and #word and <word> for more than text; code is left alone."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else re.sub(r"(?<![\w`])([@\\])(?=[a-z])", r"\\\1", part) for part in parts)


def page(path):
    label, seen, fenced, lines = page_label(path), {}, False, []
    text = re.sub(r"(\[[^\[\]\n]*)\n *([^\[\]\n]*\]\([^()\s]+\))", r"\1 \2", open(path, encoding="utf-8").read())  # links that go over two lines
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
            line = re.sub(r"^```(\w+)$", lambda m: "```{." + {"sh": "sh", "fortran": "f90"}.get(m[1], m[1]) + "}", line)
        heading = re.match(r"(#+) (.*)$", line)
        if heading and not fenced:
            anchor = slug(heading[2])
            seen[anchor] = seen.get(anchor, -1) + 1
            anchor += "-%d" % seen[anchor] if seen[anchor] else ""
            name = label if len(heading[1]) == 1 else label + "-" + anchor
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).replace("`", "")
            line = "%s %s {#%s}" % (heading[1], title, name)
        elif not fenced and not line.startswith("    "):
            line = linked(path, escaped(line))
        lines.append(line)
    return "\n".join(lines)


def shared(text):
    """A comment over several functions is that of each."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        comment = re.match(r"/\*\* (?!@)(?:(?!\*/).)*\*/\n", paragraph, flags=re.S)
        if comment:
            rest = re.sub(r"(?<=\n)(?<!\*/\n)(?=[A-Za-z][\w *]*\()", lambda _: comment[0], paragraph[comment.end():])
            paragraph = comment[0] + rest
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def header(path):
    text = open(path, encoding="utf-8").read()
    text = re.sub(r"^CELLAR_API\(([^,()]*),\s+(\w+),\s+(\([^;]*?\))\);", r"\1 \2\3;", text, flags=re.M)
    text = re.sub(r"^EXTERNL ", "", text, flags=re.M)
    text = re.sub(r"^/\* --- (.*?) -+ \*/$", r"/** @} */\n/** @name \1\n@{ */", text, flags=re.M)
    text = re.sub(r"^/\* (?!Copyright)", "/** ", text, flags=re.M)
    text = re.sub(r"(?<=[;,{\w)]) +/\* (?=[^\n]*\*/$)", " /**< ", text, flags=re.M)
    text = re.sub(r"^( +)/\* ", r"\1/** ", text, flags=re.M)
    text = shared(text)
    head = "/** @file %s */\n" % os.path.basename(path)
    text = head + re.sub(r"^/\*\* ", "/** @file\n * ", text, count=1)
    text = text.replace(head, "", 1) if text.count("@file") > 1 else text
    text = text.replace("/** @} */\n", "", 1)  # before the first group none is open
    end = text.rfind("#if defined(__cplusplus)")
    return text[:end] + "/** @} */\n" + text[end:] if "@{" in text else text


if __name__ == "__main__":
    file = sys.argv[1]
    sys.stdout.write(page(file) if file.endswith(".md") else header(file))
