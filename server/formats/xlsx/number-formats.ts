import type { OfficePackage } from '../office/package.ts';
import type { PositionedXmlEvents } from '../office/xml-reader.ts';
import { type PartEditor, readXmlPart, replaceAttributes } from './part-stream.ts';
import { isSpreadsheet, type Workbook } from './workbook.ts';

/** The region of the texts of number formats. */
export const formatRegion = 'formats';

/** The maximum number of UTF-16 units that Excel accepts in the code of a format. */
export const formatLimit = 255;

/** A literal with words in the code of a number format, such as `" pieces"` in `0" pieces"`. */
interface FormatWords {
  /** The range in the code, with quotes or backslashes. */
  start: number;
  end: number;
  text: string;
}

/** A number format with words. */
export interface NumberFormat {
  id: string;
  code: string;
  words: readonly FormatWords[];
}

/** The number formats of a workbook that have words, and the styles of cells that use them. */
export interface NumberFormats {
  /** The path of the part with the styles, if any. */
  path: string | undefined;
  formats: readonly NumberFormat[];
  /** The IDs of the formats, by the numbers of the styles. */
  ofStyles: readonly string[];
}

/** Returns the literals of a code that have a word. A single letter is a sign, such as a unit. */
export function wordsOfFormat(code: string): FormatWords[] {
  const found: FormatWords[] = [];
  // Letters outside of quotes and backslashes are codes; in brackets are colors, conditions and currencies.
  for (const { 0: written, index } of code.matchAll(/"[^"]*"|(?:\\.)+|\[[^\]]*\]|[_*]./gsu)) {
    if (!/^["\\]/.test(written)) continue;
    const text = written.startsWith('"') ? written.slice(1, -1) : written.replace(/\\(.)/gsu, '$1');
    if (/\p{L}{2}/u.test(text)) found.push({ start: index, end: index + written.length, text });
  }
  return found;
}

/** Returns a code with other words; undefined keeps a word. */
export function writeFormat({ code, words }: NumberFormat, texts: readonly (string | undefined)[]): string {
  return words.reduceRight((written, { start, end }, at) => {
    const text = texts[at];
    // A quotation mark cannot be in quotes.
    const quoted = text
      ?.split('"')
      .map((part) => (part === '' ? '' : `"${part}"`))
      .join('\\"');
    return quoted === undefined ? written : written.slice(0, start) + quoted + written.slice(end);
  }, code);
}

/** @throws {FileError} `unreadable` or `too_large` */
export async function readNumberFormats({ office, path: workbook }: Workbook): Promise<NumberFormats> {
  const path = (await office.relationships(workbook)).find(({ type }) => type === 'styles')?.target;
  return path === undefined
    ? { path, formats: [], ofStyles: [] }
    : { path, ...(await readStyles(office, path)) };
}

async function readStyles(office: OfficePackage, path: string) {
  const formats: NumberFormat[] = [];
  const ofStyles: string[] = [];
  const open: string[] = [];
  await readXmlPart(office, path, {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const { numFmtId: id = '0', formatCode: code = '' } = tag.attributes;
      const place = open.slice(1).join('/');
      if (place === 'cellXfs/xf') ofStyles.push(id);
      if (place !== 'numFmts/numFmt') return;
      const words = wordsOfFormat(code);
      if (words.length > 0) formats.push({ id, code, words });
    },
    closeTag: () => {
      open.pop();
    },
  });
  return { formats, ofStyles };
}

/**
 * Selects the formats with words that cells use.
 *
 * @param styles the numbers of the styles of cells with a value
 * @param others those of the sheets that are not selected. Formats that they use, too, are `left`
 */
export function selectedFormats(
  { formats, ofStyles }: NumberFormats,
  styles: ReadonlySet<number>,
  others: ReadonlySet<number>,
): { translated: NumberFormat[]; left: NumberFormat[] } {
  const usedBy = (numbers: ReadonlySet<number>) => new Set([...numbers].map((style) => ofStyles[style]));
  const [used, usedByOthers] = [usedBy(styles), usedBy(others)];
  return {
    translated: formats.filter(({ id }) => used.has(id) && !usedByOthers.has(id)),
    left: formats.filter(({ id }) => usedByOthers.has(id)),
  };
}

/** Returns the cell ID of the segment of a format's words. */
export function formatKey({ id }: NumberFormat, at: number): string {
  return `format${id}-${at + 1}`;
}

/** Writes new codes of formats. @param codes the codes by the IDs of the formats */
export function formatWriter(editor: PartEditor, codes: ReadonlyMap<string, string>): PositionedXmlEvents {
  const open: string[] = [];
  return {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const code = codes.get(tag.attributes['numFmtId'] ?? '');
      if (code !== undefined && open.slice(1).join('/') === 'numFmts/numFmt')
        replaceAttributes(editor, tag, new Map([['formatCode', code]]));
    },
    closeTag: () => {
      open.pop();
    },
  };
}
