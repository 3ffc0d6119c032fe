import { describe, expect, it } from 'vitest';
import { readGlossaryCsv } from '#server/formats/glossary/csv.ts';
import {
  type DeclaredLanguages,
  type GlossaryFileEntry,
  GlossaryFileError,
} from '#server/formats/glossary-file.ts';
import type { LanguageCode } from '#server/languages.ts';

const read = (text: string): GlossaryFileEntry[] => readGlossaryCsv(Buffer.from(text)).entries;
const termsOf = (text: string): string[][] => read(text).map((entry) => [entry.sourceTerm, entry.targetTerm]);
const first = (text: string): GlossaryFileEntry => read(text)[0]!;

function refusalOf(text: string): GlossaryFileError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof GlossaryFileError) return error;
    throw error;
  }
  throw new Error('it was read');
}

const plain = { sourceLang: null, targetLang: null, caseSensitive: false, priority: 0 };

describe('a header is a row with both a source-term and a target-term column (B 4.4)', () => {
  it.each([
    'source_term',
    ' Source  Term ',
    'Term (Source)',
    'source ~ term',
    '$source^term`',
    'sourceString',
  ])('source column %j', (name) => {
    expect(read(`target,${name}\nb,a`)).toEqual([{ line: 2, sourceTerm: 'a', targetTerm: 'b', ...plain }]);
  });

  it.each([
    ['source language', { sourceLang: 'de', targetLang: null }],
    ['From Lang', { sourceLang: 'de', targetLang: null }],
    ['To-Lang', { sourceLang: null, targetLang: 'de' }],
  ])('language column %j', (name, languages) => {
    expect(first(`source,target,x,${name}\na,b,c,de`)).toMatchObject(languages);
  });

  it('may name columns for case and priority', () => {
    expect(first('PRIORITY,source,tgt term,Case-sensitive?\n7,a,b,yes')).toMatchObject({
      targetTerm: 'b',
      caseSensitive: true,
      priority: 7,
    });
  });

  it.each([
    ['source,translation\na,b', 'only a source'],
    ['term,target\na,b', 'only a target'],
    ['sourceterm,targetterm\na,b', 'no separator'],
  ])('%j is not a header: %s', (text) => {
    const [header, row] = text.split('\n').map((line) => line.split(','));
    expect(termsOf(text)).toEqual([header, row]);
  });

  it('may follow blank lines, and only the first row can be one', () => {
    expect(read('\n , \nsource,target\na,b\nsource,target')).toMatchObject([
      { line: 4, sourceTerm: 'a' },
      { line: 5, sourceTerm: 'source' },
    ]);
    expect(read('a,b\ntarget,source\nc,d')).toHaveLength(3);
  });

  it('counts the first of two columns with one name, and no unknown ones', () => {
    expect(termsOf('note,source,src_term,target,domain\nx,a,y,b,z')).toEqual([['a', 'b']]);
    expect(first('source,target,note,note 2,note 3,note 4\na,b,Klingon,Chinese,yes,x')).toMatchObject(plain);
  });

  it('may have notes, whose no-break spaces stay', () => {
    expect(first('source,target,note\na,b,Prix\u00a0:  5\u202f%')).toMatchObject({
      note: 'Prix\u00a0: 5\u202f%',
    });
  });

  it('decides the delimiter', () => {
    expect(termsOf('source,target,case_sensitive\nyes;no,ja;nein\non;off,an;aus\n')).toEqual([
      ['yes;no', 'ja;nein'],
      ['on;off', 'an;aus'],
    ]);
    expect(termsOf('Source Term\tTarget Term\na, b\tc, d\ne, f\tg, h')[0]).toEqual(['a, b', 'c, d']);
  });
});

