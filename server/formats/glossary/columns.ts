import {
  type LanguageCode,
  languageCodes,
  languageOfName,
  readDeclaredVariant,
  readLanguage,
} from '#server/languages.ts';
import {
  glossaryColumns as columns,
  type DeclaredLanguage,
  type DeclaredLanguages,
  type GlossaryColumn,
  type GlossaryFileEntry,
  GlossaryFileError,
  isTooLong,
  leadingColumns,
  type ReadingNote,
  tooLong,
} from '../glossary-file.ts';
import { fieldColumns, isYes, parseStatus, readFields } from '../term-fields.ts';
import { columnOfName, normalName, otherNames } from './column-names.ts';

/*
 * The columns of a glossary in a table: in CSV, in a sheet of a workbook, or in JSON, whose keys are the names of columns.
 */

export { columns };

/** The maximum number of rows of a table. */
export const maxRows = 100_000;

export type Column = GlossaryColumn;

/** The index in a row of each column that the table has. */
export type ColumnIndexes = ReadonlyMap<Column, number>;

/** The column indexes of a table without a header. */
export const positional: ColumnIndexes = new Map(leadingColumns.map((column, place) => [column, place]));

/** The place of the names of columns. The keys of JSON objects cannot be terms; a first row can. */
export type Table = 'csv' | 'sheet' | 'keys';

/**
 * Reads the column names of a header. Returns undefined if the row is not a header, because it has no column for the
 * source term or the target term. These columns are named `source_term` and `target_term`. If they are missing, they are
 * the columns that are named after the declared languages, unless the row could be terms; `languagesOfHeader` gives the
 * languages if the upload declares none. Ignores letter case, but `SourceTerm` is read as `source_term`; spaces,
 * punctuation and symbols count as underscores. If several columns have the same name, the first one is used.
 */
export function readHeader(
  cells: readonly string[],
  declared: DeclaredLanguages = { source: null, target: null },
  table: Table = 'csv',
): ColumnIndexes | undefined {
  const indexes = new Map<Column, number>();
  const isWide = cells.filter((cell) => cell !== '').length > 2;
  for (const [place, cell] of cells.entries()) {
    const column = columnOf(cell) ?? (isWide ? inWideTables.get(normalName(cell)) : undefined);
    if (column !== undefined && !indexes.has(column)) indexes.set(column, place);
  }
  const other = otherTermColumn(cells, declared);
  if (other) indexes.set(other.column, other.index);
  if (indexes.has('source_term') && indexes.has('target_term')) return indexes;
  return readLanguageHeader(cells, languagesOfHeader(cells, declared), indexes, table);
}

/** Names of columns that could be a term in a table of two columns. */
const inWideTables: ReadonlyMap<string, Column> = new Map([
  ['term', 'source_term'],
  ['translation', 'target_term'],
]);

/** Returns the column that is named after a language, next to one column of terms only: `Term`, `German`, `Notes`. */
function otherTermColumn(
  cells: readonly string[],
  declared: DeclaredLanguages,
): { column: 'source_term' | 'target_term'; index: number; code: LanguageCode } | undefined {
  const named = cells.map((cell) => columnOf(cell) ?? inWideTables.get(normalName(cell)));
  const [hasSource, hasTarget] = [named.includes('source_term'), named.includes('target_term')];
  if (hasSource === hasTarget || cells.filter((cell) => cell !== '').length < 3) return undefined;
  const side = hasSource ? 'target' : 'source';
  const found = cells.flatMap((cell, index) => {
    const [code, ...more] = named[index] || otherNames.has(normalName(cell)) ? [] : languagesOfColumn(cell);
    return code && more.length === 0 && code === (declared[side]?.code ?? code) ? [{ index, code }] : [];
  });
  const [only] = found;
  return only && found.length === 1 ? { column: `${side}_term`, ...only } : undefined;
}

