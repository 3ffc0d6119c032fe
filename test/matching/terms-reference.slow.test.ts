import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LanguageCode } from '#server/languages.ts';
import { compileTerms, type GlossaryEntry } from '#server/matching/terms/index.ts';

/** A character in the form in which texts are compared, and its position. */
interface Read {
  cased: string;
  folded: string;
  start: number;
  end: number;
}

/**
 * Splits a text into characters with their combining marks. Consecutive blanks become one. A simple implementation for
 * these tests.
 */
function read(text: string): Read[] {
  const characters: Read[] = [];
  for (const { 0: cluster, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
    const end = index + cluster.length;
    const last = characters.at(-1);
    if (/^\s$/.test(cluster) && last?.cased === ' ') last.end = end;
    else {
      const cased = /^\s$/.test(cluster) ? ' ' : cluster.normalize('NFC');
      characters.push({ cased, folded: cased.toLowerCase(), start: index, end });
    }
  }
  return characters;
}

function trimmed(characters: Read[]): Read[] {
  const isBlank = (character: Read | undefined) => character?.cased === ' ';
  return characters.slice(isBlank(characters[0]) ? 1 : 0, isBlank(characters.at(-1)) ? -1 : undefined);
}

const isLetter = (character: Read | undefined): boolean =>
  /^[\p{L}\p{N}\p{Pc}]/u.test(character?.cased ?? '');
const isDense = (character: Read | undefined): boolean => /^\p{Script=Han}/u.test(character?.cased ?? '');

function isEdge(characters: Read[], at: number, cuts: ReadonlySet<number>): boolean {
  const [left, right] = [characters[at - 1], characters[at]];
  if (!isLetter(left) || !isLetter(right)) return true;
  if (isDense(left) && isDense(right)) return cuts.has(right!.start);
  return isDense(left) !== isDense(right);
}

interface Match {
  start: number;
  end: number;
  targets: string[];
}

/** All matches of all entries, the best first. */
function findPlainly(entries: readonly GlossaryEntry[], text: string, language: LanguageCode): Match[] {
  const characters = read(text);
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const cuts = new Set([...segmenter.segment(text)].map(({ index }) => index));
  const places = entries.flatMap((entry, order) => {
    const term = trimmed(read(entry.sourceTerm));
    const side = entry.caseSensitive ? 'cased' : 'folded';
    return [...characters.keys()].flatMap((at) => {
      const end = at + term.length;
      const stands =
        term.length > 0 &&
        term.every((character, index) => characters[at + index]?.[side] === character[side]) &&
        isEdge(characters, at, cuts) &&
        isEdge(characters, end, cuts);
      return stands ? [{ at, end, entry, order }] : [];
    });
  });
  places.sort(
    (one, other) =>
      other.entry.priority - one.entry.priority ||
      other.end - other.at - (one.end - one.at) ||
      one.at - other.at ||
      Number(other.entry.caseSensitive) - Number(one.entry.caseSensitive) ||
      one.order - other.order,
  );
  const taken: (typeof places)[] = [];
  for (const place of places) {
    const over = taken.find(([winner]) => winner!.at < place.end && place.at < winner!.end);
    if (over === undefined) taken.push([place]);
    else if (
      over[0]!.at === place.at &&
      over[0]!.end === place.end &&
      over[0]!.entry.caseSensitive === place.entry.caseSensitive &&
      over[0]!.entry.priority === place.entry.priority
    )
      over.push(place);
  }
  return taken
    .sort(([one], [other]) => one!.at - other!.at)
    .map((group) => ({
      start: characters[group[0]!.at]!.start,
      end: characters[group[0]!.end - 1]!.end,
      targets: [...new Set(group.map(({ entry }) => entry.targetTerm))],
    }));
}

const alphabets: Partial<Record<LanguageCode, string[]>> = {
  en: ['a', 'b', 'A', 'é', 'e', 'e\u0301', 'É', '-', ' ', ' ', '\t', '.', '1', '_'],
  ja: ['東', '京', '都', '市', '契', '約', '書', 'a', 'A', ' ', '。', '1'],
};

describe.each(Object.entries(alphabets) as [LanguageCode, string[]][])('%s', (language, alphabet) => {
  const written = (maxLength: number) =>
    fc.array(fc.constantFrom(...alphabet), { maxLength }).map((letters) => letters.join(''));
  const entry = fc.record({
    sourceTerm: written(5),
    targetTerm: fc.constantFrom('x', 'y', 'z'),
    caseSensitive: fc.boolean(),
    priority: fc.nat(2),
  });

  it('finds the same as an exhaustive search', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), written(40), (entries, text) => {
        const matches = compileTerms(entries, language)
          .find(text)
          .map(({ start, end, entries: winners }) => ({
            start,
            end,
            targets: winners.map(({ targetTerm }) => targetTerm),
          }));
        expect(matches).toEqual(findPlainly(entries, text, language));
      }),
      { numRuns: 500 },
    );
  });

  it('a text is a whole term where it reads as the term', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), written(5), (entries, text) => {
        const joined = (characters: Read[], side: 'cased' | 'folded') =>
          trimmed(characters)
            .map((character) => character[side])
            .join('');
        const expected = entries
          .filter(({ sourceTerm, caseSensitive }) => {
            const side = caseSensitive ? 'cased' : 'folded';
            const term = joined(read(sourceTerm), side);
            return term !== '' && term === joined(read(text), side);
          })
          .toSorted(
            (one, other) =>
              other.priority - one.priority || Number(other.caseSensitive) - Number(one.caseSensitive),
          );
        expect(compileTerms(entries, language).whole(text)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
