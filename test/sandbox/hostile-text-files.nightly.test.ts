import { afterAll, expect, test } from 'vitest';
import { type LayoutKind, layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { fileErrorOf, openFileWork } from '#server/platform/sandbox/file-work.ts';

const fileWork = openFileWork();
afterAll(() => fileWork.close());

/**
 * For each format: the beginning and the end of a file around a text, and pieces that are special in it, separated by
 * dots.
 */
const parts: Partial<Record<LayoutKind, { around: [begin: string, end: string]; pieces: string }>> = {
  json: {
    around: ['{"a": ', '}'],
    pieces:
      '[·{"a":·"·\\·"\\u0041·"a\\·1·-·e·,·"x": "y",·["a",·{"one": "a", "other": "b"},·' +
      '"{n, plural, one {·"{{{{·}·]· ·\n·null,',
  },
  yaml: {
    around: ['a:\n', '\n'],
    pieces: '[·{·- ·? ·: ·  ·\t·"·\'·| ·> ·&a ·*a ·!t ·# ·---\n·...\n· - a\n·%a\n·- &a [*a, *a, *a]\n',
  },
  txt: {
    around: ['a\n', '\nz'],
    pieces:
      '\n·\r\n·\r·\f·\u000b·\u0085·\u2028· ·\t· \n·a\n·1\n·a ·https://·mailto:a@b.c ·%(·{·<a·&amp;·' +
      'ß\u0301',
  },
  po: {
    around: ['msgid "a"\nmsgstr "', '"\n'],
    pieces:
      '\\·"·"\n"·\n·\\x41·\\777·msgid ""\n·msgstr[0] "a"\n·#·#, fuzzy\n·#| a\n·#~ msgid "a"\n·' +
      'msgctxt "·"a"\n· ·[·\r·\\"·msgid_plural "b"\n·\nmsgid "a"\nmsgstr ""\n',
  },
  properties: {
    around: ['a = ', '\n'],
    pieces: "\\·\\\n·\\u0041·\\u·=·:· ·#·!·\n·\r·'·''·{0}·{0, choice,·a=b\n·a\\ ·\f·\\=·k\n",
  },
  srt: {
    around: ['1\n00:00:01,000 --> 00:00:02,000\n', '\n'],
    pieces:
      '<·<i>·</i>·<i·{\\an8}·{\\·-->·\n·\n\n·- a\n·word ·1\n00:00:01,000 --> 00:00:02,000\nword\n\n·' +
      '00:·9·<b><i>· ·\r·&amp;·.·字',
  },
  vtt: {
    around: ['WEBVTT\n\n00:01.000 --> 00:02.000\n', '\n'],
    pieces:
      '<·<i>·</i>·<v ·<c.a.b.c>·<00:00:01.000>·-->·\n·\n\n·NOTE\n\n·STYLE\n·&amp;·&·' +
      '00:01.000 --> 00:02.000\nword\n\n·<b><i>·{·- a\n·<ruby><rt>· ·字',
  },
  android: {
    around: ['<resources><string name="a">', '</string></resources>'],
    pieces:
      '<·<a>·<a b="c"/>·</a>·"·\\·\'·&·&amp;·&#65;·<![CDATA[·<![CDATA[]]>·<!--·<!---->·<?a?>·]]>·' +
      '\ufdd01\ufdd1·%·</string><string name="b">x·\n',
  },
  strings: {
    around: ['"a" = "', '";'],
    pieces:
      '"·""·\\·\\U0041·/*·//·/**/·;·=·\n· ·\r·\'·%@·%#@a@·"; "a" = "b·"; a = b; "c" = "·é·\u2028·' +
      '{n, plural, one {',
  },
  stringsdict: {
    around: [
      '<plist><dict><key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>',
      '</string></dict></dict></plist>',
    ],
    pieces:
      '<·<string>·<a b="c"/>·</string>·</string><key>b</key><string>x·' +
      '</string><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>other</key><string>x·' +
      '</string><key>b</key><dict><key>c</key><string>x·' +
      '</string></dict></dict><dict><key>b</key><dict><key>c</key><string>·<dict>·<key>·&·&amp;·&a;·' +
      '<![CDATA[·<![CDATA[]]>·<!--·<!---->·]]>·%#@a@·%#@·\n',
  },
  xcstrings: {
    around: [
      '{"sourceLanguage":"en","strings":{"a":{"localizations":{"en":{"stringUnit":{"state":"new","value":"',
      '"}}}}}}',
    ],
    pieces:
      '"·\\·\\u0041·"}, "a": {"·{"a":·[·%#@a@·%arg·\n· ·"},"substitutions":{"·"},"variations":{"·é·' +
      "\ufdd01\ufdd1·}·]·,·%·1·'",
  },
  xliff: {
    around: [
      '<xliff version="1.2"><file source-language="en"><body><trans-unit id="a"><source>',
      '</source></trans-unit></body></file></xliff>',
    ],
    pieces:
      '<·<g id="1">·<g id="1">x</g>·<mrk mtype="seg" mid="1">x</mrk>·<bpt id="1"/>·<ept id="1"/>·' +
      '<x id="START_B"/>·<ph>·</source>·</source><target>·<note>·&amp;·&a;·<![CDATA[]]>·<!---->·<?a?>·' +
      ']]>·\ufdd01\ufdd1·\r·</source></trans-unit><trans-unit id="b"><source>x',
  },
  html: {
    around: ['<!DOCTYPE html><html><body><p>', '</p></body></html>'],
    pieces:
      '<·<div>·<span>·<b>a<p>·<b>a<i>b</b>c</i>·</b>·&amp·&·<%·a{{a}}·a<!--·<img>b·<img alt="a1">b·' +
      '<table>a<tr>b·<svg><title>·<select><option>·<template>·<textarea>·<a ·<br>·%(',
  },
  md: {
    around: ['---\ntitle: a\n---\n\n', '\n'],
    pieces:
      '*a·_·`·[·](·![·> ·- ·1. a\n·|·| a ·|-|\n·# ·<·<A>·{·\\·$·[^a]: ·&amp;·_a* **b__ ·[a](·$a ·$$\n·' +
      '<!--·{{<·|a|b|\n·<A>{a·<A>\n·a\n: b\n·!!! a "b"\n    c\n·a\n     === "b"\n\n·[[a|b]]·[[a|·' +
      '[a]{.b}·[a]{.b·[a][bcd]·{ #a }·\n',
  },
};

/** Characters of a hostile file. Time in proportion to the square of the length is minutes at this length. */
const length = 250_000;
/** Maximum milliseconds for a file, on a machine that does other work, too. */
const longest = 20_000;

const repeat = (piece: string): string => piece.repeat(Math.floor(length / piece.length));
const listed = (count: number, item: (at: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(separator);
const nested = (depth: number, marker: string): string =>
  listed(depth, (at) => `${' '.repeat(at * marker.length) + marker}a`, '\n');
const attributes = (count: number): string => listed(count, (at) => `a${at}="b"`, ' ');

/** Files that are not the repetition of one piece. */
const files: Partial<Record<LayoutKind, Record<string, string>>> = {
  android: { 'many attributes': `<resources ${attributes(25_000)}/>` },
  stringsdict: { 'many attributes': `<plist ${attributes(25_000)}/>` },
  xliff: { 'many attributes': `<xliff ${attributes(25_000)}/>` },
  xcstrings: {
    'many strings': `{"sourceLanguage":"en","strings":{${listed(20_000, (at) => `"k${at} x":{}`, ',')}}}`,
  },
  html: {
    'many attributes': `<p ${attributes(25_000)}>`,
    'a long attribute': `<p title="${repeat('a ')}">a`,
  },
  md: {
    'nested quotes on many lines': repeat(`${'>'.repeat(99)}a\n`),
    'nested lists': nested(500, '- '),
    'lists nested up to the limit': repeat(`${nested(90, '- ')}\n\n`),
    'nested definitions': nested(500, ': '),
    'definitions nested up to the limit': repeat(`${nested(90, ': ')}\n\n`),
    'nested admonitions': nested(500, '!!! '),
    'emphasis in many paragraphs': repeat(`${'a*'.repeat(200)}\n\n`),
    'nested emphasis': `${'*a **b '.repeat(300)}${'** *'.repeat(300)}`,
    'backticks of all lengths': listed(1500, (at) => '`'.repeat(at), ' '),
    'many rows': `|a|b|\n|-|-|\n${repeat('|a|b|\n')}`,
    'many definitions': listed(30_000, (at) => `[a${at}]: b\n`),
    modules: `import a from 'b'\n\n${repeat('{')}`,
    'front matter': `---\n${repeat('[')}\n---\n`,
    'aliases in front matter': `---\na: &a [x]\n${listed(40, (at) => `b${at}: &b${at} [*a, *a, *a, *a]\n`)}---\n`,
    terms: `${repeat('a\n')}: b`,
    'a directive of spaces': `::: a${repeat(' ')}b`,
    'links to headings': `${repeat('# A\n\n')}${repeat('[a](#a-1) [[#a]]\n\n')}`,
  },
};

/** Fifty hostile files of a format. */
function hostile(kind: LayoutKind): [name: string, content: Uint8Array][] {
  const format = kind === 'mdx' ? 'md' : kind;
  const [begin, end] = parts[format]!.around;
  const pieces = parts[format]!.pieces.split('·');
  const long = pieces.map((piece): [string, string] => [
    `${JSON.stringify(piece)} repeated`,
    begin + repeat(piece) + end,
  ]);
  const alone = pieces.map((piece): [string, string] => [
    `only ${JSON.stringify(piece)} repeated`,
    repeat(piece),
  ]);
  const texts: [string, string][] = [
    ...long,
    ...alone,
    ['nothing', ''],
    ['the beginning', begin],
    ['all pieces', begin + repeat(pieces.join('')) + end],
    ['one long word', begin + repeat('a') + end],
    ['NUL', `${begin}\0${end}`],
    ...Object.entries(files[format] ?? {}),
    ['control characters', `${begin}\u0001\u0007\u001b\u0085${end}`],
  ];
  const bytes = texts.map(([name, text]): [string, Uint8Array] => [name, new TextEncoder().encode(text)]);
  return [
    ...bytes,
    ['half of a character', new Uint8Array([...new TextEncoder().encode(begin), 0xe2, 0x82])],
    ['UTF-16 with half of a pair', new Uint8Array([0xff, 0xfe, 0x00, 0xd8])],
    ['UTF-32', Buffer.from(`\u0000${begin}`, 'utf16le')],
    ['a zip', new Uint8Array([0x50, 0x4b, 3, 4, ...new Array(1000).fill(7)])],
  ];
}

const textKinds = layoutKindNames.filter(
  (kind) => layoutKinds[kind].places === 'line' && layoutKinds[kind].reader !== 'office',
);

test.each(textKinds)(
  '%s: fifty hostile files are refused or read within the limits of the sandbox',
  { timeout: 900_000 },
  async (kind) => {
    const files = hostile(kind);
    expect(files.length).toBeGreaterThanOrEqual(50);
    const languages = { sourceLanguage: 'en', targetLanguage: 'ru' };
    const slow: [string, number][] = [];
    // Each file is of another workspace: the next file of a workspace with a hostile one is deferred.
    for (const [at, [name, bytes]] of files.entries()) {
      const scope = { tenantId: `${kind} ${at}` };
      const started = performance.now();
      const extracted = await fileWork
        .run('extract_document', { format: kind, bytes, languages }, scope)
        .catch((error: unknown) => {
          const refused = fileErrorOf(error);
          if (!refused) throw new Error(`${name}: ${String(error)}`, { cause: error });
          return { refused: refused.reason, message: refused.message };
        });
      const milliseconds = performance.now() - started;
      if (milliseconds > 3000) slow.push([name, milliseconds]);
      if ('refused' in extracted) expect(extracted.message.length).toBeGreaterThan(10);
      else {
        expect([name, extracted.outcome?.unaccounted]).toEqual([name, 0]);
        const translations = extracted.segments
          .slice(0, 10)
          .map(({ regionId, cellId }) => ({ regionId, cellId, target: ['x'] }));
        const rebuilt = await fileWork.run(
          'rebuild_document',
          { format: kind, bytes, translations, options: languages },
          scope,
        );
        expect([name, 'refused' in rebuilt]).toEqual([name, false]);
      }
    }
    if (slow.length > 0)
      console.warn(
        `${kind}: took more than 3 s: ${slow.map(([name, ms]) => `${name} ${Math.round(ms)} ms`).join(', ')}`,
      );
    expect(slow.filter(([, ms]) => ms > longest)).toEqual([]);
  },
);
