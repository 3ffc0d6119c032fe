import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { parse, serialize } from 'parse5';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import * as html from '#server/formats/html-document.ts';
import { eachString, marked, segmentsOf, textsOf, translate, unchanged } from './markup-files.ts';

describe('the texts of an HTML file', () => {
  it.each<[string, string, string[]]>([
    ['inline elements are tags', '<p>Hello <b>big</b> <i>w</i></p>', ['Hello <1>big</1> <2>w</2>']],
    ['blocks are texts', '<h1>A</h1><p>B<li>C<td>D', ['A', 'B', 'C', 'D']],
    ['code is a void tag', '<p>Run <code>npm i</code> now', ['Run <1/> now']],
    ['code at the edge belongs to the sentence', '<p><code>x</code> is a number', ['<1/> is a number']],
    ['a tag that the end of the file cuts off is no text', 'See &amp; read<a href="x', ['See & read']],
    ['a comment after text directly in a table is read once', '<table>a<!-- c -->b</table>', ['a<1/>b']],
    ['pictures and comments at the edge do not', '<p><img src=a> Yes <!-- no --></p>', ['Yes']],
    ['line breaks are void tags', '<p>one<br>\n  two<br/>three', ['one<1/>two<2/>three']],
    ['two line breaks separate texts', '<p>one<br> <br>two', ['one', 'two']],
    ['a pair around a text is not needed', '<p><b><a href=x>Go</a></b></p>', ['Go']],
    ['a link around blocks', '<a href=x><h2>A</h2><p>B</p></a>', ['A', 'B']],
    ['tags that overlap separate texts', '<p>a <b>b <i>c</b> d</i> e', ['a', 'b', 'c', 'd', 'e']],
    ['tags that are not closed separate texts', '<p>a <b>b</p><p>c</p>', ['a', 'b', 'c']],
    [
      'pre, script, style and templates stay',
      '<pre>a</pre><script>b</script><style>c</style><template>d</template>',
      [],
    ],
    ['translate="no" stays', '<p translate="no">a</p><div class="x notranslate"><p>b</div>', []],
    ['translate="no" in a sentence', '<p>Buy <span translate=no>Acme Tea</span> now', ['Buy <1/> now']],
    ['translate="yes" inside', '<div translate=no>a<p translate=yes>b</p></div>', ['b']],
    [
      'attributes',
      '<img alt="A" title=B><input placeholder=\'C\'><a aria-label="D"></a>',
      ['A', 'B', 'C', 'D'],
    ],
    [
      'values of buttons only',
      '<input type=submit value=Go><input value=no><input type=text value=no>',
      ['Go'],
    ],
    [
      'options and their labels',
      '<select><optgroup label=A><option value=x>B<option>C</select>',
      ['A', 'B', 'C'],
    ],
    ['the title of a frame', '<iframe title="A b">C</iframe><iframe class=notranslate title=D>', ['A b']],
    [
      'the head',
      '<title>A &amp; B</title><meta name=description content=C><meta property="og:title" content="D"><meta name=viewport content=no>',
      ['A & B', 'C', 'D'],
    ],
    [
      'references are decoded',
      '<p title="&quot;x&quot; &copy=1">&lt;a&gt; &eacute;&nbsp;b</p>',
      ['"x" &copy=1', '<a> é\u00a0b'],
    ],
    ['white space is one space', '<p>\n  one\n\ttwo  <b> three</b>\n</p>', ['one two <1> three</1>']],
    ['lines of a textarea', '<textarea>one\ntwo  three</textarea>', ['one', 'two three']],
    [
      'template code',
      '<p>Hi {{ name }}, {% if a %}yes{% else %}no{% endif %} <?= $x > 1 ?> d<?php if ($a > 1): ?>e',
      ['Hi <1/>,', 'yes', 'no', '<1/> d', 'e'],
    ],
    [
      'template code that compares values',
      '<p {% if a > 1 %}class="b"{% endif %}>{% if a < 2 && b >= c %}yes{% endif %} {{ a > b }} f {% x <b>g</b>',
      ['yes', '<1/> f {% x <2>g</2>'],
    ],
    [
      'template code in an attribute',
      '<img alt="Photo of {{ name }}"><img alt="{{ x }}">',
      ['Photo of <1/>'],
    ],
    [
      'empty elements are one void tag',
      '<p>A <i class=icon></i> B <x-icon></x-icon> C <svg><path/></svg> D',
      ['A <1/> B <2/> C <3/> D'],
    ],
    ['texts of pictures', '<svg><title>A</title><text>B</text></svg>', ['A', 'B']],
    ['formulas stay', '<p>Since <math><mi>x</mi></math> is odd', ['Since <1/> is odd']],
    ['numbers and addresses stay', '<p>12</p><p>https://example.com/a</p><p>—</p>', []],
    [
      'conditional comments',
      '<!--[if IE]><p>a</p><![endif]--><p>b <![if !IE]>c<![endif]></p><!--[if !mso]><!-->d<!--<![endif]-->',
      ['a', 'b', 'c', 'd'],
    ],
    [
      'conditional comments of mails',
      '<!--[if mso]><xml><w:View>Normal</w:View></xml><style>a {content: "b c"}</style><![endif]--><!--[if mso | IE]><table><tr><td><![endif]-->d<!--[if mso]></td></tr><tr><td><img alt="E"><b>F</b> {{ g }} h</td></tr></table><![endif]-->',
      ['d', 'E', '<1>F</1> <2/> h'],
    ],
    [
      'what only looks like a conditional comment',
      '<!-- [if mso]>a<![endif] --><script>"<!--[if mso]>b<![endif]-->"</script><div translate=no><!--[if mso]>c<![endif]--></div>',
      [],
    ],
    ['attributes of custom elements', '<x-tab label="A b" text="c-d" icon="e f"></x-tab>', ['A b']],
    [
      'scripts that XML closes',
      '<?xml version="1.0"?><html xmlns="x"><head><script src="a"/><title/></head><body><p>b <a id="c"/>d</p></body></html>',
      ['b <1/>d'],
    ],
  ])('%s', async (_, file, texts) => {
    expect(await textsOf(html, file)).toEqual(texts);
    expect(await translate(html, file, unchanged)).toBe(file.replace('<html xmlns', '<html lang="en" xmlns'));
  });

  it('have the kind of their block, and the line and attribute as their place', async () => {
    const file = '<h2>A</h2>\n<table><tr><th>B<td><b>C</b></table>\n<p>D <img alt="E"> f';
    const found = (await segmentsOf(html, file)).map(({ kind, place }) => `${kind}: ${place}`);
    expect(found).toEqual([
      ...['heading: line 1', 'table_cell: line 2', 'table_cell: line 2', 'paragraph: line 3'],
      'text_block: line 3, img alt',
    ]);
  });
});

