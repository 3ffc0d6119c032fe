import { describe, expect, it } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { issuesOf } from './checked.ts';
import { damagesOf, type Seed } from './damages.ts';
import { type Pair, pairs } from './pairs.ts';

const links = ['https://example.com/docs/a?b=1', 'http://localhost:8080/x/', 'www.example.org/a_b'];
const addresses = ['help@example.com', 'first.last+tag@mail.example.org'];
const numbers = [1234.56, 98765, 0.75, 1200000, 37, 2019];

/**
 * Adds links, email addresses and numbers to correct translations, with numbers in the format of the language, and then
 * damages them.
 */
function setSeeds(intact: readonly Pair[]): Seed[] {
  return intact.flatMap((pair, i) => {
    const english = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
    const own = new Intl.NumberFormat(pair.lang, { maximumFractionDigits: 2 });
    const number = numbers[i % numbers.length]!;
    const choices: [kind: string, inSource: string, inTarget: string, changed: string][] = [
      ['link', links[i % links.length]!, links[i % links.length]!, links[(i + 1) % links.length]!],
      ['address', addresses[i % 2]!, addresses[i % 2]!, addresses[(i + 1) % 2]!],
      ['number', english.format(number), own.format(number), own.format(number + 10)],
    ];
    const [kind, inSource, inTarget, changed] = choices[i % 3]!;
    // A year in English contains no comma.
    const written = number === 2019 && kind === 'number' ? '2019' : inSource;
    const longer = {
      lang: pair.lang,
      source: `${pair.source} (${written})`,
      target: `${pair.target} (${inTarget})`,
    };
    return [
      { kind: `set ${kind} deleted`, pair: longer, lost: inTarget, damaged: `${pair.target} ()` },
      { kind: `set ${kind} altered`, pair: longer, lost: inTarget, damaged: `${pair.target} (${changed})` },
    ];
  });
}

const intact = pairs.filter(({ source, target, lang }) => issuesOf(source, target, lang).length === 0);

const seeds: readonly Seed[] = [...intact.flatMap(damagesOf), ...setSeeds(intact)];

const issuesOfSeed = ({ pair, damaged }: Seed): QualityIssue[] => issuesOf(pair.source, damaged, pair.lang);
const isCaught = (seed: Seed): boolean => issuesOfSeed(seed).length > 0;
describe('losses seeded into true translations', () => {
  it('start from translations that do not alarm', () => {
    const alarming = seeds.filter(({ pair }) => issuesOf(pair.source, pair.target, pair.lang).length > 0);
    expect(alarming.map(({ pair }) => pair)).toEqual([]);
  });

  it('are caught, 99 % or more of them, deletions and alterations alike', () => {
    const missed = seeds.filter((seed) => !isCaught(seed));
    const inPlace = seeds.filter(({ kind }) => !kind.startsWith('set '));
    const examples = missed.map(
      ({ kind, pair, lost, damaged }) => `${kind} of ${lost} (${pair.lang}): ${damaged}`,
    );
    expect(seeds.length).toBeGreaterThan(1000);
    expect(missed.length / seeds.length, examples.join('\n')).toBeLessThanOrEqual(0.01);
    // The same limit applies without the added elements, which are easier to find.
    expect(missed.length / inPlace.length).toBeLessThanOrEqual(0.01);
  });
});
