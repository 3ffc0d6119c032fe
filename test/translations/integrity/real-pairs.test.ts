import { describe, expect, it } from 'vitest';
import { issuesOf } from './checked.ts';
import { nameOf, type Pair, pairs, verdicts } from './pairs.ts';

const judged = new Map(verdicts.map((verdict) => [nameOf(verdict), verdict]));
const alarming = pairs.filter(({ source, target, lang }) => issuesOf(source, target, lang).length > 0);

/** The share of correct translations that the check reports. */
function falseAlarmRate(wanted: (pair: Pair) => boolean): number {
  const alarms = alarming.filter(wanted);
  const losses = alarms.filter((pair) => judged.get(nameOf(pair))?.verdict === 'loss').length;
  return (alarms.length - losses) / (pairs.filter(wanted).length - losses);
}

describe('the false alarms on real pairs', () => {
  it('are measured on at least 400 pairs in at least 10 languages, chosen once', () => {
    expect(pairs).toHaveLength(1270);
    expect(new Set(pairs.map(({ lang }) => lang)).size).toBe(14);
    expect(new Set(pairs.map(nameOf)).size).toBe(pairs.length);
  });

  it('are 1 % or less of the pairs that lost nothing, overall and in each half', () => {
    expect(falseAlarmRate(() => true)).toBeLessThanOrEqual(0.01);
    for (const each of ['develop', 'held-out'])
      expect(
        falseAlarmRate(({ half }) => half === each),
        each,
      ).toBeLessThanOrEqual(0.01);
  });

  it('are judged one by one: every alarm has a verdict, every verdict an alarm', () => {
    expect(alarming.map(nameOf).sort()).toEqual([...judged.keys()].sort());
    for (const { reason } of verdicts) expect(reason).toMatch(/^\S.*\.$/);
  });
});
