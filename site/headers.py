"""Pages of the public C headers, from their comments and declarations.

    pages = headers.pages(ROOT)            {"include/weir/gate-h.md": "# weir/gate.h ...", ...}

A header begins with an essay. Then come blocks, with an empty line between them: a comment, and the
declarations that it describes. A block without declarations is a heading.
"""
import glob
import os
import re
import sys

BODY = re.compile(r'extern "C" \{\n#endif\n(.*)#ifdef __cplusplus\n\}', re.S)
ESSAY = re.compile(r"/\*.*?\*/", re.S)
COMMENT = re.compile(r"/\*.*?\*/\n?", re.S)
INLINE = re.compile(r"^static inline (.*?)\n\{\n.*?^\}$", re.S | re.M)
NAMES = re.compile(r"^#define (\w+)|^(?:struct|enum) (\w+) \{|^typedef .*?(\w+);|^(?!#|typedef)[^\s/}].*?\b(\w+)\(|^extern const .*?(\w+)(?:\[\w+\])?;", re.M)
CONSTANT = re.compile(r"^(?:    |enum \{ )(WEIR_[A-Z0-9_]+)\b", re.M)
WORD = re.compile(r"\b(?:weir_\w+|WEIR_\w+)\b(?:\(\))?|\b[a-z-]+\.h\b")


def lines_of(comment):
    text = re.sub(r"^/\* ?|\s*\*/\s*$", "", comment.strip())
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in text.split("\n")]


def blocks_of(body):
    """Splits a header at empty lines outside of braces, and at each comment that begins a line
    after a declaration."""
    block, depth, in_comment = [], 0, False
    for line in body.split("\n"):
        starts = line.startswith("/*") and any(not one.startswith(("/*", " *")) for one in block)
        if not depth and not in_comment and (not line or starts) and block:
            yield "\n".join(block)
            block = []
        if line or block:
            block.append(line)
        in_comment = (in_comment or line.startswith("/*")) and "*/" not in line
        depth += 0 if line.startswith("#define") else line.count("{") - line.count("}")
    if any(block):
        yield "\n".join(block)


def first_sentence(comment, code, name):
    """The first sentence of the comment above the declarations, or else of the comment on the line
    of the name."""
    beside = re.search(rf"\b{name}\b[^\n]*?/\*(.*?)\*/", code, re.S)
    words = " ".join((beside[1] if beside and not comment else " ".join(comment)).replace(" * ", " ").split())
    return re.split(r"(?<=\.) ", words, maxsplit=1)[0]


def page_of(name):
    """The path of the page of a header such as "gate.h"."""
    return f"include/weir/{name[:-2]}-h.md"  # A page index.md would stand for its folder.


class Header:
    def __init__(self, path):
        self.name = "weir/" + os.path.basename(path)
        self.page = page_of(os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.essay = lines_of(ESSAY.match(text)[0])
        self.items = [self.item(block) for block in blocks_of(BODY.search(text)[1])]

    def item(self, block):
        """Returns the comment of a block, its declarations without the bodies of functions, and the
        names that they declare."""
        found = COMMENT.match(block)
        comment, code = (lines_of(found[0]), block[found.end():]) if found else ([], block)
        code = INLINE.sub(lambda m: " ".join(m[1].split()) + ";", code).strip()
        bare = ESSAY.sub("", code)
        names = [name for names in NAMES.findall(bare) for name in names if name and f"#undef {name}" not in code]
        return comment, code, names, CONSTANT.findall(bare)

    def names(self):
        return [name for _, _, names, constants in self.items for name in names + constants]


class Writer:
    """Writes pages. In comments, every name that a header declares is a link to its declaration."""

    def __init__(self, headers):
        self.places = {name: f"{os.path.basename(h.page)}#{name}" for h in headers for name in h.names()}
        self.places.update({os.path.basename(h.name): os.path.basename(h.page) for h in headers})

    def text(self, line):
        line = line.replace("\\", "\\\\").replace("*", "\\*").replace("<", "&lt;").replace("[", "\\[").replace("|", "\\|")
        def link(m):
            place = self.places.get(m[0].removesuffix("()"))
            return f"[`{m[0]}`]({place})" if place else f"`{m[0]}`"
        return WORD.sub(link, line)

    def prose(self, lines):
        """Returns lines as Markdown. Indented lines are code, unless they belong to an item of a
        list."""
        out, in_list, in_code = [], False, False
        for line in lines:
            is_item = bool(re.match(r" *- ", line))
            in_list = is_item or (in_list and line.startswith("  "))
            is_code = line.startswith("    ") and not in_list
            if line and is_code != in_code:
                out += ["```", ""] if in_code else ["", "```text"]
                in_code = is_code
            if not line and in_code:
                out += ["```"]
                in_code = False
            if is_item and out and out[-1] and not re.match(r" *- |    ", out[-1]):
                out.append("")
            out.append(line[4:] if is_code else self.text("    " + line.strip() if in_list and not is_item else line.strip()))
        return "\n".join(out + (["```"] if in_code else []))

    def item(self, comment, code, names, constants):
        if not code:
            return f"## {self.text(' '.join(comment).rstrip('.:'))}\n"
        first, *others = names + constants
        title = first if len(names) < 2 else f"{first}, {names[1]}" if len(names) == 2 else f"{first} and {len(names) - 1} more"
        anchors = "".join(f'<a id="{name}"></a>' for name in others)
        parts = [f"### {title} {{#{first}}}", anchors, self.prose(comment), f"```c\n{code}\n```"]
        return "\n\n".join(part for part in parts if part) + "\n"

    def index(self, header):
        """A table with a row for each name: the first sentence of its comment."""
        rows = ["| name | meaning |", "| --- | --- |"]
        for comment, code, names, _ in header.items:
            for name in names:
                meaning = first_sentence(comment, code, name)
                if not meaning:
                    sys.exit(f"include/{header.name}: '{name}' has no comment")
                rows.append(f"| [`{name}`](#{name}) | {self.text(meaning)} |")
        return "\n".join(rows)

    def page(self, header):
        items = "\n".join(self.item(*item) for item in header.items if item[2] or item[3] or not item[1])
        return f"# {header.name}\n\n{self.prose(header.essay)}\n\n## Names\n\n{self.index(header)}\n\n## Declarations\n\n{items}"


def pages(root):
    headers = [Header(path) for path in sorted(glob.glob(os.path.join(root, "include", "weir", "*.h")))]
    writer = Writer(headers)
    return {header.page: writer.page(header) for header in headers}
