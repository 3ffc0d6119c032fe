import { canonicalLanguage } from '#server/languages.ts';
import { jobStatuses, type KnownJobStatus } from '../../parts/job-status.tsx';
import { type TriggerCode, triggerCodes } from '../../parts/review-triggers.ts';
import { searchedText } from '../../parts/searched-text.ts';

/** The filters of the list, as in the URL. */
export interface JobFilter {
  status?: KnownJobStatus;
  from?: string;
  to?: string;
  trigger?: TriggerCode;
  /** Local dates, YYYY-MM-DD. Both days are included. */
  since?: string;
  until?: string;
  text?: string;
}

/** Reads the URL; invalid parameters are ignored. */
export function readJobFilter(search: Record<string, unknown>): JobFilter {
  const { from: source, to: target, since, until, text } = search;
  const [from, to] = [source, target].map(languageOf);
  const sought = searchedText(text);
  const status = jobStatuses.find((one) => one === search['status']);
  const trigger = triggerCodes.find((one) => one === search['trigger']);
  return {
    ...(status && { status }),
    ...(from && { from }),
    ...(to && { to }),
    ...(trigger && { trigger }),
    ...(isDay(since) && { since }),
    ...(isDay(until) && { until }),
    ...(sought && { text: sought }),
  };
}

function languageOf(value: unknown) {
  return typeof value === 'string' ? canonicalLanguage(value) : undefined;
}

function isDay(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    /^[1-9]\d{3}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(Date.parse(`${text}T00:00:00`))
  );
}

/** The start of a local day, as an ISO time. @param after number of days to add */
export function startOfDay(day: string, after = 0): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + after);
  return date.toISOString();
}
