import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Page } from '#sdk/pages.ts';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';
import { neighboursOf } from './use-action.ts';

type PageOf<T> = Pick<Page<T>, 'items' | 'nextCursor'>;

/**
 * Loads a list page by page; the first page immediately.
 * @param read loads the page at a cursor; without a cursor, the first page
 * @param refetchInterval milliseconds between refreshes
 * @param keepsPrevious whether the former items stay until those of a changed `queryKey` are loaded
 * @returns the items of all loaded pages as a result for `Read`, and the state for `More`
 */
export function usePages<T>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined) => Promise<PageOf<T>>,
  {
    keepsPrevious = false,
    refetchInterval = false,
  }: { keepsPrevious?: boolean; refetchInterval?: number | false } = {},
) {
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    refetchInterval,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: PageOf<T>) => nextCursor ?? undefined,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
  const { data, error, refetch, isFetchNextPageError } = pages;
  return {
    reading: {
      data: data?.pages.flatMap(({ items }) => items),
      // If a further page fails, the error is shown next to the button that loads it.
      error: isFetchNextPageError ? null : error,
      refetch,
    },
    more: pages,
  };
}

/** The fields of an infinite query that are needed to load the next page. */
interface Pages {
  data: { pages: readonly { items: readonly unknown[] }[] } | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(): Promise<Pages>;
}

/** Loads the next page below a list. Loaded rows stay in place. After the last page, the last row before it has the focus. */
export function More({ of }: { of: Pages }) {
  const t = useT();
  const before = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!of.hasNextPage && document.activeElement === document.body) before.current?.focus();
  }, [of.hasNextPage]);
  if (!of.hasNextPage) return null;
  const more = async (button: HTMLElement) => {
    if (of.isFetchingNextPage) return;
    before.current = neighboursOf(button).before ?? null;
    const { data, isFetchNextPageError } = await of.fetchNextPage();
    if (!isFetchNextPageError) announce(t('common.shown', { count: countItems(data) }));
  };
  return (
    <>
      {of.isFetchNextPageError ? <Problem error={of.error} /> : null}
      <button
        type="button"
        aria-disabled={of.isFetchingNextPage}
        onClick={({ currentTarget }) => void more(currentTarget)}
      >
        {of.isFetchingNextPage ? t('common.loading') : t('common.more')}
      </button>
    </>
  );
}

function countItems(data: Pages['data']): number {
  return data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
}
