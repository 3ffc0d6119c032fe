import { type LanguageCode, languageOfName, readDeclaredVariant, readLanguage } from '#server/languages.ts';
import { CsvError, type CsvRow, readCsv } from './csv/reader.ts';
import { readTbx, type TbxConcept } from './tbx/reader.ts';
import { countCodePoints } from './text.ts';
import { readTmx, type TmxPair, type TmxSides } from './tmx/reader.ts';
import { XmlFileError } from './xml/xml-parser.ts';

/** The columns of a glossary, in the order of a file without a header. */
const columns = [
  'source_term',
  'target_term',
  'source_lang',
  'target_lang',
  'case_sensitive',
  'priority',
] as const;

type Column = (typeof columns)[number];

/** The index in a row of each column that the file has. */
type ColumnIndexes = ReadonlyMap<Column, number>;

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

/** The column indexes of a file without a header. */
const positional: ColumnIndexes = new Map(columns.map((column, place) => [column, place]));

/**
 * Reads the column names of a header. Returns undefined if the row is not a header, because it names no source term or
 * no target term. Ignores letter case; spaces, punctuation and symbols count as underscores. If several columns have
 * the same name, the first one is used.
 */
function readHeader(cells: readonly string[]): ColumnIndexes | undefined {
  const indexes = new Map<Column, number>();
  for (const [place, cell] of cells.entries()) {
    const column = columnOfName.get(normalName(cell));
    if (column !== undefined && !indexes.has(column)) indexes.set(column, place);
  }
  return indexes.has('source_term') && indexes.has('target_term') ? indexes : undefined;
}

