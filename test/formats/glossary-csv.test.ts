import { describe, expect, it } from 'vitest';
import { type GlossaryFileEntry, GlossaryFileError, readGlossaryCsv } from '#server/formats/glossary-file.ts';

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

describe('B 4.4: a header is a row with both a source-term and a target-term column', () => {
  it.each([
    'source_term',
    'source term',
    'Source Term',
    'SOURCE-TERM',
    ' Source  Term ',
    'source.term:',
    'source',
    'src_term',
    'Src Term',
    'term_source',
    'Term (Source)',
    'source+term',
    'source_term=',
    '<Source|Term>',
    'source ~ term',
    '$source^term`',
  ])('source column %j', (name) => {
    expect(read(`target,${name}\nb,a`)).toEqual([{ line: 2, sourceTerm: 'a', targetTerm: 'b', ...plain }]);
  });

  it.each(['target_term', 'target term', 'Target', 'tgt_term', 'TGT term', 'term_target', 'term target'])(
    'target column %j',
    (name) => {
      expect(termsOf(`x,${name},source\nc,b,a`)).toEqual([['a', 'b']]);
    },
  );

  it.each([
    'source_lang',
    'Source Lang',
    'source_language',
    'source language',
    'src_lang',
    'src lang',
    'from_lang',
    'From Lang',
  ])('source language column %j', (name) => {
    expect(first(`source,target,x,${name}\na,b,c,de`)).toMatchObject({ sourceLang: 'de', targetLang: null });
  });

  it.each([
    'target_lang',
    'Target Lang',
    'target_language',
    'target language',
    'tgt_lang',
    'tgt lang',
    'to_lang',
    'To-Lang',
  ])('target language column %j', (name) => {
    expect(first(`source,target,x,${name}\na,b,c,de`)).toMatchObject({ sourceLang: null, targetLang: 'de' });
  });

  it.each(['case_sensitive', 'Case Sensitive', 'casesensitive', 'CaseSensitive', 'case-sensitive?'])(
    'case column %j',
    (name) => {
      expect(first(`source,target,x,${name}\na,b,c,yes`).caseSensitive).toBe(true);
    },
  );

  it('priority column', () => {
    expect(first('PRIORITY,source,target\n7,a,b').priority).toBe(7);
  });

  it.each([
    ['source,translation\na,b', 'only a source'],
    ['term,target\na,b', 'only a target'],
    ['sources,targets\na,b', 'other words'],
    ['sourceterm,targetterm\na,b', 'no separator'],
  ])('%j is not a header: %s', (text) => {
    const [header, row] = text.split('\n').map((line) => line.split(','));
    expect(termsOf(text)).toEqual([header, row]);
  });

  it('it may follow blank lines, and only the first row can be one', () => {
    expect(read('\n , \nsource,target\na,b\nsource,target')).toMatchObject([
      { line: 4, sourceTerm: 'a' },
      { line: 5, sourceTerm: 'source' },
    ]);
    expect(termsOf('a,b\ntarget,source\nc,d')).toEqual([
      ['a', 'b'],
      ['target', 'source'],
      ['c', 'd'],
    ]);
  });

  it('of two columns of one name the first counts, unknown ones do not', () => {
    expect(termsOf('note,source,src_term,target,domain\nx,a,y,b,z')).toEqual([['a', 'b']]);
  });

  it('with a header the position of a column does not matter', () => {
    expect(first('source,target,note,note 2,note 3,note 4\na,b,Klingon,Chinese,yes,x')).toMatchObject(plain);
  });
});

describe('B 4.4: a header decides the delimiter', () => {
  it.each<[what: string, file: string, terms: string[][]]>([
    [
      'alternatives behind semicolons in each cell',
      'source,target,case_sensitive,priority\nyes;no,ja;nein\non;off,an;aus,1\nleft;right,links;rechts,,2\n',
      [
        ['yes;no', 'ja;nein'],
        ['on;off', 'an;aus'],
        ['left;right', 'links;rechts'],
      ],
    ],
    [
      'a note with a semicolon on most lines',
      'source,target,notes\na,b\nc,d,e; f\ng,h,i; j\nk,l,m; n\no,p,q,r; s\n',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['g', 'h'],
        ['k', 'l'],
        ['o', 'p'],
      ],
    ],
    [
      'decimal commas beneath semicolons, a quoted name with commas',
      '"Source term";"Target term";"note, more, and more"\n1,5;1,5\n2,5;2,5\n',
      [
        ['1,5', '1,5'],
        ['2,5', '2,5'],
      ],
    ],
    [
      'tabs',
      'Source Term\tTarget Term\na, b\tc, d\ne, f\tg, h',
      [
        ['a, b', 'c, d'],
        ['e, f', 'g, h'],
      ],
    ],
  ])('%s', (_, file, terms) => {
    expect(termsOf(file)).toEqual(terms);
  });
});

