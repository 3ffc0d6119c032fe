import { useQuery } from '@tanstack/react-query';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';

/**
 * The tasks of the workspace that await review. The navigation and the inbox show the same data, so that both show the same
 * number of tasks.
 * @param refetchInterval milliseconds between refreshes
 * @param staleTime age in milliseconds from which the data is loaded again when the component is shown
 */
export function useInbox(options: { refetchInterval: number; staleTime?: number }) {
  return useQuery({
    queryKey: queryKeys.reviews.inbox,
    queryFn: () => procedures.reviews.inbox.query(),
    ...options,
  });
}
