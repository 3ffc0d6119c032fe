import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvError, readCsv } from '#server/formats/csv/reader.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

const read = (text: string) => readCsv(Buffer.from(text));
const cellsOf = (text: string): string[][] => read(text).map(({ cells }) => cells);
const linesOf = (text: string): number[] => read(text).map(({ line }) => line);

function refusalOf(text: string): Partial<CsvError> {
  try {
    read(text);
  } catch (error) {
    expect(error).toMatchObject({ name: 'CsvError' });
    return error as CsvError;
  }
  throw new Error('it was read');
}

describe('B 4.4: the cells of a delimited file', () => {
  it.each<[rule: string, text: string, cells: string[][]]>([
    [
      'rows and cells',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'no line end at the end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CRLF',
      'a,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'CR only',
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'line ends of all kinds',
      'a,b\r\nc,d\re,f\ng,h',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
        ['g', 'h'],
      ],
    ],
    ['rows that differ in length', 'a\nb,c,d\ne,f', [['a'], ['b', 'c', 'd'], ['e', 'f']]],
    [
      'blank lines anywhere',
      '\n \na,b\n\n\t\n,\n ,"" , \nc,d\n\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'space around cells',
      ' a b , c\u00a0\n\td,e\t',
      [
        ['a b', 'c'],
        ['d', 'e'],
      ],
    ],
    ['space within and around quotes', ' " a " ,"b" ', [['a', 'b']]],
    ['quoted delimiters', '"a,b","c;d"', [['a,b', 'c;d']]],
    ['doubled quotes', '"a ""b""","""","""c"""', [['a "b"', '"', '"c"']]],
    [
      'quotes within a cell',
      '5" pipe,tuyau 5"\nthe "a" b,c',
      [
        ['5" pipe', 'tuyau 5"'],
        ['the "a" b', 'c'],
      ],
    ],
    ['empty quotes', '"",a', [['', 'a']]],
    ['one cell', 'a', [['a']]],
    ['nothing', '', []],
    ['other writing', '\u4e16\u754c,😀', [['\u4e16\u754c', '😀']]],
    [
      'no comments, no escapes',
      '#a,b\\\nc\\"d,e',
      [
        ['#a', 'b\\'],
        ['c\\"d', 'e'],
      ],
    ],
    ['a second byte order mark', '\ufeff\ufeffa,b', [['a', 'b']]],
  ])('%s', (_, text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  it('C 7: lines are physical, from 1, a row has that of its first', () => {
    const rows = read('\n\na,"b\n\nc",d\n"e\n",f\n\ng,h');
    expect(rows).toEqual([
      { line: 3, cells: ['a', 'b\n\nc', 'd'], multiline: [1] },
      { line: 6, cells: ['e', 'f'], multiline: [0] },
      { line: 9, cells: ['g', 'h'], multiline: [] },
    ]);
  });

  it.each(['\n', '\r\n', '\r'])('so with line ends %j', (end) => {
    expect(linesOf(`a,b${end}${end}"c${end}d",e${end}f,g`)).toEqual([1, 3, 5]);
  });

  it('a row with only a quoted line end is kept, so that it can be refused', () => {
    expect(read('"\n",\na,b')).toEqual([
      { line: 1, cells: ['', ''], multiline: [0] },
      { line: 3, cells: ['a', 'b'], multiline: [] },
    ]);
  });

  it('a correctly written file is read back as written', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', 'é', '世', '"', ',', ';', '\t', '|', '\n', ' ', '😀', "'", '\\') })
      .map((text) => text.trim());
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }));
    fc.assert(
      fc.property(rows, fc.constantFrom('\n', '\r\n', '\r'), (table, end) => {
        const quoted = [
          'x,y',
          ...table.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')),
        ];
        const kept = table.filter((row) => row.some((text) => text !== ''));
        expect(cellsOf(quoted.join('\n').replaceAll('\n', end))).toEqual([['x', 'y'], ...kept]);
      }),
    );
  });
});

