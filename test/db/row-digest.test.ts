import { describe, expect, test } from 'vitest';
import { RowDigest } from '#db/copy/row-digest.ts';

/** Rows in the format of COPY, one in each line. */
const rows = ['1\tone', '2\ttwo', '3\t\\N', '4\t', '5\tfünf'];

function digestOf(lines: readonly string[], pieceLength = Number.POSITIVE_INFINITY): string {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const digest = new RowDigest();
  for (let at = 0; at < bytes.length; at += pieceLength)
    digest.update(bytes.subarray(at, Math.min(bytes.length, at + pieceLength)));
  expect(digest.rows).toBe(lines.length);
  return `${digest}`;
}

describe('the digest of a table', () => {
  test('is the same whatever order its rows come in, and wherever the pieces end', () => {
    for (const length of [1, 2, 7, 9, 64])
      expect([length, digestOf(rows.toReversed(), length)]).toEqual([length, digestOf(rows)]);
  });

  test.for<[what: string, changed: string[]]>([
    ['a row that is missing', rows.slice(1)],
    ['one that is there twice', [...rows, '1\tone']],
    ['one instead of another', ['1\tone', '1\tone', ...rows.slice(2)]],
    ['a changed value', ['1\tOne', ...rows.slice(1)]],
    ['values that were exchanged between two rows', ['1\ttwo', '2\tone', ...rows.slice(2)]],
    ['a line break that came into a value', ['1\t', 'one', ...rows.slice(1)]],
    ['no rows', []],
  ])('differs by %s', ([, changed]) => {
    expect(digestOf(changed)).not.toBe(digestOf(rows));
  });
});
