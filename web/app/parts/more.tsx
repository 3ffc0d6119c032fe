import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page } from '#sdk/pages.ts';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';

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

/** Loads the next page below a list. Loaded rows stay in place. After the last page, the number of items has the focus. */
export function More({ of }: { of: Pages }) {
  const t = useT();
  const [isUsed, setUsed] = useState(false);
  if (!of.hasNextPage)
    return isUsed && (of.data?.pages.length ?? 0) > 1 ? (
      <p ref={takeFocus} tabIndex={-1} className="hint">
        {t('common.shown', { count: countItems(of.data) })}
      </p>
    ) : null;
  const more = async () => {
    if (of.isFetchingNextPage) return;
    setUsed(true);
    const { data, isFetchNextPageError } = await of.fetchNextPage();
    if (!isFetchNextPageError) announce(t('common.shown', { count: countItems(data) }));
  };
  return (
    <>
      {of.isFetchNextPageError ? <Problem error={of.error} /> : null}
      <button type="button" aria-disabled={of.isFetchingNextPage} onClick={() => void more()}>
        {of.isFetchingNextPage ? t('common.loading') : t('common.more')}
      </button>
    </>
  );
}

/** Replaces the button that had the focus. */
function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

function countItems(data: Pages['data']): number {
  return data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
}
