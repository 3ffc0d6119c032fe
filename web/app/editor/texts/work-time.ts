import { useEffect } from 'react';
import { onSessionChange, sessionState } from '../../session/keeper.ts';

/*
 * Measures how long a reviewer works on each item: the time between user events while the item is open and the tab is
 * visible. The time is sent with the decision, for the report of reviewers. It is only in the memory of the page: after
 * a reload, earlier work does not count.
 */

/** Maximum milliseconds between two user events that count as work. After a longer pause, only this time counts. */
const maxPauseMs = 60_000;

const signs = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'scroll', 'focus'] as const;

const worked = new Map<string, number>();
/** The open item, and the time of the last event, in milliseconds. */
let open: { id: string; since: number } | undefined;

/** Counts the time of the open item while it is shown. */
export function useWorkTime(id: string | undefined): void {
  useEffect(() => {
    if (!id) return;
    begin(id);
    for (const sign of signs) document.addEventListener(sign, look, { capture: true, passive: true });
    document.addEventListener('visibilitychange', turn);
    return () => {
      look();
      open = undefined;
      for (const sign of signs) document.removeEventListener(sign, look, { capture: true });
      document.removeEventListener('visibilitychange', turn);
    };
  }, [id]);
}

/** Milliseconds spent on an item since the page was loaded; undefined if it was not open. */
export function workedAt(id: string): number | undefined {
  if (open?.id === id) look();
  const milliseconds = worked.get(id);
  return milliseconds === undefined ? undefined : Math.round(milliseconds);
}

function begin(id: string): void {
  open = { id, since: performance.now() };
  if (!worked.has(id)) worked.set(id, 0);
}

/** Adds the time since the last event, up to the maximum pause. */
function look(): void {
  if (!open) return;
  const now = performance.now();
  worked.set(open.id, (worked.get(open.id) ?? 0) + Math.min(now - open.since, maxPauseMs));
  open.since = now;
}

/** Time in which the tab is hidden does not count. */
function turn(): void {
  if (!open) return;
  if (document.visibilityState === 'hidden') look();
  else open.since = performance.now();
}

// The time of one member must not count for the next member on this device.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') worked.clear();
});
