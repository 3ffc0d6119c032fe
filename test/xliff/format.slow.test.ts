import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InlineContent, joinStrings } from '#server/formats/inline-content.ts';
import {
  contentOfTags,
  tagsOfContent,
  type XliffCode,
  type XliffContent,
  xliffStates,
} from '#server/formats/xliff/content.ts';
import { readXliff } from '#server/formats/xliff/reader.ts';
import {
  type XliffUnit,
  xliffFileHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { checkXliff } from './core-rules.ts';

const head = { sourceLang: 'en', targetLang: 'ar' };

function write(units: readonly XliffUnit[], id = 'f1'): string {
  const file = xliffFileHead({ id, original: 'a "file" & more.docx' }, { source: false, target: true });
  return xliffHead(head) + file + units.map(xliffUnit).join('') + xliffFileTail + xliffTail;
}

const read = (xliff: string, id = 'f1') => readXliff(Buffer.from(xliff), id);

const unitOf = (fields: Partial<XliffUnit>): XliffUnit => ({
  id: 's0',
  version: 'v',
  state: 'translated',
  notes: [],
  source: ['Hello'],
  target: ['Salut'],
  ...fields,
});

/**
 * Any text that the database can store: without NUL, and with surrogates only in pairs. Many of its characters are
 * special in XML, or a reader might change them.
 */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...'< & ]]> &amp; <1> \u0001 \u001f \ufffe \u007f \u202e é e\u0301 𝒳 مرحبا'.split(' '),
        ...[' ', '\n', '\r', '\t', '\r\n', '\u0085', '\u2028'],
      ),
    ),
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((one) => one.isWellFormed());

const code = (id: string): fc.Arbitrary<XliffCode> => text.map((data) => ({ type: 'void', id, data }));

/** A text with well-nested codes. */
const content: fc.Arbitrary<XliffContent> = fc
  .tuple(text, code('1'), text, text, code('2'), text, text)
  .map(
    ([before, one, open, inside, two, close, after]): XliffContent => [
      before,
      one,
      { type: 'open', id: '3', data: open },
      inside,
      two,
      { type: 'close', id: '3', data: close },
      after,
    ],
  )
  .map((items) => items.filter((item) => item !== ''));

/** A reviewer's text, which may be missing. An empty text counts as missing. */
const target = fc.option(content);

