import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { casesOf } from '../cases.ts';
import { hasNoCode, textsOf } from './texts.ts';
import { toolkit, unitsOf } from './toolkit.ts';

const first = (units: string, attributes = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en"${attributes} datatype="plaintext" original="a">
    <body>
${units}
    </body>
  </file>
</xliff>
`;

const second = (units: string, attributes = '') =>
  `<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0" srcLang="en"${attributes}>
 <file id="f">
  <slr:profiles generalProfile="xliff:codepoints"/>
${units}
 </file>
</xliff>
`;

const unit = (content: string, attributes = '') => `      <trans-unit id="u"${attributes}>
        ${content}
      </trans-unit>`;

const segment = (content: string, attributes = '', ofUnit = '') =>
  `  <unit id="u"${ofUnit}>\n   <segment${attributes}>\n    ${content}\n   </segment>\n  </unit>`;

const forms = (...units: string[]) =>
  first(`<group restype="x-gettext-plurals" id="n">
${units.map((content, at) => unit(content).replace('"u"', `"n[${at}]"`)).join('\n')}
</group>`);

/** The single translated unit of a pseudo-translated file. */
const pseudoOf = async (file: string, of: RegExp) => of.exec(await textsOf('xliff', file).pseudo())?.[0];
const pseudoUnit = async (content: string, attributes = '') =>
  (await pseudoOf(first(unit(content, attributes)), /<trans-unit[\s\S]*<\/trans-unit>/))
    ?.split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
    .join('');
const pseudoSegment = async (content: string, attributes = '') =>
  (await pseudoOf(second(segment(content, attributes)), /<segment[\s\S]*<\/segment>/))
    ?.split('\n')
    .map((line) => line.trim())
    .join('');

describe('XLIFF 1.2', () => {
  test.each<[string, string[], string]>(casesOf('xliff.yaml', 'XLIFF 1.2: a subflow in a code is a text'))(
    'a subflow in a code is a text: %s',
    async (content, texts, expected) => {
      const file = first(unit(`<source>${content}</source>`));
      const own = textsOf('xliff', file);
      expect(await own.texts()).toEqual(texts);
      const { segments, outcome } = await own.extract();
      expect(outcome?.unaccounted).toBe(0);
      expect(segments[1]!.context).toMatch(/^in “/);
      expect(await pseudoUnit(`<source>${content}</source>`)).toBe(
        `<source>${content}</source><target state="translated">${expected}</target>`,
      );
    },
  );

  test.each<[string, string]>(casesOf('xliff.yaml', 'XLIFF 1.2'))('%s', async (content, translated) => {
    expect(await pseudoUnit(content)).toBe(translated);
  });

  test.each([
    ['<source>A</source><target>B</target>', ''],
    ['<source>A</source><target state="translated">A</target>', ''],
    ['<source>A</source><target state="final"/>', ''],
    ['<source>A</source><target state="signed-off">A</target>', ''],
    ['<source>A</source><target>A</target>', ' approved="yes"'],
    ['<source>A</source>', ' translate="no"'],
    ['<source><x id="1"/> 12</source>', ''],
  ])('keeps %s%s', async (content, attributes) => {
    expect(await pseudoUnit(content, attributes)).toBe(content);
    const { outcome } = await textsOf('xliff', first(unit(content, attributes))).extract();
    expect(outcome).toMatchObject({ unaccounted: 0, kept: [{ texts: 1 }] });
  });

  test('has the plural forms of the target language in messages, with their codes', async () => {
    const source =
      '{VAR_PLURAL, plural, =0 {just now} one {a <x id="START_B"/>minute<x id="CLOSE_B"/>} other {<x id="I" equiv-text="{{n}}"/> minutes}}';
    const { text } = await textsOf('xliff', first(unit(`<source>${source}</source>`)), 'ru').rebuild(
      ({ source }) => ['[', ...source, ']'],
    );
    const target = text.slice(text.indexOf('<target')).split('\n')[0];
    expect(target).toBe(
      '<target state="translated">{VAR_PLURAL, plural, =0 {[just now]} one {[<x id="I" equiv-text="{{n}}"/> minutes]} few {[<x id="I" equiv-text="{{n}}"/> minutes]} many {[<x id="I" equiv-text="{{n}}"/> minutes]} other {[<x id="I" equiv-text="{{n}}"/> minutes]}}</target>',
    );
  });

  test('marks translations that need a review, and names those that are too long', async () => {
    const file = first(unit('<source>Hello</source>', ' maxwidth="5" size-unit="char"'));
    const { text, findings } = await textsOf('xliff', file).rebuild(
      () => ['Guten Tag'],
      () => true,
    );
    expect(text).toContain('<target state="needs-review-translation">Guten Tag</target>');
    expect(findings).toEqual([
      {
        code: 'text_too_long',
        severity: 'warning',
        message: 'the translation has 9 characters; the file allows 5',
        unitId: 't1',
      },
    ]);
    expect((await textsOf('xliff', file).rebuild(() => ['Hallo'])).findings).toEqual([]);
    const plural = file.replace('Hello', '{n, plural, one {a} other {b}}');
    expect((await textsOf('xliff', plural).rebuild(() => ['Hallo'])).findings).toEqual([]);
  });
});

describe('XLIFF 2', () => {
  test.each<[string, string, string]>(casesOf('xliff.yaml', 'XLIFF 2'))(
    '%s',
    async (content, translated, attributes) => {
      const written = (await pseudoSegment(content, attributes))!.replace(/><source/g, '><source');
      expect(written).toBe(translated);
    },
  );

  test.each([
    ['<source>A</source><target>B</target>', ''],
    ['<source>A</source><target>A</target>', ' state="translated"'],
    ['<source>A</source><target>B</target>', ' state="reviewed"'],
    ['<source>A</source>', ' state="final"'],
  ])('keeps %s%s', async (content, attributes) => {
    expect(await pseudoSegment(content, attributes)).toBe(`<segment${attributes}>${content}</segment>`);
  });

  test('marks translations that need a review, and names those that are too long', async () => {
    const file = second(segment('<source>Hello</source>', '', ' slr:sizeRestriction="0,5"'));
    const { text, findings } = await textsOf('xliff', file).rebuild(
      () => ['Guten Tag'],
      () => true,
    );
    expect(text).toContain('<segment state="translated" subState="lingualoop:needs_review">');
    expect(findings).toMatchObject([{ code: 'text_too_long' }]);
  });
});

test('XLIFF survives any text as a translation', async () => {
  const file = textsOf('xliff', first(unit('<source>x</source>')));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (translation) => {
      fc.pre(/\p{L}/u.test(translation) && translation.trim() === translation && hasNoCode(translation));
      // An identifier, such as `0_A`, is not a text.
      const { text } = await file.rebuild(() => [`a ${translation}`]);
      const read = text
        .replace(/<source>.*<\/source>/, '')
        .replace(/target( state="translated")?>/g, 'source>');
      const expected = `a ${translation}`.replace(
        /[^\t\n\r\u0020-\ufdcf\ufdd3-\ufffd\u{10000}-\u{10ffff}]/gu,
        '',
      );
      expect(await textsOf('xliff', read).texts()).toEqual([expected]);
    }),
    { numRuns: 200 },
  );
});

describe.skipIf(!toolkit)('the Translate Toolkit', () => {
  test('reads the targets of XLIFF 1.2', async () => {
    const texts = fc.sample(
      fc
        .string({ unit: fc.constantFrom(...'aé日 \'"<>&]😀') })
        .filter(
          (text) => /\p{L}/u.test(text) && text.trim() === text && !/ {2}/.test(text) && hasNoCode(text),
        ),
      100,
    );
    const source = first(texts.map((_, at) => unit(`<source>x${at}</source>`)).join('\n'));
    const { text } = await textsOf('xliff', source).rebuild((_, at) => [texts[at]!]);
    expect(unitsOf('xliff.xlifffile', text).map(([, read, target]) => [read, target])).toEqual(
      texts.map((one, at) => [`x${at}`, one]),
    );
  });
});

test.skipIf(!toolkit)('lxml reads each text of XLIFF 2 once', async () => {
  const text = await textsOf(
    'xliff',
    second([1, 2, 3].map((at) => segment(`<source>T<ph id="1"/>ext ${at}</source>`)).join('\n')),
  ).pseudo();
  const script = `
import json, sys
from lxml import etree
root = etree.parse(sys.stdin.buffer).getroot()
print(json.dumps([''.join(e.itertext()) for e in root.iter('{*}target')]))`;
  const read = execFileSync(toolkit as string, ['-c', script], { input: text, encoding: 'utf8' });
  expect(JSON.parse(read)).toEqual(['[Text 1]', '[Text 2]', '[Text 3]']);
});

describe('a group of plural forms', () => {
  const sources = ['<source>A <x id="1"/>day</source>', '<source><x id="1"/> days</source>'];

  test('gets the forms of the target language', async () => {
    const own = textsOf('xliff', forms(...sources), 'pl');
    const { segments, outcome } = await own.extract();
    expect(segments.map(({ variant }) => variant)).toEqual(['cardinal one', 'cardinal few', 'cardinal many']);
    expect(segments[2]!.context).toBe('plural form “many”, for numbers such as 0, 5, 6, 7, 8');
    expect(outcome).toMatchObject({ unaccounted: 0 });
    const written = await own.pseudo();
    expect(written).toBe(
      forms(
        ...[sources[0]!, sources[1]!, sources[1]!].map((source) => {
          const target = source
            .replace('>', ' state="translated">[')
            .replace('</', ']</')
            .replaceAll('source', 'target');
          return `${source}\n        ${target}`;
        }),
      ).replace('original="a"', 'original="a" target-language="pl"'),
    );
    // Its translations stay.
    const again = await textsOf('xliff', written, 'pl').extract();
    expect(again.segments).toEqual([]);
  });

  test.each([
    ['de', forms(...sources), ['cardinal one', 'cardinal other']],
    ['ja', forms(...sources), [undefined, undefined]],
    ['pl', forms(...sources, sources[1]!), ['cardinal one', 'cardinal few', 'cardinal many']],
    ['pl', forms(...sources, ...sources), [undefined, undefined, undefined, undefined]],
    ['pl', forms(...sources).replace('n[1]', 'n[other]'), [undefined, undefined]],
  ])('in %s', async (language, file, expected) => {
    const { segments } = await textsOf('xliff', file, language).extract();
    expect(segments.map(({ variant }) => variant)).toEqual(expected);
  });
});
