import { notifyManager, QueryClient } from '@tanstack/react-query';
import { onSessionChange, sessionState } from './session/keeper.ts';

/** The cache of data from the service. The SDK already retries requests, so queries are not retried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // Without this, errors of requests that were sent offline would stay.
      refetchOnReconnect: true,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// By default, components learn of new data in a later task. The editor would show the former translation between the
// removal of a stored edit and its data, and lose what is typed in this moment.
notifyManager.setScheduler(queueMicrotask);

// The next member on this device must not briefly see the previous member's data.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') queryClient.clear();
});
