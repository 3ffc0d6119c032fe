import { type LanguageCode, readDeclaredVariant } from '../../languages.ts';
import { readTmx, TmxError } from '../tmx/index.ts';
import { type GlossaryFileEntry, requireTermLength } from './entry.ts';
import { GlossaryFileError } from './error.ts';

/** The languages that an uploader declared, and the tags that he declared them with. */
export interface DeclaredPair {
  source: LanguageCode;
  sourceTag: string;
  target: LanguageCode;
  targetTag: string;
}

/**
 * The entries of a TMX glossary (B 4.4 "TMX terminology"), all or none: a unit is one where both languages are in it, and
 * carries them.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTmx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFileEntry[] {
  const { source, sourceTag, target, targetTag } = declared;
  const entries: GlossaryFileEntry[] = [];
  const sides = {
    sourceTag,
    targetTag,
    isSource: (tag: string) => readDeclaredVariant(tag, source) === source,
    isTarget: (tag: string) => readDeclaredVariant(tag, target) === target,
  };
  try {
    readTmx(bytes, sides, (pair) => {
      const entry: GlossaryFileEntry = {
        line: pair.line,
        sourceTerm: pair.source.trim(),
        targetTerm: pair.target.trim(),
        sourceLang: source,
        targetLang: target,
        caseSensitive: false,
        priority: 0,
      };
      requireTermLength(entry);
      entries.push(entry);
    });
  } catch (error) {
    throw error instanceof TmxError ? GlossaryFileError.from(error) : error;
  }
  if (entries.length === 0)
    throw new GlossaryFileError(`no unit of the file has a text in both ${sourceTag} and ${targetTag}`);
  return entries;
}
