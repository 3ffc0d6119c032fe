import { normalForm } from '#server/matching/normal-form.ts';
import type { NewEntry } from './sets.ts';
import type { Term } from './term-changes.ts';

/** A key that is equal for terms that match the same texts: of the same languages and case rule, with the same source. */
export function sourceKey({
  sourceLang,
  targetLang,
  caseSensitive,
  sourceTerm,
}: Omit<Term, 'targetTerm' | 'priority'>): string {
  const normal = normalForm(sourceTerm);
  return `${sourceLang} ${targetLang} ${caseSensitive} ${caseSensitive ? normal : normal.toLowerCase()}`;
}

/** Returns the entries that match the same texts as another entry of the file, in groups. */
export function sameSources(entries: readonly NewEntry[]): NewEntry[][] {
  return [...Map.groupBy(entries, sourceKey).values()].filter((group) => group.length > 1);
}

/** Returns the entries of each source term that has different targets with the same language pair and case rule. */
export function ambiguousGroups(entries: readonly NewEntry[]): NewEntry[][] {
  return sameSources(entries).filter(isAmbiguous);
}

export function isAmbiguous(group: readonly NewEntry[]): boolean {
  return new Set(group.map(({ targetTerm }) => targetTerm)).size > 1;
}

export function isForEveryPair({ sourceLang, targetLang }: NewEntry): boolean {
  return sourceLang === '' && targetLang === '';
}
