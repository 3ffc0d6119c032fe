import { randomFillSync } from 'node:crypto';

/** Random bytes for many ids, because a call for random bytes costs more than the bytes. */
const pool = Buffer.allocUnsafe(10 * 400);
let drawn = pool.length;

/**
 * Returns a new id of 32 hexadecimal characters: twelve for the time in milliseconds, then 20 (80 bits) that are
 * random. So rows that are inserted together are adjacent in their index.
 */
export function newId(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const random = pool.toString('hex', drawn, drawn + 10);
  drawn += 10;
  return Date.now().toString(16).padStart(12, '0') + random;
}

/** Returns the ID that follows another one after `count` steps: its last 32 bits are larger by this number. */
export function idAfter(id: string, count: number): string {
  const low = (Number.parseInt(id.slice(-8), 16) + count) % 2 ** 32;
  return id.slice(0, -8) + low.toString(16).padStart(8, '0');
}

/** Returns the caller's X-Request-ID if it is safe to return it in a response, otherwise a new id. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : newId();
}
