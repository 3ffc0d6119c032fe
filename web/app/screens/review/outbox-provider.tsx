import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { onSessionChange, sessionState } from '../../session/keeper.ts';
import type { Sent } from './decision.ts';
import { Outbox } from './outbox.ts';

const OutboxContext = createContext<Outbox | null>(null);

/**
 * Creates the outbox of the signed-in member. Signing out clears the outbox. While reviews are being sent, the browser
 * asks before the page is closed.
 */
export function OutboxProvider({ children }: { children: ReactNode }) {
  const [outbox] = useState(() => new Outbox());
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (outbox.countSending() > 0) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    const forget = onSessionChange(() => {
      if (sessionState().kind === 'signed_out') outbox.clear();
    });
    return () => {
      removeEventListener('beforeunload', warn);
      forget();
    };
  }, [outbox]);
  return <OutboxContext value={outbox}>{children}</OutboxContext>;
}

export function useOutbox(): Outbox {
  const outbox = useContext(OutboxContext);
  if (!outbox) throw new Error('no OutboxProvider');
  return outbox;
}

/** All reviews that were sent since sign-in, by job. */
export function useSent(): ReadonlyMap<string, Sent> {
  const { subscribe, all } = useOutbox();
  return useSyncExternalStore(subscribe, all);
}

/** The number of reviews that are being sent. */
export function useSending(): number {
  const { subscribe, countSending } = useOutbox();
  return useSyncExternalStore(subscribe, countSending);
}
