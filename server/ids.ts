import { randomBytes } from 'node:crypto';

/**
 * A new id: 32 hexadecimal characters, the first twelve a millisecond clock and the rest 80 random bits, so that
 * rows inserted together lie together in their index.
 */
export function newId(): string {
  return Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
}
