import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { extract } from '#server/formats/xlsx.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';
import { zipOf } from './flatten-zip.ts';
import {
  inline,
  item,
  row,
  shared,
  shownIn,
  textsOf,
  translated,
  workbookFiles,
  workbookOf,
} from './xlsx-file.ts';

const partOf = (bytes: Uint8Array, path: string): Buffer => Buffer.from(unzipSync(bytes)[path]!);
const shout = (text: string): string => text.toUpperCase();

describe('a workbook is read', () => {
  const sheets = [
    { rows: row(shared(0), inline('<t>own</t>'), '<c t="str"><v>plain</v></c>') },
    { rows: row(shared(0), '<c t="s"><f>A1</f><v>1</v></c>', shared(1)) },
  ];
  const files = (): Record<string, string> =>
    workbookFiles(sheets, [item('one'), item('two')]) as Record<string, string>;
  const isXml = (path: string): boolean => path.startsWith('xl/') && !path.includes('_rels');
  type Change = (xml: string) => string | Uint8Array;
  const changedFiles = (parts: Record<string, string>, change: Change): Record<string, string | Uint8Array> =>
    Object.fromEntries(Object.entries(parts).map(([path, xml]) => [path, isXml(path) ? change(xml) : xml]));
  const prefixed = (xml: string): string =>
    xml.replace(/<(\/?)(?=[a-z])/g, '<$1ss:').replace('xmlns=', 'xmlns:ss=');
  const utf16 = (xml: string): Buffer =>
    Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>\r\n${xml}`, 'utf16le');
  const variants: [rule: string, change: Change][] = [
    ['with a prefix for its namespace', prefixed],
    [
      'in the strict form',
      (xml) =>
        xml
          .replaceAll(
            'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
            'http://purl.oclc.org/ooxml/spreadsheetml/main',
          )
          .replaceAll(
            'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
            'http://purl.oclc.org/ooxml/officeDocument/relationships',
          ),
    ],
    [
      'with another prefix for relationships',
      (xml) => xml.replace('xmlns:r=', 'xmlns:rel=').replaceAll('r:id=', 'rel:id='),
    ],
    ['with a byte order mark', (xml) => `\ufeff<?xml version="1.0"?>\n${xml}`],
    ['in UTF-16 of the other byte order', (xml) => utf16(xml).swap16()],
    [
      'with comments, instructions and a DOCTYPE',
      (xml) =>
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "<c>">]><!-- <c> --><?x <c> ?>${xml.replace(/(?<=<sst[^>]*>|<sheetData>|<row>|<c t="s">|<\/f>)/g, '<!-- <si> --><?y <c> ?>')}`,
    ],
    ['with single quotes', (xml) => xml.replaceAll('"', "'")],
    ['with line ends of Windows', (xml) => xml.replaceAll(/(?<=<(?:row|c)\b[^>]*>)/g, '\r\n')],
  ];

  it.each(variants)('%s, and written in the same form', async (_, change) => {
    const bytes = zipOf(changedFiles(files(), change));
    expect(await textsOf(bytes)).toEqual({
      'Sheet1!A1': 'one',
      'Sheet1!B1': 'own',
      'Sheet1!C1': 'plain',
      'Sheet2!A1': 'one',
      'Sheet2!C1': 'two',
    });
    const expected = files();
    const replace = (path: string, from: string, to: string): void => {
      const next = expected[path]!.replace(from, to);
      expect(next).not.toBe(expected[path]);
      expected[path] = next;
    };
    replace('xl/worksheets/s0.xml', 'own', 'OWN é😀');
    replace('xl/worksheets/s0.xml', 'plain', 'PLAIN é😀');
    // A formula uses the second shared string, so the other cell must refer to a new third one.
    replace('xl/worksheets/s1.xml', '</f><v>1</v></c><c t="s"><v>1', '</f><v>1</v></c><c t="s"><v>2');
    replace('xl/sharedStrings.xml', 'uniqueCount="2"', 'uniqueCount="3"');
    replace('xl/sharedStrings.xml', 'one', 'ONE é😀');
    replace('xl/sharedStrings.xml', '</sst>', '<si><t>TWO é😀</t></si></sst>');
    const result = unzipSync(await translated(bytes, (source) => `${shout(source)} é😀`));
    for (const [path, xml] of Object.entries(changedFiles(expected, change)))
      expect(Buffer.from(result[path]!).toString('latin1'), path).toBe(
        Buffer.from(xml as string).toString('latin1'),
      );
  });

  it('by its relationships, whatever its parts are called', async () => {
    const renamed = (name: string): string =>
      name
        .replaceAll('xl/workbook.xml', 'book/main.bin')
        .replaceAll('xl/_rels/workbook.xml.rels', 'book/_rels/main.bin.rels')
        .replaceAll('worksheets/s0.xml', '/Data/a.xml')
        .replaceAll('worksheets/s1.xml', './x/../b.xml')
        .replaceAll('sharedStrings.xml', '../strings.part');
    const {
      'xl/worksheets/s0.xml': first,
      'xl/worksheets/s1.xml': second,
      'xl/sharedStrings.xml': strings,
      ...rest
    } = files();
    const moved = Object.fromEntries(
      Object.entries(rest).map(([path, xml]) => [renamed(path), renamed(xml)]),
    );
    const bytes = zipOf({ ...moved, 'Data/a.xml': first!, 'book/b.xml': second!, 'strings.part': strings! });
    expect(Object.values(await textsOf(bytes))).toEqual(['one', 'own', 'plain', 'one', 'two']);
    expect(shownIn(await translated(bytes, shout))).toEqual(['ONE', 'OWN', 'PLAIN']);
  });

  it('by names that differ in case, or are encoded', async () => {
    const parts = files();
    const move = (from: string, to: string): void => {
      parts[to] = parts[from]!;
      delete parts[from];
    };
    move('xl/worksheets/s0.xml', 'xl/Worksheets/S0.XML');
    move('xl/_rels/workbook.xml.rels', 'xl/_rels/Workbook.xml.rels');
    move('xl/sharedStrings.xml', 'xl/shared strings.xml');
    parts['xl/_rels/Workbook.xml.rels'] = parts['xl/_rels/Workbook.xml.rels']!.replace(
      'sharedStrings.xml',
      'shared%20strings.xml',
    );
    expect(Object.values(await textsOf(await translated(zipOf(parts), shout)))).toEqual([
      ...['ONE', 'OWN', 'PLAIN', 'ONE', 'TWO'],
    ]);
  });
});

