"""Prints the texts of files as JSON, read by parsers that are independent of the service.

Reads lines `<format>\t<path>` from the standard input, and prints one JSON line for each: a list of texts, or a string with
the error. PyYAML, python3-srt, python3-webvtt, markdown-it-py and the Translate Toolkit must be installed.
"""
import json
import plistlib
import re
import sys
import zipfile
from html.parser import HTMLParser
from xml.etree import ElementTree

import srt
import webvtt
import yaml
from markdown_it import MarkdownIt
from translate.storage import properties, pypo


class Loader(yaml.SafeLoader):
    pass


# Tags of programs, such as `!ruby/symbol`, have the value of their node.
Loader.add_multi_constructor('!', lambda loader, _, node: loader.construct_scalar(node))


def leaves(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for child in value.values() for text in leaves(child)]
    if isinstance(value, list):
        return [text for child in value for text in leaves(child)]
    return []


def read_po(path):
    texts = []
    for unit in pypo.pofile.parsefile(path).units:
        if unit.isheader() or unit.isobsolete() or not unit.source:
            continue
        texts += [str(form) for form in getattr(unit.target, 'strings', [unit.target])]
    return texts


def read_properties(path):
    store = properties.javautf8file() if is_utf8(path) else properties.javafile()
    with open(path, 'rb') as file:
        store.parse(file.read())
    return [unit.source for unit in store.units if unit.name]


def is_utf8(path):
    try:
        with open(path, encoding='utf-8') as file:
            file.read()
        return True
    except UnicodeDecodeError:
        return False


def read_android(path):
    root = ElementTree.parse(path).getroot()
    return [''.join(element.itertext()) for element in root.iter() if element.tag in ('string', 'item')]


def read_strings(path):
    store = properties.stringsutf8file()
    with open(path, 'rb') as file:
        content = file.read()
    if content[:2] in (b'\xff\xfe', b'\xfe\xff'):
        store = properties.stringsfile()
    store.parse(content)
    return [unit.source for unit in store.units if unit.name]


def texts_of(value):
    """The texts of a strings dictionary, without the types of its variables."""
    if not isinstance(value, dict):
        return leaves(value)
    return [text for key, child in value.items() if not key.endswith('TypeKey') for text in texts_of(child)]


def read_stringsdict(path):
    with open(path, 'rb') as file:
        return texts_of(plistlib.load(file))


def values(value):
    """The texts of a string catalog in a language."""
    if not isinstance(value, dict):
        return []
    own = [value['value']] if isinstance(value.get('value'), str) and 'state' in value else []
    return own + [text for child in value.values() for text in values(child)]


def read_xcstrings(path):
    catalog = json.loads(read_text(path))
    return [
        text
        for entry in catalog['strings'].values()
        for text in values(entry.get('localizations', {}).get('de', {}))
    ]


def read_xliff(path):
    root = ElementTree.parse(path).getroot()
    return [
        ''.join(element.itertext())
        for unit in root.iter()
        if unit.tag.split('}')[-1] in ('trans-unit', 'segment')
        for element in unit
        if element.tag.split('}')[-1] == 'target'
    ]


INLINE = set(
    'a abbr acronym area b bdi bdo big br cite code data del dfn em font i iframe img input ins kbd label map mark math meta '
    'link nobr picture q rb rp rt rtc ruby s samp script small source span strike strong style sub sup svg time tt u var wbr'
    .split()
)
HIDDEN = {'script', 'style', 'pre', 'template', 'code', 'kbd', 'samp', 'var', 'math', 'noscript', 'svg'}
VOID = set('area base br col embed hr img input link meta param source track wbr'.split())


