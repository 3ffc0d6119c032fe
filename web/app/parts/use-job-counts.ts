import { useQuery } from '@tanstack/react-query';
import { client } from '../client.ts';
import { queryKeys } from '../query-keys.ts';

/** Milliseconds after which they are read again. */
const readAgain = 10_000;

/** How many jobs of the workspace have each status, and how many wait for a reviewer, up to the service's limit. One request for all. */
export function useJobCounts({ enabled = true }: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: queryKeys.jobs.counts,
    queryFn: () => client.translations.counts(),
    refetchInterval: readAgain,
    enabled,
  });
}
