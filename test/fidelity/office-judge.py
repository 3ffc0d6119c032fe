#!/usr/bin/env python3
"""Finds texts of a translated Office file that a reader sees and that are neither translated nor counted.

Reads the files with Python's own ZIP and XML readers. Standard input: a JSON list of
{"source": path, "result": path, "kept": [{"reason", "characters"}]}. Each translation in the result begins with the mark
"[fr]". Output: a JSON list with, for each file, its kinds of places, the texts that nobody accounts for, and the code that
differs between source and result.

A text counts as translated if the mark is at its place. Otherwise its characters must be in the receipt, under one of
the reasons that fit its kind.
"""
import json
import re
import sys
import zipfile
from collections import Counter
from xml.etree import ElementTree

MARK = "[fr]"
LETTER = re.compile(r"[^\W\d_]")

# For each kind of place, the reasons under which a receipt may count its texts.
REASONS = {
    "paragraph": "number fields text_boxes content_controls tracked_changes hidden formula other pages comments "
    "footnotes endnotes masters columns formula_result code identifier address label diagrams translated_before".split(),
    "math": ["formula"],
    "code": ["fields", "text_boxes", "content_controls", "tracked_changes", "comments", "footnotes", "endnotes"],
    "form": ["content_controls", "text_boxes", "form_fields", "dropdown_lists"],
    "alternative": ["alternative_texts", "text_boxes", "masters", "pages", "hidden", "comments"],
    "tip": ["tips", "masters", "pages", "hidden", "text_boxes", "content_controls"],
    "watermark": ["text_boxes", "content_controls"],
    "label": ["label"],
    "glossary": ["form_fields"],
    "note": ["footnotes", "endnotes", "comments", "fields", "number", "formula"],
    "chart": ["charts", "embedded_documents", "masters", "pages", "hidden", "number"],
    "diagram": ["diagrams", "hidden", "masters", "pages"],
    "cell": ["number", "formula_result", "table_headers", "pages", "columns", "identifier"],
    "sheet": ["sheet_names", "pages", "number"],
    "header": ["headers_and_footers"],
    "list": ["dropdown_lists"],
    "shape": ["text_boxes"],
    "control": ["form_fields", "text_boxes"],
    "comment": ["comments"],
    "format": ["number", "pages", "number_formats"],
    "message": ["number", "pages"],
    "pivot": ["pivot_tables"],
    "master": ["masters", "fields"],
    "field": ["fields", "number"],
}


def local(name):
    return name.rsplit("}", 1)[-1]


def attribute(element, name):
    for key, value in element.attrib.items():
        if local(key) == name:
            return value
    return ""


def texts_in(element, names=("t",)):
    return "".join(one.text or "" for one in element.iter() if local(one.tag) in names)


def without_fallback(element):
    """Removes what only older programs show."""
    for parent in list(element.iter()):
        for child in list(parent):
            if local(child.tag) == "Fallback":
                parent.remove(child)
    return element


def alternatives(element):
    for one in element.iter():
        # The picture in a frame of Word repeats the text of the frame.
        if local(one.tag) in ("docPr", "cNvPr", "shape") and "drawingml/2006/picture}" not in one.tag:
            for name in ("descr", "title", "alt"):
                text = one.attrib.get(name, "")
                if text and not re.fullmatch(r"\S+\.\w{2,4}", text):
                    yield "alternative", text
        if local(one.tag).startswith("hlink") or local(one.tag) == "hyperlink":
            if attribute(one, "tooltip"):
                yield "tip", attribute(one, "tooltip")
        if local(one.tag) == "textpath":
            yield "watermark", attribute(one, "string")


FIELD_WORDS = re.compile(
    r"^\s*(?:(MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.+?)\s*$|(XE|TC|FILLIN|ASK|IF|QUOTE|SET|TA|AUTOTEXTLIST)\b(.*))", re.S | re.I
)