class Page(HTMLParser):
    """The texts of blocks, and the attributes that readers see."""

    def __init__(self):
        super().__init__()
        self.texts = ['']
        self.attributes = []
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.end_block(tag)
        own = dict(attributes)
        classes = (own.get('class') or '').split()
        hidden = tag in HIDDEN or own.get('translate') == 'no' or 'notranslate' in classes
        hidden = (hidden or self.hidden()) and own.get('translate') != 'yes'
        if not hidden:
            self.attributes += [own[name] for name in ('alt', 'title', 'placeholder', 'aria-label') if own.get(name)]
        if tag not in VOID:
            self.open.append((tag, hidden))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        self.end_block(tag)
        if any(tag == name for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data):
        if not self.hidden():
            self.texts[-1] += data

    def hidden(self):
        return bool(self.open) and self.open[-1][1]

    def end_block(self, tag):
        if tag not in INLINE and '-' not in tag:
            self.texts.append('')


def read_html(text):
    page = Page()
    page.feed(text)
    page.close()
    return [text for text in page.texts + page.attributes if text.strip()]


markdown = MarkdownIt('commonmark', {'html': True}).enable(['table', 'strikethrough'])


def read_markdown(text):
    return read_html(markdown.render(re.sub(r'\A(---|\+\+\+)[ \t]*\r?\n.*?\n\1[ \t]*(\r?\n|\Z)', '', text, flags=re.S)))


OPENDOCUMENT = '{urn:oasis:names:tc:opendocument:xmlns:'


def own_text(element):
    """The text of a paragraph without that of frames, notes and comments in it."""
    parts = [element.text or '']
    for child in element:
        name = child.tag.removeprefix(OPENDOCUMENT)
        if name in ('text:1.0}span', 'text:1.0}a'):
            parts.append(own_text(child))
        elif name in ('text:1.0}tab', 'text:1.0}line-break', 'text:1.0}s'):
            parts.append(' ')
        parts.append(child.tail or '')
    return ''.join(parts)


def paragraphs(element, hidden=False):
    name = element.tag.removeprefix(OPENDOCUMENT)
    value = element.get(OPENDOCUMENT + 'office:1.0}value-type')
    if name == 'table:1.0}table-cell':
        hidden = hidden or element.get(OPENDOCUMENT + 'table:1.0}formula') or value not in (None, 'string')
    if name in ('style:1.0}header', 'style:1.0}footer'):
        hidden = False
    hidden = hidden or name in ('office:1.0}annotation', 'text:1.0}tracked-changes', 'style:1.0}master-page')
    texts = [own_text(element)] if name in ('text:1.0}p', 'text:1.0}h') and not hidden else []
    for child in element:
        texts += paragraphs(child, hidden)
    return texts


def read_opendocument(path):
    with zipfile.ZipFile(path) as file:
        parts = [name for name in ('content.xml', 'styles.xml') if name in file.namelist()]
        found = [text for name in parts for text in paragraphs(ElementTree.fromstring(file.read(name)))]
    return [text for text in found if text.strip()]


def read_text(path):
    with open(path, encoding='utf-8-sig', newline='') as file:
        return file.read()


readers = {
    'json': lambda path: leaves(json.loads(read_text(path))),
    'yaml': lambda path: leaves(list(yaml.load_all(read_text(path), Loader))),
    'po': read_po,
    'properties': read_properties,
    'srt': lambda path: [cue.content for cue in srt.parse(read_text(path))],
    'android': read_android,
    'strings': read_strings,
    'stringsdict': read_stringsdict,
    'xcstrings': read_xcstrings,
    'xliff': read_xliff,
    'html': lambda path: read_html(read_text(path)),
    'md': lambda path: read_markdown(read_text(path)),
    'odt': read_opendocument,
    'ods': read_opendocument,
    'odp': read_opendocument,
    'vtt': lambda path: [cue.raw_text for cue in webvtt.read(path)],
}

for line in sys.stdin:
    kind, path = line.rstrip('\n').split('\t', 1)
    try:
        print(json.dumps(readers[kind](path)))
    except Exception as error:  # The error is the result.
        print(json.dumps(f'{type(error).__name__}: {error}'[:200]))
    sys.stdout.flush()
