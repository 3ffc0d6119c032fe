import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { allExcept, queryKeys } from '../../query-keys.ts';

/** One sending of jobs that the service makes one after the other: those of a batch, or the pages of a file. */
export interface Sending {
  /** The jobs' keys are `<key>:<number>`. */
  key: string;
  /** The number of the first job: 0 in a batch, 1 in a file (B 4.1). */
  first: number;
  /** Where each of its jobs stands in the whole, in order. Undefined: as they come, since nobody knows their number. */
  places?: number[];
  /** Sends it. The same key again goes on where it ended. */
  send: (key: string) => Promise<TranslationJob[]>;
}

export type SeriesState = 'ready' | 'running' | 'done' | 'failed';

/** Milliseconds between looks at what a running series has made. */
const lookEvery = 2000;

/**
 * Sends a series and follows its jobs: the response comes only at the end, and after a failure it is an error alone, so the list of
 * jobs tells which were made.
 */
export function useSeries() {
  const queries = useQueryClient();
  const [state, setState] = useState<SeriesState>('ready');
  const [sending, setSending] = useState<Sending>();
  const [jobs, setJobs] = useState<ReadonlyMap<number, TranslationJob>>(new Map());
  const [error, setError] = useState<unknown>();
  /** Which sending is shown; the answer to another one comes too late. */
  const current = useRef<Sending>(undefined);

  const add = (of: Sending, made: readonly TranslationJob[]) => {
    if (current.current !== of) return;
    setJobs((before) => {
      const after = new Map(before);
      for (const job of made) {
        const place = placeOf(of, job);
        if (place === undefined) continue;
        // A list that was read before the response was made may arrive after it.
        const known = after.get(place);
        if (!known || known.id !== job.id || known.updated_at <= job.updated_at) after.set(place, job);
      }
      return after;
    });
  };

  useQuery({
    queryKey: queryKeys.jobs.series(sending?.key),
    async queryFn() {
      const { items } = await client.translations.listPage({ limit: 60 });
      if (sending) add(sending, items);
      return null;
    },
    enabled: state === 'running',
    refetchInterval: lookEvery,
  });

  const run = async (next: Sending): Promise<boolean> => {
    current.current = next;
    setSending(next);
    setError(undefined);
    setState('running');
    try {
      add(next, await next.send(next.key));
      if (current.current === next) setState('done');
      return true;
    } catch (thrown) {
      // The list tells which were made before the one that failed; without it, the error alone is shown.
      const made = await client.translations.listPage({ limit: 200 }).catch(() => undefined);
      add(next, made?.items ?? []);
      if (current.current !== next) return false;
      setError(thrown);
      setState('failed');
      return false;
    } finally {
      void queries.invalidateQueries(allExcept(queryKeys.jobs.all, queryKeys.jobs.allSeries));
    }
  };

  return {
    state,
    jobs,
    error,
    /** Where the jobs of the last sending stand in the whole. */
    places: sending?.places,
    /** Sends a new series. @returns whether all of it was done */
    start(next: Sending): Promise<boolean> {
      setJobs(new Map());
      return run(next);
    },
    /** Sends the same again, with its key: what is done is returned, and the rest is made. */
    async resume(): Promise<boolean> {
      return sending ? run(sending) : false;
    },
    /** Goes on with other work of the same whole; what was made stays. */
    goOn(next: Sending): Promise<boolean> {
      return run(next);
    },
    /** Forgets the series. What it made stays in the service. */
    clear(): void {
      current.current = undefined;
      setSending(undefined);
      setJobs(new Map());
      setState('ready');
    },
  };
}

/** Where a job of a sending stands in the whole; undefined for jobs of others. */
function placeOf({ key, first, places }: Sending, { request }: TranslationJob): number | undefined {
  const prefix = `${key}:`;
  if (!request.idempotency_key?.startsWith(prefix)) return undefined;
  const index = Number(request.idempotency_key.slice(prefix.length)) - first;
  return places ? places[index] : index;
}

/** Whether an item of a series needs no more work. */
export function isDone(status: string | undefined): boolean {
  return status !== undefined && status !== 'failed' && status !== 'pending';
}