def codes(element):
    """Yields the words of the codes of complex fields."""
    stack = []
    for one in element.iter():
        name = local(one.tag)
        if name == "fldChar":
            kind = attribute(one, "fldCharType")
            if kind == "begin":
                stack.append(["", True])
            elif stack and kind in ("separate", "end"):
                if stack[-1][1]:
                    yield from words_of(stack[-1][0])
                stack[-1][1] = False
                if kind == "end":
                    stack.pop()
        elif name == "instrText" and stack and stack[-1][1]:
            stack[-1][0] += one.text or ""
        elif name == "fldSimple":
            yield from words_of(attribute(one, "instr"))


def words_of(code):
    found = FIELD_WORDS.match(code)
    if not found:
        return
    if found.group(1):
        yield "code", found.group(2)
        return
    quoted = re.findall(r'"((?:\\.|[^"\\])*)"', found.group(4) or "")
    kind = found.group(3).upper()
    if kind == "IF":
        quoted = quoted[-2:]
    for text in quoted[: 1 if kind in ("XE", "TC") else 9]:
        yield "code", text


def docx(parts):
    for path, root in parts.items():
        without_fallback(root)
        if re.search(r"charts/chart", path):
            yield from chart(root)
        elif re.search(r"diagrams/data", path):
            yield from (("diagram", texts_in(p)) for p in root.iter() if local(p.tag) == "p")
        elif path.endswith("glossary/document.xml"):
            yield from (("glossary", texts_in(p)) for p in root.iter() if local(p.tag) == "docPartBody")
        elif re.fullmatch(r"word/(document|header\d*|footer\d*|footnotes|endnotes|comments)\d*\.xml", path):
            kind = "note" if re.search(r"notes|comments", path) else "paragraph"
            yield from alternatives(root)
            yield from codes(root)
            for one in root.iter():
                name = local(one.tag)
                if name in ("helpText", "statusText") and attribute(one, "type") == "text" or name == "listEntry":
                    yield "form", attribute(one, "val")
                elif name == "alias":
                    yield "form", attribute(one, "val")
                elif name == "listItem":
                    yield "form", attribute(one, "displayText")
                elif name == "textInput":
                    yield from (("form", attribute(d, "val")) for d in one if local(d.tag) == "default")
                elif name in ("tblCaption", "tblDescription"):
                    yield "alternative", attribute(one, "val")
                elif name == "oMath":
                    yield "math", texts_in(one)
                elif name == "p" and "wordprocessingml" in one.tag:
                    yield kind, own_text(one)
        elif re.search(r"/drawings/drawing", path):
            yield from (("diagram", texts_in(p)) for p in root.iter() if local(p.tag) == "p")


def own_text(paragraph):
    """The text of a paragraph without that of paragraphs and formulas in it."""
    text = ""
    stack = list(paragraph)
    while stack:
        one = stack.pop(0)
        name = local(one.tag)
        if name in ("p", "oMath", "del", "moveFrom", "pict", "drawing", "rt"):
            continue
        if name == "t":
            text += one.text or ""
        stack = list(one) + stack
    return text


# A reference to another workbook, or to cells that do not exist: a program shows the copy that is in the chart.
OUTSIDE = re.compile(r"\[(?!0\])|#REF!")


def chart(root, has_copies=True):
    names = set()
    for one in root.iter():
        name = local(one.tag)
        if name in ("strRef", "multiLvlStrRef") and not has_copies:
            formula = "".join(child.text or "" for child in one if local(child.tag) == "f")
            if OUTSIDE.search(formula):
                yield from (("chart", v.text or "") for v in one.iter() if local(v.tag) == "v")
        elif name in ("tx", "trendline"):
            yield from (("chart", child.text or "") for child in one if local(child.tag) in ("v", "name"))
        if name == "p":
            yield "chart", texts_in(one)
        elif name in ("strCache", "multiLvlStrCache", "strDim") and not has_copies:
            # Excel copies these names from the cells when it opens the file.
            pass
        elif name in ("strCache", "strLit", "multiLvlStrCache", "strDim"):
            for value in one.iter():
                if local(value.tag) in ("v", "pt") and value.text not in names:
                    names.add(value.text)
                    yield "chart", value.text or ""