/** Returns the column of a name. A field may have its language in brackets: `Description [en]`. */
function columnOf(cell: string): Column | undefined {
  const named = (name: string) =>
    columnOfName.get(normalName(name)) ??
    columnOfName.get(normalName(name.replace(/(?<=[a-z])(?=[A-Z])/g, '_')));
  const inBrackets = named(splitBrackets(cell)[0]);
  const whole = named(cell) ?? describing.find((name) => name === inBrackets) ?? fieldOf(cell)?.column;
  if (whole !== undefined) return whole;
  // `Comment / notes` has two names of one column.
  const [first, ...others] = cell.split(/[/,;&|]/).map(named);
  return others.length > 0 && others.every((other) => other === first) ? first : undefined;
}

/** Returns the column of a field whose name begins or ends with a language, such as `Forbidden DE` or `German notes`. */
function fieldOf(cell: string): { column: Column; languages: readonly LanguageCode[] } | undefined {
  const words = normalName(cell).split('_');
  for (const at of [0, words.length - 1]) {
    const languages = languagesNamed(words[at]!);
    const code = readLanguage(words[at]!);
    const column = columnOfName.get(words.toSpliced(at, 1).join('_'));
    if ((code || languages.length > 0) && describing.some((name) => name === column))
      return { column: column!, languages: code ? [code] : languages };
  }
  return undefined;
}

/** The columns about a term, which may be next to columns of languages. */
const describing = [...fieldColumns, 'forbidden_term'] as const satisfies readonly Column[];

/** Reads a header that has a column for each language. `named` are its other columns. */
function readLanguageHeader(
  cells: readonly string[],
  { source, target }: DeclaredLanguages,
  named: ColumnIndexes,
  table: Table,
): ColumnIndexes | undefined {
  if (!source || !target) return undefined;
  const placeOf = ({ code }: DeclaredLanguage): number =>
    cells.findIndex((cell) => languagesOfColumn(cell, code).includes(code));
  const [sourceAt, targetAt] = [placeOf(source), placeOf(target)];
  if (sourceAt < 0 || targetAt < 0) return undefined;
  if (table !== 'keys') {
    const before = cells.slice(0, Math.max(sourceAt, targetAt));
    const isNamed =
      before.every(isKnownName) ||
      cells.some((cell) => cell !== '' && isOtherName(cell)) ||
      [sourceAt, targetAt].every((at) => !isCode(cells[at]!));
    if (!isNamed || couldBeTerms(cells, source.code, target.code, table)) return undefined;
  }
  const indexes = new Map<Column, number>([
    ['source_term', sourceAt],
    ['target_term', targetAt],
  ]);
  for (const column of ['case_sensitive', 'priority', ...describing] as const)
    if (named.has(column)) indexes.set(column, named.get(column)!);
  const forbidden = cells.findIndex(
    (cell) => columnOf(cell) === 'forbidden_term' && (fieldOf(cell)?.languages.includes(target.code) ?? true),
  );
  if (forbidden >= 0) indexes.set('forbidden_term', forbidden);
  else indexes.delete('forbidden_term');
  return indexes;
}

/** A name with something in brackets after it, such as `Term [en]`, `English (US)` and `Description [fr]`. */
const bracketed = /^([^[\]()（）]*)[[(（]([^[\]()（）]+)[\])）]$/;

/** Returns the name before the brackets, and the content of the brackets; '' for both if the name has none. */
function splitBrackets(cell: string): [name: string, inner: string] {
  const [, name = '', inner = ''] = bracketed.exec(cell) ?? [];
  return [name.trim(), inner.trim()];
}

/** Words for a term in the names of columns with a language, such as `English term` or `Término (ES)`. */
const termWords: ReadonlySet<string> = new Set(
  `term terms text translation source target terme termes traduction término términos traducción termine termini
  traduzione termo termos tradução begriff begriffe benennung benennungen übersetzung vertaling`.split(/\s+/),
);

