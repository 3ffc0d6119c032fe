import { useEffect } from 'react';
import { onSessionChange, sessionState } from '../../session/keeper.ts';

/*
 * Measures the time spent on each item: between user events while the item is open and the tab is visible. It is sent with
 * the decision, for the report of reviewers. It is kept as long as the page: earlier visits do not count after a reload.
 */

/** Milliseconds without a key, click or pointer movement that still count as reading. */
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

/** A hidden tab does not count. */
function turn(): void {
  if (!open) return;
  if (document.visibilityState === 'hidden') look();
  else open.since = performance.now();
}

// One member's time does not count for the next one on this device.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') worked.clear();
});