def xlsx(parts):
    strings = []
    formats, used = {}, []
    for path, root in parts.items():
        if path.endswith("sharedStrings.xml"):
            for item in root:
                strings.append("".join(t.text or "" for t in item.iter() if local(t.tag) == "t" and not in_phonetic(item, t)))
        elif path.endswith("styles.xml"):
            for one in root.iter():
                if local(one.tag) == "numFmt" and one in list(root.find("./{*}numFmts") if root.find("./{*}numFmts") is not None else []):
                    formats[attribute(one, "numFmtId")] = attribute(one, "formatCode")
            xfs = root.find("./{*}cellXfs")
            used = [attribute(xf, "numFmtId") for xf in (xfs if xfs is not None else [])]
    styles = set()
    for path, root in parts.items():
        without_fallback(root)
        if re.search(r"worksheets/[^/]*\.xml$", path) and local(root.tag) == "worksheet":
            for cell in root.iter():
                name = local(cell.tag)
                if name == "c":
                    value = cell.find("./{*}v")
                    if value is not None and value.text:
                        styles.add(int(attribute(cell, "s") or 0))
                    kind = attribute(cell, "t")
                    if kind == "s" and value is not None:
                        yield "cell", strings[int(value.text)]
                    elif kind == "str" and value is not None:
                        yield "cell", value.text or ""
                    elif kind == "inlineStr":
                        yield "cell", texts_in(cell)
                elif name == "dataValidation":
                    for key in ("prompt", "promptTitle", "error", "errorTitle"):
                        yield "message", attribute(cell, key).replace("_x000a_", "\n")
                    formula = cell.find("./{*}formula1")
                    if formula is not None and (formula.text or "").startswith('"'):
                        yield "list", formula.text.strip().strip('"')
                elif name in ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter"):
                    yield "header", re.sub(r'&(?:"[^"]*"|K[0-9A-F]{6}|\d+|.)', "", cell.text or "")
                elif name == "hyperlink":
                    yield "tip", attribute(cell, "tooltip")
        # Each comment of a conversation is repeated there.
        elif re.search(r"/comments\d*\.xml$", path):
            yield from (("comment", texts_in(c)) for c in root.iter() if local(c.tag) == "comment")
        elif re.search(r"drawings/drawing", path):
            yield from alternatives(root)
            yield from (("shape", texts_in(p)) for p in root.iter() if local(p.tag) == "p")
        elif re.search(r"charts/chart", path):
            yield from chart(root, has_copies=False)
        elif re.search(r"diagrams/data", path):
            yield from (("diagram", texts_in(p)) for p in root.iter() if local(p.tag) == "p")
        elif re.search(r"pivotTables/", path):
            for one in root.iter():
                for name in ("grandTotalCaption", "rowHeaderCaption", "colHeaderCaption", "dataCaption", "subtotalCaption"):
                    yield "pivot", attribute(one, name)
                if local(one.tag) in ("dataField", "pivotField"):
                    yield "pivot", attribute(one, "name")
                elif local(one.tag) == "item":
                    yield "pivot", attribute(one, "n")
        elif re.search(r"chartsheets/", path):
            headers = (one for one in root.iter() if re.search(r"(Header|Footer)$", local(one.tag)))
            yield from (("header", re.sub(r'&(?:"[^"]*"|K[0-9A-F]{6}|\d+|.)', "", one.text or "")) for one in headers)
        elif path == "xl/workbook.xml":
            yield from (("sheet", attribute(s, "name")) for s in root.iter() if local(s.tag) == "sheet")
        elif re.search(r"ctrlProps|slicers/|timelines/", path):
            for one in root.iter():
                yield "control", attribute(one, "caption")
        elif path.endswith(".vml"):
            for box in root.iter():
                if local(box.tag) == "textbox":
                    yield "control", "".join(box.itertext())
    for style in styles:
        code = formats.get(used[style] if style < len(used) else "", "")
        for text in re.findall(r'"([^"]*)"', re.sub(r"\[[^\]]*\]", "", code)):
            yield "format", text


