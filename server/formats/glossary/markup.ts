import { readDeclaredVariant } from '#server/languages.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  type ReadingNote,
  requireTermLength,
} from '../glossary-file.ts';
import { readTbx, type TbxConcept } from '../tbx/reader.ts';
import { readTmx, type TmxPair, type TmxSides } from '../tmx/reader.ts';
import { XmlFileError } from '../xml/xml-parser.ts';

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

/**
 * Reads a TBX glossary: in TBX-Basic of 2019 or 2008, TBX-Min, or a similar format. Every source term of a concept
 * becomes an entry. The entry's target is the preferred target term of the concept, or else the first one that is not
 * deprecated.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTbx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const entries: GlossaryFileEntry[] = [];
  const notes: ReadingNote[] = [];
  const onConcept = ({ line, sources, targets }: TbxConcept): void => {
    const usable = targets.filter(({ status }) => status > 0);
    const target = usable.find(({ status }) => status === 2) ?? usable[0];
    if (!target) {
      notes.push({ code: 'skipped', line });
      return;
    }
    if (usable.length > 1) notes.push({ code: 'reduced', line });
    for (const { line, text } of sources) {
      const entry = { line, sourceTerm: text, targetTerm: target.text, ...ofPair(declared) };
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
