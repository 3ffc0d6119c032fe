/**
 * Returns the seconds to wait by a Retry-After header: a number of seconds, or an HTTP date relative to `now`
 * (milliseconds). Null if the header is missing or invalid.
 */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
