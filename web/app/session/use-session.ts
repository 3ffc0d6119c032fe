import { useSyncExternalStore } from 'react';
import { onSessionChange, type SessionState, sessionState } from './keeper.ts';

/** Who is signed in; the component is rendered again at each change. */
export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, sessionState);
}
