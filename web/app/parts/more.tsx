import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from '#sdk/pages.ts';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';
import { Problem } from './problem.tsx';

/**
 * Reads a list by pages, the first one at once. `items` are those of all pages that were read; undefined before the first.
 * @param read reads the page at a cursor; without one, the first
 */
export function usePages<T>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined) => Promise<Page<T>>,
) {
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Page<T>) => nextCursor ?? undefined,
  });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    pages;
  const items = data?.pages.flatMap((page) => page.items);
  return {
    items,
    /** For `Read`. What went wrong with a further page stands at its button. */
    reading: { data: items, error: isFetchNextPageError ? null : error, refetch },
    more: {
      isLast: !hasNextPage,
      isLoading: isFetchingNextPage,
      error: isFetchNextPageError ? error : null,
      /** @returns how many items are there then; undefined if it failed */
      async load(): Promise<number | undefined> {
        const { data, isError } = await fetchNextPage();
        return isError ? undefined : data?.pages.reduce((sum, page) => sum + page.items.length, 0);
      },
    },
  };
}

/** Below a list: loads the next page of it. What was read stays where it is, so the place is never lost. */
export function More({
  of: { isLast, isLoading, error, load },
}: {
  of: { isLast: boolean; isLoading: boolean; error: unknown; load(): Promise<number | undefined> };
}) {
  const t = useT();
  if (isLast) return null;
  const more = async () => {
    const count = await load();
    if (count !== undefined) announce(t('common.shown', { count }));
  };
  return (
    <>
      {error ? <Problem error={error} /> : null}
      <button type="button" disabled={isLoading} onClick={() => void more()}>
        {isLoading ? t('common.loading') : t('common.more')}
      </button>
    </>
  );
}
