import {
  type DeclaredLanguages,
  GlossaryFileError,
  type GlossaryTable,
  type TableAssignment,
} from '../glossary-file.ts';
import { parseStatus } from '../term-fields.ts';
import { clip } from '../text.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import {
  type Column,
  type ColumnIndexes,
  isKnownName,
  languagesOfColumn,
  languagesOfHeader,
  positional,
  readHeader,
  type Table,
} from './columns.ts';

/** The use of the columns of a table, from its header or as the upload assigns them. */
export interface UsedColumns {
  indexes: ColumnIndexes;
  hasHeader: boolean;
  /** The languages that the header gives to terms without a language. */
  languages: DeclaredLanguages;
  table: GlossaryTable;
}

/** Maximum columns of a table that are listed, names in an error, and characters of a name. */
const listed = { columns: 1000, unknown: 10, characters: 100 };

/**
 * Returns the use of the columns of a table.
 * @param first the cells of the first row
 * @param withoutHeader the indexes that apply if the first row is not a header
 */
export function columnsOfTable(
  first: readonly string[],
  declared: DeclaredLanguages,
  kind: Table,
  assigned: TableAssignment | undefined,
  withoutHeader: ColumnIndexes = positional,
): UsedColumns {
  const header = assigned ? indexesOf(assigned) : readHeader(first, declared, kind);
  const hasHeader = assigned ? assigned.hasHeader : header !== undefined;
  const indexes = header ?? withoutHeader;
  const found = new Map([...indexes].map(([column, index]) => [index, column]));
  const none = { source: null, target: null };
  return {
    indexes,
    hasHeader,
    // The upload gives the declared languages to the terms.
    languages:
      !hasHeader || declared.source || declared.target
        ? none
        : assigned
          ? languagesOfColumns(first, indexes)
          : languagesOfHeader(first, declared),
    table: {
      hasHeader,
      columns: first.slice(0, listed.columns).map((cell, index) => ({
        name: clip(cell, listed.characters),
        column: found.get(index) ?? null,
      })),
    },
  };
}

function indexesOf({ columns: assigned }: TableAssignment): ColumnIndexes {
  return new Map(assigned.flatMap((column, index) => (column ? [[column, index]] : [])));
}

/** Returns the languages after which the columns of the terms are named, if both are. */
function languagesOfColumns(names: readonly string[], indexes: ColumnIndexes): DeclaredLanguages {
  const [source, target] = (['source_term', 'target_term'] as const).map((column) => {
    const [code, ...others] = languagesOfColumn(names[indexes.get(column) ?? -1] ?? '');
    return code && others.length === 0 ? { tag: code, code } : null;
  });
  if (!source || !target || source.code === target.code) return { source: null, target: null };
  return { source, target };
}

/** A word for the state of work on a term that is also a word for a term that may be used. */
const approved = /^approved$/i;

/**
 * Leaves the column of the status out if its values are states of work, such as `draft`, and not uses of a
 * term. A column that the upload assigns stays.
 */
export function withoutStates(
  used: UsedColumns,
  statuses: readonly string[],
  assigned: TableAssignment | undefined,
): UsedColumns {
  const filled = statuses.filter((text) => text !== '');
  const isState = filled.some((text) => parseStatus(text) === undefined);
  if (assigned || !isState || filled.some((text) => parseStatus(text) !== undefined && !approved.test(text)))
    return used;
  const columns = used.table.columns.map((one) => (one.column === 'status' ? { ...one, column: null } : one));
  const indexes = new Map([...used.indexes].filter(([column]) => column !== 'status'));
  return { ...used, indexes, table: { ...used.table, columns } };
}

/** Returns a message about a cell with its column as a person sees it: by letter and header. */
export function atColumn(
  message: string,
  column: Column,
  { indexes, hasHeader, table }: UsedColumns,
): string {
  const index = indexes.get(column);
  if (index === undefined) return message;
  const letter = writeReference({ row: 1, column: index + 1 }).slice(0, -1);
  const name = hasHeader ? table.columns[index]?.name : undefined;
  return message.replace(/(?=;)|$/, ` in column ${letter}${name ? ` (“${name}”)` : ''}`);
}

/** Adds the columns of a table to an error in its rows, so that the sender can assign them. */
export function withTable(error: unknown, table: GlossaryTable): unknown {
  if (error instanceof GlossaryFileError) error.table ??= table;
  return error;
}

/** The columns that a header needs, for an error in a first row. */
export const whatHeadersAre =
  'if this is a header, it needs the columns source_term and target_term, or columns with the names or codes of both languages';

/** Adds to an error in the first row which of its cells are not names of columns. The message repeats nothing of a file. */
export function withUnknownNames(error: GlossaryFileError, cells: readonly string[]): GlossaryFileError {
  error.unknownNames = cells
    .filter((cell) => !isKnownName(cell))
    .slice(0, listed.unknown)
    .map((cell) => clip(cell, listed.characters));
  return error;
}
