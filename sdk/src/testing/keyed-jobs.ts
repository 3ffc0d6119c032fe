interface Job {
  readonly id: string;
  readonly updated_at: string;
  readonly warnings: unknown[];
}

/** A job together with its content. */
export interface KeptJob<J, Content> {
  /** A number that grows with each change of any job. */
  change: number;
  value: J;
  content: Content;
}

/** The jobs of a mock, with their idempotency keys. */
export interface KeyedJobs<J extends Job, Content> {
  /** Adds a job. @param request identifies the request with which the key was sent */
  add(job: J, content: Content, key: string | null, request: string): J;
  /** Stores the next state of a job. */
  change(next: J): J;
  /** Returns a job. @throws the error of `rejectMissing` if the job does not exist */
  find(id: string | undefined): KeptJob<J, Content>;
  /**
   * Returns the job of an idempotency key, with a warning if a different request created it. Undefined for a new key.
   */
  ofKey(key: string | null, request: string): { job: J; differs: boolean } | undefined;
  all(): KeptJob<J, Content>[];
  remove(id: string): void;
}

/** @param rejectMissing throws the error for a job that does not exist */
export function createKeyedJobs<J extends Job, Content>(rejectMissing: () => never): KeyedJobs<J, Content> {
  const kept = new Map<string, KeptJob<J, Content>>();
  const idOfKey = new Map<string, string>();
  const requests = new Map<string, string>();
  let changes = 0;

  const keep = (job: J, content: Content) => {
    changes += 1;
    const value = { ...job, updated_at: new Date().toISOString() };
    kept.set(job.id, { change: changes, value, content });
    return value;
  };
  const find = (id: string | undefined) => kept.get(id ?? '') ?? rejectMissing();
  return {
    add(job, content, key, request) {
      if (key !== null) idOfKey.set(key, job.id);
      requests.set(job.id, request);
      return keep(job, content);
    },
    change: (next) => keep(next, find(next.id).content),
    find,
    ofKey(key, request) {
      const job = kept.get(idOfKey.get(key ?? '') ?? '')?.value;
      if (!job) return undefined;
      const differs = requests.get(job.id) !== request;
      return { job: differs ? withDifferingRequest(job) : job, differs };
    },
    all: () => [...kept.values()],
    remove: (id) => void kept.delete(id),
  };
}

/** Returns a job as the service returns it to a different request with the same key. */
function withDifferingRequest<T extends { warnings: unknown[] }>(job: T): T {
  const message =
    'an earlier, different request has used this idempotency key, and this is the job of that request; send this request with another key';
  const warning = { code: 'idempotency_request_differs', field: 'idempotency_key', message };
  return { ...job, warnings: [...job.warnings, warning] };
}
