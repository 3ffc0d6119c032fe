import { useMemo } from 'react';
import { useInterface } from '../i18n.tsx';

/** Returns functions that format dates and numbers in the interface language. Dates are in the local time zone. */
export function useFormat() {
  const { locale } = useInterface();
  return useMemo(() => {
    const number = new Intl.NumberFormat(locale);
    const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
    const list = new Intl.ListFormat(locale, { type: 'disjunction' });
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    // The days of reports are in UTC, whatever the local time zone.
    const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
    const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
    return {
      number: (value: number) => number.format(value),
      /** @param share 1 for 100 percent */
      percent: (share: number) => percent.format(share),
      /** Joins alternatives with commas and “or”. */
      listOf: (parts: readonly string[]) => list.format(parts),
      /** @param iso a time, ISO 8601 */
      day: (iso: string) => day.format(new Date(iso)),
      /** @param date YYYY-MM-DD */
      utcDay: (date: string) => utcDay.format(new Date(`${date}T00:00:00Z`)),
      time: (at: Date) => time.format(at),
      /** @param iso a time, ISO 8601 */
      moment: (iso: string) => moment.format(new Date(iso)),
      bytes: (bytes: number) => formatBytes(bytes, locale),
      span: (seconds: number) => formatSpan(seconds, locale),
      duration: (milliseconds: number) => formatDuration(milliseconds, locale),
    };
  }, [locale]);
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** In powers of 1000, because the unit prefixes kB, MB and GB are decimal. */
function formatBytes(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[power] as string,
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}

/** In minutes and seconds, or in tenths of a second below ten seconds. A shorter duration than a tenth is `<0.1 sec`. */
function formatDuration(milliseconds: number, locale: string): string {
  const part = (value: number, unit: 'minute' | 'second') =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit,
      maximumFractionDigits: value < 10 ? 1 : 0,
    }).format(value);
  if (milliseconds < 50) return `<${part(0.1, 'second')}`;
  const seconds = milliseconds < 9950 ? Math.round(milliseconds / 100) / 10 : Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0
    ? part(seconds, 'second')
    : `${part(minutes, 'minute')} ${part(seconds % 60, 'second')}`;
}

/** In the largest unit of which there are at least two: seconds, minutes, hours or days. */
function formatSpan(seconds: number, locale: string): string {
  const [unit, size] =
    spans.find(([, secondsOfUnit]) => seconds >= 2 * secondsOfUnit) ?? (['second', 1] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 0 }).format(
    seconds / size,
  );
}

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
