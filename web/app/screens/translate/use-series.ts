import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { allExcept, queryKeys } from '../../query-keys.ts';

/** One request for several jobs that run one after the other: those of a batch, or the pages of a file. */
export interface Sending {
  /** The jobs' keys are `<key>:<number>`. */
  key: string;
  /** The number of the first job: 0 in a batch, 1 in a file. */
  first: number;
  /** The place of each of its jobs in the whole, in order. Undefined: as they come, because their number is unknown. */
  places?: number[];
  /** Sends the request. With the same key, it continues from its last state. */
  send: (key: string) => Promise<TranslationJob[]>;
}

export type SeriesState = 'ready' | 'running' | 'done' | 'failed';

/** Milliseconds between polls for the jobs of a running series. */
const lookEvery = 2000;

/**
 * Sends a series and follows its jobs: the response comes only at the end, and after a failure it is only an error, so the
 * list of jobs shows which ones were created.
 */
export function useSeries() {
  const queries = useQueryClient();
  const [state, setState] = useState<SeriesState>('ready');
  const [sending, setSending] = useState<Sending>();
  const [jobs, setJobs] = useState<ReadonlyMap<number, TranslationJob>>(new Map());
  const [error, setError] = useState<unknown>();
  /** The current request; the response to another one is too late. */
  const current = useRef<Sending>(undefined);

  const add = (of: Sending, made: readonly TranslationJob[]) => {
    if (current.current !== of) return;
    setJobs((before) => {
      const after = new Map(before);
      for (const job of made) {
        const place = placeOf(of, job);
        if (place === undefined) continue;
        // A list that was requested before the response may arrive after it.
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
      // The list shows which jobs were created before the failure; without it, only the error is shown.
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
    /** The places of the last request's jobs in the whole. */
    places: sending?.places,
    /** Sends a new series. @returns whether all of it was completed */
    start(next: Sending): Promise<boolean> {
      setJobs(new Map());
      return run(next);
    },
    /** Sends the same again, with its key: completed jobs are returned, and the rest run. */
    async resume(): Promise<boolean> {
      return sending ? run(sending) : false;
    },
    /** Continues with other jobs of the same whole; completed ones stay. */
    goOn(next: Sending): Promise<boolean> {
      return run(next);
    },
    /** Clears the series. Its jobs stay on the server. */
    clear(): void {
      current.current = undefined;
      setSending(undefined);
      setJobs(new Map());
      setState('ready');
    },
  };
}

/** The place of a request's job in the whole; undefined for jobs of others. */
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
