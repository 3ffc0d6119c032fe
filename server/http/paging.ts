import { z } from 'zod';
import type { HttpResponse } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/** The last item of a page, in a listing ordered by latest `updated_at`, then id. */
export interface PageEnd {
  updatedAt: Date;
  /** 32 hexadecimal characters. */
  id: string;
}

/** Returns the cursor that continues after an item. It is opaque to callers. */
export function writeCursor({ updated_at, id }: { updated_at: string; id: string }): string {
  return Buffer.from(`${updated_at} ${id}`).toString('base64url');
}

/** @throws AppError 422 for an invalid cursor */
export function readCursor(cursor: string): PageEnd {
  const [time, id] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const updatedAt = new Date(time ?? '');
  // Require exactly the format that `writeCursor` writes: JavaScript accepts years and hours that PostgreSQL does not.
  const written = /^[1-9]\d{3}-/.test(time ?? '') && !Number.isNaN(updatedAt.getTime());
  if (!written || updatedAt.toISOString() !== time || !/^[0-9a-f]{32}$/.test(id ?? ''))
    throw invalidCursor('query');
  return { updatedAt, id: id as string };
}

/** A position in rows that are numbered and replaced as a whole. */
export interface NumberedPlace {
  /** The version of the rows: up to 64 letters, digits, `_` and `-`. */
  versionId: string;
  /** The number of the last row before the position; 0 for the position before the first row. */
  after: number;
}

/** Returns the cursor that continues at a position. It is opaque to callers. */
export function writePlace({ versionId, after }: NumberedPlace): string {
  return Buffer.from(`${versionId} ${after}`).toString('base64url');
}

/** @throws AppError 422 for an invalid cursor */
export function readPlace(cursor: string): NumberedPlace {
  const [, versionId, after] =
    /^([\w-]{1,64}) (0|[1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (versionId === undefined || after === undefined) throw invalidCursor('body');
  return { versionId, after: Number(after) };
}

function invalidCursor(source: 'query' | 'body'): AppError {
  return new AppError('invalid_fields', [
    {
      loc: [source, 'cursor'],
      msg: 'invalid cursor; send next_cursor from the previous page, or no cursor',
      type: 'invalid_cursor',
    },
  ]);
}

/** The error for a cursor whose rows have been replaced or deleted since. */
export function replacedSince(): AppError {
  return new AppError(
    'state_conflict',
    'the glossary or translation memory was replaced or deleted; start again without a cursor',
  );
}

/** The cursor of a listing whose next one is in a header. */
export const pageCursor = z
  .string()
  .max(200)
  .optional()
  .describe('The value of the X-Next-Cursor header of the previous page.');

/** The query of a short listing. Without `limit`, the listing is returned whole. */
export const setListQuery = z
  .object({
    limit: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe('The maximum number of entries in the response, 1 to 200. Default: all entries.'),
    cursor: pageCursor,
  })
  // Clients from before paging send no query.
  .prefault({});

/** A page of a listing. */
export interface Page<Content> {
  /** The items, or a file with them. */
  content: Content;
  /** Null on the last page. */
  nextCursor: string | null;
}

/** Returns the content of a page, and sets the header with the cursor of the next one. */
export function sendPage<Content>(
  response: Pick<HttpResponse, 'setHeader'>,
  { content, nextCursor }: Page<Content>,
): Content {
  if (nextCursor !== null) response.setHeader('X-Next-Cursor', nextCursor);
  return content;
}

/**
 * Returns a page of a listing that is in memory, ordered by latest `updated_at`, then id.
 * @throws AppError 422 for an invalid cursor
 */
export function pageOf<T extends { updated_at: string; id: string }>(
  all: readonly T[],
  { limit, cursor }: z.infer<typeof setListQuery>,
): Page<T[]> {
  const end = cursor === undefined ? undefined : readCursor(cursor);
  const after = end?.updatedAt.toISOString();
  const rest = all.filter(
    ({ updated_at, id }) =>
      end === undefined || updated_at < (after as string) || (updated_at === after && id > end.id),
  );
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { content: items, nextCursor: last && items.length < rest.length ? writeCursor(last) : null };
}
