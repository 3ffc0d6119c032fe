import { readDeclaredVariant } from '#server/languages.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  type GlossaryKind,
  type ReadingNote,
  requireTermLength,
  type TableAssignment,
} from '../glossary-file.ts';
import { readTbx, type TbxConcept, type TbxFields, type TbxTerm } from '../tbx/reader.ts';
import { fieldView, readFields } from '../term-fields.ts';
import { readTmx, type TmxPair, type TmxSides } from '../tmx/reader.ts';
import { XmlFileError } from '../xml/xml-parser.ts';
import { maxRows } from './columns.ts';
import { readGlossaryCsv } from './csv.ts';
import { readGlossaryJson } from './json.ts';
import { readGlossaryXlsx } from './xlsx.ts';

/**
 * Maximum UTF-16 units of the fields of all terms together. In a workbook, a hundred thousand cells can share one long
 * text.
 */
const maxFieldUnits = 20_000_000;

/**
 * Reads a glossary file.
 *
 * @param declared the languages that the upload declares; a TMX or TBX file needs both
 * @param assigned the use of the columns of a CSV file or workbook, if the upload assigns them
 * @throws {GlossaryFileError} if the content is not a glossary
 * @throws {FileError} `protected`, `too_large` or `unreadable`, for a workbook
 */
export async function readGlossary(
  kind: GlossaryKind,
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned?: TableAssignment,
): Promise<GlossaryFile> {
  const read = await readKind(kind, bytes, declared, assigned);
  const file = isOfPeople(read) ? withAlternatives(read) : read;
  let units = 0;
  for (const entry of file.entries)
    for (const value of Object.values(fieldView(entry))) units += `${value}`.length;
  if (units > maxFieldUnits) throw new GlossaryFileError('the fields of the terms are too long together');
  return file;
}

/** Whether a table was written by people. One with the names of the API, such as an export, has one term in a cell. */
function isOfPeople({ table }: GlossaryFile): boolean {
  const names = table?.columns.map(({ name }) => name.trim().toLowerCase().replaceAll(/\W+/g, '_'));
  return names !== undefined && !(names.includes('source_term') && names.includes('target_term'));
}

function readKind(
  kind: GlossaryKind,
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned: TableAssignment | undefined,
): GlossaryFile | Promise<GlossaryFile> {
  if (kind === 'csv') return readGlossaryCsv(bytes, declared, assigned);
  if (kind === 'xlsx') return readGlossaryXlsx(bytes, declared, assigned);
  if (kind === 'json') return readGlossaryJson(bytes, declared);
  const { source, target } = declared;
  if (!source || !target) throw new Error(`a ${kind} file needs two languages`);
  return (kind === 'tbx' ? readGlossaryTbx : readGlossaryTmx)(bytes, { source, target });
}

/** The languages of the terms. A TMX or TBX file must be uploaded with both. */
type DeclaredPair = { [side in keyof DeclaredLanguages]: NonNullable<DeclaredLanguages[side]> };

function sidesOf({ source, target }: DeclaredPair): TmxSides {
  return {
    sourceTag: source.tag,
    targetTag: target.tag,
    isSource: (tag) => readDeclaredVariant(tag, source.code) === source.code,
    isTarget: (tag) => readDeclaredVariant(tag, target.code) === target.code,
  };
}

/** The values for the fields that entries of TMX and TBX files do not contain. */
function ofPair({ source, target }: DeclaredPair) {
  return { sourceLang: source.code, targetLang: target.code, caseSensitive: false, priority: 0 };
}

function withoutEntry(what: string, { source, target }: DeclaredPair): GlossaryFileError {
  return new GlossaryFileError(`no ${what} in both ${source.tag} and ${target.tag}`);
}

/**
 * Reads a TMX glossary. One invalid unit makes the whole file invalid. Each unit with both languages becomes an entry.
 * Entries are sorted by their `changedate`; entries without a date come first, and entries with equal dates keep the
 * order of the file. If several entries have the same source term, the last one is used.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTmx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const notes: ReadingNote[] = [];
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
    readTmx(bytes, sidesOf(declared), onPair, (line) => notes.push({ code: 'skipped', line }));
  } catch (error) {
    throw error instanceof XmlFileError ? GlossaryFileError.from(error) : error;
  }
  if (dated.length === 0) throw withoutEntry('unit of the file has a text', declared);
  // All dates are in UTC and have seconds, so they can be compared as strings.
  dated.sort((one, other) =>
    one.changedate < other.changedate ? -1 : Number(one.changedate > other.changedate),
  );
  const entries = dated.map(({ entry }) => entry);
  return { entries, unit: 'line', hasHeader: true, notes };
}

/** Returns the fields of an entry: those of its target term, of the concept, or of its source term. */
function mergeFields(target: TbxTerm, concept: TbxFields, source: TbxTerm): TbxFields {
  const [term = {}, language = {}] = source.levels;
  const { gender: _, ...ofSource } = { ...language, ...term };
  return { ...ofSource, ...concept, ...target.levels[1], ...target.levels[0] };
}

