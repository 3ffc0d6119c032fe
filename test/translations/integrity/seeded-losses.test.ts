import { describe, expect, it } from 'vitest';
import type { QualityIssue } from '#server/engines/engine.ts';
import { issuesOf } from './checked.ts';
import type { Seed } from './damages.ts';
import { seeds } from './seeds.ts';

const issuesOfSeed = ({ pair, damaged }: Seed): QualityIssue[] => issuesOf(pair.source, damaged, pair.lang);
const isCaught = (seed: Seed): boolean => issuesOfSeed(seed).length > 0;
const isCritical = (seed: Seed): boolean =>
  issuesOfSeed(seed).some(({ severity }) => severity === 'critical');

describe('losses seeded into true translations', () => {
  it('start from translations that do not alarm', () => {
    const alarming = seeds.filter(({ pair }) => issuesOf(pair.source, pair.target, pair.lang).length > 0);
    expect(alarming.map(({ pair }) => pair)).toEqual([]);
  });

  it('are caught, 99 % or more of them, deletions and alterations alike', () => {
    const missed = seeds.filter((seed) => !isCaught(seed));
    const row = (kind: string, own: readonly Seed[]): Record<string, string | number> => {
      const caught = own.filter(isCaught).length;
      const recall = `${((100 * caught) / own.length).toFixed(2)} %`;
      return { kind, seeds: own.length, caught, critical: own.filter(isCritical).length, recall };
    };
    const inPlace = seeds.filter(({ kind }) => !kind.startsWith('set '));
    console.table([
      ...Object.entries(Object.groupBy(seeds, ({ kind }) => kind)).map(([kind, own = []]) => row(kind, own)),
      row('all in place', inPlace),
      row('all', seeds),
    ]);
    for (const { kind, pair, lost, damaged } of missed) {
      console.log(`missed: ${kind} of ${lost} (${pair.lang}): ${pair.source} => ${damaged}`);
    }
    expect(seeds.length).toBeGreaterThan(1000);
    expect(missed.length / seeds.length).toBeLessThanOrEqual(0.01);
    // Nor do the easy ones, set behind a text, carry the others.
    expect(missed.length / inPlace.length).toBeLessThanOrEqual(0.01);
  });
});