describe('B 4.4: by default a file is delimited by commas', () => {
  it.each<[file: string, terms: string[][]]>([
    [
      'save,speichern; sichern\nopen,öffnen; aufmachen\n',
      [
        ['save', 'speichern; sichern'],
        ['open', 'öffnen; aufmachen'],
      ],
    ],
    ['a;b,c', [['a;b', 'c']]],
    ['Hello, Anna;Bonjour, Anna', [['Hello, Anna', 'Bonjour, Anna']]],
    ['1,5 mm;1,5 mm', [['1,5 mm', '1,5 mm']]],
  ])('%j', (file, terms) => {
    expect(termsOf(file)).toEqual(terms);
  });
});

describe('B 4.4: without a header the file is positional, its first row included', () => {
  it('source_term, target_term, source_lang, target_lang, case_sensitive, priority', () => {
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
});

describe('B 4.4: rows', () => {
  it('cells are trimmed, within quotes too, and otherwise kept as written', () => {
    expect(termsOf(' a  A , "  b  " \n')).toEqual([['a  A', 'b']]);
    // Composed or not is for those who compare.
    expect(termsOf('cafe\u0301,Stra\u00dfe')).toEqual([['cafe\u0301', 'Stra\u00dfe']]);
  });

  it('rows with a blank term are skipped, whatever else they have', () => {
    expect(
      termsOf('source,target,target_lang,priority\n,b,Klingon,x\na,,Klingon,x\n"  ",b\na\nc,d\n'),
    ).toEqual([['c', 'd']]);
  });

  it.each(['', '\n\n', 'source,target\n', 'source,target\na,\n,b', 'a'])('no usable row: %j', (text) => {
    expect(refusalOf(text)).toMatchObject({ line: null, message: expect.stringMatching(/no row/) });
  });

  it.each([
    ['1', true],
    ['true', true],
    ['YES', true],
    ['On', true],
    ['', false],
    ['0', false],
    ['false', false],
    ['no', false],
    ['y', false],
    ['maybe', false],
  ])('case_sensitive %j is %s', (cell, caseSensitive) => {
    expect(first(`a,b,,,${cell}`).caseSensitive).toBe(caseSensitive);
  });

  it.each([
    ['', 0],
    ['0', 0],
    ['-0', 0],
    ['12', 12],
    ['-3', -3],
    ['+4', 4],
    ['007', 7],
    ['2147483647', 2_147_483_647],
    ['-2147483648', -2_147_483_648],
  ])('priority %j is %i', (cell, priority) => {
    expect(first(`a,b,,,,${cell}`).priority).toBe(priority);
  });

  it.each([
    'x',
    '1.5',
    '1e3',
    '0x10',
    '--1',
    '+',
    '2147483648',
    '-2147483649',
    '4294967296',
    '9'.repeat(400),
    'NaN',
    '١',
  ])('priority %.20j is refused with its line', (cell) => {
    expect(refusalOf(`a,b\n\na,b,,,,${cell}`)).toMatchObject({
      line: 3,
      message: expect.stringMatching(/^line 3: priority /),
    });
  });

  it('a term has at most 500 characters', () => {
    const long = '😀'.repeat(500);
    expect(termsOf(`${long},${long}`)).toEqual([[long, long]]);
    for (const row of [`${long}a,b`, `a,${long}b`])
      expect(refusalOf(`a,b\n${row}`)).toMatchObject({
        line: 2,
        message: expect.stringMatching(/500 characters/),
      });
  });
});

describe('B 4.4, C 7: a language cell is a code that reads as a language, or an English name', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['en_GB', 'en'],
    ['zh-TW', 'zh-Hant'],
    ['no', 'nb'],
    ['fr-CA', 'fr-CA'],
    ['Chinese (Simplified)', 'zh-Hans'],
    ['chinese (traditional)', 'zh-Hant'],
    ['PORTUGUESE (BRAZIL)', 'pt-BR'],
    ['French (Canada)', 'fr-CA'],
    ['French', 'fr'],
    ['norwegian', 'nb'],
    ['', null],
  ])('%j is %s', (cell, language) => {
    expect(first(`a,b,${cell},${cell}`)).toMatchObject({ sourceLang: language, targetLang: language });
  });

  it.each(['Chinese', 'Portuguese', 'zh', 'pt', 'pt-AO', 'Klingon', 'xx', 'any', '*', 'en,de', '1'])(
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

describe('B 4.4: a quoted cell running across lines', () => {
  const columns = ['source_term', 'target_term', 'source_lang', 'target_lang', 'case_sensitive', 'priority'];

  it.each(columns)('in the column %s is refused with its line', (column) => {
    const values = ['a', 'b', 'en', 'de', 'yes', '1'];
    const row = values.map((value, place) => (columns[place] === column ? `"${value}\n"` : value)).join(',');
    for (const [text, line] of [
      [`${columns.join(',')}\n\n${row}\nc,d`, 3],
      [`a,b\n${row}`, 2],
      [row, 1],
    ] as const)
      expect(refusalOf(text)).toMatchObject({
        line,
        message: expect.stringMatching(`^line ${line}: .*${column}`),
      });
  });

  it('in a header is too', () => {
    expect(refusalOf('"source\nterm",target\na,b').line).toBe(1);
  });

  it('in a row that would be skipped is too: the quote may have swallowed others', () => {
    expect(refusalOf('a,b\n"c\nd,e\n",')).toMatchObject({ line: 2 });
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
