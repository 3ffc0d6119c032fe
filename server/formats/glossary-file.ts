import type { LanguageCode } from '#server/languages.ts';
import { fieldColumns, type TermFields } from './term-fields.ts';
import { countCodePoints } from './text.ts';

export { type GlossaryKind, glossaryKinds } from './glossary-kinds.ts';

/** The columns of a table without a header, in their order. */
export const leadingColumns = [
  'source_term',
  'target_term',
  'source_lang',
  'target_lang',
  'case_sensitive',
  'priority',
] as const;

/** The columns of a glossary in a table. */
export const glossaryColumns = [...leadingColumns, ...fieldColumns, 'forbidden_term'] as const;

export type GlossaryColumn = (typeof glossaryColumns)[number];

/** How an upload assigns the columns of a table, instead of the names in its header. */
export interface TableAssignment {
  /** Whether the first row is a header; otherwise it is a term. */
  hasHeader: boolean;
  /** The use of each column, from the first; null if it is not used. The terms have one column each. */
  columns: readonly (GlossaryColumn | null)[];
}

/** The columns of a table, as they are read. */
export interface GlossaryTable {
  hasHeader: boolean;
  /** Each column with its cell in the first row. */
  columns: { name: string; column: GlossaryColumn | null }[];
}

/** A language that the upload declares, with the language tag in which it declares it. */
export interface DeclaredLanguage {
  tag: string;
  code: LanguageCode;
}

/** The languages that the upload declares for the entries whose language the file does not name. */
export interface DeclaredLanguages {
  source: DeclaredLanguage | null;
  target: DeclaredLanguage | null;
}

/**
 * The error for a file that cannot be read as a glossary. The message is for the sender of the file and names the line,
 * cell or value, if known.
 */
export class GlossaryFileError extends Error {
  override name = 'GlossaryFileError';
  /** The physical line of the error, from 1; null if the error concerns the whole file, or a cell of a workbook. */
  readonly line: number | null;
  /** The columns of the table, if they were read before the error. */
  table: GlossaryTable | undefined;
  /** The first cells of the first row that are not names of columns, if the error concerns this row. */
  unknownNames: string[] | undefined;

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }

  static at(line: number, message: string): GlossaryFileError {
    return new GlossaryFileError(`line ${line}: ${message}`, line);
  }

  /** Converts an error of the CSV, TMX, TBX or JSON reader. The message of such an error already contains the line. */
  static from(cause: Error & { line: number | null }): GlossaryFileError {
    return new GlossaryFileError(cause.message, cause.line, { cause });
  }
}

/** The position of an item in its file. */
export interface FilePosition {
  /** The physical line on which the item starts, or the row of the sheet, from 1. */
  line: number;
  /** The cell of a workbook (`B7`), or the path of a JSON value (`terms[3]`). Other files have only lines. */
  place?: string | undefined;
}

/** A term and its translation, as the file contains them. Fields that the file does not set are missing. */
export interface GlossaryFileEntry extends FilePosition, Partial<TermFields> {
  /** The term without white space around it. */
  sourceTerm: string;
  targetTerm: string;
  /** The language of the source term; null if the file does not declare it. */
  sourceLang: LanguageCode | null;
  targetLang: LanguageCode | null;
  caseSensitive: boolean;
  /**
   * The priority, a signed 32-bit integer. If the terms of two entries overlap in a text, the entry with the higher
   * priority is used.
   */
  priority: number;
}

/**
 * The kinds of notes about what a reader left out or changed:
 * - `skipped`: an item in which one of the terms is missing
 * - `cell_error`: a row that was skipped, because a term is a formula without a result or with an error
 * - `date`: a row that was skipped, because a term is stored as a date, so its text is lost
 * - `hidden_row`, `hidden_column`, `hidden_sheet`: hidden content that was left out
 * - `other_sheet`: a sheet with content that was left out, because only one sheet is read
 * - `unused`: a column or JSON key that is not used
 * - `reduced`: a TBX concept from which additional targets were left out
 * - `merged`: a row that got the value of a merged cell
 * - `number`: a number that is read as a text
 * - `trimmed`: a term from which white space around it was removed
 * - `line_break`: a term whose line breaks were replaced by spaces
 * - `field`: a field of a term that was left out, because its value is unknown, or was clipped
 * - `alternatives`: a cell with several terms, which were read as one each
 * - `extra_cells`: a row with more cells than the header, which were left out
 */
export const noteCodes = [
  'skipped',
  'cell_error',
  'date',
  'hidden_row',
  'hidden_column',
  'hidden_sheet',
  'other_sheet',
  'unused',
  'reduced',
  'merged',
  'number',
  'trimmed',
  'line_break',
  'field',
  'alternatives',
  'extra_cells',
] as const;

export type NoteCode = (typeof noteCodes)[number];

/** A note that the reader left out or changed something at one position of the file. */
export interface ReadingNote {
  code: NoteCode;
  /** Null for a column, sheet or key. */
  line: number | null;
  place?: string | undefined;
  /** The name of the column, sheet or key. */
  name?: string | undefined;
}

/** The entries of a glossary file, and details about its reading. */
export interface GlossaryFile {
  entries: GlossaryFileEntry[];
  /** Whether the lines of entries and notes are physical lines or the rows of a sheet. */
  unit: 'line' | 'row';
  /** False for a table without a header. Its first row was then read as an entry. */
  hasHeader: boolean;
  /** Only for CSV files and workbooks. */
  table?: GlossaryTable;
  /** Blank lines and rows have no notes. */
  notes: ReadingNote[];
}

/**
 * The maximum length of a term, in code points. A longer term suggests that columns are mixed up, or that the file is a
 * translation memory.
 */
export const maxTermLength = 500;

/** Whether a term is longer than `maxTermLength`. */
export function isTooLong(term: string): boolean {
  return term.length > maxTermLength && countCodePoints(term) > maxTermLength;
}

/** @throws {GlossaryFileError} if a term is too long */
export function requireTermLength({ line, sourceTerm, targetTerm }: GlossaryFileEntry): void {
  if (isTooLong(sourceTerm) || isTooLong(targetTerm)) throw GlossaryFileError.at(line, tooLong);
}

export const tooLong = `a term has more than ${maxTermLength} characters`;