/** The languages of a column by its name: `en-US`, `German`, `Deutsch`, `English (US)`, `Term [en]`; none for others. */
export function languagesOfColumn(cell: string, declared?: LanguageCode): readonly LanguageCode[] {
  const named = (tag: string) => {
    const code = (declared && readDeclaredVariant(tag, declared)) ?? readLanguage(tag);
    return code ? [code] : languagesNamed(tag);
  };
  const whole = named(cell);
  if (whole.length > 0) return whole;
  const [name, inner] = splitBrackets(cell);
  if (inner === '') {
    const words = normalName(cell).split('_');
    const rest = words.filter((word) => !termWords.has(word));
    return rest.length < words.length ? named(rest.join(' ')) : [];
  }
  if (
    normalName(name)
      .split('_')
      .every((word) => word === '' || termWords.has(word))
  )
    return named(inner);
  // The region may select a variant: `French (CA)`.
  return named(name).flatMap((code) => readLanguage(`${code.slice(0, 2)}-${inner}`) ?? code);
}

/** Whether a column is named after the language of its terms, as `Term [en]` is, and not only after a language. */
function isTermColumn(cell: string): boolean {
  const [name, inner] = splitBrackets(cell);
  const words = normalName(name || cell).split('_');
  return (isCode(inner) || languagesOfColumn(cell).length > 0) && words.some((word) => termWords.has(word));
}

/**
 * Returns the declared languages, or the first two of a header that names several: as columns of terms (`Term [en]`), or
 * together with other columns. A header of more than two languages only is ambiguous.
 */
export function languagesOfHeader(cells: readonly string[], declared: DeclaredLanguages): DeclaredLanguages {
  if (declared.source && declared.target) return declared;
  const other = otherTermColumn(cells, declared);
  if (other) {
    const side = other.column === 'source_term' ? 'source' : 'target';
    return { ...declared, [side]: { tag: other.code, code: other.code } };
  }
  const all = cells.filter((cell) => languagesOfColumn(cell).length === 1);
  // `ID` and `No` are codes of languages, too.
  const certain = all.filter((cell) => !otherNames.has(normalName(cell)));
  const columns = new Set(certain.map((cell) => languagesOfColumn(cell)[0])).size > 1 ? certain : all;
  const [first, ...others] = columns.map((cell) => languagesOfColumn(cell)[0]!);
  const filled = cells.filter((cell) => cell !== '');
  const source = declared.source?.code ?? first;
  const target = declared.target?.code ?? [first, ...others].find((code) => code !== source);
  const isAmbiguous = new Set([first, ...others]).size <= others.length;
  const isOnlyLanguages = others.length > 1 && columns.length === filled.length;
  const isTerms = columns.every(isTermColumn) || (filled.length === 2 && columns.every(isCode));
  if (!source || !target || source === target || isAmbiguous || isOnlyLanguages) return declared;
  if (!isTerms && !cells.every(isKnownName) && !filled.some(isOtherName)) return declared;
  if (!isTerms && filled.length === 2) return declared;
  return {
    source: declared.source ?? { tag: source, code: source },
    target: declared.target ?? { tag: target, code: target },
  };
}

/** Whether a cell is the name of a column, also of one that glossaries do not use. */
export function isKnownName(cell: string): boolean {
  return normalName(cell) === '' || isCode(cell) || isOtherName(cell) || languagesOfColumn(cell).length > 0;
}

/** Whether a cell is the name of a column, other than a language. */
function isOtherName(cell: string): boolean {
  const names = [cell, splitBrackets(cell)[0]].map(normalName);
  return columnOf(cell) !== undefined || names.some((name) => otherNames.has(name));
}

const isCode = (cell: string): boolean => readLanguage(cell) !== undefined || /^(?:zh|pt)$/i.test(cell);

