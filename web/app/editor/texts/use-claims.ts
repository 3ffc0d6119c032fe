import { useEffect, useState } from 'react';
import { client } from '../../client.ts';
import { dwell } from '../use-claim.ts';
import type { TextFilter } from './filters.ts';

/** Milliseconds after which a claim ends if it is not renewed. */
const claimLasts = 60_000;

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
 * Claims the text that is opened next, so that other members get different texts.
 * @returns when the claims of other members on such texts end, in milliseconds since 1970, by job ID
 */
export function useUpcomingClaim(id: string | undefined): ReadonlyMap<string, number> {
  const [held, setHeld] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    if (!id) return;
    let isShown = true;
    const timer = setTimeout(() => {
      client.reviews.claim({ kind: 'job', id }).then(
        ({ others }) => {
          if (others.length === 0 || !isShown) return;
          setHeld((before) => new Map([...before, [id, Date.now() + claimLasts]]));
          void client.reviews.claim({ kind: 'job', id, release: true }).catch(() => undefined);
        },
        () => undefined,
      );
    }, 2 * dwell);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [id]);
  return held;
}
