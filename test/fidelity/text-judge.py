"""Judges translated text files against their sources and receipts, without the readers of the service.

Reads a JSON list of `{"kind", "source", "result", "counted"}` from the standard input: two paths, and the characters that the
receipt counts outside of translations, by reason. In a result, each translated letter has MARK after it, so the source
of each text is known. Prints a list with, for each file:

- `broken`: what a program reads, and what is no longer as it was
- `lost`: what a reader sees, and what is neither translated nor counted
- `texts`, `translated`: the numbers of visible texts

PyYAML, polib, lxml and markdown-it-py must be installed.
"""
import difflib
import json
import plistlib
import re
import sys
from html import unescape
from html.parser import HTMLParser

import polib
import yaml
from lxml import etree
from markdown_it import MarkdownIt

MARK = "\u0359"
LETTERS = re.compile(r"[^\W\d_](?!" + MARK + r")")
TEMPLATE = r"\{%-?\s*comment\b.*?endcomment\s*-?%\}|\{\{\{.*?\}\}\}|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|<%.*?%>|<\?.*?\?>|\[\[[#@$~*].*?\]\]"
CODES = re.compile(
    TEMPLATE
    + r"|\$\{[^}]*\}|[%#]\{[^}]*\}|%\([\w.]+\)[sdif]|%(?:\d+\$)?[-+0#]*\d*(?:\.\d+)?(?:hh|ll|[hlqjzt])?[@diouxXeEfFgGcsSp](?!\w)"
    + r"|\{[\w.,:#/-]*\}|\{\w+, ?(?:number|date|time)[^{}]*\}|https?://[^\s\"'<>)]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\$\w+\$|(?<![\w:]):[a-z_]+(?=[\s.,!?]|$)|\$t\([^)]*\)"
    + r"|</?\w[^<>]*>|&#?\w+;|\\[ntr]|%#@\w+@|\ue000\d+\ue001",
    re.S,
)
# Names, addresses and paths may stay in a text.
NAMES = re.compile(
    CODES.pattern + r"|\b\w+_\w+\b|[\w.]+\(\)|\b[A-Z]+-\d+|[²³¹]|www\.\S+|https?://|\[!\w+\]|\b[\w-]+\.(?:com|org)\b|(?<!\w)\.?/?[\w-]+(?:/[\w.-]+)+", re.S
)
# Rules of style sheets and statements, wherever they stand.
PROGRAM = re.compile(r"[\w.#\])-]+\s*\{\s*[\w-]+\s*:[^{}]*\}|\bfunction\s*\w*\(|\b(?:var|const|let) \w+ ?=|\)\s*=>\s*\{")
VISIBLE = {"alt", "title", "placeholder", "aria-label", "aria-description", "aria-roledescription", "aria-valuetext"}
CODE_ATTRIBUTES = {"allow", "sandbox", "style", "class", "className", "d", "srcSet", "sizes", "rel", "args", "exec", "pkg", "pkgManagers"}
LANGUAGES = {"lang", "xml:lang", "dir", "hreflang"}


def unmarked(text):
    return text.replace(MARK, "")


def plain(text):
    return re.sub(r"\s+", " ", unescape(unmarked(text))).strip()


def visible(text):
    return len(re.sub(r"\s", "", text))


class Masks:
    """Replaces code by signs that no parser of markup knows."""

    def __init__(self):
        self.codes = []

    def hide(self, pattern, text, flags=re.S):
        return re.sub(pattern, lambda found: self.add(found[0]), text, flags=flags)

    def add(self, code):
        self.codes.append(code)
        return f"\ue000{len(self.codes) - 1}\ue001"

    def show(self, text):
        while re.search(r"\ue000\d+\ue001", text):
            text = re.sub(r"\ue000(\d+)\ue001", lambda found: self.codes[int(found[1])], text)
        return text


