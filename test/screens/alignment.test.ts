import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Alignment,
  decide,
  differingFigures,
  edit,
  type Link,
  link,
  maxText,
  statusOf,
  textsOf,
  undo,
  unlink,
} from '#web/app/screens/sets/alignment.ts';

/** Links from a short form: `a+b:x` are two sentences and their translation, `c:` a sentence without a pair. */
const aligned = (...rows: string[]): Alignment => ({
  links: rows.map((row): Link => {
    const [sources = [], targets = []] = row.split(':').map((side) => side.split('+').filter(Boolean));
    return { sources, targets, confidence: 0.5 };
  }),
  changes: [],
});
const rowsOf = ({ links }: Alignment) =>
  links.map(({ sources, targets }) => `${sources.join('+')}:${targets.join('+')}`);

test.each([
  ['the next row with what it lacks', ['a:', ':x'], 0, 1, ['a:x'], 0],
  ['a row further on, past others without a pair', ['a:', 'b:', ':x'], 0, 1, ['a:x', 'b:'], 0],
  ['a row before, past others without a pair', ['a:', ':x', ':y'], 2, -1, [':x', 'a:y'], 1],
  ['a pair, as a further sentence of it', ['a:', 'b:x'], 0, 1, ['a+b:x'], 0],
  ['the next row, if it has a pair itself', ['a:x', ':y', 'b:z'], 0, 1, ['a:x+y', 'b:z'], 0],
  ['two pairs', ['a:x', 'b:y'], 1, -1, ['a+b:x+y'], 0],
])('a row is linked with %s', (_, rows, at, direction, expected, place) => {
  const linked = link(aligned(...rows), at, direction as 1 | -1)!;
  expect([rowsOf(linked.alignment), linked.at]).toEqual([expected, place]);
  expect(statusOf(linked.alignment.links[place]!, 1)).toBe('accepted');
});

test.each([
  ['there is no other row', ['a:', 'b:'], 0, 1],
  ['the other side has none', ['a:', 'b:', 'c:'], 1, -1],
  ['the texts are too long', ['a:', `:${'x'.repeat(maxText)}`], 0, 1],
])('a row is not linked if %s', (_, rows, at, direction) => {
  expect(link(aligned(...rows), at, direction as 1 | -1)).toBeUndefined();
});

test('whatever is done, each sentence is in one link, in order, and undo restores each former state', () => {
  const place = fc.nat(12);
  const step = fc.oneof(
    fc.record({
      act: fc.constant('link' as const),
      place,
      direction: fc.constantFrom(1 as const, -1 as const),
    }),
    fc.record({
      act: fc.constantFrom('unlink' as const, 'accepted' as const, 'skipped' as const, 'edit' as const),
      place,
    }),
    fc.record({ act: fc.constant('undo' as const) }),
  );
  const rows = fc.array(
    fc.tuple(fc.nat(2), fc.nat(2)).filter(([a, b]) => a + b > 0),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(rows, fc.array(step, { maxLength: 40 }), (counts, steps) => {
      let number = 0;
      const sentences = (count: number) => Array.from({ length: count }, () => `s${number++}`);
      const first: Alignment = {
        links: counts.map(([a, b]) => ({ sources: sentences(a), targets: sentences(b), confidence: 0.5 })),
        changes: [],
      };
      const all = (side: 'sources' | 'targets', { links }: Alignment) => links.flatMap((one) => one[side]);
      const states = [first];
      for (const one of steps) {
        const now = states.at(-1)!;
        if (one.act === 'undo') {
          const before = undo(now)?.alignment;
          if (before) states.pop();
          expect(before ?? first).toEqual(states.at(-1));
          continue;
        }
        const next =
          one.act === 'link'
            ? link(now, one.place, one.direction)?.alignment
            : one.act === 'unlink'
              ? unlink(now, one.place)
              : one.act === 'edit'
                ? edit(now, one.place, { source: 'S', target: 'T' })
                : decide(now, one.place, one.act);
        if (!next) continue;
        for (const side of ['sources', 'targets'] as const) expect(all(side, next)).toEqual(all(side, first));
        expect(next.links.every(({ sources, targets }) => sources.length + targets.length > 0)).toBe(true);
        states.push(next);
      }
    }),
    { numRuns: 300 },
  );
});

test('a link is accepted from the least confidence, unless its figures differ or the member decides', () => {
  const pair = (source: string, target: string, confidence: number): Link => ({
    sources: [source],
    targets: [target],
    confidence,
  });
  const closing = pair('The building closes at 22:00.', 'La puerta se cierra a las 23:00.', 0.99);
  expect(differingFigures(closing)).toEqual({ source: ['22'], target: ['23'] });
  const cases: [Link, string][] = [
    [pair('Wait 30 minutes.', 'Warten Sie 30 Minuten.', 0.9), 'accepted'],
    [pair('It costs $1,250.50.', 'Es kostet 1.250,50 $.', 0.95), 'accepted'],
    [pair('Wait.', 'Warten Sie.', 0.89), 'check'],
    [closing, 'check'],
    [decide({ links: [closing], changes: [] }, 0, 'accepted')!.links[0]!, 'accepted'],
    [decide({ links: [closing], changes: [] }, 0, 'skipped')!.links[0]!, 'skipped'],
    [aligned('a:').links[0]!, 'single'],
  ];
  for (const [one, status] of cases) expect(statusOf(one, 0.9), one.sources.join()).toBe(status);
});

test('sentences are joined with a space, except in a language without spaces', () => {
  const { links } = aligned('Wait.+Stop.:待って。+止まれ。');
  expect(textsOf(links[0]!, { source: 'en', target: 'ja' })).toEqual({
    source: 'Wait. Stop.',
    target: '待って。止まれ。',
  });
  expect(edit({ links, changes: [] }, 0, { source: ' ', target: 'x' })).toBeUndefined();
});
