import { badRequest } from './call.ts';

/** A term and its translation. */
export type Entry = readonly [source: string, target: string];

/**
 * Reads the entries of a dictionary: TSV, or CSV with two columns and optionally the codes of both languages. Rows for
 * other languages are left out, and blank rows.
 * @param isPair whether two codes in a row are the languages of the dictionary
 * @throws CompatError 400 for another format, a row without a translation, or no entries
 */
export function readEntries(
  text: string,
  format: string,
  isPair: (source: string, target: string) => boolean,
): Entry[] {
  if (format !== 'tsv' && format !== 'csv') throw badRequest("Value for 'entries_format' not supported.");
  const rows = format === 'csv' ? readCsv(text) : text.split(/\r?\n/).map((line) => line.split('\t'));
  const entries = rows.flatMap((cells, at): Entry[] => {
    if (cells.every((cell) => cell.trim() === '')) return [];
    const [source = '', target = '', from, to] = cells.map((cell) => cell.trim());
    if (source === '' || target === '')
      throw badRequest(`Invalid glossary entries provided: row ${at + 1} has no term or no translation.`);
    return from && to && !isPair(from, to) ? [] : [[source, target]];
  });
  if (entries.length === 0)
    throw badRequest("Invalid glossary entries provided: 'entries' has no term for these languages.");
  return entries;
}

/** Reads CSV with commas, in which a cell may be in quotes. An open quote is part of its cell. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"[^,\r\n]*|([^,\r\n]*))(,|\r?\n|\r|$)/gy,
  )) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
  }
  return rows;
}

/** Writes entries with one on each line. A separator in a term becomes a space in TSV, which cannot represent it. */
export function writeEntries(entries: readonly Entry[], format: 'tsv' | 'csv'): string {
  const cell = (text: string) =>
    format === 'csv' ? `"${text.replaceAll('"', '""')}"` : text.replaceAll(/[\t\r\n]/g, ' ');
  return entries.map((entry) => entry.map(cell).join(format === 'csv' ? ',' : '\t')).join('\n');
}