/** Maximum number of target terms of a concept that are read. Each source term has an entry for each of them. */
const maxTargets = 50;

/**
 * Reads a TBX glossary: in TBX-Basic of 2019 or 2008, TBX-Min, or a similar format. Every source term of a concept
 * becomes an entry with the preferred target term of the concept, or else the first one that is not deprecated. It also
 * becomes an entry with each further target term that the file states to be preferred, admitted or deprecated.
 *
 * @throws {GlossaryFileError}
 */
function readGlossaryTbx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const entries: GlossaryFileEntry[] = [];
  const notes: ReadingNote[] = [];
  const onConcept = ({ line, fields, sources, targets }: TbxConcept): void => {
    const usable = targets.filter(({ status }) => status !== 'forbidden');
    const main = usable.find(({ status }) => status === 'preferred') ?? usable[0];
    const others = targets.filter((target) => target !== main && target.status !== null);
    const read = [...(main ? [main] : []), ...others].slice(0, maxTargets);
    if (read.length < others.length || usable.some((target) => target !== main && target.status === null))
      notes.push({ code: 'reduced', line });
    for (const source of sources)
      for (const target of read) {
        const at = { line: source.line };
        const written = { ...mergeFields(target, fields, source), status: target.status ?? '' };
        const own = readFields(written, (name) => notes.push({ code: 'field', ...at, name }));
        const targetTerm = own.doNotTranslate ? source.text : target.text;
        const entry = { ...at, sourceTerm: source.text, targetTerm, ...ofPair(declared), ...own };
        requireTermLength(entry);
        entries.push(entry);
      }
  };
  try {
    readTbx(bytes, sidesOf(declared), onConcept, (line) => notes.push({ code: 'skipped', line }));
  } catch (error) {
    throw error instanceof XmlFileError ? GlossaryFileError.from(error) : error;
  }
  if (entries.length === 0) throw withoutEntry('concept of the file has a usable term', declared);
  return { entries, unit: 'line', hasHeader: true, notes };
}

/** Maximum number of terms in a cell, and of UTF-16 units of each. A longer text is a sentence, not a list of terms. */
const most = { terms: 10, units: 80 };

/** A sign between terms, but not the semicolon of an entity (`&amp;`). */
const separators = /\s*(?:(?<!&#?\w{1,10});|；|\||\s\/\s)\s*/u;

/** A term with another form of it: `inlet hose (also: suction hose)`. */
const otherForm =
  /^(.+?)\s*[(（](?:also|aka|auch|aussi|también|também|anche|ook|syn\.?|synonyms?|oder|or|ou)\s*[:：]?\s+(.+?)[)）]$/iu;

/** Returns the terms of a cell, in its order; the cell itself if it has one term. */
export function termsOf(cell: string): string[] {
  if (!/[;；|/)）]/u.test(cell)) return [cell];
  const [, first, second] = otherForm.exec(cell) ?? [];
  const forms = first && second ? [first, second] : [cell];
  const terms = forms.flatMap((form) => form.split(separators)).filter((term) => term !== '');
  const isList =
    terms.length <= most.terms && terms.every((term) => term.length <= most.units && /\p{L}/u.test(term));
  return isList ? [...new Set(terms)] : [cell];
}

/**
 * Splits the entries whose cells have several terms. Of several targets, the first one is as the file states,
 * and the others are allowed; with a note.
 * @throws {GlossaryFileError} if there are too many entries
 */
function withAlternatives(file: GlossaryFile): GlossaryFile {
  const notes = [...file.notes];
  const entries: GlossaryFileEntry[] = [];
  for (const entry of file.entries) {
    const { line, place } = entry;
    const sources = termsOf(entry.sourceTerm);
    const targets = entry.doNotTranslate ? [] : termsOf(entry.targetTerm);
    if (entry.status !== 'forbidden' && (sources.length > 1 || targets.length > 1))
      notes.push({
        code: 'alternatives',
        line,
        place,
        name: targets.length > 1 ? entry.targetTerm : entry.sourceTerm,
      });
    for (const sourceTerm of sources)
      if (entry.doNotTranslate) entries.push({ ...entry, sourceTerm, targetTerm: sourceTerm });
      else
        for (const [index, targetTerm] of targets.entries())
          entries.push({
            ...{ ...entry, sourceTerm, targetTerm },
            ...(index > 0 && { status: entry.status ?? 'allowed' }),
          });
    if (entries.length > 2 * maxRows)
      throw new GlossaryFileError('the cells of the file have too many terms together');
  }
  return { ...file, entries, notes };
}