# A piece is `(type, text)`. `code` is what a program reads, `shown` is code that a reader sees, `text` is what a reader
# sees, `value` may be either, and `option` is visible only if it consists of words.
class Page(HTMLParser):
    def __init__(self, masks):
        super().__init__(convert_charrefs=False)
        self.masks, self.pieces, self.hidden = masks, [], None

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        # The language may be declared.
        for name, value in attributes:
            if name in LANGUAGES or value is None:
                continue
            is_meta = tag == "meta" and name == "content" and re.search(
                r"description|title|keywords|site_name", own.get("name") or own.get("property") or "")
            is_button = tag == "input" and name == "value" and own.get("type") in ("submit", "button", "reset")
            is_text = name in VISIBLE or is_meta or is_button or (tag in ("option", "track", "optgroup") and name == "label")
            if tag == "meta" and own.get("http-equiv", "").lower() == "content-language" or own.get("property") == "og:locale":
                continue
            self.pieces.append(("text" if is_text else "code", value if is_text else f"{name}={value}"))
        self.pieces.append(("code", f"<{tag}>"))
        if tag in ("script", "style"):
            self.hidden = tag

    def handle_endtag(self, tag):
        self.pieces.append(("code", f"</{tag}>"))
        self.hidden = None

    def add(self, data):
        self.pieces.append(("code" if self.hidden else "text", data))

    handle_data = add

    def handle_entityref(self, name):
        self.add(f"&{name};")

    def handle_charref(self, name):
        self.add(f"&#{name};")

    def handle_comment(self, data):
        inside = re.match(r"(\[if [^\]]*\]>)(.*)(<!\[endif\])$", data, re.S)
        if inside:
            self.pieces += [("code", inside[1]), *pieces_of_html(inside[2], self.masks), ("code", inside[3])]
        else:
            self.pieces.append(("code", data))


def pieces_of_html(text, masks):
    page = Page(masks)
    page.feed(text)
    page.close()
    return page.pieces


BLOCKS = r"@(?:if|else if|for|switch|case|defer|placeholder|loading|error)\b\s*(?:\([^\n]*\))?\s*\{|@(?:else|empty|default)\s*\{|@let [^;]*;"


def read_html(text):
    masks = Masks()
    text = masks.hide(TEMPLATE + r"|" + BLOCKS, text)
    pieces = pieces_of_html(text, masks)
    return [("code", code) for code in masks.codes] + joined(pieces, masks)


def joined(pieces, masks):
    """Joins texts that follow each other. Code in texts is known by its own pieces."""
    found = []
    for kind, text in pieces:
        if kind == "text" and found and found[-1][0] == "text":
            found[-1] = ("text", found[-1][1] + text)
        else:
            found.append((kind, text))
    return [(kind, re.sub(r"\ue000\d+\ue001", " ", text) if kind == "text" else masks.show(text)) for kind, text in found]