describe('what is written and read', () => {
  test('is the same: texts, codes, versions, states', () => {
    const unit = fc.record({
      version: fc.stringMatching(/^[!-~]{1,30}$/),
      state: fc.constantFrom(...xliffStates),
      notes: fc.array(text, { maxLength: 3 }),
      name: text,
      source: content,
      target,
    });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 5 }), (units) => {
        const given = units.map((one, index) => ({ ...one, id: `s${index}` }));
        const xliff = write(given);
        expect(read(xliff)).toMatchObject({
          ...head,
          units: given.map(({ id, version, state, source, target }) => ({
            id,
            version,
            state,
            source,
            target,
          })),
        });
        expect(checkXliff(xliff)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('is the same in UTF-16', () => {
    fc.assert(
      fc.property(content, (source) => {
        const bytes = Buffer.from(`\ufeff${write([unitOf({ source, target: source })])}`, 'utf16le');
        expect(readXliff(bytes, 'f1').units[0]).toMatchObject({ source, target: source });
      }),
      { numRuns: 50 },
    );
  });

  test('is one file of several, by its id', () => {
    const file = (id: string, word: string) =>
      xliffFileHead({ id, original: id }, { source: false, target: false }) +
      xliffUnit(unitOf({ source: [word] })) +
      xliffFileTail;
    const xliff = xliffHead(head) + file('a', 'One') + file('b', 'Two') + xliffTail;
    expect(['a', 'b'].map((id) => read(xliff, id).units.map(({ source }) => source))).toEqual([
      [['One']],
      [['Two']],
    ]);
    expect(() => read(xliff, 'c')).toThrow('it has no <file id="c">');
  });
});

describe('what tools add and change', () => {
  const [own] = [write([unitOf({ source: ['Hello {name}'], target: ['Salut {name}'] })])];

  test('other prefixes, groups, matches, notes and annotations do not matter', () => {
    const changed = own
      .replaceAll(
        /<(\/?)(xliff|file|unit|notes?|originalData|data|segment|source|target|ph|pc)\b/g,
        '<$1x:$2',
      )
      .replace('xmlns=', 'xmlns:x=')
      .replaceAll('mda:', 'ns1:')
      .replace('xmlns:mda', 'xmlns:ns1')
      .replace('<x:unit', '<x:group id="g"><x:unit')
      .replace('</x:unit>', '</x:unit></x:group>')
      .replace(
        '<x:segment',
        '<mtc:matches xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><mtc:match ref="#1"><x:source>Not this</x:source><x:target>Nor this</x:target></mtc:match></mtc:matches><x:segment',
      )
      .replace('Salut', '<x:mrk id="m1" type="term">Salut</x:mrk><x:sm id="m2"/><x:em startRef="m2"/>');
    expect(read(changed).units).toMatchObject([
      { id: 's0', version: 'v', source: ['Hello {name}'], target: ['Salut {name}'] },
    ]);
  });

  test('version 2.0 is read, others than 2.0 and 2.1 are not', () => {
    const of = (version: string) => own.replace('version="2.1"', `version="${version}"`);
    expect(read(of('2.0')).units.length).toBe(1);
    for (const version of ['1.2', '2.2']) expect(() => read(of(version))).toThrow(`XLIFF ${version}`);
  });

  test('data of a match is not the unit’s, nor is its version', () => {
    const match = `<mtc:matches xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><mtc:match ref="#s0">
      <mda:metadata><mda:metaGroup category="lingualoop"><mda:meta type="version">w</mda:meta></mda:metaGroup></mda:metadata>
      <originalData><data id="d1">{other}</data></originalData></mtc:match></mtc:matches>`;
    const code: XliffCode = { type: 'void', id: '1', data: '{name}' };
    const xliff = write([unitOf({ source: [code], target: [code] })]).replace('<segment', `${match}<segment`);
    expect(xliff).toContain(match);
    expect(read(xliff).units).toMatchObject([{ version: 'v', source: [code], target: [code] }]);
  });

  test('more units, segments and codes than any export has are refused', () => {
    const codes = '<ph id="1"/>'.repeat(100_001);
    const message = 'more than 100000 units, segments and codes';
    expect(() => read(own.replace('Salut {name}', codes))).toThrow(message);
    const many = Array.from({ length: 100_001 }, (_, n) => `<unit id="s${n}"/>`).join('');
    expect(() => read(own.replace(/<unit[\s\S]*<\/unit>/, many))).toThrow(message);
  });

  test('a short file whose codes all stand for one long text is refused', () => {
    const longOf = (characters: number) =>
      own
        .replace(
          '<segment',
          `<originalData><data id="d1">${'x'.repeat(characters)}</data></originalData><segment`,
        )
        .replace('Salut {name}', '<ph id="1" dataRef="d1"/>'.repeat(5000));
    expect(read(longOf(1900)).units[0]?.target?.length).toBe(5000);
    expect(() => read(longOf(20_000))).toThrow('more than 10000000 characters');
  });

  test('more than two hundred elements inside each other are refused', () => {
    const nested = `${'<mrk id="m">'.repeat(300)}x${'</mrk>'.repeat(300)}`;
    expect(() => read(own.replace('Salut {name}', nested))).toThrow('nested more than 200 deep');
  });
});

/** The content of a segment with well-nested tags. Each number occurs once. */
const tagged: fc.Arbitrary<InlineContent> = fc
  .tuple(text, text, text, text, text)
  .map(([a, b, c, d, e]) =>
    joinStrings([
      a,
      { tag: 1, type: 'open' },
      b,
      { tag: 2, type: 'void', text: '\n' },
      c,
      { tag: 1, type: 'close' },
      d,
      { tag: 3, type: 'void' },
      e,
    ]),
  );

describe('tags of a segment', () => {
  test('come back as the same tags, whatever the text between them', () => {
    fc.assert(
      fc.property(tagged, tagged, (source, wanted) => {
        const xliff = write([unitOf({ source: contentOfTags(source), target: contentOfTags(wanted) })]);
        const [unit] = read(xliff).units;
        expect(unit?.target && tagsOfContent(unit.target, source)).toEqual({ target: wanted, tagged: true });
      }),
      { numRuns: 100 },
    );
  });

  test('are all there, or none, or refused', () => {
    const source: InlineContent = [
      'a',
      { tag: 1, type: 'open' },
      'b',
      { tag: 1, type: 'close' },
      { tag: 2, type: 'void' },
    ];
    const codes = contentOfTags(source).filter((item) => typeof item !== 'string');
    fc.assert(
      fc.property(fc.shuffledSubarray(codes), text, (some, word) => {
        const result = tagsOfContent([word, ...some], source);
        const order = some.map(({ type, id }) => `${type} ${id}`).join();
        const isWhole = some.length === 3 && order.indexOf('open 1') < order.indexOf('close 1');
        expect('wrong' in result).toBe(some.length > 0 && !isWhole);
        if ('target' in result) expect(result.tagged).toBe(isWhole);
      }),
    );
  });
});
