import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { parse, serialize } from 'parse5';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import * as html from '#server/formats/html-document.ts';
import { casesOf } from './cases.ts';
import { eachString, marked, segmentsOf, textsOf, translate, unchanged } from './markup-files.ts';

describe('the texts of an HTML file', () => {
  it.each<[string, string, string[]]>(casesOf('html-document.yaml', 'the texts of an HTML file'))(
    '%s',
    async (_, file, texts) => {
      expect(await textsOf(html, file)).toEqual(texts);
      expect(await translate(html, file, unchanged)).toBe(
        file.replace('<html xmlns', '<html lang="en" xmlns'),
      );
    },
  );

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

  it.each<[string, string, string]>(
    casesOf('html-document.yaml', 'a translated HTML file: declares its language: in'),
  )('declares its language: %s in %s', async (file, language, expected) => {
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
        expect(translated.replaceAll('§', '').length).toBeGreaterThanOrEqual(file.replace(/\s/g, '').length);
        // A parser reads elements in PHP code, and ignores a frameset after a text.
        if (/<frameset>|<\?php/.test(file)) return;
        expect(structureOf(translated.replaceAll('§', ''))).toBe(structureOf(file));
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
