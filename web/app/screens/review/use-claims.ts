import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Filters } from './filters.ts';

/** Milliseconds on an item before it is claimed, so that passing by claims nothing. */
const dwell = 400;
/** Milliseconds until a claim ends unless it is renewed. */
const claimLasts = 60_000;
const renewAfter = claimLasts / 2;

/**
 * Claims the unclaimed job that has awaited review longest; two simultaneous callers get different ones.
 * @returns its ID; undefined without one
 */
export async function claimFirst({ source, target, trigger }: Filters): Promise<string | undefined> {
  const wanted = {
    ...(source && { source_lang: source }),
    ...(target && { target_lang: target }),
    ...(trigger && { trigger }),
  };
  const { job } = await client.reviews.next(wanted);
  if (job) queryClient.setQueryData(queryKeys.jobs.job(job.id), job);
  return job?.id;
}

/** Claims an item, or ends its claim. @param opened whether the item is shown @returns the names of others who work on it */
async function claim(id: string, { release = false, opened = false } = {}): Promise<string[]> {
  const { others } = await client.reviews.claim({ kind: 'job', id, release, opened });
  return others.map(({ holder }) => holder);
}

/**
 * Claims the open item while it is shown, and the next one, so that others do not get them. A claim locks nothing, and
 * nothing depends on it, so errors are ignored.
 * @returns the other members on the open item, and the end of others' claims on upcoming items (milliseconds since 1970, by
 * ID)
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
