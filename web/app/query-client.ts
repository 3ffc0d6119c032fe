import { QueryClient } from '@tanstack/react-query';
import { onSessionChange, sessionState } from './session/keeper.ts';

/** Data from the service. The SDK retries requests, so nothing is retried here. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // Otherwise errors from when the browser was offline would stay.
      refetchOnReconnect: true,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// The next member on this device must not briefly see the previous member's data.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') queryClient.clear();
});
