import type { TranslationJob } from '#sdk/types.ts';
import type { translationService } from '../../translation-service.ts';

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
  /**
   * Sends the request. If the same key was sent before, the service continues with the jobs that are missing. Undefined
   * after a reload: the service may still be working on the request, but it cannot be sent again.
   */
  send?: (key: string) => Promise<TranslationJob[]>;
}

export type SeriesState = 'ready' | 'running' | 'done' | 'failed';

/** The state of a series for the screen. A change creates a new object. */
export interface SeriesView {
  state: SeriesState;
  /** The jobs by their index in the complete series. */
  jobs: ReadonlyMap<number, TranslationJob>;
  /** The error of the request; undefined if the request cannot be sent again. */
  error: unknown;
  /** For each job of the last request, its index in the complete series. */
  places: number[] | undefined;
}

/** The list of jobs, which shows the jobs of a request before its response arrives. */
type JobList = Pick<typeof translationService, 'listPage'>;

/** After a reload, the number of lists without a job in progress after which a series counts as stopped. */
const maxQuietLists = 4;

/**
 * Sends a series of jobs and follows them while they run. The request returns its jobs only when all are completed, and
 * after a failure it returns only the error. The list of jobs therefore shows which jobs were created.
 */
export class Series {
  view: SeriesView = { state: 'ready', jobs: new Map(), error: undefined, places: undefined };
  private readonly list: JobList;
  private readonly changed: () => void;
  /** The latest request. The jobs of earlier requests are ignored. */
  private sending: Sending | undefined;
  private quietLists = 0;

  /** @param changed called after each change of `view` */
  constructor(list: JobList, changed: () => void) {
    [this.list, this.changed] = [list, changed];
  }

  /** The idempotency key of the latest request. */
  get key(): string | undefined {
    return this.sending?.key;
  }

  /** Starts a new series. @returns whether all jobs were completed */
  start(next: Sending): Promise<boolean> {
    this.update({ jobs: new Map() });
    return this.run(next);
  }

  /** Sends the last request again, with the same key: the service returns completed jobs, and runs the others. */
  async resume(): Promise<boolean> {
    return this.sending?.send ? this.run(this.sending) : false;
  }

  /** Continues the series with a request for other jobs; completed jobs stay. */
  goOn(next: Sending): Promise<boolean> {
    return this.run(next);
  }

  /** Follows a series that was sent before a reload. @param count the number of its jobs, if it is known */
  follow({ key, first }: Pick<Sending, 'key' | 'first'>, count?: number): void {
    this.sending = { key, first, ...(count !== undefined && { places: [...Array(count).keys()] }) };
    this.quietLists = 0;
    this.update({ state: 'running', jobs: new Map(), error: undefined, places: this.sending.places });
  }

  /** Removes the series from the screen. The service keeps its jobs. */
  clear(): void {
    this.sending = undefined;
    this.update({ state: 'ready', jobs: new Map(), error: undefined, places: undefined });
  }

  /** Takes the jobs of the series from a list of jobs, while the series runs. */
  take(listed: readonly TranslationJob[]): void {
    if (this.view.state !== 'running' || !this.sending) return;
    this.add(this.sending, listed);
    if (!this.sending.send) this.lookForEnd();
  }

  private async run(next: Sending): Promise<boolean> {
    this.sending = next;
    this.update({ state: 'running', error: undefined, places: next.places });
    try {
      this.add(next, (await next.send?.(next.key)) ?? []);
      if (this.sending === next) this.update({ state: 'done' });
      return true;
    } catch (error) {
      // The list of jobs shows which jobs were created before the failure. If the list cannot be loaded, only the error
      // is shown.
      const made = await this.list.listPage({ limit: 200 }).catch(() => undefined);
      this.add(next, made?.items ?? []);
      if (this.sending === next) this.update({ state: 'failed', error });
      return false;
    }
  }

  private add(of: Sending, made: readonly TranslationJob[]): void {
    if (this.sending !== of) return;
    const jobs = new Map(this.view.jobs);
    for (const job of made) {
      const place = placeOf(of, job);
      if (place === undefined) continue;
      // A list can be older than the response that arrived before it; the later version of each job is kept.
      const known = jobs.get(place);
      if (!known || known.id !== job.id || known.updated_at <= job.updated_at) jobs.set(place, job);
    }
    this.update({ jobs });
  }

  /** Without a response, the jobs show whether the series has ended. */
  private lookForEnd(): void {
    const jobs = [...this.view.jobs.values()];
    const count = this.sending?.places?.length ?? pageCount(jobs[0]);
    this.quietLists = jobs.some(({ status }) => status === 'pending') ? 0 : this.quietLists + 1;
    if (count !== undefined && jobs.filter(({ status }) => isDone(status)).length >= count)
      this.update({ state: 'done' });
    else if (this.quietLists >= maxQuietLists) this.update({ state: 'failed' });
  }

  private update(change: Partial<SeriesView>): void {
    this.view = { ...this.view, ...change };
    this.changed();
  }
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

/** The file of a job that is a page of a file. */
function sourceDocument(
  job: TranslationJob | undefined,
): { page_count?: unknown; name?: unknown } | undefined {
  const found = job?.request.metadata?.['source_document'];
  return typeof found === 'object' && found !== null ? found : undefined;
}

/** The number of pages of a job's file. */
export function pageCount(job: TranslationJob | undefined): number | undefined {
  const count = sourceDocument(job)?.page_count;
  return typeof count === 'number' ? count : undefined;
}

/** The name of a job's file. */
export function fileName(job: TranslationJob | undefined): string | undefined {
  const name = sourceDocument(job)?.name;
  return typeof name === 'string' ? name : undefined;
}
