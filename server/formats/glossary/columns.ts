/** The columns of a glossary, in the order of a file without a header (B 4.4). */
export const columns = [
  'source_term',
  'target_term',
  'source_lang',
  'target_lang',
  'case_sensitive',
  'priority',
] as const;

export type Column = (typeof columns)[number];

/** Where each column stands in a row, from 0; absent where the file does not have it. */
export type ColumnPlaces = ReadonlyMap<Column, number>;

const columnOfName = new Map<string, Column>([
  ...columns.map((column): [string, Column] => [column, column]),
  ...aliases('source_term', 'source src_term term_source'),
  ...aliases('target_term', 'target tgt_term term_target'),
  ...aliases('source_lang', 'source_language src_lang from_lang'),
  ...aliases('target_lang', 'target_language tgt_lang to_lang'),
  ...aliases('case_sensitive', 'casesensitive'),
]);

function aliases(column: Column, names: string): [string, Column][] {
  return names.split(' ').map((name) => [name, column]);
}

/** The columns of a file without a header. */
export const positional: ColumnPlaces = new Map(columns.map((column, place) => [column, place]));

/**
 * The columns that a header names; undefined where the row is none, having not both a source and a target term (B 4.4).
 * Case does not matter, and spaces, punctuation and symbols are as good as underscores. Of two columns of one name, the
 * first.
 */
export function readHeader(cells: readonly string[]): ColumnPlaces | undefined {
  const places = new Map<Column, number>();
  for (const [place, cell] of cells.entries()) {
    const column = columnOfName.get(normalName(cell));
    if (column !== undefined && !places.has(column)) places.set(column, place);
  }
  return places.has('source_term') && places.has('target_term') ? places : undefined;
}

function normalName(cell: string): string {
  return cell
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