describe('a translated HTML file', () => {
  it.each<[string, string, string]>([
    ['text', '<p>a</p>', '<p>&lt;1> &amp;amp; "</p>'],
    ['a value', '<p title="a">1', '<p title="&lt;1> &amp;amp; &quot;">1'],
    ['a value in other quotes', "<p title='a'>1", "<p title='&lt;1> &amp;amp; \"'>1"],
    ['a value without quotes', '<p title=a>1', '<p title="&lt;1> &amp;amp; &quot;">1'],
  ])('escapes only what is necessary in %s', async (_, file, expected) => {
    expect(await translate(html, file, () => ['<1> &amp; "'])).toBe(expected);
  });

  it('keeps attributes and texts of tags that move', async () => {
    const file = '<p>See <a href="x" title="Go">it <img alt="Pic"></a> in\n  <code>a  b</code>\n  now</p>';
    expect(
      await translate(html, file, (source) => (source.length < 2 ? ['T'] : [...source].reverse().map(flip))),
    ).toBe('<p> now<code>a  b</code> in <a href="x" title="T"><img alt="T">it </a>See </p>');
  });

  it('rewrites only what has changed', async () => {
    const file = '<p>a\n  b &copy; <img alt="c"></p><p>d\n&copy;</p>';
    expect(
      await translate(
        html,
        file,
        eachString((text) => (text === 'c' ? 'C' : text)),
      ),
    ).toBe(file.replace('"c"', '"C"'));
  });

  it('has the references of the file, and those that its encoding needs', async () => {
    const write = (file: string) => translate(html, file, () => ['ä\u00a0€']);
    expect(await write('<p>a&#160;b</p>')).toBe('<p>ä&#160;€</p>');
    expect(await write('<meta charset="iso-8859-1"><p>a</p>')).toBe(
      '<meta charset="iso-8859-1"><p>&#228;&#160;&#8364;</p>',
    );
  });

  it.each([
    ['<html>', 'fr', '<html lang="fr">'],
    ['<html lang="en-GB">', 'en', '<html lang="en-GB">'],
    ["<HTML class=a lang='en' xml:lang=en>", 'pt-BR', '<HTML class=a lang=\'pt-BR\' xml:lang="pt-BR">'],
    ['<html lang="en">', 'ar', '<html dir="rtl" lang="ar">'],
    ['<html lang="ar" dir="rtl">', 'de', '<html lang="de" dir="ltr">'],
    ['<html lang="{{ lang }}">', 'de', '<html lang="{{ lang }}">'],
    ['<meta property="og:locale" content="en_US">', 'fr', '<meta property="og:locale" content="fr_FR">'],
    ['<meta property="og:locale" content="en_US">', 'zh-Hant', '<meta property="og:locale" content="zh_TW">'],
    [
      "<meta http-equiv='Content-Language' content='en'>",
      'pt-BR',
      "<meta http-equiv='Content-Language' content='pt-BR'>",
    ],
    [
      '<meta name="language" content="English words">',
      'fr',
      '<meta name="language" content="English words">',
    ],
    ['<meta name="language" content="fr-FR">', 'fr', '<meta name="language" content="fr-FR">'],
    ['<p>a</p>', 'ar', '<p>a</p>'],
  ])('declares its language: %s in %s', async (file, language, expected) => {
    expect(await translate(html, file, unchanged, language)).toBe(expected);
  });
});

