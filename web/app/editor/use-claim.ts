import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { client } from '../client.ts';
import { isVisitor } from '../session/keeper.ts';

/** Milliseconds for which an item must be open before it is claimed. Items that the reviewer only passes are not. */
export const dwell = 400;

/** Milliseconds after which a claim is renewed; the service ends it after a minute. */
const renewAfter = 20_000;

/** Milliseconds without input after which a member counts as absent: the claim is not renewed, so it ends. */
const idleAfter = 5 * 60_000;

const uses = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;

const nobody: OutputOf<'reviews.claim'>['others'] = [];

/**
 * Claims the open item while it is shown, so that colleagues see it. A claim only informs and does not lock, so errors
 * are ignored.
 * @param position the open segment of a document
 * @param readAt when its texts were read, as by `Date.now()`
 * @returns the claims of colleagues on the item
 */
export function useClaim(kind: 'job' | 'document', id?: string, position?: number, readAt?: number) {
  const [others, setOthers] = useState<{ id: string; claims: OutputOf<'reviews.claim'>['others'] }>();
  const isClaimed = useRef(false);
  const isOpened = useRef(false);
  useEffect(() => {
    if (!id || isVisitor()) return;
    let isShown = true;
    let usedAt = Date.now();
    const isIdle = () => Date.now() - usedAt > idleAfter;
    const renew = () => {
      if (document.visibilityState === 'hidden' || isIdle()) return;
      // A renewal does not count as an opening: what colleagues have changed since the first one may not be shown.
      const opened = !isOpened.current;
      isClaimed.current = true;
      const read_ms_ago = readAt && Math.max(0, Date.now() - readAt);
      client.reviews.claim({ kind, id, opened, position, read_ms_ago }).then(
        ({ others: claims }) => {
          if (!isShown) return;
          isOpened.current = true;
          setOthers({ id, claims });
        },
        () => undefined,
      );
    };
    const first = setTimeout(renew, dwell);
    const timer = setInterval(renew, renewAfter);
    const use = () => {
      const returns = isIdle();
      usedAt = Date.now();
      if (returns) renew();
    };
    for (const event of uses) addEventListener(event, use, { capture: true, passive: true });
    return () => {
      isShown = false;
      clearTimeout(first);
      clearInterval(timer);
      for (const event of uses) removeEventListener(event, use, { capture: true });
    };
  }, [kind, id, position, readAt]);
  useEffect(
    () => () => {
      if (id && isClaimed.current)
        void client.reviews.claim({ kind, id, release: true }).catch(() => undefined);
      isClaimed.current = false;
      isOpened.current = false;
    },
    [kind, id],
  );
  return others && others.id === id ? others.claims : nobody;
}
