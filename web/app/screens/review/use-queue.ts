import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { client } from '../../client.ts';
import { useJobCounts } from '../../parts/use-job-counts.ts';
import { queryKeys } from '../../query-keys.ts';
import { isBack, type Sent } from './decision.ts';
import type { Filters } from './filters.ts';
import type { Summary } from './items.ts';
import { useSent } from './outbox-provider.tsx';

/** Rows that stand in the document. The browser's find and screen readers have them all; the rest comes as these are done. */
const mostRows = 2000;
const pageSize = 100;
/** Rows that are always kept loaded behind the open one. */
const ahead = 30;
/** Milliseconds between two looks at what has changed. */
const lookAgain = 20_000;

/** A row of the queue, and what became of it if it was sent and came back. */
export interface Row {
  summary: Summary;
  back: Sent | undefined;
}

/**
 * The jobs that wait for review, oldest first, without those that are being sent. A row keeps its place when the list is read again:
 * nothing moves under the reviewer's hands.
 * @param openId the open job, which stays even if somebody else has done it
 */
export function useQueue({ source, target, trigger, text }: Filters, openId: string | undefined) {
  const sent = useSent();
  const found = useInfiniteQuery({
    queryKey: queryKeys.jobs.queue({ source, target, trigger, text }),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      client.translations.searchPage(
        {
          statuses: ['awaiting_review', 'refined'],
          order: 'oldest',
          limit: pageSize,
          ...(source && { source_lang: source }),
          ...(target && { target_lang: target }),
          ...(trigger && { trigger }),
          ...(text && { text }),
          ...(cursor && { cursor }),
        },
        { signal },
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // A long list is read again only on demand: that costs a request a page.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 3 ? lookAgain : false),
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = found;

  const places = useRef<{ filters: string; order: string[] }>({ filters: '', order: [] });
  const rows = useMemo(() => {
    const filters = JSON.stringify([source, target, trigger, text]);
    if (places.current.filters !== filters) places.current = { filters, order: [] };
    const summaries = new Map(
      (data?.pages ?? []).flatMap(({ items }) => items.map((job) => [job.id, job] as const)),
    );
    const known = new Set(places.current.order);
    places.current.order.push(...[...summaries.keys()].filter((id) => !known.has(id)));
    return places.current.order.flatMap((id): Row[] => {
      const outcome = sent.get(id);
      const came = isBack(outcome);
      if (outcome && !came) return [];
      const summary = summaries.get(id) ?? lastKnown.get(id);
      if (!summary) return [];
      lastKnown.set(id, summary);
      return summaries.has(id) || came || id === openId ? [{ summary, back: outcome }] : [];
    });
  }, [data, sent, openId, source, target, trigger, text]);

  const openAt = rows.findIndex(({ summary }) => summary.id === openId);
  // A page that failed is asked for again with the list, or by the person.
  const mayAsk = hasNextPage && !isFetching && !isFetchNextPageError;
  const needsMore = mayAsk && rows.length < mostRows && rows.length - openAt < ahead;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);

  const hasMore = hasNextPage && rows.length < mostRows;
  // The service counts all that wait, but not by filters.
  const isCounted = hasMore && !source && !target && !trigger && !text;
  const counts = useJobCounts({ enabled: isCounted });
  const counted = isCounted ? counts.data?.waiting : undefined;

  return {
    rows,
    openAt,
    /** Whether more follows than `rows`. */
    hasMore,
    /** How many wait; of a list that is not read whole, as far as they are known. */
    waiting: counted ?? { count: rows.length, more: hasMore },
    isWaiting: data === undefined || (rows.length === 0 && hasNextPage),
    error: found.error,
    refetch: found.refetch,
    fetchMore: () => void fetchNextPage(),
  };
}

/** Summaries of rows that the last reading of the list did not have any more. */
const lastKnown = new Map<string, Summary>();

/**
 * The row to go to from a place, passing over what others are on: the next one down, then from the top.
 * @param isFree whether nobody else is on it
 */
export function nextFree(rows: readonly Row[], from: number, isFree: (row: Row) => boolean): Row | undefined {
  const after = rows.slice(from + 1);
  const before = rows.slice(0, Math.max(from, 0));
  return [...after, ...before].find((row) => !row.back && isFree(row));
}
