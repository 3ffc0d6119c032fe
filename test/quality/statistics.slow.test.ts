import { describe, expect, test } from 'vitest';
import { type Checked, type Counted, figuresOf } from '#server/quality/report.ts';
import {
  agreementOf,
  calibrate,
  estimateShare,
  type Observation,
  wilson,
} from '#server/quality/statistics.ts';
import { seededRandom } from '#test/bench/seeded-random.ts';

const observed = (scores: [score: number, hits: number, misses: number][], weight = 1): Observation[] =>
  scores.flatMap(([score, hits, misses]) => [
    ...Array.from({ length: hits }, () => ({ score, hit: true, weight })),
    ...Array.from({ length: misses }, () => ({ score, hit: false, weight })),
  ]);

describe('the interval of a share', () => {
  test('is that of Wilson', () => {
    // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    const published: [number, number, number, number][] = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ];
    for (const [hits, trials, low, high] of published) {
      const found = wilson(hits / trials, trials);
      expect([found.low, found.high].map((value) => value.toFixed(4))).toEqual(
        [low, high].map((v) => v.toFixed(4)),
      );
    }
  });

  /** The share of errors rises as the score falls, by `errorsAt`. */
  const truths: [name: string, texts: number, percent: number, errorsAt: (score: number) => number][] = [
    ['few errors, near the minimum', 20_000, 2, (score) => (0.1 * (100 - score)) / 15],
    ['many errors', 5000, 5, (score) => (0.4 * (100 - score)) / 15],
    ['very few errors', 20_000, 2, () => 0.005],
    ['major errors', 20_000, 2, (score) => (0.03 * (100 - score)) / 15],
    ['a judge that is worse than chance', 8000, 3, (score) => (score - 80) / 40],
  ];
  test.each(truths)(
    'contains the true share of a workspace with %s in at least 95 of 100 runs',
    (_name, texts, percent, errorsAt) => {
      const random = seededRandom(20_261_127);
      let contained = 0;
      const runs = 400;
      for (let run = 0; run < runs; run++) {
        const counted = new Map<number, number>();
        const checked: Checked[] = [];
        let unchanged = 0;
        for (let text = 0; text < texts; text++) {
          const score = Math.min(100, Math.round(85 + 15 * Math.sqrt(random())));
          const isError = random() < errorsAt(score);
          if (!isError) unchanged++;
          counted.set(score, (counted.get(score) ?? 0) + 1);
          const probability = (percent / 100) * (score < 90 ? 3 : 1);
          if (random() < probability)
            checked.push({
              ...here,
              score,
              probability,
              origin: 'spot_check',
              verdict: isError ? 'minor' : 'none',
            });
        }
        const counts = [...counted].map(([score, sum]): Counted => ({ ...here, score, texts: sum }));
        const { no_change } = figuresOf(counts, checked, 85);
        if (no_change && no_change.low <= unchanged / texts && unchanged / texts <= no_change.high)
          contained++;
      }
      expect(contained / runs).toBeGreaterThanOrEqual(0.95);
      // Intervals that contain everything are worth nothing.
      expect(contained / runs).toBeLessThan(0.995);
    },
  );

  test('weights each band by its texts, so that drawing low scores more often does not lower the share', () => {
    const texts = [
      { score: 86, texts: 100 },
      { score: 97, texts: 900 },
    ];
    const estimate = estimateShare({
      texts,
      observations: observed([
        [86, 50, 50],
        [97, 100, 0],
      ]),
    });
    expect(estimate?.share).toBeCloseTo(0.95, 10);
  });

  test('is null if nothing was checked, or nothing was published', () => {
    expect(estimateShare({ texts: [{ score: 90, texts: 10 }], observations: [] })).toBeNull();
    expect(estimateShare({ texts: [], observations: observed([[90, 5, 5]]) })).toBeNull();
  });
});

describe('the calibration of a score', () => {
  test('pools scores whose order contradicts the results, and never falls', () => {
    const steps = calibrate(
      observed([
        [80, 5, 5],
        [85, 9, 1],
        [90, 6, 4],
        [95, 10, 0],
      ]),
    );
    expect(steps).toEqual([
      { score: 80, value: 0.5 },
      { score: 85, value: 0.75 },
      { score: 95, value: 1 },
    ]);
  });

  test('has one value for a judge that is always wrong about the order', () => {
    expect(
      calibrate(
        observed([
          [80, 10, 0],
          [90, 0, 10],
        ]),
      ),
    ).toEqual([{ score: 80, value: 0.5 }]);
    expect(calibrate([])).toEqual([]);
  });
});

