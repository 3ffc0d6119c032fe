import { QueryClient } from '@tanstack/react-query';
import { onSessionChange, sessionState } from './session/keeper.ts';

/** What was read from the service. The SDK's code repeats what may be repeated, so nothing is repeated here. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      // Without it, what failed while the person was offline would stay so.
      refetchOnReconnect: true,
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

// The next person on this device must not see, for a moment, what the one before has read.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') queryClient.clear();
});
