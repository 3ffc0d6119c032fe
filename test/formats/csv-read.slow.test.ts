import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvError, readCsv } from '#server/formats/csv/reader.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { casesOf } from './cases.ts';

const read = (text: string) => readCsv(Buffer.from(text));
const cellsOf = (text: string): string[][] => read(text).map(({ cells }) => cells);
/** The rows as text, with a bar between cells. */
const rowsOf = (text: string): string[] => cellsOf(text).map((cells) => cells.join('|'));

function refusalOf(text: string): Partial<CsvError> {
  try {
    read(text);
  } catch (error) {
    expect(error).toMatchObject({ name: 'CsvError' });
    return error as CsvError;
  }
  throw new Error('it was read');
}

describe('the cells of a delimited file (B 4.4)', () => {
  it.each<[rule: string, text: string, rows: string[]]>([
    ['with line ends of all kinds', 'a,b\r\nc,d\re,f\ng,h', ['a|b', 'c|d', 'e|f', 'g|h']],
    ['in rows that differ in length', 'a\nb,c,d\ne,f', ['a', 'b|c|d', 'e|f']],
    ['between blank lines', '\n \na,b\n\n\t\n,\n ,"" , \nc,d\n\n', ['a|b', 'c|d']],
    ['with space around them', ' a b , c\u00a0\n\td,e\t', ['a b|c', 'd|e']],
    ['with space within and around quotes', ' " a " ,"b" ', ['a|b']],
    ['with quotes inside them', '5" pipe,tuyau 5"\nthe "a" b,c', ['5" pipe|tuyau 5"', 'the "a" b|c']],
    ['of an empty file', '', []],
    ['with characters of comments and escapes', '#a,b\\\nc\\"d,e', ['#a|b\\', 'c\\"d|e']],
    ['behind a second byte order mark', '\ufeff\ufeffa,b', ['a|b']],
  ])('are read %s', (_, text, rows) => {
    expect(rowsOf(text)).toEqual(rows);
  });

  it('have the physical line of their row, counted from 1', () => {
    const rows = read('\n\na,"b\n\nc",d\n"e\n",f\n\ng,h');
    expect(rows).toEqual([
      { line: 3, cells: ['a', 'b\n\nc', 'd'], multiline: [1], trimmed: [] },
      { line: 6, cells: ['e', 'f'], multiline: [0], trimmed: [0] },
      { line: 9, cells: ['g', 'h'], multiline: [], trimmed: [] },
    ]);
  });

  it('a row with only a quoted line end is kept, so that it can be refused', () => {
    expect(read('"\n",\na,b')).toEqual([
      { line: 1, cells: ['', ''], multiline: [0], trimmed: [0] },
      { line: 3, cells: ['a', 'b'], multiline: [], trimmed: [] },
    ]);
  });

  it('are read back as written, if quoted correctly', () => {
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

describe('the delimiter is detected among comma, semicolon, tab and pipe (B 4.4)', () => {
  it.each<[rule: string, text: string, row: string[]]>(
    casesOf('csv-read.yaml', 'the delimiter is detected among comma, semicolon, tab and pipe (B 4.4)'),
  )('%s', (_, text, row) => {
    expect(cellsOf(text).at(-1)).toEqual(row);
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

describe('the delimiter with which only the first row is a header', () => {
  const header = (cells: readonly string[]) => cells.includes('from') && cells.includes('to');
  const firstOf = (text: string) => readCsv(Buffer.from(text), header)[0]?.cells;
  const rows = ';a,\n;b,\n;c,\n';

  it.each<[rule: string, text: string, first: string[]]>([
    ['comma', `from,to\n${rows}`, ['from', 'to']],
    ['pipe', `|from|to|\n${rows}`, ['', 'from', 'to', '']],
    ['behind blank lines', `\n , \n\t\n from,to\n${rows}`, ['from', 'to']],
    ['quoted, over two lines', `"a\n;\n;",from,to\n${rows}`, ['a\n;\n;', 'from', 'to']],
  ])('%s', (_, text, first) => {
    expect(firstOf(text)).toEqual(first);
  });

  it('is not searched in later rows', () => {
    expect(firstOf('a;b\nfrom,to\nc;d')).toEqual(['a', 'b']);
  });

  it('does not decide if there are two', () => {
    const either = (cells: readonly string[]) => cells.length > 1;
    expect(readCsv(Buffer.from('a;b,c\nd;e\nf;g'), either)[0]?.cells).toEqual(['a', 'b,c']);
  });

  it('is found though the rest of the sample is not a table with it', () => {
    expect(firstOf(`from,to\n"a;\n${';b\n'.repeat(2000)}",c`)).toEqual(['from', 'to']);
  });
});

describe('a file that is not a table (B 4.4)', () => {
  it('is rejected in another encoding', () => {
    expect(() => readCsv(corpusFile('csv-bad/latin1.csv'))).toThrow(
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
  ])('is rejected for %s, with the first line of its row', (_, text, line) => {
    expect(refusalOf(text)).toMatchObject({ line, message: expect.stringMatching(`^line ${line}: `) });
  });

  it('is rejected with more than 1000 columns', () => {
    expect(cellsOf(`a${','.repeat(999)}`)[0]).toHaveLength(1000);
    expect(refusalOf(`a,b\na${','.repeat(1000)}`)).toMatchObject({
      line: 2,
      message: expect.stringMatching(/1,000 columns/),
    });
  });

  it('is rejected with more than 100,000 rows that are not blank', () => {
    expect(read(`${'a,b\n\n'.repeat(100_000)}`)).toHaveLength(100_000);
    expect(refusalOf('a,b\n'.repeat(100_001))).toMatchObject({
      line: 100_001,
      message: expect.stringMatching(/100,000 rows/),
    });
  });

  it.each<[what: string, text: string]>([
    ['delimiters', ','.repeat(2_000_000)],
    ['quotes', '"'.repeat(2_000_000)],
    ['one cell', `"${'a\n'.repeat(1_000_000)}"`],
  ])('of millions of %s takes time in proportion to their number', async (_, text) => {
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
