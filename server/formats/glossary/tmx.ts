import { type LanguageCode, readDeclaredVariant } from '../../languages.ts';
import { readTmx } from '../tmx/read.ts';
import { TmxError } from '../tmx/error.ts';
import type { TmxPair } from '../tmx/unit.ts';
import { type GlossaryFile, type GlossaryFileEntry, requireTermLength } from './entry.ts';
import { GlossaryFileError } from './error.ts';

/** The languages that an uploader declared, and the tags that he declared them with. */
export interface DeclaredPair {
  source: LanguageCode;
  sourceTag: string;
  target: LanguageCode;
  targetTag: string;
}

/**
 * A TMX glossary (B 4.4 "TMX terminology"), all or none: a unit is one where both languages are in it, and
 * carries them. The last one wins among those of one source (C 7): they come by their changedate, those without any first,
 * and of one date in the order of the file.
 *
 * @throws {GlossaryFileError}
 */
export function readGlossaryTmx(bytes: Uint8Array, declared: DeclaredPair): GlossaryFile {
  const { source, sourceTag, target, targetTag } = declared;
  const skippedLines: number[] = [];
  const dated: { entry: GlossaryFileEntry; changedate: string }[] = [];
  const sides = {
    sourceTag,
    targetTag,
    isSource: (tag: string) => readDeclaredVariant(tag, source) === source,
    isTarget: (tag: string) => readDeclaredVariant(tag, target) === target,
  };
  try {
    const onPair = (pair: TmxPair): void => {
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
      dated.push({ entry, changedate: pair.changedate ?? '' });
    };
    readTmx(bytes, sides, onPair, (line) => skippedLines.push(line));
  } catch (error) {
    throw error instanceof TmxError ? GlossaryFileError.from(error) : error;
  }
  if (dated.length === 0)
    throw new GlossaryFileError(`no unit of the file has a text in both ${sourceTag} and ${targetTag}`);
  // All are in UTC and to the second, so they compare as texts.
  dated.sort((one, other) =>
    one.changedate < other.changedate ? -1 : Number(one.changedate > other.changedate),
  );
  return { entries: dated.map(({ entry }) => entry), hasHeader: true, skippedLines };
}