def in_phonetic(item, element):
    return any(element in list(one.iter()) for one in item if local(one.tag) == "rPh")


def pptx(parts):
    for path, root in parts.items():
        without_fallback(root)
        if re.search(r"charts/chart", path):
            yield from chart(root)
        elif re.search(r"diagrams/data", path):
            yield from (("diagram", texts_in(p)) for p in root.iter() if local(p.tag) == "p")
        elif re.search(r"ppt/(slides|notesSlides|slideMasters|slideLayouts|notesMasters|handoutMasters)/", path):
            kind = "master" if re.search(r"Master|Layout", path) else "paragraph"
            yield from alternatives(root)
            for one in root.iter():
                if local(one.tag) == "p" and "drawingml" in one.tag:
                    for field in one:
                        if local(field.tag) == "fld":
                            yield "field", texts_in(field)
                    yield kind, "".join(texts_in(r) for r in one if local(r.tag) == "r")
        elif re.search(r"ppt/comments/", path):
            yield from (("comment", texts_in(c, ("t", "text"))) for c in root.iter() if local(c.tag) in ("cm", "reply"))


ODF_FIELDS = {
    "page-number", "page-count", "date", "time", "file-name", "author-name", "title", "sheet-name", "chapter", "sequence",
    "variable-set", "variable-get", "user-field-get", "user-field-input", "expression", "bookmark-ref", "reference-ref",
    "sequence-ref", "note-ref", "drop-down", "conditional-text", "hidden-text", "database-display", "initial-creator",
    "creation-date", "print-date", "modification-date", "editing-cycles", "word-count", "character-count", "subject",
    "keywords", "description", "user-defined", "template-name", "author-initials", "page-variable-get", "line-number",
    "note-citation", "text-input-field", "variable-input", "printed-by", "measure", "footer", "header", "date-time",
    "creator", "database-name", "sender-firstname", "sender-lastname", "image-count", "paragraph-count", "table-count",
}
ODF_ANY = "number fields comments tracked_changes masters hidden formula_result dropdown_lists charts embedded_documents " \
    "other pages columns identifier address code label translated_before sheet_names".split()


def odf(parts):
    for path, root in parts.items():
        if not re.search(r"(?:^|/)(?:content|styles)\.xml$", path):
            continue
        kind = "odf" if "/" not in path else "chart"
        for sheet in root.iterfind("./{*}body/{*}spreadsheet/{*}table"):
            yield kind, attribute(sheet, "name")
        for one in root.iter():
            name = local(one.tag)
            if name in ("p", "h") and ":text:" in one.tag or name in ("title", "desc") and "svg" in one.tag:
                for inner, text in odf_texts(one, name):
                    yield inner or kind, text
            elif name in ("header-decl", "footer-decl", "date-time-decl"):
                yield kind, one.text or ""
            elif ":form:" in one.tag:
                yield kind, attribute(one, "label")
                yield kind, attribute(one, "title")
            elif name == "text" and "datastyle" in one.tag:
                if re.search(r"[^\W\d_]{2}", one.text or ""):
                    yield kind, one.text
            elif name == "label" and ":text:" in one.tag:
                yield kind, attribute(one, "value")
            elif name in ("outline-level-style", "list-level-style-number"):
                yield kind, attribute(one, "num-prefix")
                yield kind, attribute(one, "num-suffix")
            elif name in ("help-message", "error-message"):
                yield kind, attribute(one, "title")


