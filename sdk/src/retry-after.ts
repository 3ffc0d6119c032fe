/**
 * Returns the seconds to wait according to a Retry-After header: its number, or the time from `now` (milliseconds
 * since the epoch) to its HTTP date. Null if the header is missing or invalid.
 */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
