import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { hasUnwritten, isKeeping } from '../drafts/drafts.ts';
import { holdOpen } from '../drafts/open-edits.ts';
import { useT } from '../i18n.tsx';
import type { SegmentSaves } from './segment-saves.ts';

/** Maximum milliseconds for which the service can delay leaving. */
const maxWait = 2000;

let closing: Promise<unknown> = Promise.resolve();

/** Settles when closed editors no longer send edits, such as that of the former filter. */
export function editsClosed(): Promise<unknown> {
  return closing;
}

/**
 * Sends the edits when the reviewer leaves. Edits that are not stored stay on this device, and the next visit offers
 * them. Only if the device does not have them either, leaving asks first.
 */
export function useLeaving(saves: SegmentSaves): void {
  const t = useT();
  useBlocker({
    async shouldBlockFn({ current, next }) {
      if (current.pathname === next.pathname || saves.isStopped || saves.all().size === 0 || isKeeping())
        return false;
      await Promise.race([saves.flush(), new Promise((resolve) => setTimeout(resolve, maxWait))]);
      const count = saves.all().size;
      return count > 0 && !isKeeping() && !window.confirm(t('editor.leave', { count }));
    },
    enableBeforeUnload: () => saves.all().size > 0 && (hasUnwritten() || !isKeeping()),
  });
  useEffect(() => {
    const release = holdOpen(saves);
    return () => {
      closing = Promise.allSettled([closing, saves.close().finally(release)]);
    };
  }, [saves]);
  useEffect(() => {
    // The browser may end a hidden page without another event.
    const send = () => document.visibilityState === 'hidden' && void saves.flush();
    document.addEventListener('visibilitychange', send);
    return () => document.removeEventListener('visibilitychange', send);
  }, [saves]);
}