describe('B 4.4: the delimiter is sniffed among comma, semicolon, tab and pipe', () => {
  it.each<[rule: string, text: string, row: string[]]>([
    ['comma', 'a,b\nc,d', ['c', 'd']],
    ['semicolon', 'a;b\nc;d', ['c', 'd']],
    ['tab', 'a\tb\nc\td', ['c', 'd']],
    ['pipe', 'a|b\nc|d', ['c', 'd']],
    ['comma by default', 'a b', ['a b']],
    [
      'commas in the texts of a semicolon file',
      'source;target\nHello, Anna;Bonjour, Anna\nYes;Oui',
      ['Yes', 'Oui'],
    ],
    ['decimal commas on every line of one', '1,5 mm;1,5 mm\n2,5 mm;2,5 mm', ['2,5 mm', '2,5 mm']],
    ['commas in the texts of a tab file', 'a, b\tc, d\ne\tf', ['e', 'f']],
    ['semicolons in the texts of a comma file', 'source,target\na; b,c; d', ['a; b', 'c; d']],
    ['pipes in the texts of a comma file', 'x|y,b\nc,d', ['c', 'd']],
    ['delimiters within quotes', '"a;b;c","d;e"\n"f;g;h","i;j"', ['f;g;h', 'i;j']],
    ['quotes that are doubled within', '"a "";"" b";c\n"d "","",";e', ['d ",",', 'e']],
    ['quotes behind a space', ' ";;" , ";;" \n ";;" , "x" ', [';;', 'x']],
    ['quotes that begin no cell', '5" x;y\nz;w', ['z', 'w']],
    ['a line end within quotes', '"a\n;;\n;;",b\n"c",d', ['c', 'd']],
    ['one line', 'a|b', ['a', 'b']],
    ['blank lines', '\n\na;b\n\n\n', ['a', 'b']],
    ['rows of several lengths', 'a;b\nc;d;e\nf;g\nh', ['h']],
    ['comma on a tie', 'a;b,c', ['a;b', 'c']],
    ['comma on a tie with a pipe', 'a|b,c\nd|e,f', ['d|e', 'f']],
    ['comma on a tie with a tab', 'a\tb,c\nd\te,f', ['d\te', 'f']],
    ['semicolons that a space follows', 'a,b; c\nd,e; f', ['d', 'e; f']],
    ['commas that a space follows', 'a, b;c\nd, e;f', ['d, e', 'f']],
    ['commas that a space follows, one that none does', 'a, b;c\nd,e;f', ['d', 'e;f']],
    ['commas and semicolons alike', 'a, b; c', ['a', 'b; c']],
    ['pipes with spaces around them', 'Hello, Anna | Bonjour, Anna', ['Hello, Anna', 'Bonjour, Anna']],
    [
      'decimal commas, and those that a space follows',
      '1,5 mm, long;2,5 mm, long',
      ['1,5 mm, long', '2,5 mm, long'],
    ],
    ['digits of a comma file', '1,2\n3,4', ['3', '4']],
    ['spaces of a comma file', 'a, b\nc, d', ['c', 'd']],
    ['what a space follows, in the line that most have', 'a; b,c\nd; e,f\ng,h', ['g', 'h']],
  ])('%s', (_, text, row) => {
    expect(cellsOf(text).at(-1)).toEqual(row);
  });

  it('comma if those have none', () => {
    expect(cellsOf(`${'x\n'.repeat(3000)}a,b`).at(-1)).toEqual(['a', 'b']);
  });

  it('by its first 4096 characters only', () => {
    const tabs = `${'a;b\n'.repeat(1024)}`;
    expect(tabs).toHaveLength(4096);
    expect(cellsOf(`${tabs}${'c,d\n'.repeat(3000)}`)[0]).toEqual(['a', 'b']);
    expect(cellsOf(`${'a;b\n'.repeat(1023)}${'c,d\n'.repeat(3000)}`)[0]).toEqual(['a', 'b']);
  });

  it('not by a row that their end cuts', () => {
    expect(cellsOf(`a,b\n${'c|'.repeat(5000)},d`)[0]).toEqual(['a', 'b']);
    expect(cellsOf(`${'c'.repeat(4090)}|${'d'.repeat(20)}\ne|f`)[0]?.[1]).toBe('d'.repeat(20));
  });
});

