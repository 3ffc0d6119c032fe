import { leadingColumns } from '../glossary-file.ts';
import { layoutKinds } from '../layout-kinds.ts';
import { csvMark, csvRow, writeTable } from '../table-writer.ts';
import { type FieldName, fieldView, type TermFields } from '../term-fields.ts';

export const xlsxType = layoutKinds.xlsx.mediaType;

/** A term of an exported glossary. If a language is empty, the term applies to any language. */
interface ExportedTerm extends Partial<TermFields> {
  sourceTerm: string;
  targetTerm: string;
  sourceLang: string;
  targetLang: string;
  caseSensitive: boolean;
  priority: number;
}

/**
 * Writes a workbook with a glossary, page by page, so that only one page is in memory (`writeTable`). `readGlossaryXlsx`
 * returns the same terms, with control characters as spaces.
 *
 * @param fields the fields that have a column
 */
export async function* writeGlossaryXlsx(
  pages: AsyncIterable<readonly ExportedTerm[]>,
  fields: readonly FieldName[] = [],
): AsyncGenerator<Uint8Array, void> {
  async function* rows() {
    for await (const page of pages) yield page.map((term) => cellsOf(term, fields));
  }
  const widths = [
    { columns: 2, width: 40 },
    { columns: 4, width: 14 },
    ...(fields.length > 0 ? [{ columns: fields.length, width: 24 }] : []),
  ];
  yield* writeTable({ name: 'Terms', head: [...leadingColumns, ...fields], widths }, rows());
}

/**
 * Writes a glossary as CSV (`csvRow`), page by page. `readGlossaryCsv`
 * returns the same terms.
 *
 * @param fields the fields that have a column
 */
export async function* writeGlossaryCsv(
  pages: AsyncIterable<readonly ExportedTerm[]>,
  fields: readonly FieldName[] = [],
): AsyncGenerator<string, void> {
  yield csvMark + csvRow([...leadingColumns, ...fields]);
  for await (const page of pages) yield page.map((term) => csvRow(cellsOf(term, fields))).join('');
}

/** Returns the cells of a term in the order of the columns. */
function cellsOf(term: ExportedTerm, fields: readonly FieldName[]): (string | number)[] {
  const written = fieldView(term);
  return [
    term.sourceTerm,
    term.targetTerm,
    term.sourceLang,
    term.targetLang,
    term.caseSensitive ? 'yes' : 'no',
    term.priority,
    ...fields.map((field) => (written[field] === true ? 'yes' : `${written[field] ?? ''}`)),
  ];
}