/**
 * Whether a row that names both declared languages can be read as a term, too: in the order of a table without a header,
 * its cells are valid and agree with the declared languages. Such a row is a header only if it names each language once
 * and, except in a workbook, if it has more than two names or only codes, which are not words.
 */
function couldBeTerms(
  cells: readonly string[],
  source: LanguageCode,
  target: LanguageCode,
  table: Table,
): boolean {
  const [term = '', translation = '', from = '', to = '', sensitive = '', priority = ''] = cells;
  const agrees = (cell: string, code: LanguageCode) => cell === '' || parseLanguage(cell) === code;
  if (term === '' || translation === '' || !agrees(from, source) || !agrees(to, target)) return false;
  if (!/^(?:1|0|true|false|yes|no|on|off)?$/i.test(sensitive) || parsePriority(priority) === undefined)
    return false;
  const filled = cells.filter((cell) => cell !== '');
  if (filled.every(isTermColumn)) return false;
  if (filled.length === 2) return table === 'csv' && !filled.every(isCode);
  const found = filled.flatMap((cell) => languagesOfColumn(cell).slice(0, 1));
  const isRepeated = new Set(found).size < filled.length;
  return isRepeated || isCode(term) !== isCode(from || to);
}

let codesOfName: ReadonlyMap<string, readonly LanguageCode[]> | undefined;

/**
 * Returns the languages with a name in any supported language, in any letter case: `german`, `deutsch`, `allemand`, ….
 * A name without a variant stands for each variant, if only variants are supported.
 */
function languagesNamed(name: string): readonly LanguageCode[] {
  const known = languageOfName(name);
  if (known) return [known];
  codesOfName ??= readNames();
  return codesOfName.get(name.toLowerCase()) ?? [];
}

function readNames(): ReadonlyMap<string, LanguageCode[]> {
  const names = new Map<string, LanguageCode[]>();
  for (const locale of languageCodes) {
    const display = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' });
    for (const code of languageCodes) {
      const base = code.slice(0, 2);
      for (const tag of readLanguage(base) === undefined ? [code, base] : [code]) {
        const name = `${display.of(tag)}`.toLowerCase();
        const codes = names.get(name) ?? [];
        if (!codes.includes(code)) names.set(name, [...codes, code]);
      }
    }
  }
  return names;
}

/** Returns the languages of a row in which every filled cell names another language, if it has several; otherwise []. */
function languagesOfRow(cells: readonly string[]): LanguageCode[] {
  const filled = cells.filter((cell) => cell !== '');
  const found = new Set(filled.flatMap((cell) => languagesOfColumn(cell).slice(0, 1)));
  return found.size > 1 && found.size === filled.length ? [...found] : [];
}

/**
 * Rejects a first row that has a column for each language if the upload does not select two of them. Otherwise the names
 * of the languages would be read as a term.
 * @param place the row, such as `row 2`
 * @throws {GlossaryFileError} with the first two languages as columns of the terms
 */
export function requireNoLanguages(
  cells: readonly string[],
  place: string,
  { source, target }: DeclaredLanguages,
): void {
  const languages = languagesOfRow(cells);
  if (languages.length === 0) return;
  const missing = [source, target].find((one) => one && !languages.includes(one.code));
  const error = new GlossaryFileError(
    `${place} names the languages ${languages.join(', ')}; ${
      missing
        ? `there is no column for ${missing.tag}`
        : 'select two of them with source_lang and target_lang'
    }`,
  );
  const [first, second] = cells.flatMap((cell, index) => (cell === '' ? [] : index));
  error.table = {
    hasHeader: true,
    columns: cells.map((name, index) => ({
      name,
      column: index === first ? 'source_term' : index === second ? 'target_term' : null,
    })),
  };
  throw error;
}

/** Returns the names of the columns that are not used. */
export function unusedColumns(header: readonly string[], indexes: ColumnIndexes): string[] {
  const used = new Set(indexes.values());
  return header.filter((name, index) => name !== '' && !used.has(index));
}

