import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import type { TextFilter } from './filters.ts';

/**
 * Milliseconds for which an item must be open before it is claimed. Items that the reviewer only passes are not
 * claimed.
 */
const dwell = 400;
/** Milliseconds after which a claim ends if it is not renewed. */
const claimLasts = 60_000;
const renewAfter = claimLasts / 2;

/**
 * Claims the job that has awaited review longest and that no one has claimed. Two simultaneous callers get different
 * jobs.
 * @returns the job's ID; undefined if there is no such job
 */
export async function claimFirst({ source, target, trigger }: TextFilter): Promise<string | undefined> {
  const wanted = {
    ...(source && { source_lang: source }),
    ...(target && { target_lang: target }),
    ...(trigger && { trigger }),
  };
  const { job } = await client.reviews.next(wanted);
  return job?.id;
}

/**
 * Claims an item, or releases its claim.
 * @param opened whether the item is shown
 * @returns the names of other members who work on the item
 */
async function claim(id: string, { release = false, opened = false } = {}): Promise<string[]> {
  const { others } = await client.reviews.claim({ kind: 'job', id, release, opened });
  return others.map(({ holder }) => holder);
}

/**
 * Claims the open item while it is shown, and the next item, so that other members get different items. A claim only
 * informs and does not lock, so errors are ignored.
 * @returns `others`: the names of other members who work on the open item; `held`: by item ID, when other members'
 * claims end, in milliseconds since 1970
 */
export function useClaims(openId: string | undefined, upcomingId: string | undefined) {
  const [others, setOthers] = useState<{ id: string; names: string[] }>();
  const [held, setHeld] = useState<ReadonlyMap<string, number>>(new Map());

  useEffect(() => {
    if (!openId) return;
    let isShown = true;
    let isClaimed = false;
    const renew = () => {
      if (document.visibilityState === 'hidden') return;
      isClaimed = true;
      claim(openId, { opened: true }).then(
        (names) => isShown && setOthers({ id: openId, names }),
        () => undefined,
      );
    };
    const first = setTimeout(renew, dwell);
    const timer = setInterval(renew, renewAfter);
    return () => {
      isShown = false;
      clearTimeout(first);
      clearInterval(timer);
      if (isClaimed) void claim(openId, { release: true }).catch(() => undefined);
    };
  }, [openId]);

  useEffect(() => {
    if (!upcomingId) return;
    let isShown = true;
    const timer = setTimeout(() => {
      claim(upcomingId).then(
        (names) => {
          if (names.length === 0 || !isShown) return;
          setHeld((before) => new Map([...before, [upcomingId, Date.now() + claimLasts]]));
          void claim(upcomingId, { release: true }).catch(() => undefined);
        },
        () => undefined,
      );
    }, 2 * dwell);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [upcomingId]);

  return { others: others?.id === openId ? (others?.names ?? []) : [], held };
}
