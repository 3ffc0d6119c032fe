import { expect, test } from 'vitest';
import { readQualityOptions } from '#server/translation/core/pipeline/quality-options.ts';

test('B 2.6: without any key', () => {
  expect(readQualityOptions({})).toEqual({
    threshold: 85,
    repairRounds: 2,
    primaryModel: undefined,
    candidateModels: [],
    debateRounds: 1,
  });
});

test.each([
  [0, 1],
  [1, 1],
  [3, 3],
  [4.9, 4],
  [5, 5],
  [6, 5],
  [-7, 1],
  ['4', 2],
  [null, 2],
  [Number.NaN, 2],
])('B 2.6: max_quality_loop_retries %j is clamped to %d', (value, rounds) => {
  expect(readQualityOptions({ max_quality_loop_retries: value }).repairRounds).toBe(rounds);
});

test.each([
  [0, 1],
  [2, 2],
  [9, 3],
  [undefined, 1],
])('B 2.6: debate_rounds %j is clamped to %d', (value, rounds) => {
  expect(readQualityOptions({ debate_rounds: value }).debateRounds).toBe(rounds);
});

test.each([
  ['one', ['one']],
  [' one , two ', ['one', 'two']],
  ['one,one,two,three', ['one', 'two']],
  [',,', []],
  ['', []],
  [
    ['one', 'two', 'three'],
    ['one', 'two'],
  ],
  [[1, null, 'one'], ['one']],
  [{ one: 1 }, []],
  [true, []],
  ['x'.repeat(201), []],
])('B 2.6: candidate_models %j are %j: at most two extra', (value, models) => {
  expect(readQualityOptions({ candidate_models: value }).candidateModels).toEqual(models);
});