/** Gives entries without a language those of the header. */
export function withLanguages(
  entries: readonly GlossaryFileEntry[],
  { source, target }: DeclaredLanguages,
): GlossaryFileEntry[] {
  return entries.map((entry) => ({
    ...entry,
    sourceLang: entry.sourceLang ?? source?.code ?? null,
    targetLang: entry.targetLang ?? target?.code ?? null,
  }));
}

/** The cells of a row by column. A missing cell is ''. */
export type ColumnCells = Record<Column, string>;

export function cellsOf(cells: readonly string[], indexes: ColumnIndexes): ColumnCells {
  return Object.fromEntries(
    columns.map((column) => [column, cells[indexes.get(column) ?? -1] ?? '']),
  ) as ColumnCells;
}

/** Whether a row has both terms. The target of a term that is not translated is the source. */
export function hasTerms(cells: ColumnCells): boolean {
  return cells.source_term !== '' && (cells.target_term !== '' || isYes(cells.do_not_translate));
}

/**
 * Returns the entries of a row for which `hasTerms` is true: its term, and one with the translations that are forbidden.
 *
 * @param at the position of the row
 * @param notes gets a note for each field that is left out or clipped
 * @param invalid creates the error for an invalid cell
 * @throws the error of `invalid`
 */
export function readEntries(
  cells: ColumnCells,
  at: Pick<GlossaryFileEntry, 'line' | 'place'>,
  notes: ReadingNote[],
  invalid: (column: Column, message: string) => Error,
): GlossaryFileEntry[] {
  const read = <T>(column: Column, parse: (cell: string) => T | undefined, problem: string): T => {
    const value = parse(cells[column]);
    if (value === undefined) throw invalid(column, problem);
    return value;
  };
  const term = (column: 'source_term' | 'target_term' | 'forbidden_term') =>
    read(column, (cell) => (isTooLong(cell) ? undefined : cell), tooLong);
  const language = (column: 'source_lang' | 'target_lang') =>
    read(column, parseLanguage, `${column} ${notSupported}`);
  // A column of this name may also hold `yes` or `x`.
  const flag = parseStatus(cells.forbidden_term);
  const status = cells.status === '' && flag === 'forbidden' ? flag : cells.status;
  const fields = readFields({ ...cells, status }, (name) => notes.push({ code: 'field', ...at, name }));
  const sourceTerm = term('source_term');
  const entry: GlossaryFileEntry = {
    ...at,
    sourceTerm,
    targetTerm: fields.doNotTranslate ? sourceTerm : term('target_term'),
    sourceLang: language('source_lang'),
    targetLang: language('target_lang'),
    caseSensitive: isYes(cells.case_sensitive),
    priority: read('priority', parsePriority, 'priority is not a 32-bit integer'),
    ...fields,
  };
  if (cells.forbidden_term === '' || flag !== undefined) return [entry];
  const { doNotTranslate: _, ...others } = entry;
  return [entry, { ...others, targetTerm: term('forbidden_term'), status: 'forbidden' }];
}

const notSupported =
  'is not a supported language; Chinese and Portuguese need their variant, such as zh-Hans or pt-BR';

export function parseLanguage(cell: string): LanguageCode | null | undefined {
  if (cell === '') return null;
  // `eng` is `en`.
  const [short] = /^[a-z]{3}$/i.test(cell) ? Intl.getCanonicalLocales(cell) : [];
  return readLanguage(short ?? cell) ?? languageOfName(cell);
}

function parsePriority(cell: string): number | undefined {
  if (cell === '') return 0;
  const priority = /^[+-]?\d{1,20}$/.test(cell) ? Number(cell) : Number.NaN;
  // `| 0` turns -0 into 0, and a number outside of 32 bits into another number.
  return priority === (priority | 0) ? priority | 0 : undefined;
}
