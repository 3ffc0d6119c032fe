import { z } from 'zod';
import { AppError } from './errors.ts';

/** Where a page ended, in a listing by newest `updated_at` and then id. */
export interface PageEnd {
  updatedAt: Date;
  /** 32 hexadecimal characters. */
  id: string;
}

/** The cursor that continues after an item. It is opaque to callers. */
export function writeCursor({ updated_at, id }: { updated_at: string; id: string }): string {
  return Buffer.from(`${updated_at} ${id}`).toString('base64url');
}

/** @throws AppError 422 for what is no cursor */
export function readCursor(cursor: string): PageEnd {
  const [time, id] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const updatedAt = new Date(time ?? '');
  // To the letter as it was written: JavaScript reads years and hours that PostgreSQL does not.
  const written = /^[1-9]\d{3}-/.test(time ?? '') && !Number.isNaN(updatedAt.getTime());
  if (!written || updatedAt.toISOString() !== time || !/^[0-9a-f]{32}$/.test(id ?? ''))
    throw new AppError('invalid_fields', [
      { loc: ['query', 'cursor'], msg: 'not a cursor of this listing', type: 'invalid_cursor' },
    ]);
  return { updatedAt, id: id as string };
}

/** The query of a listing that is short enough to be answered whole, and is where no `limit` is given. */
export const setListQuery = z
  .object({ limit: z.int().min(1).max(200).optional(), cursor: z.string().max(200).optional() })
  // Callers from before there were pages send nothing at all.
  .prefault({});

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/**
 * A page of a listing that is at hand, newest `updated_at` first and then by id.
 * @throws AppError 422 for what is no cursor
 */
export function pageOf<T extends { updated_at: string; id: string }>(
  all: readonly T[],
  { limit, cursor }: z.infer<typeof setListQuery>,
): Page<T> {
  const end = cursor === undefined ? undefined : readCursor(cursor);
  const after = end?.updatedAt.toISOString();
  const rest = all.filter(
    ({ updated_at, id }) =>
      end === undefined || updated_at < (after as string) || (updated_at === after && id > end.id),
  );
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && items.length < rest.length ? writeCursor(last) : null };
}
