import { convertByLibreOffice } from '#test/formats/libreoffice.ts';
import { shownCells } from './round-trip/cells.ts';
import { shownParagraphs } from './round-trip/paragraphs.ts';
import type { ShownText } from './round-trip/shown-text.ts';

/** What LibreOffice changes when it opens a document and saves it again. */
export interface RoundTrip {
  /** The texts with letters, and the numbers of those that are missing, or that have other formats, afterwards. */
  texts: number;
  lost: number;
  reformatted: number;
  /** The number of pages, as LibreOffice counts them; 0 for a workbook. */
  pages: number;
}

const readers = { docx: shownParagraphs, xlsx: shownCells };
export type RoundTripFormat = keyof typeof readers;

/**
 * Opens documents in LibreOffice, saves them in their own format, and compares each with the saved one.
 * @param files the content by name
 * @returns the results by name, null for a file that LibreOffice does not save; null if it is not installed
 */
export function roundTrips(
  files: Record<string, Uint8Array>,
  format: RoundTripFormat,
): Map<string, RoundTrip | null> | null {
  const saved = convertByLibreOffice(files, format);
  if (!saved) return null;
  const read = readers[format];
  return new Map(
    Object.entries(files).map(([name, bytes]) => {
      const again = saved[name];
      return [
        name,
        again ? { ...compareTexts(read(bytes).texts, read(again).texts), pages: read(again).pages } : null,
      ];
    }),
  );
}

/** Pairs equal texts, in any order: programs write headers and footers in different parts. */
export function compareTexts(
  before: readonly ShownText[],
  after: readonly ShownText[],
): Pick<RoundTrip, 'texts' | 'lost' | 'reformatted'> {
  const found = new Map<string, string[]>();
  for (const { text, formats } of after) found.set(text, [...(found.get(text) ?? []), formats]);
  const result = { texts: before.length, lost: 0, reformatted: 0 };
  for (const { text, formats } of before) {
    const same = found.get(text) ?? [];
    if (same.length === 0) result.lost++;
    else if (same.includes(formats)) same.splice(same.indexOf(formats), 1);
    else {
      same.pop();
      result.reformatted++;
    }
  }
  return result;
}
