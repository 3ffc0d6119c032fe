/**
 * The accepted forms of a date. TMX specifies `YYYYMMDDThhmmssZ`, but many tools write ISO 8601 with separators, or
 * only a date.
 */
const form =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d{1,9})?)?(Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?)?$/i;

/** The plausible years. A later date is a mistake; a text with such a date would replace all others. */
const years = { first: 1970, last: 2199 };

/**
 * Reads a date of a TMX file as ISO 8601 in UTC, to the second: `2024-01-31T09:30:00Z`. A date without a time means the
 * start of the day. A time without a zone is in UTC. Returns null if the date is absent, has another form, does not
 * exist or is implausible.
 */
export function readChangedate(written: string | undefined): string | null {
  const parts = written === undefined ? null : form.exec(written.trim());
  if (!parts) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  if (isEveryDays(Number(month), Number(day), Number(hour), Number(minute), Number(second)) && zone === 'Z')
    return Number(year) >= years.first && Number(year) <= years.last ? iso : null;
  const local = Date.parse(iso);
  // `local` is NaN if a part is out of range. If the month does not have the day, the result is a day of the next
  // month.
  if (new Date(local).getUTCDate() !== Number(day)) return null;
  const offset = offsetMs(zone);
  const moment = new Date(local - offset);
  const fits = moment.getUTCFullYear() >= years.first && moment.getUTCFullYear() <= years.last;
  if (!fits) return null;
  return offset === 0 ? iso : `${moment.toISOString().slice(0, 19)}Z`;
}

/**
 * Whether the date and time are valid in every month and year. This fast check makes further calculations unnecessary
 * for most dates of a large file.
 */
function isEveryDays(month: number, day: number, hour: number, minute: number, second: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60;
}

function offsetMs(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || '0')];
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Formats an ISO 8601 date for TMX. Returns null if `readChangedate` returns null for the date. */
export function writeChangedate(iso: string | null): string | null {
  return readChangedate(iso ?? undefined)?.replace(/[-:]/g, '') ?? null;
}
