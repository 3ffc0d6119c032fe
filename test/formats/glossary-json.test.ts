import { describe, expect, it } from 'vitest';
import { readGlossaryJson } from '#server/formats/glossary/json.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  GlossaryFileError,
} from '#server/formats/glossary-file.ts';

const none: DeclaredLanguages = { source: null, target: null };
const enFr: DeclaredLanguages = { source: { tag: 'en', code: 'en' }, target: { tag: 'fr', code: 'fr' } };

const read = (json: string | Uint8Array | object, declared = none): GlossaryFile =>
  readGlossaryJson(
    json instanceof Uint8Array ? json : Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)),
    declared,
  );
const pairsOf = (file: GlossaryFile) =>
  file.entries.map(({ sourceTerm, targetTerm }) => `${sourceTerm} = ${targetTerm}`);

function problemOf(json: string | Uint8Array | object, declared = none): string {
  try {
    read(json, declared);
  } catch (error) {
    if (error instanceof GlossaryFileError) return error.message;
    throw error;
  }
  throw new Error('it was read');
}

describe('a JSON glossary', () => {
  it('can be a list of objects with the names of CSV columns', () => {
    const file = read(`[
      {"source": "invoice", "target": "facture", "source_lang": "en", "case_sensitive": true, "priority": 3},

      {"Target-Term": "livre", "Source Term": "ledger", "from_lang": null, "case_sensitive": "yes", "priority": "-1"}
    ]`);
    expect(file).toEqual({
      unit: 'line',
      hasHeader: true,
      notes: [],
      entries: [
        {
          ...{ line: 2, place: '[0]', sourceTerm: 'invoice', targetTerm: 'facture', sourceLang: 'en' },
          ...{ targetLang: null, caseSensitive: true, priority: 3 },
        },
        {
          ...{ line: 4, place: '[1]', sourceTerm: 'ledger', targetTerm: 'livre', sourceLang: null },
          ...{ targetLang: null, caseSensitive: true, priority: -1 },
        },
      ],
    });
  });

  it('can be an object with a list, whose languages apply to objects without languages', () => {
    const file = read({
      name: 'House',
      source_lang: 'en',
      target_lang: 'French',
      terms: [
        { source: 'a', target: 'b' },
        { source: 'c', target: 'd', target_lang: 'de' },
      ],
    });
    expect(file.entries.map(({ place, sourceLang, targetLang }) => [place, sourceLang, targetLang])).toEqual([
      ['terms[0]', 'en', 'fr'],
      ['terms[1]', 'en', 'de'],
    ]);
    expect(file.notes).toEqual([{ code: 'unused', line: null, name: 'name' }]);
  });

  it('can have languages as keys', () => {
    const file = read(
      [
        { en: 'a', fr: 'b', de: 'c' },
        { en: 'd', de: 'e' },
      ],
      enFr,
    );
    expect([pairsOf(file), file.notes]).toEqual([
      ['a = b'],
      [
        { code: 'unused', line: null, name: 'de' },
        { code: 'skipped', line: 1, place: '[1]' },
      ],
    ]);
  });

  it('can have the terms as keys, in the order of the file', () => {
    const file = read('{"2": "b",\n"1": "a",\n"__proto__": "c", "constructor": " d\\n e "}');
    expect(pairsOf(file)).toEqual(['2 = b', '1 = a', '__proto__ = c', 'constructor = d e']);
    expect(file.entries.map(({ line, place }) => [line, place])).toEqual([
      [1, '"2"'],
      [2, '"1"'],
      [3, '"__proto__"'],
      [3, '"constructor"'],
    ]);
    expect(file.notes).toEqual([{ code: 'line_break', line: 3, place: '"constructor"' }]);
  });

  it('may begin with a byte order mark, and may be UTF-16 with one', () => {
    const json = '{"ä": "b"}';
    expect(pairsOf(read(`\ufeff${json}`))).toEqual(['ä = b']);
    expect(pairsOf(read(Buffer.from(`\ufeff${json}`, 'utf16le')))).toEqual(['ä = b']);
    expect(problemOf(Buffer.from(json, 'utf16le'))).toContain('UTF-8');
  });

  it('is skipped in part if a term is missing or blank', () => {
    const file = read([
      { source: 'a', target: 'b' },
      { source: ' ', target: 'b' },
      { source: 'c', target: null },
      { source: 'd' },
      {},
    ]);
    expect([pairsOf(file), file.notes.map(({ code, place }) => `${code} ${place}`)]).toEqual([
      ['a = b'],
      ['skipped [1]', 'skipped [2]', 'skipped [3]', 'skipped [4]'],
    ]);
  });
});

