import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { reviewReports } from '#sdk/review-reports.ts';
import { bound } from '../../client.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Series } from './bar-chart.tsx';

/** Billed characters by day and group. */
export type Breakdown = OutputOf<'usage.breakdown'>;

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

/** The work of each reviewer. */
export function useReviewers() {
  const range = useRange();
  return useQuery({
    queryKey: queryKeys.reviewers(range.from, range.to),
    queryFn: async () => await bound(reviewReports).byReviewer(range),
  });
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
