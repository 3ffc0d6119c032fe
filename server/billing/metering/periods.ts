import { AppError } from '#server/errors.ts';

/** A calendar month in UTC. */
export interface BillingPeriod {
  /** YYYY-MM */
  name: string;
  /** The first and the last day of the month, YYYY-MM-DD. */
  firstDay: string;
  lastDay: string;
  /** The first moment of this month and of the next one, in PostgreSQL's format: the year may have five digits. */
  from: string;
  before: string;
}

/** Form of a month: YYYY-MM, with a year that JavaScript and PostgreSQL read the same way. */
export const periodForm = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/;

/** @param name a month in `periodForm`; the current month by default */
export function billingPeriod(name: string | undefined): BillingPeriod {
  const period = name ?? new Date().toISOString().slice(0, 7);
  const [year, month] = period.split('-').map(Number) as [number, number];
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
  return {
    name: period,
    firstDay: `${period}-01`,
    // JavaScript counts months from 0: this is day 0 of the next month, which is the last day of this one.
    lastDay: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
    from: `${period}-01T00:00:00Z`,
    before: `${next}-01T00:00:00Z`,
  };
}

/** A range of days in UTC, each YYYY-MM-DD; both ends are included. */
export interface DateRange {
  from: string;
  to: string;
}

/** The first day that reports accept. */
const earliest = Date.UTC(1000, 0, 1);

/** Maximum number of days in a report. */
const longest = 366;
const usual = 30;
const dayMs = 86_400_000;

/** Whether a text is an existing day, YYYY-MM-DD, in a year that JavaScript and PostgreSQL read the same way. */
export function isCalendarDate(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && dayOf(date) === text;
}

/**
 * The range of days that a report covers. `to` defaults to today; `from` defaults to the first of the 30 days that end
 * at `to`.
 * @throws AppError 422 if `from` is after `to`; 400 for more than 366 days
 */
export function readDateRange(asked: { from?: string | undefined; to?: string | undefined }): DateRange {
  const to = asked.to ?? dayOf(new Date());
  const from = asked.from ?? dayOf(new Date(Math.max(earliest, Date.parse(to) - (usual - 1) * dayMs)));
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1)
    throw new AppError('invalid_fields', [
      { loc: ['query', 'from'], msg: `must not be after ${to}`, type: 'invalid_range' },
    ]);
  if (days > longest) throw new AppError('malformed_request', `date range must not exceed ${longest} days`);
  return { from, to };
}

/** Returns every day of a range, in order. */
export function daysOf({ from, to }: DateRange): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) days.push(dayOf(new Date(at)));
  return days;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
