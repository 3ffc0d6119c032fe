import { type GlossaryFile, type GlossaryFileEntry, GlossaryFileError } from '../glossary-file.ts';
import { maxRows } from './columns.ts';

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
export function withAlternatives(file: GlossaryFile): GlossaryFile {
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
