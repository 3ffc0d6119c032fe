import { readXmlPart } from '../xlsx/part-stream.ts';
import { isSpreadsheet, type Workbook } from '../xlsx/workbook.ts';

/** The built-in number formats that show a date or a time (ECMA-376, part 1, 18.8.30, with those of East Asia). */
const builtIn = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/**
 * Returns whether a cell style shows numbers as dates or times.
 *
 * @throws {FileError} `unreadable` or `too_large`
 */
export async function readDateStyles({ office, path }: Workbook): Promise<(style: number) => boolean> {
  const part = (await office.relationships(path)).find(({ type }) => type === 'styles')?.target;
  if (part === undefined) return () => false;
  const custom = new Map<number, boolean>();
  const formats: number[] = [];
  const open: string[] = [];
  await readXmlPart(office, part, {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const id = Number(tag.attributes['numFmtId'] ?? 0);
      const place = open.slice(1).join('/');
      if (place === 'numFmts/numFmt') custom.set(id, showsDate(tag.attributes['formatCode'] ?? ''));
      else if (place === 'cellXfs/xf') formats.push(id);
    },
    closeTag: () => {
      open.pop();
    },
    text: () => {},
  });
  return (style) => {
    const id = formats[style] ?? 0;
    return custom.get(id) ?? builtIn(id);
  };
}

/** Whether a format code has a letter for a part of a date or time, other than in quotes, brackets or after an escape. */
function showsDate(code: string): boolean {
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|general/gi, ''));
}