def read_matter(text):
    found = re.match(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(.*?)\n\1[ \t]*(?:\r?\n|\Z)", text, re.S)
    if not found:
        return [], text
    if found[1] == "---":
        return read_yaml(found[2], "option"), text[found.end():]
    return [("option", line) for line in found[2].splitlines()], text[found.end():]


def jsx(text, masks):
    """Masks modules, expressions and the tags of components, whose attributes are values."""
    values, fence = [], r"((?:^|(?<=\n))[ \t>]*(`{3,}|~{3,})[^\n]*\n.*?\n[ \t>]*\2[ \t]*(?=\n|$))"
    parts = re.split(fence, text + "\n", flags=re.S)
    parts = [masks.add(part) if at % 3 == 1 else masks.hide(r"(?:^|(?<=\n))(?:import|export)\s(?:[^\n]+\n)+", part) for at, part in enumerate(parts) if at % 3 < 2]
    text, out, at = "".join(parts), [], 0
    while at < len(text):
        opens = re.compile(r"</?[A-Za-z][\w.]*|\{|```.*?\n[ \t]*```|`[^`\n]+`|\\[{<]|<>|</>", re.S).search(text, at)
        if not opens:
            break
        out.append(text[at:opens.start()])
        at = opens.end()
        if opens[0][0] in "`\\" or opens[0] in ("<>", "</>"):
            out.append(opens[0])
            continue
        depth, end = (1 if opens[0] == "{" else 0), at
        while end < len(text):
            sign = text[end]
            if sign in "\"'`" and not (opens[0] == "{" and sign == "'" and text[end - 1].isalnum()):
                close = text.find(sign, end + 1)
                end = close if close > 0 else end
            depth += (sign == "{") - (sign == "}")
            end += 1
            if depth == 0 and (opens[0] == "{" or sign == ">"):
                break
        tag = text[opens.start():end]
        at = end
        if tag[0] == "<":
            tag = re.sub(r"""=\{\s*(["'`])((?:(?!\1)[^$])*)\1\s*\}""", lambda found: f"='{found[2]}'", tag)
            for name, value in re.findall(r"""\s([\w:.-]+)=("[^"]*"|'[^']*')""", tag):
                values.append(("code" if name in CODE_ATTRIBUTES else "option", value[1:-1]))
            tag = re.sub(r"""(\s[\w:.-]+=)("[^"]*"|'[^']*')""", r"\1", tag)
            values.append(("code", re.sub(r"\s+", " ", re.sub(r"\{.*\}", lambda found: found[0] if MARK in found[0] else "{}", tag, flags=re.S))))
        else:
            values.append(("code", tag))
        out.append(masks.add("<x>" if tag[0] == "<" else "{x}"))
    shown = "".join(out) + text[at:]
    return re.sub(r"\ue000(\d+)\ue001", lambda found: masks.codes[int(found[1])] if re.match(r"[ \t>]*(```|~~~)", masks.codes[int(found[1])]) else found[0], shown), values


def read_markdown(text, is_mdx=False):
    masks = Masks()
    pieces, body = read_matter(text)
    parser = MarkdownIt("commonmark", {"html": not is_mdx}).enable(["table", "strikethrough"])
    if is_mdx or re.match(r"\s*import .* from ['\"]", body):
        parser = parser.disable("code")
        body, values = jsx(body, masks)
        pieces += values
    # Lines of containers, targets of MyST, and lists of attributes.
    body = masks.hide(r"(?m)^[ \t>]*(?::{3,}|/{3,}|!{3}|\?{3}\+?|={3})[ \t]*(?:\{div\}.*|\{?[\w-]*\}?(?:[ \t]*\|)?)|^\([\w:.-]+\)=$|\{[.#:][^{}\n]*\}", body)
    body = masks.hide(r"\{\{[<%].*?[%>]\}\}|\{%.*?%\}", body)
    pieces += [("code", code) for code in masks.codes if code.startswith("{")]

    def inline(tokens):
        for token in tokens:
            if token.type == "code_inline":
                yield "shown", token.content
            elif token.type == "html_inline":
                if not re.match(r"<a id=|</a>", token.content):
                    yield from pieces_of_html(token.content, masks)
            elif token.type == "image":
                yield "code", token.attrs["src"]
                yield "text", token.content
                yield "text", token.attrs.get("title", "")
            elif token.type in ("softbreak", "hardbreak"):
                yield "text", " "
            elif token.type == "link_open":
                yield "code", token.attrs["href"]
                yield "text", token.attrs.get("title", "")
            elif token.type.endswith(("_open", "_close")):
                yield "code", token.type
            else:
                yield "text", token.content

    for token in parser.parse(body):
        if token.type == "inline":
            pieces += [(kind, re.sub(r"\s*\{#[\w-]+\}", "", one)) for kind, one in inline(token.children)]
        elif token.type == "fence" and re.match(r"\{(?!code|math|mermaid|raw|literalinclude|toctree|eval-rst)", token.info):
            argument = re.sub(r"^\{[\w-]+\}", "", token.info)
            pieces += [("text", argument), *read_markdown(token.content)]
        elif token.type in ("fence", "code_block"):
            title = re.search(r'title="([^"]*)"', token.info)
            pieces += [("code", re.sub(r'title="[^"]*"', "", token.info)), ("shown", token.content)]
            pieces += [("text", title[1])] if title else []
        elif token.type == "html_block":
            pieces += pieces_of_html(token.content, masks)
        else:
            pieces.append(("code", token.type))
    return joined(pieces, masks)


def read_json(text):
    def walk(value, path):
        if isinstance(value, list):
            for at, one in enumerate(value):
                is_member = isinstance(one, tuple)
                if is_member:
                    yield "code", one[0]
                yield from walk(one[1] if is_member else one, f"{path}.{one[0] if is_member else at}")
        elif isinstance(value, str):
            is_note = re.search(r"\.@@?\w+\b|\.@metadata", path) or is_extension and not path.endswith(".message")
            yield from ([("code", value)] if is_note else texts_of_message(value))
        else:
            yield "code", json.dumps(value)

    # Messages of a browser's extension have descriptions for translators.
    entries = json.loads(text.lstrip("\ufeff"))
    is_extension = all(isinstance(one, dict) and "message" in one for one in entries.values()) if isinstance(entries, dict) else False
    return list(walk(json.loads(text.lstrip("\ufeff"), object_pairs_hook=list), ""))


def texts_of_message(text):
    """Yields the texts of an ICU message; its arguments are code, in any order and number."""
    if not re.search(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\b", text):
        yield "value", text
        return
    selectors = r"\w+" if re.search(r",\s*select\s*,", text) else "zero|one|two|few|many|other"
    options = re.sub(rf"(?:=\d+|\b(?:{selectors}))\s*\{{", "", text)
    yield "code", " ".join(sorted(set(re.findall(r"\{\s*(\w+)\s*[,}]", options))))
    for one in re.findall(r"[^{}]+", re.sub(r"\{\s*\w+\s*(?:,\s*(?:plural|select|selectordinal|number|date)[^{}]*)?(?=[{}])", "{", text)):
        if LETTERS.search(re.sub(r"(?:^|\s)(?:=\d+|zero|one|two|few|many|other|\w+)\s*$", "", one)):
            yield "message", one


def read_yaml(text, kind="value"):
    def walk(node, depth):
        yield "code", f"{node.tag if node.tag[0] == '!' and node.tag != '!' else ''} {node.anchor or ''}"
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                # The key of a root is a language.
                yield "code", "" if depth == 0 and len(node.value) == 1 else str(key.value)
                yield from walk(value, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                yield from walk(value, depth + 1)
        else:
            is_text = node.tag in ("tag:yaml.org,2002:str", "!")
            yield kind if is_text else "code", node.value

    class Composer(yaml.SafeLoader):
        def compose_node(self, parent, index):
            anchor = getattr(self.peek_event(), "anchor", None)
            node = super().compose_node(parent, index)
            node.anchor = anchor
            return node

    text = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)
    return [piece for node in yaml.compose_all(text, Composer) if node for piece in walk(node, 0)]


def read_po(text):
    pieces = []
    for entry in polib.pofile(text):
        if entry.obsolete:
            continue
        pieces += [("code", one) for one in (entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")]
        forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        sources = [entry.msgid, *[entry.msgid_plural] * (len(forms) - 1)]
        pieces += [("target", (source, form)) for source, form in zip(sources, forms)]
    return pieces


def read_properties(text):
    text = re.sub(r"\\\r?\n[ \t]*", "", text)
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    pieces = []
    for line in text.splitlines():
        found = re.match(r"[ \t]*(?![#!])((?:\\.|[^=:\s\\])+)[ \t]*[=: \t][ \t]*(.*)", line)
        if found:
            pieces += [("code", found[1]), *texts_of_message(re.sub(r"\\(?![nt])", "", found[2]))]
    return pieces


def read_xml(text, wanted):
    pieces = []

    def walk(element, inside):
        if not isinstance(element.tag, str):
            return
        name = element.tag.split("}")[-1]
        inside = inside or name in wanted
        pieces.append(("code", f"<{name} " + " ".join(f"{key}={value}" for key, value in sorted(element.attrib.items()))))
        for one in [element.text, *[part for child in element for part in (child, child.tail)]]:
            if not isinstance(one, str) and one is not None:
                # The language may need further plural forms.
                if one.get("quantity") in (None, "other"):
                    walk(one, inside)
            elif one:
                pieces.append(("value" if inside else "code", re.sub(r'\\(?=[\'"@?])|(?<!\\)"', "", one)))
        pieces.append(("code", f"</{name}>"))

    walk(etree.fromstring(text.encode()), False)
    return pieces


def read_android(text):
    return read_xml(text, {"string", "item"})


def read_xliff(text):
    pieces = []
    root = etree.fromstring(text.encode())
    for unit in root.iter("{*}trans-unit", "{*}segment"):
        source, target = unit.find("{*}source"), unit.find("{*}target")
        codes = [etree.QName(one).localname + str(one.get("id")) for one in source.iter("{*}*") if one is not source]
        pieces += [("code", "".join(source.itertext())), ("code", str(unit.get("id")))]
        if target is not None:
            own = [etree.QName(one).localname + str(one.get("id")) for one in target.iter("{*}*") if one is not target]
            pieces.append(("target", ("".join(source.itertext()), "".join(target.itertext()))))
            pieces.append(("own", " ".join(sorted(own)) == " ".join(sorted(codes))))
        else:
            pieces.append(("target", ("".join(source.itertext()), "")))
    return pieces


def read_strings(text):
    text = re.sub(r"/\*.*?\*/|(?<=[;\s])//[^\n]*", "", text, flags=re.S)
    return [piece for key, value in re.findall(r'("(?:[^"\\]|\\.)*"|\w+)\s*=\s*"((?:[^"\\]|\\.)*)"\s*;', text, re.S)
            for piece in (("code", key), ("value", value))]


def read_stringsdict(text):
    def walk(value):
        for key, one in value.items():
            yield "code", key
            if isinstance(one, dict):
                yield from walk(one)
            else:
                yield ("value" if not key.startswith("NSString") or key.endswith("LocalizedFormatKey") else "code"), one

    return list(walk(plistlib.loads(text.encode())))


def read_xcstrings(text, language):
    catalog = json.loads(text)
    own = catalog["sourceLanguage"]

    def leaves(value):
        if "stringUnit" in value:
            yield value["stringUnit"]["value"]
        for one in value.values():
            for inner in one.values() if isinstance(one, dict) else ():
                yield from leaves(inner) if isinstance(inner, dict) else ()

    pieces = []
    for key, entry in catalog["strings"].items():
        pieces.append(("code", key))
        localized = entry.get("localizations", {})
        sources = list(leaves(localized.get(own, {}))) or [key]
        targets = list(leaves(localized.get(language, {}))) or [""] * len(sources)
        if entry.get("shouldTranslate") is not False:
            pieces += [("target", pair) for pair in zip(sources, targets)]
        pieces += [("code", json.dumps([name, one])) for name, one in localized.items() if name != language]
    return pieces


def read_subtitles(text):
    pieces = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip("\ufeff\n ")):
        lines = block.split("\n")
        time = next((at for at, line in enumerate(lines) if "-->" in line), None)
        if time is None or block.startswith(("NOTE", "STYLE")):
            pieces.append(("code", re.sub(r"(?m)^Language:.*\n?", "", block)))
            continue
        pieces.append(("code", "\n".join(lines[:time + 1])))
        pieces += [("code", code) for code in re.findall(r"<[^>]*>|\{\\[^}]*\}", "\n".join(lines[time + 1:]))]
        pieces.append(("cue", re.sub(r"<[^>]*>|\{\\[^}]*\}", " ", " ".join(lines[time + 1:]))))
    return pieces


READERS = {
    "html": read_html, "md": read_markdown, "mdx": lambda text: read_markdown(text, True), "json": read_json, "yaml": read_yaml,
    "po": read_po, "properties": read_properties, "android": read_android, "xliff": read_xliff, "strings": read_strings,
    "stringsdict": read_stringsdict, "xcstrings": lambda text: read_xcstrings(text, "de"), "srt": read_subtitles, "vtt": read_subtitles,
    "txt": lambda text: [("value", line) for line in text.splitlines()],
}


def open_text(path):
    with open(path, "rb") as file:
        content = file.read()
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def skeleton(pieces, known=()):
    """What must be the same in a source and its translation: code as it is, and texts without marks."""
    words = " ".join(plain(text) for kind, text in pieces if kind == "cue").split()
    last = None
    for kind, text in pieces:
        if kind == "code" and text.strip():
            yield "code " + re.sub(r"\s+", " ", text)
        elif kind == "shown":
            yield "shown " + re.sub(r"\s+", " ", text).strip()
        elif kind in ("text", "value", "option") and plain(text):
            # A program reads the code in a text, too.
            codes = [] if MARK not in text else [one for one in CODES.findall(text) if MARK in one]
            is_code = MARK in text and kind == "text" and PROGRAM.search(unmarked(text))
            yield "text " + ("MARKED " if codes or is_code else "") + plain(text)
        elif kind == "target":
            if last != text[0]:
                yield "source " + plain(text[0])
            last = text[0]
            if MARK in text[1]:
                marked = [one for one in CODES.findall(unmarked(text[1])) if one not in text[1]]
                if plain(text[1]) not in (plain(text[0]), *known) or marked:
                    yield f"WRONG {text}"
        elif kind == "own" and not text:
            yield "WRONG codes of a target"
    yield "cues " + "".join(words)


def judge(kind, source, result, counted):
    reader = READERS[kind]
    before, after = reader(open_text(source)), reader(open_text(result))
    # A catalog in the source language has its texts as translations.
    known = {plain(text[1]) for one, text in before if one == "target"}
    expected, found = list(skeleton(before, known)), list(skeleton(after, known))
    changes = difflib.unified_diff(expected, found, lineterm="", n=0)
    broken = [line[:300] for line in changes if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    broken += [line for line in found if line.startswith(("WRONG", "text MARKED"))]
    room = sum(counted.values())
    room -= sum(visible(text) for one, text in after if one == "shown")
    texts = [
        (text[1] if MARK in text[1] else text[0]) if one == "target" else text
        for one, text in after
        if one in ("text", "value", "target", "message", "cue") or one == "option" and re.search(r"[^\W\d_]{2}\S* \S*[^\W\d_]{2}", text)
    ]
    lost, count, translated = [], 0, 0
    for text in sorted(texts, key=visible, reverse=True):
        left = NAMES.sub(" ", text)
        if not re.search(r"[^\W\d_]", left):
            continue
        count += 1
        words = re.findall(r"[^\W\d_](?!" + MARK + r")\S*", left)
        if not words:
            translated += 1
            continue
        need = visible(" ".join(words))
        if need > max(room, 0):
            lost.append(f"{words[:8]} in {text[:160]}")
        room -= need
    return {"source": source, "broken": broken, "lost": lost, "texts": count, "translated": translated}


def main():
    verdicts = []
    for one in json.load(sys.stdin):
        try:
            verdicts.append(judge(**one))
        except Exception as error:  # The error is the verdict.
            verdicts.append({"source": one["source"], "broken": [f"{type(error).__name__}: {error}"[:300]], "lost": [], "texts": 0, "translated": 0})
    print(json.dumps(verdicts, ensure_ascii=False))


main()