describe('a sheet', () => {
  it('may lack the references of rows and cells: they follow the one before', async () => {
    const text = inline('<t>a</t>');
    const at = (reference: string): string => text.replace('<c', `<c r="${reference}"`);
    const rows = `${row(text, text)}<row r="4">${at('C4')}${text}</row>${row(at('$z$5'), text, at('XFD5'))}`;
    expect(Object.keys(await textsOf(workbookOf([{ rows }])))).toEqual(
      ['A1', 'B1', 'C4', 'D4', 'Z5', 'AA5', 'XFD5'].map((reference) => `Sheet1!${reference}`),
    );
  });

  it('keeps its key when it is renamed or moved, and its number is its place', async () => {
    const rows = row(inline('<t>a</t>'));
    const keys = async (...names: [name: string, sheetId: string][]): Promise<unknown> => {
      const { segments } = await extract(
        workbookOf(names.map(([name, sheetId]) => ({ rows, name, sheetId }))),
      );
      return segments.map(({ regionId, page, place }) => [regionId, page, place]);
    };
    expect(await keys(['Data', '7'], ['More', '3'])).toEqual([
      ['sheet7', 1, 'Data!A1'],
      ['sheet3', 2, 'More!A1'],
    ]);
    expect(await keys(['More &lt;b&gt;', '3'], ['Data', '7'])).toEqual([
      ['sheet3', 1, 'More <b>!A1'],
      ['sheet7', 2, 'Data!A1'],
    ]);
    expect(await keys(['A', '7'], ['B', '7'], ['C', 'x/y'])).toEqual([
      ['sheet7', 1, 'A!A1'],
      ['position2', 2, 'B!A1'],
      ['position3', 3, 'C!A1'],
    ]);
  });

  it('that is a chart, a dialog or a macro sheet has no cells to translate, but a number', async () => {
    const other = workbookFiles([
      { rows: '', type: 'chartsheet' },
      { rows: '', type: 'dialogsheet' },
      { rows: row(inline('<t>kept</t>')), type: 'xlMacrosheet' },
      { rows: row(inline('<t>a</t>')) },
    ]);
    const { segments, pageCount } = await extract(zipOf(other));
    expect(pageCount).toBe(4);
    expect(segments).toMatchObject([{ page: 4, place: 'Sheet4!A1' }]);
  });

  it('keeps everything around its texts, in pieces of any size', { timeout: 60_000 }, async () => {
    // Characters of two units and line ends of two characters, so that pieces of the file end inside of them.
    const around = ['<!-- 😀\r\n -->', '\r\n', '<c><f>"😀"&amp;A1</f><v>1</v></c>', '<c s="1"/>', '\t'];
    const random = seededRandom(7);
    const pick = (count: number): number => Math.floor(random() * count);
    const cell = (text: string): string =>
      pick(2) ? inline(`<t xml:space="preserve">${text}</t>`) : `<c t="str"><v>${text}</v></c>`;
    const written: string[] = [];
    for (let index = 0; index < 60_000; index++)
      written.push(
        pick(3) === 0
          ? around[pick(around.length)]!
          : cell(`⟦${['a', '😀', 'é\r\n', '&#x1F600;'][pick(4)]!.repeat(pick(5))}x⟧`),
      );
    const lines: string[] = [];
    for (let index = 0; index < written.length; index += 1000)
      lines.push(row(...written.slice(index, index + 1000)));
    const bytes = workbookOf([{ rows: lines.join('\r\n') }]);
    const before = `${partOf(bytes, 'xl/worksheets/s0.xml')}`;
    expect(before.length).toBeGreaterThan(2_000_000);
    const result = await translated(bytes, 'T😀');
    const after = `${partOf(result, 'xl/worksheets/s0.xml')}`;
    expect(after).toBe(
      before.replace(/(?:<t xml:space="preserve">|<v>)⟦[^⟧]*⟧/g, (found) =>
        found.startsWith('<v') ? '<v>T😀' : '<t>T😀',
      ),
    );
  });
});
