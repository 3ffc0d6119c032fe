import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useT } from '../i18n.tsx';
import { announce } from './announcer.tsx';

/** Whether the browser is online; each change renders the component again. */
export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Shows a notice while the browser is offline, and announces to screen readers when it is online again. */
export function OfflineNotice() {
  const t = useT();
  const isOnline = useOnline();
  const was = useRef(isOnline);
  useEffect(() => {
    if (was.current === isOnline) return;
    was.current = isOnline;
    announce(t(isOnline ? 'common.online' : 'common.offline'));
  }, [isOnline, t]);
  return isOnline ? null : <p className="notice">{t('common.offline')}</p>;
}