const flip = <T>(item: T): T =>
  typeof item === 'object' && item !== null && 'type' in item && item.type !== 'void'
    ? { ...item, type: item.type === 'open' ? 'close' : 'open' }
    : item;

/** The elements and texts of a file, without white space. */
const structureOf = (file: string): string => serialize(parse(file)).replace(/\s+/g, '');

const pieces = fc.constantFrom(
  ...'a,B c,&amp;,&,<,>,<b>,</b>,<i>,</i>,<p>,</p>,<td>,<table>,</table>,<a href="x" title="t">,</a>,<br>,<img alt=x>,<!-- c -->,<!,<code>'.split(
    ',',
  ),
  ...'</code>,<svg>,</svg>,<title>,</title>,<pre>,</pre>,<script>,</script>,{{ x }},{%if%},<?php,?>,<![CDATA[,]]>,</>,\n,"'.split(
    ',',
  ),
  ...'<template>,</template>,<x-y>,</x-y>,<select>,<option>,<textarea>,<span translate=no>,</span>,<html lang=en>,<body>,<math>,<frameset>'.split(
    ',',
  ),
);

describe('any HTML', () => {
  it('keeps its bytes without translations, and its markup with them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (parts) => {
        const file = parts.join('');
        expect(await translate(html, file, unchanged)).toBe(file);
        const translated = await translate(html, file, marked);
        expect(structureOf(translated.replaceAll('§', ''))).toBe(structureOf(file));
        expect(translated.replaceAll('§', '').length).toBeGreaterThanOrEqual(file.replace(/\s/g, '').length);
      }),
      { numRuns: 400, examples: [[['<svg>', '<![CDATA[', '{%if%}', 'a', '<span translate=no>']]] },
    );
  });

  it('is read, or rejected with a FileError', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), async (content) => {
        const bytes = typeof content === 'string' ? Buffer.from(content) : content;
        await html.extract(bytes).catch((error) => expect(error).toBeInstanceOf(FileError));
      }),
    );
  });
});

const reader = `
import sys, json
from html.parser import HTMLParser
class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.texts = []
        self.hidden = 0
    def handle_starttag(self, tag, attrs):
        if tag in ('script', 'style', 'pre', 'code'): self.hidden += 1
        self.texts += [value for name, value in attrs if name in ('alt', 'title', 'placeholder', 'aria-label')]
    def handle_endtag(self, tag):
        if tag in ('script', 'style', 'pre', 'code'): self.hidden -= 1
    def handle_data(self, data):
        if not self.hidden: self.texts.append(data)
reader = Reader()
reader.feed(sys.stdin.read())
print(json.dumps([' '.join(text.split()) for text in reader.texts if text.strip()]))
`;
const python = spawnSync('python3', ['--version']);
if (python.error) console.log('The parser of Python was not compared: python3 is not installed.');

it.skipIf(python.error)('changes each text once, as another parser sees it', async () => {
  const file = `<!DOCTYPE html><html lang="en"><head><title>Our shop</title><style>p { color: red }</style></head>
    <body><h1>Welcome &amp; hello</h1><p>Buy <b>fresh</b> tea<br>at <a href="/x" title="The shop">our shop</a>.</p>
    <ul><li>One <i>small</i> cup</li><li><img src="a" alt="A cup"> Large</li></ul><pre>a b</pre><script>let a = 1;</script></body></html>`;
  const read = (text: string): string[] =>
    JSON.parse(spawnSync('python3', ['-c', reader], { input: text, encoding: 'utf8' }).stdout);
  const expected = read(file).map((text) => text.replaceAll(/\p{L}+/gu, '$&§'));
  expect(read(await translate(html, file, marked))).toEqual(expected);
});
