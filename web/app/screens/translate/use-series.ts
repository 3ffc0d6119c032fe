import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { allExcept, queryKeys } from '../../query-keys.ts';

/**
 * One request that creates several jobs, which run one after the other: the items of a batch, or the pages of a file.
 */
export interface Sending {
  /** The idempotency key of the request. The key of each of its jobs is `<key>:<number>`. */
  key: string;
  /** The number of the first job: 0 for a batch, 1 for a file. */
  first: number;
  /**
   * For each job of this request, its index in the complete series. Undefined if the number of jobs is unknown: the
   * jobs are then numbered as they are created.
   */
  places?: number[];
  /** Sends the request. If the same key was sent before, the service continues with the jobs that are missing. */
  send: (key: string) => Promise<TranslationJob[]>;
}

export type SeriesState = 'ready' | 'running' | 'done' | 'failed';

/** Milliseconds between polls for the jobs of a running series. */
const lookEvery = 2000;

/**
 * Sends a series and shows its jobs while they run. The request returns its jobs only when all are completed, and after
 * a failure it returns only the error. The list of jobs therefore shows which jobs were created.
 */
export function useSeries() {
  const queries = useQueryClient();
  const [state, setState] = useState<SeriesState>('ready');
  const [sending, setSending] = useState<Sending>();
  const [jobs, setJobs] = useState<ReadonlyMap<number, TranslationJob>>(new Map());
  const [error, setError] = useState<unknown>();
  /** The latest request. The jobs of earlier requests are ignored. */
  const current = useRef<Sending>(undefined);

  const add = (of: Sending, made: readonly TranslationJob[]) => {
    if (current.current !== of) return;
    setJobs((before) => {
      const after = new Map(before);
      for (const job of made) {
        const place = placeOf(of, job);
        if (place === undefined) continue;
        // A list can be older than the response that arrived before it; the later version of each job is kept.
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
      // The list of jobs shows which jobs were created before the failure. If the list cannot be loaded, only the error
      // is shown.
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
    /** For each job of the last request, its index in the complete series. */
    places: sending?.places,
    /** Starts a new series. @returns whether all jobs were completed */
    start(next: Sending): Promise<boolean> {
      setJobs(new Map());
      return run(next);
    },
    /** Sends the last request again, with the same key: the service returns completed jobs, and runs the others. */
    async resume(): Promise<boolean> {
      return sending ? run(sending) : false;
    },
    /** Continues the series with a request for other jobs; completed jobs stay. */
    goOn(next: Sending): Promise<boolean> {
      return run(next);
    },
    /** Removes the series from the screen. The service keeps its jobs. */
    clear(): void {
      current.current = undefined;
      setSending(undefined);
      setJobs(new Map());
      setState('ready');
    },
  };
}

/** The index of a job in the complete series; undefined if another request created the job. */
function placeOf({ key, first, places }: Sending, { request }: TranslationJob): number | undefined {
  const prefix = `${key}:`;
  if (!request.idempotency_key?.startsWith(prefix)) return undefined;
  const index = Number(request.idempotency_key.slice(prefix.length)) - first;
  return places ? places[index] : index;
}

/** Whether a job of a series has ended without failing. */
export function isDone(status: string | undefined): boolean {
  return status !== undefined && status !== 'failed' && status !== 'pending';
}