describe('a first row of terms is never a header of languages', () => {
  const pair = (source: LanguageCode, target: LanguageCode): DeclaredLanguages => ({
    source: { tag: source, code: source },
    target: { tag: target, code: target },
  });
  const readAs = (text: string, declared: DeclaredLanguages) => readGlossaryCsv(Buffer.from(text), declared);

  it.each([
    ['invoice,facture,en,fr', pair('en', 'fr')],
    ['invoice,facture,English,French,yes,3', pair('en', 'fr')],
    ['invoice,facture,Klingon note,en,fr', pair('en', 'fr')],
    ['English\tGerman', pair('en', 'de')],
    ['English;Français', pair('en', 'fr')],
    ['English,de', pair('en', 'de')],
    ['English,German,en,de', pair('en', 'de')],
    ['Polish,Danish,en,fr', pair('en', 'fr')],
    ['German,English,,,true,1', pair('en', 'de')],
  ])('%j', (row, declared) => {
    if (row.includes('Klingon')) expect(() => readAs(row, declared)).toThrow('line 1: source_lang');
    else {
      const file = readAs([row, row, row].join('\n'), declared);
      expect([file.hasHeader, file.entries.length]).toEqual([false, 3]);
    }
  });

  it.each([
    ['en,fr', pair('en', 'fr'), 'a = b'],
    ['fr-FR\ten_US', pair('en', 'fr'), 'b = a'],
    ['English,German,French', pair('en', 'fr'), 'a = c'],
    ['French,German,English,Spanish', pair('en', 'es'), 'c = d'],
    ['English,Allemand,Remark,Owner', pair('en', 'de'), 'a = b'],
    ['ID,en,Part of speech,de', pair('en', 'de'), 'b = d'],
    ['english,german,category,notes,status', pair('en', 'de'), 'a = b'],
  ])(
    '%j is a header, because it cannot be read as terms of the declared languages',
    (row, declared, expected) => {
      const cells = row.includes('\t') ? 'a\tb' : 'a,b,c,d';
      const { entries, hasHeader } = readAs(`${row}\n${cells}`, declared);
      expect([
        hasHeader,
        entries.map(({ sourceTerm, targetTerm }) => `${sourceTerm} = ${targetTerm}`),
      ]).toEqual([true, [expected]]);
    },
  );

  it('without both languages, no row of two names is a header, but one of two codes is', () => {
    expect(termsOf('en,fr\na,b')).toEqual([['a', 'b']]);
    expect(termsOf('English,French\na,b')).toHaveLength(2);
    expect(termsOf('English,French,en,fr\na,b')).toHaveLength(2);
  });

  const none: DeclaredLanguages = { source: null, target: null };
  const isHeaderOf = (text: string, declared: DeclaredLanguages): boolean => {
    try {
      return readAs(text, declared).hasHeader;
    } catch {
      return false;
    }
  };
  it.each([
    ['English (US);French (France);Definition\nspade;bêche;"a tool; with blade"', 'spade = bêche'],
    [
      '"Term [en]","Description [en]","Part of Speech [en]","Term [fr]"\nspade,tool,noun,bêche',
      'spade = bêche',
    ],
    ['Term (en)\tTerm (fr)\nspade\tbêche', 'spade = bêche'],
    ['en-US,fr_FR,Note\nspade,bêche,x', 'spade = bêche'],
    ['Anglais,Französisch,Forbidden\nspade,bêche,no', 'spade = bêche'],
  ])('the languages of %j are those of its terms, declared or not', (text, expected) => {
    for (const declared of [
      none,
      pair('en', 'fr'),
      { ...none, source: { tag: 'en', code: 'en' as const } },
    ]) {
      const { entries, hasHeader } = readAs(text, declared);
      expect(hasHeader).toBe(true);
      expect(entries.map(({ sourceTerm, targetTerm }) => `${sourceTerm} = ${targetTerm}`)).toEqual([
        expected,
      ]);
      if (declared === none) expect(entries[0]).toMatchObject({ sourceLang: 'en', targetLang: 'fr' });
    }
    expect(isHeaderOf(text, pair('de', 'fr'))).toBe(false);
  });

  it('a region selects a variant, and a description is not read as a term', () => {
    const text = 'Term [en],French (CA),Description [fr]\nspade,bêche,outil';
    expect(readAs(text, pair('en', 'fr-CA')).entries).toMatchObject([{ targetTerm: 'bêche' }]);
    expect(readAs('Term [en],Term [pt]\na,b', pair('en', 'pt-BR')).entries).toMatchObject([
      { targetTerm: 'b' },
    ]);
  });
});

it('the line with which Excel names the delimiter is skipped, and lines keep their numbers', () => {
  const file = (text: string) => readGlossaryCsv(Buffer.from(text));
  expect(file('\ufeffsep=;\r\nsource_term;target_term\r\na, b;c\r\n')).toMatchObject({
    hasHeader: true,
    entries: [{ line: 3, sourceTerm: 'a, b', targetTerm: 'c' }],
  });
  expect(read('sep=|\na;b|c')).toMatchObject([{ line: 2, sourceTerm: 'a;b' }]);
  expect(termsOf('sep=x,y\na,b')).toHaveLength(2);
});

it('names in camel case and languages of three letters are read as other programs write them', () => {
  expect(
    read('SourceTerm,TargetTerm,SourceLanguage,TargetLanguage,CaseSensitive\na,b,eng,fra,true'),
  ).toMatchObject([
    { sourceTerm: 'a', targetTerm: 'b', sourceLang: 'en', targetLang: 'fr', caseSensitive: true },
  ]);
});

it.each([
  'SrC/TeRm,TgT/TeRm',
  'sOuRcE tErM,tArGeT tErM',
  'SOURCE-TERM,TARGET.TERM',
  'Source: Term,Target: Term',
  'TERM/SOURCE,TERM/TARGET',
  'SourceTerm,TargetTerm',
  'SOURCE,tArGeT',
  '  Src   Term  ,"(Tgt_Term)"',
])('a header may have any letter case, spaces and punctuation: %s', (header) => {
  expect(read(`${header}\na,b`)).toMatchObject([{ line: 2, sourceTerm: 'a', targetTerm: 'b' }]);
});

it.each([
  'sOuRcEd,tArGeT tErM',
  'SrC/TeRms,TgT/TeRm',
  'source terms,target terms',
  'term,target',
  'English,Español',
])('a first row with other words is a term: %s', (row) => {
  expect(read(`${row}\na,b`)).toHaveLength(2);
});

