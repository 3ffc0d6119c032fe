import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn in bulk: a draw costs more than the bytes. */
const pool = Buffer.allocUnsafe(10 * 400);
let drawn = pool.length;

/**
 * A new id: 32 hexadecimal characters, the first twelve a millisecond clock and the rest 80 random bits, so that
 * rows inserted together lie together in their index.
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

/** The caller's X-Request-ID where it can be echoed safely (C 7), else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(header) ? header : newId();
}
