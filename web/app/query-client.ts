import { QueryClient } from '@tanstack/react-query';

/** What was read from the service. The SDK's code repeats what may be repeated, so nothing is repeated here. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
