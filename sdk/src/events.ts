import type { LinguaLoopError } from './errors.ts';
import type { TranslationJob } from './types.ts';

/** A request that is about to be sent. */
export interface RequestEvent {
  /** The method that the caller used: `translations.create`. */
  call: string;
  /** `GET`, in capitals. */
  method: string;
  /** The whole address, with its query. */
  url: string;
  /** Values of headers that may hold a secret are `***`. Bodies are never shown. */
  headers: Readonly<Record<string, string>>;
  /** 1, and one more after each retry. */
  attempt: number;
}

/** What became of a request. */
export interface ResponseEvent extends RequestEvent {
  /** Null if no response came. */
  status: number | null;
  /** X-Request-ID of the response. */
  requestId: string | null;
  /** Milliseconds until its end; of a download that is streamed, until its first piece. */
  durationMs: number;
  /** Why there is no result: a LinguaLoopError, or the reason of the caller's signal. */
  error?: unknown;
}

/** Where the client writes what it does: `console`, or another logger that takes a message and fields. */
export interface Logger {
  /** Each request, and each response. */
  debug(message: string, fields: object): void;
  /** Each retry, with its reason; and each warning about a request that creates, such as a field that does not exist. */
  warn(message: string, fields: object): void;
}

/** What of a job its warnings are told by. */
type Warned = Pick<TranslationJob, 'id' | 'warnings'>;

/** Headers whose values hold no secret. Those of a caller's own are not known, so they are hidden. */
const shown: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'idempotency-key',
  'user-agent',
  'x-api-version',
  'x-request-id',
  'x-source-filename',
  'x-tenant-id',
]);

export function redacted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, shown.has(name.toLowerCase()) ? value : '***']),
  );
}

/** Told of each request and of what became of it. */
export interface Observers {
  /** Told before each request, those of retries included. What it throws or rejects with is ignored. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Told after each request, whatever became of it. What it throws or rejects with is ignored. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Told the same, and each retry. Default: no one is told. */
  logger?: Logger | undefined;
}

/** Tells someone who only watches. What they throw, at once or in a promise, is theirs: a call never fails for a logger. */
export function quietly(tell: () => unknown): void {
  new Promise((resolve) => resolve(tell())).catch(() => {});
}

/** Calls the observers. */
export function observe({ onRequest, onResponse, logger }: Observers) {
  return {
    /** Whether anyone is told, so that a call need not make events for no one. */
    active: Boolean(onRequest || onResponse || logger),
    request(event: RequestEvent) {
      quietly(() => onRequest?.(event));
      quietly(() => logger?.debug(`${event.call}: ${event.method} ${event.url}`, event));
    },
    response(event: ResponseEvent) {
      quietly(() => onResponse?.(event));
      const { call, status, durationMs, error } = event;
      const outcome = error instanceof Error ? error.message : status;
      quietly(() => logger?.debug(`${call}: ${outcome} after ${Math.round(durationMs)} ms`, event));
    },
    retry(call: string, error: LinguaLoopError, delayMs: number) {
      const message = `${call}: ${error.message}; again in ${Math.round(delayMs)} ms`;
      quietly(() => logger?.warn(message, { call, error, delayMs }));
    },
    /**
     * A line for each warning of a job, or of several jobs.
     * @param told those that were told already: jobs of one request often have the same
     */
    warnings(call: string, jobs: unknown, told = new Set<string>()) {
      if (!logger) return;
      for (const { id, warnings = [] } of [jobs].flat() as Partial<Warned>[])
        for (const { code, field, message } of warnings) {
          const line = `${call}: ${message}`;
          if (told.has(line)) continue;
          told.add(line);
          quietly(() => logger.warn(line, { call, jobId: id, code, field }));
        }
    },
  };
}
