import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';

/** Milliseconds between refreshes. */
const readAgain = 10_000;

/**
 * The number of the workspace's jobs by status, and of those that await review, up to the service's limit. One request for
 * all.
 */
export function useJobCounts({ enabled = true }: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: queryKeys.jobs.counts,
    queryFn: () => client.translations.counts(),
    refetchInterval: readAgain,
    enabled,
  });
}
