import type { LanguageCode } from '../../languages.ts';
import { countCodePoints } from '../text/code-points.ts';
import { GlossaryFileError } from './error.ts';

/** A term and its translation, as a file has them. */
export interface GlossaryFileEntry {
  /** The physical line that it starts on, from 1. */
  line: number;
  /** As written, without the whitespace around them. */
  sourceTerm: string;
  targetTerm: string;
  /** Null where the file leaves it open. */
  sourceLang: LanguageCode | null;
  targetLang: LanguageCode | null;
  caseSensitive: boolean;
  /** The higher wins where terms overlap. 32 bits with sign. */
  priority: number;
}

/** What a glossary file holds, and what was made of it. */
export interface GlossaryFile {
  entries: GlossaryFileEntry[];
  /** False where the first row of a CSV names no columns, so that it was read as an entry. */
  hasHeader: boolean;
  /** The lines of rows, or of TMX units, that lack one of the terms. Blank lines are none. */
  skippedLines: number[];
}

/** Code points of a term. Longer ones are no terms: a column was taken for another, or a memory for a glossary. */
const longestTerm = 500;

/** @throws {GlossaryFileError} for a term that is too long */
export function requireTermLength({ line, sourceTerm, targetTerm }: GlossaryFileEntry): void {
  if (isTooLong(sourceTerm) || isTooLong(targetTerm))
    throw GlossaryFileError.at(line, `a term has more than ${longestTerm} characters`);
}

function isTooLong(term: string): boolean {
  return term.length > longestTerm && countCodePoints(term) > longestTerm;
}
