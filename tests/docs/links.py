# SPDX-License-Identifier: BSD-3-Clause
"""links.py PROJECT: each link of each page leads to a file, and to a heading that is there.
links.py --site HTML: the same of the site that Doxygen made."""
import glob
import html.parser
import os
import re
import sys
import urllib.parse

failures = []


def plain(text):
    """A page without its code."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.split("\n") if not line.startswith("    "))


def check_pages(root):
    sys.path.insert(0, os.path.join(root, "docs", "site"))
    sys.dont_write_bytecode = True
    from filter import LINK, slug

    def anchors(path):
        seen, out = {}, set()
        for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", open(path).read(), flags=re.M | re.S), flags=re.M):
            name = slug(heading)
            seen[name] = seen.get(name, -1) + 1
            out.add(name + ("-%d" % seen[name] if seen[name] else ""))
        return out

    pages = glob.glob(root + "/*.md") + glob.glob(root + "/docs/**/*.md", recursive=True)
    count = 0
    for page in sorted(pages):
        for link in LINK.findall(plain(open(page).read())):
            path, _, anchor = link[2].partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            count += 1
            if not os.path.exists(file):
                failures.append("%s: %s: there is no such file" % (os.path.relpath(page, root), link[2]))
            elif anchor and file.endswith(".md") and anchor not in anchors(file):
                failures.append("%s: %s: there is no such heading" % (os.path.relpath(page, root), link[2]))
    unlinked = {os.path.relpath(p, root) for p in glob.glob(root + "/docs/*.md")} - {
        os.path.normpath(os.path.join("docs", link[2].partition("#")[0])) for link in LINK.findall(open(root + "/docs/index.md").read())}
    failures.extend("%s: docs/index.md does not lead there" % page for page in sorted(unlinked - {"docs/index.md"}))
    return count


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.is_marked = bool(re.search(r"<a [^>]*>[^<]*`", text))
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.names.update(attrs[key] for key in ("id", "name") if attrs.get(key))
        self.links.extend(attrs[key] for key in ("href", "src") if attrs.get(key))


def check_site(folder):
    pages = {name: Page(open(os.path.join(folder, name), encoding="utf-8").read())
             for name in os.listdir(folder) if name.endswith(".html")}
    count = 0
    for name, page in sorted(pages.items()):
        if page.is_marked:
            failures.append("%s: the text of a link has marks of Markdown" % name)
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            count += 1
            if path and not os.path.exists(os.path.join(folder, path)):
                failures.append("%s: %s: there is no such file" % (name, link))
            elif anchor and (path or name) in pages and anchor not in pages[path or name].names:
                failures.append("%s: %s: there is no such anchor" % (name, link))
    if not any(name.startswith("search") or "search/" in link for name, page in pages.items() for link in page.links):
        failures.append("%s: the site has no search" % folder)
    return count


count = check_site(sys.argv[2]) if sys.argv[1] == "--site" else check_pages(sys.argv[1])
print("\n".join(failures))
print("links: %d looked at, %d lead nowhere" % (count, len(failures)))
sys.exit(1 if failures or not count else 0)
