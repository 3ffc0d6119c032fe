import { normalForm } from '#server/matching/normal-form.ts';
import { groupInSteps } from '#server/platform/threads/slices.ts';
import type { NewEntry } from './sets.ts';
import type { Term } from './term-changes.ts';

/** A key that is equal for terms that match the same texts: of the same languages and case rule, with the same source. */
export function sourceKey({
  sourceLang,
  targetLang,
  caseSensitive,
  sourceTerm,
}: Pick<Term, 'sourceLang' | 'targetLang' | 'caseSensitive' | 'sourceTerm'>): string {
  const normal = normalForm(sourceTerm);
  return `${sourceLang} ${targetLang} ${caseSensitive} ${caseSensitive ? normal : normal.toLowerCase()}`;
}

/**
 * Returns the preferred entries that match the same texts as another one of the file, in groups. Yields after each
 * entry. Allowed and forbidden targets are meant to have the source of another entry.
 */
export function* sameSources(entries: readonly NewEntry[]): Generator<undefined, NewEntry[][]> {
  const preferred = entries.filter(({ status }) => (status ?? 'preferred') === 'preferred');
  const groups = yield* groupInSteps(preferred, sourceKey);
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Whether the entries of a group have different targets. */
export function isAmbiguous(group: readonly NewEntry[]): boolean {
  return new Set(group.map(({ targetTerm }) => targetTerm)).size > 1;
}

export function isForEveryPair({ sourceLang, targetLang }: NewEntry): boolean {
  return sourceLang === '' && targetLang === '';
}