describe('a JSON glossary is rejected', () => {
  const cases: [json: string | object, problem: string][] = [
    [
      {
        terms: [
          { source: 'a', target: 'b' },
          { source: 'c', target: 7 },
        ],
      },
      'line 1: terms[1].target must be a string',
    ],
    [[{ source: ['a'], target: 'b' }], 'line 1: [0].source must be a string'],
    [[{ source: 'a', target: 'b', case_sensitive: 1 }], '[0].case_sensitive must be true or false'],
    [[{ source: 'a', target: 'b', priority: true }], '[0].priority must be an integer'],
    [[{ source: 'a', target: 'b', priority: 1.5 }], '[0]: priority is not a 32-bit integer'],
    [[{ source: 'a', target: 'b', source_lang: 'zh' }], '[0]: source_lang is not a supported language'],
    [{ source_lang: 4, terms: [{ source: 'a', target: 'b' }] }, 'line 1: source_lang must be a string'],
    [[['a', 'b']], 'line 1: [0] must be an object'],
    [{ en: { a: 'b' } }, 'line 1: the value of "en" must be a string'],
    [{ a: 'x'.repeat(501) }, 'line 1: "a": a term has more than 500 characters'],
    ['"a"', 'line 1: the JSON must be a list of objects, or an object'],
    [[], 'no entry of the file has both'],
    ['{}', 'no entry of the file has both'],
    ['{"a": "b",\n"c": "d",\n"a": "e"}', 'line 3: the key "a" occurs twice in an object'],
    ['[{"source": "a", "target": "b", "source": "c"}]', 'line 1: the key "source" occurs twice'],
    ['{"a": "b"\n"c": "d"}', 'line 2: "," or "}" is expected'],
    ['{"a": "b",}', 'a key in double quotes is expected'],
    ["{'a': 'b'}", 'a key in double quotes is expected'],
    ['{"a" "b"}', '":" is expected after a key'],
    ['{"a": NaN}', 'line 1: a JSON value is expected'],
    ['{"a": 01}', 'a JSON value is expected'],
    ['{"a": tru', 'a JSON value is expected'],
    ['{"a": "b', 'a string has no closing quote'],
    ['{"a": "b\\"', 'a string has no closing quote'],
    ['{"a": "\\x"}', 'a string is not valid JSON'],
    ['{"a": "b\nc"}', 'a string is not valid JSON'],
    ['{"a": "b"} x', 'there is text after the end'],
    ['{"a": "b"} // x', 'there is text after the end'],
    ['', 'a JSON value is expected'],
    ['{"a": "\\ud800"}', '"a": target_term has a character that cannot be stored'],
    ['{"a\\u0000": "b"}', 'source_term has a character that cannot be stored'],
  ];
  it.each(cases.map(([json, problem], n) => ({ json, problem, n })))('$n: $problem', ({ json, problem }) => {
    expect(problemOf(json)).toContain(problem);
  });

  it.each([
    ['values', '[', '', 'nested more than 64 levels deep'],
    ['numbers', '[', '0,', 'more than 1,000,000 values'],
    ['objects', '[', '{},', 'more than 100,000 entries'],
  ])('with too many %s', (_, start, item, problem) => {
    const json =
      item === '' ? start.repeat(100_000) : `${start}${item.repeat(item === '0,' ? 1_000_001 : 100_001)}{}]`;
    expect(problemOf(json)).toContain(problem);
  });

  it('with a long key, of which the message repeats only a part', () => {
    expect(problemOf({ ['k'.repeat(10_000)]: 1 }).length).toBeLessThan(100);
    expect(problemOf([{ source: 'a', [`target`]: {} }]).length).toBeLessThan(100);
  });
});
