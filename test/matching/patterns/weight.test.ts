import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import {
  PatternError,
  patternLimits,
  problemOfSize,
  weightOfPattern,
} from '#server/matching/patterns/index.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

// biome-ignore format: one line for each atom would hide the list
const atoms = ['a', 'ab', '.', '\\pL', '\\p{Han}', '\\PL', '[a-z]', '[^\\]x]', '[]a]', '[[:alpha:]{3}]', '\\d', '\\Qa{9}\\E', '\\x{1f600}', '\\x41', '(?i)', '^', '\\b', '{', 'é', '😀', '\\{9}', '(?:)', '[\\pL\\pM]'];
const repetitions = ['', '', '*', '+?', '?', '{3}', '{0}', '{2,}', '{1,5}?', '{0,40}', '{,3}', '{17}'];

const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(fc.constantFrom(...atoms), fc.constantFrom(...repetitions)).map(([atom, times]) => atom + times),
    fc
      .tuple(fc.constantFrom('(?:', '(', '(?P<n>', '(?i:'), tie('pattern'), fc.constantFrom(...repetitions))
      .map(([open, inner, times]) => `${open}${inner})${times}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => first + second),
    fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => `${first}|${second}`),
  ),
}));

test('no pattern compiles to more instructions than twice its weight', () => {
  let compiled = 0;
  fc.assert(
    fc.property(pattern, (given) => {
      const weight = weightOfPattern(given);
      fc.pre(weight < 20_000);
      let size: number;
      try {
        size = RE2JS.compile(given).programSize();
      } catch {
        return;
      }
      compiled++;
      expect(size, given).toBeLessThanOrEqual(2 * weight + 4);
    }),
    { numRuns: 2000 },
  );
  expect(compiled).toBeGreaterThan(1000);
});

test.each([
  ['\\b[A-Z]{2}\\d{6}\\b', 10],
  ['a{1000}', 1000],
  ['\\pL{1000}', 10_000],
  ['\\pL{1000}|.*', 10_004],
  ['\\pL{0,999}', 9990],
  ['((a{10}){10}){10}', 1220],
  ['[\\pL\\pM\\pN]{100}', 3100],
])('%s weighs about %i', (given, weight) => {
  expect(Math.abs(weightOfPattern(given) - weight)).toBeLessThan(0.02 * weight + 10);
});

test('the size of a pattern, and of all together, is limited; the error names the limit', () => {
  expect(problemOfSize(['[\\p{L}\\p{N}._%+-]{1,64}@[a-z0-9.-]{1,255}'])).toBeUndefined();
  expect(problemOfSize(['a', '\\pL{1000}'])).toBe(
    'the pattern would have 10000 parts with all repetitions written out; at most 4000 are allowed',
  );
  expect(problemOfSize(['((((a{999}){999}){999}){999}){999}'])).toMatch(/more than a billion parts/);
  expect(problemOfSize(Array(5).fill('\\pL{399}'))).toBeUndefined();
  expect(problemOfSize(Array(6).fill('\\pL{399}'))).toBe(
    'the patterns together would have 23940 parts with all repetitions written out; at most 20000 are allowed',
  );
  expect(new PatternError('x').name).toBe('PatternError');
  expect(patternLimits.all).toBeGreaterThan(patternLimits.one);
});

test('weighing takes linear time, whatever the pattern is', async () => {
  // biome-ignore format: one line for each piece would hide the list
  for (const piece of ['[', '[^', '[]', '[[:', '(', '(?', '(?P<', '\\', '\\Q', '{1', '\\p{', ')', 'a{9}', '[\\p{', '[:a', '((((a{9}'])
    expect(await cpuTime(() => weightOfPattern(piece.repeat(100_000))), piece).toBeLessThan(500);
});

test('patterns of the largest total weight are compiled in less than a second of CPU time', async () => {
  const worst = [
    '\\pL{399}',
    '(?:x?){900}',
    '[\\pL\\pM\\pN]{120}',
    '\\pL{0,390}',
    '(?:(?:a|\\pL\\d){10}){20}',
  ];
  for (const given of worst) {
    const many = Array.from({ length: 5 }, (_, n) => `${given}${n}`);
    expect(problemOfSize(many)).toBeUndefined();
    const took = await cpuTime(() => {
      for (const one of many) RE2JS.compile(one).matcher('Text').find();
    });
    expect(took, given).toBeLessThan(1500);
  }
});
