/** A calendar month in UTC, as usage is billed by. */
export interface BillingPeriod {
  /** YYYY-MM */
  name: string;
  /** Its first and last day, YYYY-MM-DD. */
  firstDay: string;
  lastDay: string;
  /** Its first moment and the first one after it, as PostgreSQL reads them; the year after may have five digits. */
  from: string;
  before: string;
}

/** Four digits that JavaScript and PostgreSQL read alike. */
export const periodForm = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/;

/** @param name YYYY-MM, of the form above; the current one where it is left out */
export function billingPeriod(name: string | undefined, now = new Date()): BillingPeriod {
  const period = name ?? now.toISOString().slice(0, 7);
  const [year, month] = period.split('-').map(Number) as [number, number];
  const next = month === 12 ? `${year + 1}-01` : `${year}-${String(month + 1).padStart(2, '0')}`;
  return {
    name: period,
    firstDay: `${period}-01`,
    // Day 0 of the month after, which JavaScript counts from 0.
    lastDay: new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10),
    from: `${period}-01T00:00:00Z`,
    before: `${next}-01T00:00:00Z`,
  };
}