it('the error for a first row that cannot be a term has what a header needs', () => {
  expect(refusalOf('Begriff,Übersetzung,Kommentar\na,b,c').message).toMatch(
    /^line 1: source_lang is not a supported language.*if this is a header, it needs the columns source_term and target_term/,
  );
});

it('reads the columns of a file without a header by position, and its first row', () => {
  expect(read('a,b,en,de,true,3,more\nc,d')).toEqual([
    {
      line: 1,
      sourceTerm: 'a',
      targetTerm: 'b',
      sourceLang: 'en',
      targetLang: 'de',
      caseSensitive: true,
      priority: 3,
    },
    { line: 2, sourceTerm: 'c', targetTerm: 'd', ...plain },
  ]);
});

describe('rows (B 4.4)', () => {
  it('have trimmed cells, otherwise as written', () => {
    expect(termsOf(' a  A , "  b  " \n')).toEqual([['a  A', 'b']]);
    // The texts are not normalized: this is done where texts are compared.
    expect(termsOf('cafe\u0301,Stra\u00dfe')).toEqual([['cafe\u0301', 'Stra\u00dfe']]);
  });

  it('are skipped if a term is blank, whatever else they have', () => {
    expect(
      termsOf('source,target,target_lang,priority\n,b,Klingon,x\na,,Klingon,x\n"  ",b\na\nc,d\n'),
    ).toEqual([['c', 'd']]);
  });

  it.each(['', 'source,target\na,\n,b', 'a'])('must be usable: %j is rejected', (text) => {
    expect(refusalOf(text)).toMatchObject({ line: null, message: expect.stringMatching(/no row/) });
  });

  it.each([
    ['true', true],
    ['On', true],
    ['', false],
    ['y', false],
  ])('case_sensitive %j is %s', (cell, caseSensitive) => {
    expect(first(`a,b,,,${cell}`).caseSensitive).toBe(caseSensitive);
  });

  it.each([
    ['', 0],
    ['+4', 4],
    ['2147483647', 2_147_483_647],
    ['-2147483648', -2_147_483_648],
  ])('priority %j is %i', (cell, priority) => {
    expect(first(`a,b,,,,${cell}`).priority).toBe(priority);
  });

  it.each(['x', '1.5', '1e3', '+', '2147483648', '-2147483649', '9'.repeat(400), '١'])(
    'with priority %.20j are rejected with their line',
    (cell) => {
      expect(refusalOf(`a,b\n\na,b,,,,${cell}`)).toMatchObject({
        line: 3,
        message: expect.stringMatching(/^line 3: priority /),
      });
    },
  );

  it('have terms of at most 500 characters', () => {
    const long = '😀'.repeat(500);
    expect(termsOf(`${long},${long}`)).toEqual([[long, long]]);
    for (const row of [`${long}a,b`, `a,${long}b`])
      expect(refusalOf(`a,b\n${row}`)).toMatchObject({
        line: 2,
        message: expect.stringMatching(/500 characters/),
      });
  });
});

describe('a language cell is a code that reads as a language, or an English name (B 4.4)', () => {
  it.each([
    ['de-AT', 'de'],
    ['zh-TW', 'zh-Hant'],
    ['no', 'nb'],
    ['Chinese (Simplified)', 'zh-Hans'],
    ['', null],
  ])('%j is %s', (cell, language) => {
    expect(first(`a,b,${cell},${cell}`)).toMatchObject({ sourceLang: language, targetLang: language });
  });

  it.each(['Chinese', 'zh', 'pt-AO', 'Klingon', 'any', 'en,de'])(
    '%j rejects the whole file with its line',
    (cell) => {
      for (const [column, row] of [
        ['source_lang', `a,b,"${cell}",`],
        ['target_lang', `a,b,,"${cell}"`],
      ])
        expect(refusalOf(`source,target,source_lang,target_lang\nc,d\n\n${row}\ne,f`)).toMatchObject({
          line: 4,
          message: expect.stringMatching(`^line 4: ${column} `),
        });
    },
  );

  it('the error repeats nothing of the file', () => {
    expect(refusalOf('a,b,secret word').message).not.toContain('secret');
  });
});

describe('a quoted cell across lines (B 4.4)', () => {
  it.each([
    ['source_term', '"a\n",b,en,de,yes,1'],
    ['priority', 'a,b,en,de,yes,"1\n"'],
  ])('in the column %s is rejected with its line', (column, row) => {
    for (const [text, line] of [
      [`source_term,target_term,source_lang,target_lang,case_sensitive,priority\n\n${row}\nc,d`, 3],
      [row, 1],
    ] as const)
      expect(refusalOf(text)).toMatchObject({
        line,
        message: expect.stringMatching(`^line ${line}: .*${column}`),
      });
  });

  it('in another column is text, and the lines behind it count', () => {
    const file = 'source,target,"a\nnote"\na,b,"x\n\ny"\nc,d,\ne,,"\n"\nf,g,Klingon';
    expect(read(file)).toMatchObject([
      { line: 3, sourceTerm: 'a' },
      { line: 6, sourceTerm: 'c' },
      { line: 9, sourceTerm: 'f' },
    ]);
  });
});
