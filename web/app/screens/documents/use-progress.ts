import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../client.ts';
import { allExcept, queryKeys } from '../../query-keys.ts';
import type { Progress } from './search.ts';

/** Maximum number of documents in a request. */
const most = 50;

/** Whether the service is still processing a document, so that its status changes without a member's action. */
export function isInFlight(status: string): boolean {
  return status === 'pending' || status === 'queued' || status === 'extracted';
}

/**
 * Polls the progress of documents that are in progress. The interval grows from 2 s to 10 s; while the page is hidden,
 * there are no polls. When a document is completed, all data of documents is reloaded.
 * @returns the progress by document ID
 */
export function useProgress(documents: readonly { id: string; status: string }[]): Map<string, Progress> {
  const queries = useQueryClient();
  const ids = documents
    .filter(({ status }) => isInFlight(status))
    .map(({ id }) => id)
    .slice(0, most);
  const progress = useQuery({
    queryKey: queryKeys.documents.progress(ids),
    queryFn: async () => {
      const found = await client.documents.progress({ document_ids: ids });
      return found.documents;
    },
    enabled: ids.length > 0,
    staleTime: 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { dataUpdateCount } }) => Math.min(2000 + 500 * dataUpdateCount, 10_000),
  });
  const found = progress.data?.filter((one) => ids.includes(one.document_id)) ?? [];
  const isOneDone =
    found.some(({ status }) => !isInFlight(status)) ||
    // A document was deleted.
    (progress.data !== undefined && !progress.isPlaceholderData && found.length < ids.length);
  useEffect(() => {
    if (!isOneDone) return;
    void queries.invalidateQueries(allExcept(queryKeys.documents.all, queryKeys.documents.allProgress));
  }, [isOneDone, queries]);
  return new Map(found.map((one) => [one.document_id, one]));
}