describe('the agreement of the judge with people', () => {
  test('is the probability that the better text has the higher score', () => {
    expect(
      agreementOf(
        observed([
          [80, 0, 10],
          [90, 10, 0],
        ]),
      )?.share,
    ).toBe(1);
    expect(
      agreementOf(
        observed([
          [80, 10, 0],
          [90, 0, 10],
        ]),
      )?.share,
    ).toBe(0);
    expect(agreementOf(observed([[80, 10, 10]]))?.share).toBe(0.5);
    // Of 4 pairs, 2 are right and 1 is a tie.
    expect(
      agreementOf(
        observed([
          [80, 1, 1],
          [85, 0, 1],
          [90, 1, 0],
        ]),
      )?.share,
    ).toBe(0.625);
    expect(agreementOf(observed([[80, 10, 0]]))).toBeNull();
  });
});

const here = { target_lang: 'de', domain: '', route: 'published' as const };

describe('the figures of a report', () => {
  const counts = (route: Counted['route'], scores: Record<number, number>): Counted[] =>
    Object.entries(scores).map(([score, texts]) => ({ ...here, route, score: Number(score), texts }));
  const checks = (
    score: number,
    of: Partial<Record<Checked['verdict'], number>>,
    review = false,
  ): Checked[] =>
    Object.entries(of).flatMap(([verdict, count]) =>
      Array.from({ length: count }, () => ({
        ...here,
        ...(review && { route: 'held_for_score' as const }),
        origin: review ? ('review' as const) : ('spot_check' as const),
        score,
        verdict: verdict as Checked['verdict'],
        probability: 1,
      })),
    );

  test('say how many texts with a major error a higher minimum keeps from readers', () => {
    const counted = counts('published', { 87: 400, 95: 600 });
    const { minimums, published } = figuresOf(
      counted,
      [...checks(87, { none: 80, major: 20 }), ...checks(95, { none: 95, minor: 4, critical: 1 })],
      85,
    );
    expect(published).toBe(1000);
    const at = (minimum: number) => minimums.find((one) => one.minimum === minimum);
    expect(at(85)).toMatchObject({ published: 1000, to_review: 0, fewer_major: 0 });
    expect(at(85)?.major_texts).toBeCloseTo(400 * 0.2 + 600 * 0.01, 6);
    expect(at(90)).toMatchObject({ published: 600, to_review: 400 });
    expect(at(90)?.fewer_major).toBeCloseTo(1 - 6 / 86, 6);
  });

  test('state no share for a minimum score above which few texts were checked', () => {
    const counted = [...counts('published', { 82: 100 }), ...counts('held_for_score', { 72: 100 })];
    const found = figuresOf(counted, [...checks(82, { none: 1 }), ...checks(72, { none: 60 }, true)], 85);
    expect(found.minimums.map(({ minimum, no_change }) => [minimum, no_change?.share])).toEqual([
      [70, 1],
      ...[75, 80, 85, 90, 95].map((minimum) => [minimum, undefined]),
    ]);
  });

  test('can be made of hundreds of thousands of checks', () => {
    const many = checks(87, { none: 150_000 });
    const found = figuresOf(
      counts('published', { 82: 10, 87: 150_000 }),
      [...checks(82, { none: 1 }), ...many],
      85,
    );
    expect(found.no_change?.share).toBe(1);
  });

  test('state no share below 50 checks, and no severity for texts that only reviewers saw', () => {
    const counted = [...counts('published', { 90: 1000 }), ...counts('held_for_score', { 80: 100 })];
    const few = figuresOf(counted, checks(90, { none: 49 }), 85);
    expect([few.no_change, few.major, few.languages[0]?.no_change]).toEqual([null, null, null]);
    const enough = figuresOf(
      counted,
      [...checks(90, { none: 50 }), ...checks(80, { none: 20, changed: 30 }, true)],
      85,
    );
    expect(enough.no_change?.share).toBe(1);
    expect(enough.held_no_change?.share).toBe(0.4);
    const lower = enough.minimums.find(({ minimum }) => minimum === 80);
    expect(lower).toMatchObject({ published: 1100, to_review: 0, major: null, fewer_major: null });
    expect(lower?.no_change?.share).toBeCloseTo((1000 + 100 * 0.4) / 1100, 6);
  });
});