def odf_texts(element, name):
    """Yields the text of a paragraph without its fields and what is in it, and the texts of the fields."""
    own = []

    def visit(one):
        for child in one:
            inner = local(child.tag)
            if inner.endswith("-ref") and attribute(child, "reference-format") in ("text", "chapter", "caption", "direction"):
                # A reference repeats words of the file, and is a part of its sentence.
                own.append(child.text or "")
                visit(child)
            elif inner in ODF_FIELDS and (":text:" in child.tag or ":presentation:" in child.tag):
                fields.append("".join(child.itertext()))
            elif inner in ("note", "annotation", "frame", "custom-shape", "control", "ruby-text", "text-box", "g", "rect"):
                pass
            else:
                own.append(child.text or "")
                visit(child)
            own.append(child.tail or "")

    fields = []
    own.append(element.text or "")
    visit(element)
    yield None, "".join(own)
    for field in fields:
        yield None, field


REASONS["odf"] = ODF_ANY
READERS = {"docx": docx, "xlsx": xlsx, "pptx": pptx, "odt": odf, "ods": odf, "odp": odf}


def parts_of(path, suffixes=(".xml", ".vml")):
    found = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            if name.endswith(suffixes):
                try:
                    found[name] = ElementTree.fromstring(file.read(name))
                except ElementTree.ParseError:
                    # A part that programs cannot read shows nothing.
                    pass
    return found


# What programs read: the texts of these elements, and these attributes.
CODE_TEXTS = {"f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula", "sqref"}
CODE_ATTRIBUTES = set(
    "anchor bookmark condition embed formula href id instr link location macro name ref ref-name reference r sqref "
    "storeItemID Target TargetMode Type uri xpath".split()
)
# Smart tags and formatting may go with the run that has them.
NO_CODE = {"rPr", "smartTag", "attr", "rPrChange", "fitText", "font"}


def code_of(root):
    """Returns the code of a part, without the marks of translated words: (element, attribute, value), sorted."""
    found = []
    fields = ""
    for one in root.iter():
        name = local(one.tag)
        if name in ("instrText", "delInstrText"):
            fields += one.text or ""
        elif name in CODE_TEXTS:
            found.append((name, "", one.text or ""))
        if name not in NO_CODE:
            found += [(name, local(key), value) for key, value in one.attrib.items() if local(key) in CODE_ATTRIBUTES]
    return sorted((name, key, value.replace(MARK + " ", "")) for name, key, value in [*found, ("instrText", "", fields)])


def broken(source, result):
    """Lists the parts whose code differs, each with one difference."""
    before, after = parts_of(source, (".xml", ".vml", ".rels")), parts_of(result, (".xml", ".vml", ".rels"))
    differences = [[path, "part", ""] for path in sorted(set(before) ^ set(after))]
    for path in sorted(set(before) & set(after)):
        old, new = code_of(before[path]), code_of(after[path])
        if old != new:
            lost, added = Counter(old) - Counter(new), Counter(new) - Counter(old)
            differences.append([path, "code", str(sorted(lost + added)[0])[:200]])
    return differences


def visible(text):
    return len(re.sub(r"[\s\u00ad]", "", text))


def judge(source, result, kept):
    room = {}
    for one in kept:
        room[one["reason"]] = room.get(one["reason"], 0) + one["characters"]
    left = []
    kinds = {}
    for kind, text in READERS[source.rsplit(".", 1)[-1]](parts_of(result)):
        if not LETTER.search(text):
            continue
        count = kinds.setdefault(kind, [0, 0])
        count[0] += 1
        if MARK in text:
            count[1] += 1
            continue
        left.append((kind, text))
    # A long text is harder to place, so it comes first.
    lost = []
    for kind, text in sorted(left, key=lambda one: -visible(one[1])):
        need = visible(text)
        for reason in REASONS[kind]:
            used = min(need, room.get(reason, 0))
            if used:
                room[reason] -= used
                need -= used
        if need > 0:
            lost.append([kind, text[:120], need])
    return {"source": source, "kinds": kinds, "lost": lost, "broken": broken(source, result)}


def main():
    print(json.dumps([judge(**one) for one in json.load(sys.stdin)], ensure_ascii=False))


main()
