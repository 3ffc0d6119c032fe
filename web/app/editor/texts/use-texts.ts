import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { editsClosed } from '../use-leaving.ts';
import type { TextFilter } from './filters.ts';
import { TextList } from './text-list.ts';

/** Number of texts that are loaded at once; further ones are loaded on demand. */
const maxTexts = 2000;

/** Number of texts on a full page. */
const pageSize = 100;

/** Number of pages that are loaded at once although the service has not filled them: the filter has few matches. */
const maxShortPages = 10;

/** Milliseconds between two refreshes. */
export const lookAgain = 20_000;

/** A longer list is not refreshed automatically, because each page costs a request. */
const maxRefreshedPages = 3;

/**
 * The texts that await review and match a filter, oldest first.
 * @param item the ID of a text that is listed in any case, as the first one; undefined if no text is named
 */
export function useTexts(filter: TextFilter, item: string | undefined) {
  const [list] = useState(() => new TextList());
  const segments = useSyncExternalStore(list.subscribe, list.all);
  const [first] = useState(item);
  const named = useQuery({
    queryKey: queryKeys.reviews.text(first),
    queryFn: ({ signal }) => procedures.reviews.texts.query({ job_ids: [first ?? ''] }, { signal }),
    enabled: first !== undefined,
    gcTime: 0,
    // A text that does not exist is not an error of the list.
    retry: false,
  });
  const found = useInfiniteQuery({
    queryKey: queryKeys.reviews.texts(filter),
    initialPageParam: undefined as string | undefined,
    async queryFn({ pageParam: cursor, signal }) {
      // The list must have the edits that were made under the former filter.
      await editsClosed();
      return procedures.reviews.texts.query({ ...wanted(filter), ...(cursor && { cursor }) }, { signal });
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= maxRefreshedPages ? lookAgain : false,
    // Colleagues may have decided while this member was offline.
    refetchOnReconnect: 'always',
    gcTime: 0,
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = found;
  const isNamedRead = first === undefined || !named.isPending;
  useEffect(() => {
    if (!data || !isNamedRead) return;
    list.take([...(named.data?.texts ?? []), ...data.pages.flatMap(({ texts }) => texts)]);
  }, [list, data, named.data, isNamedRead]);
  const mayAsk = hasNextPage && !isFetching && !isFetchNextPageError;
  const { pages = [] } = data ?? {};
  const shortPages = pages.filter(isShort).length;
  const last = pages.at(-1)?.texts.at(-1);
  const isTaken = data !== undefined && (last === undefined || list.positionOf(last.id) !== undefined);
  const loaded = pages.reduce((sum, { texts }) => sum + texts.length, 0);
  const [most, setMost] = useState({ texts: maxTexts, shortPages: maxShortPages });
  const isFull = loaded >= most.texts || shortPages >= most.shortPages;
  const needsMore = mayAsk && !isFull;
  const isStopped = hasNextPage && (isFull || isFetchNextPageError);
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  useLeft(list, hasNextPage ? undefined : data?.pages);
  const matching = useMemo(
    () => new Set(data?.pages.flatMap(({ texts }) => texts.map(({ id }) => id))),
    [data],
  );
  return {
    /**
     * The IDs of the texts that matched the filter when they were listed last. Others are shown because the URL names them,
     * or they matched before: an action on all texts does not include them.
     */
    matching,
    list,
    segments,
    /** Whether further texts are loaded only on demand: there are many, or a page could not be loaded. */
    hasMore: isStopped,
    /** Whether all texts are listed. */
    isComplete: isTaken && !hasNextPage,
    /** Whether the list is not refreshed as a whole. */
    isLong: isStopped || pages.length > maxRefreshedPages,
    loadMore() {
      setMost({ texts: loaded + maxTexts, shortPages: shortPages + maxShortPages });
      if (mayAsk || isFetchNextPageError) void fetchNextPage();
    },
    isLoading: !isNamedRead || data === undefined || (segments.length === 0 && hasNextPage && !isFull),
    error: found.error,
    refetch: found.refetch,
  };
}

/** Whether the service has ended a page before it was full, although texts follow. */
function isShort({ texts, next_cursor: next }: { texts: unknown[]; next_cursor: string | null }): boolean {
  return next !== null && texts.length < pageSize;
}

/** Loads the state of texts that colleagues have decided: a complete list no longer has them. */
function useLeft(list: TextList, pages: { texts: { id: string }[] }[] | undefined) {
  useEffect(() => {
    if (!pages) return;
    const waiting = new Set(pages.flatMap(({ texts }) => texts.map(({ id }) => id)));
    const left = list
      .all()
      .filter(({ id, confirmed_at }) => confirmed_at === null && !waiting.has(id))
      .map(({ id }) => id);
    if (left.length > 0) void readTexts(list, left);
  }, [list, pages]);
}

/** Updates the first hundred of these texts. They may not be reachable now. */
function readTexts(list: TextList, ids: readonly string[]): Promise<void> {
  return procedures.reviews.texts.query({ job_ids: ids.slice(0, 100) }).then(
    ({ texts }) => list.take(texts),
    () => undefined,
  );
}

/** The filter as sent to the service. */
export function wanted({ source, target, trigger, text, ...same }: TextFilter) {
  return {
    ...(source && { source_lang: source }),
    ...(target && { target_lang: target }),
    ...(trigger && { trigger }),
    ...(text && { text }),
    ...same,
  };
}
