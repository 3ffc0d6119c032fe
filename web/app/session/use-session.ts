import { useSyncExternalStore } from 'react';
import { onSessionChange, type SessionState, sessionState } from './keeper.ts';

/** The state of the sign-in; each change renders the component again. */
export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, sessionState);
}
