import { describe, expect, it } from 'vitest';
import { issuesOf } from './checked.ts';
import { nameOf, type Pair, pairs, verdicts } from './pairs.ts';

const judged = new Map(verdicts.map((verdict) => [nameOf(verdict), verdict]));
const alarming = pairs.filter(({ source, target, lang }) => issuesOf(source, target, lang).length > 0);

interface Rates {
  pairs: number;
  /** Any issue of any severity. */
  alarms: number;
  /** Pairs whose translator lost something, by the verdicts. */
  losses: number;
  /** Alarms on the other pairs. */
  falseAlarms: number;
}

function ratesOf(wanted: (pair: Pair) => boolean): Rates {
  const alarms = alarming.filter(wanted);
  const losses = alarms.filter((pair) => judged.get(nameOf(pair))?.verdict === 'loss').length;
  return {
    pairs: pairs.filter(wanted).length,
    alarms: alarms.length,
    losses,
    falseAlarms: alarms.length - losses,
  };
}

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

describe('the false alarms on real pairs', () => {
  it('are measured on at least 400 pairs in at least 10 languages, chosen once', () => {
    expect(pairs).toHaveLength(1270);
    expect(new Set(pairs.map(({ lang }) => lang)).size).toBe(14);
    expect(new Set(pairs.map(nameOf)).size).toBe(pairs.length);
  });

  it('are 1 % or less, overall, in each half and without the pairs that lost something', () => {
    const groups: Record<string, Rates> = {
      all: ratesOf(() => true),
      develop: ratesOf(({ half }) => half === 'develop'),
      'held-out': ratesOf(({ half }) => half === 'held-out'),
    };
    for (const lang of new Set(pairs.map((pair) => pair.lang))) {
      groups[lang] = ratesOf((pair) => pair.lang === lang);
    }
    console.table(
      Object.fromEntries(
        Object.entries(groups).map(([name, rates]) => [
          name,
          {
            ...rates,
            raw: percent(rates.alarms, rates.pairs),
            falseOfAll: percent(rates.falseAlarms, rates.pairs),
            falseOfIntact: percent(rates.falseAlarms, rates.pairs - rates.losses),
          },
        ]),
      ),
    );
    for (const name of ['all', 'develop', 'held-out']) {
      const { falseAlarms, pairs: count, losses } = groups[name]!;
      expect(falseAlarms / (count - losses), name).toBeLessThanOrEqual(0.01);
    }
  });

  it('are judged one by one: every alarm has a verdict, every verdict an alarm', () => {
    expect(alarming.map(nameOf).sort()).toEqual([...judged.keys()].sort());
    for (const { reason } of verdicts) expect(reason).toMatch(/^\S.*\.$/);
  });
});
