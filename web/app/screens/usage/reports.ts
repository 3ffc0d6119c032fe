import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { reviewReports } from '#sdk/review-reports.ts';
import type { PayReport, ReviewerReport, TurnaroundReport } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Series } from './bar-chart.tsx';

/** Billed characters by day and group. */
export type Breakdown = OutputOf<'usage.breakdown'>;

/** The results of texts, as the names of the report's fields. */
export const outcomes = ['automatic', 'reviewed', 'waiting', 'rejected'] as const;

export type Outcome = (typeof outcomes)[number];

/** The results of the texts that were translated in a range. */
export type Outcomes = OutputOf<'reviews.outcomes'>;

/** The ways to group billed characters. */
export const dimensions = [
  'target_lang',
  'source_lang',
  'domain',
  'kind',
  'served_from',
  'submitted_by',
] as const;

export type Dimension = (typeof dimensions)[number];

/** The days that the URL names; the service determines missing ones. */
export function useRange(): { from?: string; to?: string } {
  const { from, to } = useSearch({ from: '/workspace/app/reports' });
  return { ...(from && { from }), ...(to && { to }) };
}

export function useBreakdown(by: Dimension) {
  const range = useRange();
  return useQuery({
    queryKey: queryKeys.reports.breakdown(by, range),
    queryFn: () =>
      by === 'domain'
        ? procedures.reviews.byDomain.query(range)
        : procedures.usage.breakdown.query({ ...range, by }),
  });
}

export function useOutcomes() {
  const range = useRange();
  return useQuery({
    queryKey: queryKeys.reports.outcomes(range),
    queryFn: () => procedures.reviews.outcomes.query(range),
  });
}

interface Reviews {
  byReviewer: ReviewerReport;
  pay: PayReport;
  turnaround: TurnaroundReport;
}

/** A report about reviews: by reviewer, the words to pay, or how long items awaited their reviews. */
export function useReviews<K extends keyof Reviews>(kind: K) {
  const range = useRange();
  return useQuery({
    queryKey: [...queryKeys.reviewers(range.from, range.to), kind],
    queryFn: async () => (await bound(reviewReports)[kind](range)) as Reviews[K],
  });
}

/** Whether all reports of the page are loaded, and none counts a review. */
export function useHasNoReviews(): boolean {
  const { data: texts } = useOutcomes();
  const { data: members } = useReviews('byReviewer');
  const { data: pay } = useReviews('pay');
  const { data: decided } = useReviews('turnaround');
  if (!texts || !members || !pay || !decided) return false;
  const { reviewed, rejected } = sumOutcomes(texts);
  return reviewed + rejected + members.reviewers.length + pay.rows.length + decided.rows.length === 0;
}

/** The number of texts with each result, over all days. */
export function sumOutcomes({ days }: Pick<Outcomes, 'days'>): Record<Outcome, number> {
  const sum = (name: Outcome) => days.reduce((total, day) => total + day[name], 0);
  return {
    automatic: sum('automatic'),
    reviewed: sum('reviewed'),
    waiting: sum('waiting'),
    rejected: sum('rejected'),
  };
}

const dayMs = 86_400_000;

/** Adds the days of the range without values, so that a chart shows the whole range. */
export function withAllDays(
  { from, to, days: known }: Pick<Breakdown, 'from' | 'to'> & { days: readonly { date: string }[] },
  series: readonly Series[],
): { days: string[]; series: Series[] } {
  const at = new Map(known.map(({ date }, index) => [date, index]));
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += dayMs)
    days.push(new Date(time).toISOString().slice(0, 10));
  return {
    days,
    series: series.map((one) => ({
      ...one,
      values: days.map((date) => one.values[at.get(date) ?? -1] ?? 0),
    })),
  };
}
