import { describe, expect, test } from 'vitest';
import { chipProblems } from '#server/formats/chips.ts';
import { type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { reviewedContent } from '#server/formats/reviewed-content.ts';

const open = (tag: number) => ({ tag, type: 'open' as const });
const close = (tag: number) => ({ tag, type: 'close' as const });
const picture = { tag: 3, type: 'void' as const };
const lineBreak = (tag: number) => ({ tag, type: 'void' as const, text: '\n' });

describe("a reviewer's translation", () => {
  const source: InlineContent = ['One', lineBreak(1), open(2), 'two', close(2), lineBreak(4), picture];

  test('gets the tags of its line breaks in order', () => {
    expect(reviewedContent(['Un\n', open(2), 'deux\n', close(2), picture], source)).toEqual([
      'Un',
      lineBreak(1),
      open(2),
      'deux',
      lineBreak(4),
      close(2),
      picture,
    ]);
  });

  test('keeps a line break of the source that it lacks at the start of a word', () => {
    const content = reviewedContent(['Un ', open(2), 'deux', close(2), ' trois', picture], source);
    expect(content.filter((item) => typeof item !== 'string').map(({ tag }) => tag)).toContain(1);
    expect(plainText(content).replaceAll('\n', '')).toBe('Un deux trois');
  });

  test('loses single halves of pairs, in time that is linear in their number', () => {
    expect(reviewedContent([close(2), 'a', open(2), 'b'], ['a', open(2), 'b', close(2)])).toEqual(['ab']);
    const many = Array.from({ length: 5000 }, (_, index) => [open(index), 'x', close(index)]).flat();
    const started = performance.now();
    reviewedContent([...many, ...many], many);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

test('missing, empty and overlapping tags are found, each once', () => {
  const source = [open(1), 'a', close(1), open(2), 'b', close(2), picture];
  const problems = (target: InlineContent) =>
    chipProblems(source, target).map(({ tag, problem }) => `${tag} ${problem}`);
  expect(problems(source)).toEqual([]);
  expect(problems([open(1), close(1), 'a', open(2), 'b', close(2)])).toEqual(['1 empty', '3 missing']);
  expect(problems([open(1), 'a', open(2), 'b', close(1), close(2), picture])).toEqual(['1 overlaps']);
  expect(problems([open(1), open(2), 'b', close(2), picture, close(1)])).toEqual([]);
});
