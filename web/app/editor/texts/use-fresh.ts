import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { TextFilter } from './filters.ts';
import type { TextList } from './text-list.ts';
import type { Shown } from './use-shown.ts';
import { lookAgain } from './use-texts.ts';

/** Maximum number of texts that are updated, in one request. */
const maxFresh = 100;

/**
 * Updates the visible texts regularly, and those that colleagues have open: their claims end. This is for a list that is
 * not refreshed as a whole, because each of its pages costs a request.
 * @param range the rows of the grid
 * @returns a function to call with the first and last visible row
 */
export function useFresh(list: TextList, filter: TextFilter, range: Shown, isNeeded: boolean) {
  const visible = useRef<readonly [first: number, last: number]>([0, 0]);
  useQuery({
    queryKey: queryKeys.reviews.fresh(filter),
    enabled: isNeeded,
    async queryFn({ signal }) {
      const ids = freshIds(range, visible.current);
      if (ids.length > 0) list.take((await client.reviews.texts({ job_ids: ids }, { signal })).texts);
      return ids.length;
    },
    refetchInterval: lookAgain,
    refetchOnReconnect: 'always',
    gcTime: 0,
  });
  return useCallback((rows: readonly [first: number, last: number]) => {
    visible.current = rows;
  }, []);
}

/** The IDs of the texts in these rows, then of those that colleagues have open. */
export function freshIds({ segments }: Pick<Shown, 'segments'>, [first, last]: readonly [number, number]) {
  const held = segments.filter(({ holders, confirmed_at }) => holders.length > 0 && confirmed_at === null);
  const ids = [...segments.slice(first, last + 1), ...held].map(({ id }) => id);
  return [...new Set(ids)].slice(0, maxFresh);
}