describe('B 4.4: the delimiter under which alone the first row is a header', () => {
  const header = (cells: readonly string[]) => cells.includes('from') && cells.includes('to');
  const rowsOf = (text: string) => readCsv(Buffer.from(text), header).map(({ cells }) => cells);
  const rows = ';a,\n;b,\n;c,\n';

  it.each<[rule: string, text: string, first: string[]]>([
    ['comma', `from,to\n${rows}`, ['from', 'to']],
    ['semicolon', `from;to\n${rows}`, ['from', 'to']],
    ['tab', `from\tto\n${rows}`, ['from', 'to']],
    ['pipe', `|from|to|\n${rows}`, ['', 'from', 'to', '']],
    ['behind blank lines', `\n , \n\t\n from,to\n${rows}`, ['from', 'to']],
    ['quoted, with another delimiter within', `to,"a;b",from\n${rows}`, ['to', 'a;b', 'from']],
    ['quoted, over two lines', `"a\n;\n;",from,to\n${rows}`, ['a\n;\n;', 'from', 'to']],
    ['alone', 'from;to', ['from', 'to']],
  ])('%s', (_, text, first) => {
    expect(rowsOf(text)[0]).toEqual(first);
  });

  it('is not searched in later rows', () => {
    expect(rowsOf('a;b\nfrom,to\nc;d')[0]).toEqual(['a', 'b']);
  });

  it('does not decide if there are two', () => {
    const either = (cells: readonly string[]) => cells.length > 1;
    expect(readCsv(Buffer.from('a;b,c\nd;e\nf;g'), either)[0]?.cells).toEqual(['a', 'b,c']);
  });

  it('is found though the rest of the sample is not a table with it', () => {
    expect(rowsOf(`from,to\n"a;\n${';b\n'.repeat(2000)}",c`)[0]).toEqual(['from', 'to']);
    expect(rowsOf(`from;to\na${',b\n'.repeat(3)}`)[0]).toEqual(['from', 'to']);
  });

  it('may stand before more columns of another delimiter than a row may have', () => {
    expect(rowsOf(`from,to\n"a${';'.repeat(2000)}",b\n`)[0]).toEqual(['from', 'to']);
  });
});

describe('B 4.4: a file that is not a table is refused', () => {
  it.each(['latin1', 'nul', 'utf16-no-bom', 'utf32'])('%s.csv', (name) => {
    expect(() => readCsv(corpusFile(`csv-bad/${name}.csv`))).toThrow(
      expect.objectContaining({
        name: 'CsvError',
        line: null,
        message: expect.stringMatching(/UTF-8 .*UTF-16 with a byte order mark/),
      }),
    );
  });

  it.each<[rule: string, text: string, line: number]>([
    ['a quote that never closes', 'a,b\n"c\nd",e\n\n"f,g\nh,i\n', 5],
    ['a quote that closes within a cell', 'a,b\n\n"c"d,e\n', 3],
    ['a quote that closes on a later line', 'a,b\n"c\nd"e,f\n', 2],
  ])('%s: the line is the first of its row', (_, text, line) => {
    expect(refusalOf(text)).toMatchObject({ line, message: expect.stringMatching(`^line ${line}: `) });
  });

  it('more than 1000 columns', () => {
    expect(cellsOf(`a${','.repeat(999)}`)[0]).toHaveLength(1000);
    expect(refusalOf(`a,b\na${','.repeat(1000)}`)).toMatchObject({
      line: 2,
      message: expect.stringMatching(/1,000 columns/),
    });
  });

  it('more than 100,000 rows; blank ones do not count', () => {
    expect(read(`${'a,b\n\n'.repeat(100_000)}`)).toHaveLength(100_000);
    expect(refusalOf('a,b\n'.repeat(100_001))).toMatchObject({
      line: 100_001,
      message: expect.stringMatching(/100,000 rows/),
    });
  });

  it.each<[what: string, text: string]>([
    ['line ends', '\n'.repeat(2_000_000)],
    ['delimiters', ','.repeat(2_000_000)],
    ['quotes', '"'.repeat(2_000_000)],
    ['spaces', ' '.repeat(2_000_000)],
    ['one cell', `"${'a\n'.repeat(1_000_000)}"`],
  ])('%s take time in proportion to their number', async (_, text) => {
    const ms = await cpuTime(() => {
      try {
        read(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'CsvError' });
      }
    });
    expect(ms).toBeLessThan(5000);
  });
});
