/**
 * Seconds to wait by a Retry-After header: a number of seconds, or an HTTP date, seen from `now`
 * (milliseconds). Null where there is no such header, or it says nothing that can be followed.
 */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