function normalName(cell: string): string {
  return cell
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

/**
 * The error for a file that cannot be read as a glossary. The message is for the sender of the file and names the line,
 * if known.
 */
export class GlossaryFileError extends Error {
  override name = 'GlossaryFileError';
  /** The physical line of the error, from 1; null if the error concerns the whole file. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }

  static at(line: number, message: string): GlossaryFileError {
    return new GlossaryFileError(`line ${line}: ${message}`, line);
  }

  /** Converts an error of the CSV, TMX or TBX reader. The message of such an error already contains the line. */
  static from(cause: Error & { line: number | null }): GlossaryFileError {
    return new GlossaryFileError(cause.message, cause.line, { cause });
  }
}

/** A term and its translation, as the file contains them. */
export interface GlossaryFileEntry {
  /** The physical line on which the entry starts, from 1. */
  line: number;
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

/** The entries of a glossary file, and details about its reading. */
export interface GlossaryFile {
  entries: GlossaryFileEntry[];
  /** False for a CSV file without a header. Its first row was then read as an entry. */
  hasHeader: boolean;
  /**
   * The lines of skipped items: rows, TMX units or TBX concepts in which one of the terms is missing. Blank lines are
   * not included.
   */
  skippedLines: number[];
  /** The lines of TBX concepts from which additional targets were ignored. */
  reducedLines: number[];
}

/**
 * The maximum length of a term, in code points. A longer term suggests that columns are mixed up, or that the file is a
 * translation memory.
 */
export const maxTermLength = 500;

/** @throws {GlossaryFileError} if a term is too long */
function requireTermLength({ line, sourceTerm, targetTerm }: GlossaryFileEntry): void {
  if (isTooLong(sourceTerm) || isTooLong(targetTerm))
    throw GlossaryFileError.at(line, `a term has more than ${maxTermLength} characters`);
}

function isTooLong(term: string): boolean {
  return term.length > maxTermLength && countCodePoints(term) > maxTermLength;
}

/**
 * Reads a CSV glossary. One invalid row makes the whole file invalid.
 *
 * @throws {GlossaryFileError} with the line of the first invalid row; without a line if no row is usable
 */
export function readGlossaryCsv(bytes: Uint8Array): GlossaryFile {
  const rows = readRows(bytes);
  const header = readHeader(rows[0]?.cells ?? []);
  const indexes = header ?? positional;
  const entries: GlossaryFileEntry[] = [];
  const skippedLines: number[] = [];
  for (const [index, row] of rows.entries()) {
    rejectMultiline(row, indexes);
    if (header && index === 0) continue;
    const entry = readEntry(row, indexes);
    if (entry) entries.push(entry);
    else skippedLines.push(row.line);
  }
  if (entries.length === 0)
    throw new GlossaryFileError('no row of the file has both a source term and a target term');
  return { entries, hasHeader: header !== undefined, skippedLines, reducedLines: [] };
}

function readRows(bytes: Uint8Array): CsvRow[] {
  try {
    return readCsv(bytes, (cells) => readHeader(cells) !== undefined);
  } catch (error) {
    throw error instanceof CsvError ? GlossaryFileError.from(error) : error;
  }
}

/**
 * Rejects cells that span several lines. Such a cell usually results from an unclosed quote, which turns many lines
 * into one cell.
 */
function rejectMultiline({ line, multiline }: CsvRow, indexes: ColumnIndexes): void {
  const column = columns.find((name) => multiline.includes(indexes.get(name) ?? -1));
  if (column !== undefined) throw GlossaryFileError.at(line, `the ${column} cell spans several lines`);
}

/** Returns the entry of a row; undefined for a row to skip, because it has a blank term. */
function readEntry({ line, cells }: CsvRow, indexes: ColumnIndexes): GlossaryFileEntry | undefined {
  const [sourceTerm, targetTerm, sourceLang, targetLang, caseSensitive, priority] = columns.map(
    (column) => cells[indexes.get(column) ?? -1] ?? '',
  ) as [string, string, string, string, string, string];
  if (sourceTerm === '' || targetTerm === '') return undefined;
  const entry: GlossaryFileEntry = {
    line,
    sourceTerm,
    targetTerm,
    sourceLang: readLanguageCell('source_lang', sourceLang, line),
    targetLang: readLanguageCell('target_lang', targetLang, line),
    caseSensitive: ['1', 'true', 'yes', 'on'].includes(caseSensitive.toLowerCase()),
    priority: readPriority(priority, line),
  };
  requireTermLength(entry);
  return entry;
}

function readLanguageCell(column: string, cell: string, line: number): LanguageCode | null {
  if (cell === '') return null;
  const language = readLanguage(cell) ?? languageOfName(cell);
  if (language) return language;
  throw GlossaryFileError.at(
    line,
    `${column} is not a supported language; Chinese and Portuguese need their variant, such as zh-Hans or pt-BR`,
  );
}

function readPriority(cell: string, line: number): number {
  if (cell === '') return 0;
  const priority = /^[+-]?\d{1,20}$/.test(cell) ? Number(cell) : Number.NaN;
  // `| 0` turns -0 into 0, and a number outside of 32 bits into another number.
  if (priority === (priority | 0)) return priority | 0;
  throw GlossaryFileError.at(line, 'priority is not a 32-bit integer');
}

/** The languages that the upload declares, with the language tags in which it declares them. */
interface DeclaredPair {
  source: LanguageCode;
  sourceTag: string;
  target: LanguageCode;
  targetTag: string;
}

function sidesOf({ source, sourceTag, target, targetTag }: DeclaredPair): TmxSides {
  return {
    sourceTag,
    targetTag,
    isSource: (tag) => readDeclaredVariant(tag, source) === source,
    isTarget: (tag) => readDeclaredVariant(tag, target) === target,
  };
}

/** The values for the fields that entries of TMX and TBX files do not contain. */
function ofPair({ source, target }: DeclaredPair) {
  return { sourceLang: source, targetLang: target, caseSensitive: false, priority: 0 };
}

function withoutEntry(what: string, { sourceTag, targetTag }: DeclaredPair): GlossaryFileError {
  return new GlossaryFileError(`no ${what} in both ${sourceTag} and ${targetTag}`);
}

/**
 * Reads a TMX glossary. One invalid unit makes the whole file invalid. Each unit with both languages becomes an entry.
 * Entries are sorted by their `changedate`; entries without a date come first, and entries with equal dates keep the
 * order of the file. If several entries have the same source term, the last one is used.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTmx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const skippedLines: number[] = [];
  const dated: { entry: GlossaryFileEntry; changedate: string }[] = [];
  try {
    const onPair = (pair: TmxPair): void => {
      const entry: GlossaryFileEntry = {
        line: pair.line,
        sourceTerm: pair.source.trim(),
        targetTerm: pair.target.trim(),
        ...ofPair(declared),
      };
      requireTermLength(entry);
      dated.push({ entry, changedate: pair.changedate ?? '' });
    };
    readTmx(bytes, sidesOf(declared), onPair, (line) => skippedLines.push(line));
  } catch (error) {
    throw error instanceof XmlFileError ? GlossaryFileError.from(error) : error;
  }
  if (dated.length === 0) throw withoutEntry('unit of the file has a text', declared);
  // All dates are in UTC and have seconds, so they can be compared as strings.
  dated.sort((one, other) =>
    one.changedate < other.changedate ? -1 : Number(one.changedate > other.changedate),
  );
  const entries = dated.map(({ entry }) => entry);
  return { entries, hasHeader: true, skippedLines, reducedLines: [] };
}

/**
 * Reads a TBX glossary: in TBX-Basic of 2019 or 2008, TBX-Min, or a similar format. Every source term of a concept
 * becomes an entry. The entry's target is the preferred target term of the concept, or else the first one that is not
 * deprecated.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTbx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const entries: GlossaryFileEntry[] = [];
  const skippedLines: number[] = [];
  const reducedLines: number[] = [];
  const onConcept = ({ line, sources, targets }: TbxConcept): void => {
    const usable = targets.filter(({ status }) => status > 0);
    const target = usable.find(({ status }) => status === 2) ?? usable[0];
    if (!target) {
      skippedLines.push(line);
      return;
    }
    if (usable.length > 1) reducedLines.push(line);
    for (const { line, text } of sources) {
      const entry = { line, sourceTerm: text, targetTerm: target.text, ...ofPair(declared) };
      requireTermLength(entry);
      entries.push(entry);
    }
  };
  try {
    readTbx(bytes, sidesOf(declared), onConcept, (line) => skippedLines.push(line));
  } catch (error) {
    throw error instanceof XmlFileError ? GlossaryFileError.from(error) : error;
  }
  if (entries.length === 0) throw withoutEntry('concept of the file has a usable term', declared);
  return { entries, hasHeader: true, skippedLines, reducedLines };
}
