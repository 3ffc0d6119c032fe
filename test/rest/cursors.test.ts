import { expect, test } from 'vitest';
import { readCursor, writeCursor } from '#server/http/paging.ts';

const id = '0'.repeat(32);
const cursorOf = (time: string) => Buffer.from(`${time} ${id}`).toString('base64url');

test.each([
  ['a year before 1000', '0999-12-31T23:59:59.999Z'],
  ['a year of five digits', '12024-01-01T00:00:00.000Z'],
  ['the end of a day that lies in a year of five digits', '9999-12-31T24:00:00.000Z'],
])('a cursor of %s is 422, like every cursor that was never issued', (_, time) => {
  expect(() => readCursor(cursorOf(time))).toThrow(
    expect.objectContaining({
      code: 'invalid_fields',
      problems: [expect.objectContaining({ loc: ['query', 'cursor'] })],
    }),
  );
});

test.each(['1000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00.000Z'])(
  'a cursor of %s is read as it was written',
  (time) => {
    expect(writeCursor({ updated_at: time, id })).toBe(cursorOf(time));
    expect(readCursor(cursorOf(time))).toEqual({ updatedAt: new Date(time), id });
  },
);
