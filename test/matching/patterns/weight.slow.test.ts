import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import {
  PatternError,
  patternLimits,
  problemOfSize,
  weightOfPattern,
} from '#server/matching/patterns/index.ts';
import { leastCpuTime } from '#test/setup/cpu-time.ts';

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

const code = fc
  .oneof(fc.constantFrom(0, 0x41, 0x42, 0x62, 0x80, 0x1e942, 0x1e943, 0x10ffff), fc.nat(0x10ffff))
  .chain((at) =>
    fc.constantFrom(
      `\\x{${at.toString(16)}}`,
      `\\x{${at.toString(16).padStart(60, '0')}}`,
      // A surrogate has no character.
      String.fromCodePoint(at >= 0xd800 && at < 0xe000 ? 0x62 : at).replace(/[\]\\^[-]/, '\\$&'),
      `\\${(at % 0o1000).toString(8).padStart(3, '0')}`,
    ),
  );
const setMember = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(code, code).map(([from, to]) => `${from}-${to}`) },
  fc.constantFrom('\\pL', '\\P{Greek}', '\\D', '\\W', '[:^alpha:]', '\\d', '-', 'x', '\\]'),
);
const set = fc.oneof(
  fc
    .tuple(fc.constantFrom('[', '[^'), fc.array(setMember, { minLength: 1, maxLength: 4 }))
    .map(([open, members]) => `${open}${members.join('')}]`),
  fc.constantFrom('[^a]', '\\D', '\\W', '\\P{L}', '\\P{Greek}', '.'),
);

test('no set takes more CPU time to compile than its weight allows, with and without case', async () => {
  let compiled = 0;
  await fc.assert(
    fc.asyncProperty(
      set,
      fc.constantFrom('', '(?i)', '(?sssssssssssssssssssssssi)', '(?i:', '(?-s:(?i)'),
      fc.boolean(),
      fc.constantFrom('', '{9}', '{0}'),
      async (one, flags, ignoreCase, times) => {
        const given = `${flags}${(one + times).repeat(14)}${flags.includes(':') ? ')' : ''}`;
        const weight = weightOfPattern(given, { ignoreCase });
        const compile = () => {
          try {
            RE2JS.compile(given, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
            compiled++;
          } catch {
            // Invalid ranges take time, too.
          }
        };
        const took = await leastCpuTime(compile);
        expect(took, `${given} weighs ${weight}`).toBeLessThan(10 + 0.05 * weight);
      },
    ),
    { numRuns: 80 },
  );
  expect(compiled).toBeGreaterThan(20);
});

test.each([
  ['(?i)[b-\\x{1e942}]', 1254],
  ['(?i:x)[b-\\x{1e942}]{3}', 1261],
  ['(?i)(?:[^b-\\x{1e942}]{2}){2}', 1262],
  ['(?i)[\\0-\\x{10ffff}]', 1],
  ['(?i)[\\102-\\x{10ffff}]', 1253],
  ['(?i)[^a]\\D\\W', 3],
  ['[b-\\x{1e942}]', 1],
])('%s weighs %i: where case is ignored, wide ranges count once', (given, weight) => {
  expect(Math.abs(weightOfPattern(given) - weight)).toBeLessThan(10);
  expect(weightOfPattern(given.replace('(?i)', ''), { ignoreCase: true })).toBe(
    weightOfPattern(`(?i)${given.replace('(?i)', '')}`),
  );
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
  for (const piece of ['[', '[^', '[]', '[[:', '(', '(?', '(?P<', '\\', '\\Q', '{1', '\\p{', ')', 'a{9}', '[\\p{', '[:a', '((((a{9}', '[b-\\x{1e942}]', '[\\x{', 'a-', '(?a', '(?aaa'])
    expect(await leastCpuTime(() => weightOfPattern(piece.repeat(100_000), { ignoreCase: true })), piece).toBeLessThan(500);
});

test('patterns of the largest total weight are compiled in less than a second of CPU time', async () => {
  const worst = [
    '\\pL{399}',
    '(?:x?){900}',
    '[\\pL\\pM\\pN]{120}',
    '\\pL{0,390}',
    '(?:(?:a|\\pL\\d){10}){20}',
    `(?i)${'[b-\\x{1e942}]'.repeat(3)}`,
  ];
  for (const given of worst) {
    const many = Array.from({ length: 5 }, (_, n) => `${given}${n}`);
    expect(problemOfSize(many)).toBeUndefined();
    const took = await leastCpuTime(() => {
      for (const one of many) RE2JS.compile(one).matcher('Text').find();
    });
    expect(took, given).toBeLessThan(1500);
  }
});
