import type { LinguaLoopError } from './errors.ts';
import type { TranslationJob } from './types.ts';

/** A request that is about to be sent. */
export interface RequestEvent {
  /** The method that the caller used: `translations.create`. */
  call: string;
  /** `GET`, in capitals. */
  method: string;
  /** The full URL, with its query. */
  url: string;
  /** Values of headers that may hold a secret are `***`. Bodies are never shown. */
  headers: Readonly<Record<string, string>>;
  /** 1, and one more after each retry. */
  attempt: number;
}

/** The result of a request. */
export interface ResponseEvent extends RequestEvent {
  /** Null if no response came. */
  status: number | null;
  /** X-Request-ID of the response. */
  requestId: string | null;
  /** Milliseconds until its end; for a streamed download, until its first piece. */
  durationMs: number;
  /** The reason why there is no result: a LinguaLoopError, or the reason of the caller's signal. */
  error?: unknown;
}

/** The target of the client's log: `console`, or another logger that takes a message and fields. */
export interface Logger {
  /** Each request, and each response. */
  debug(message: string, fields: object): void;
  /** Each retry, with its reason; and each warning about a request that creates, such as a field that does not exist. */
  warn(message: string, fields: object): void;
}

/** The parts of a job that its warnings need. */
type Warned = Pick<TranslationJob, 'id' | 'warnings'>;

/** Headers whose values are not secret. A caller's own headers are unknown, so they are hidden. */
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

/** Observers of each request and its result. */
export interface Observers {
  /** Called before each request, including retries. Its errors are ignored. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each request, whatever its result. Its errors are ignored. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Receives the same, and each retry. Default: no logger. */
  logger?: Logger | undefined;
}

/**
 * Calls an observer. Its errors, synchronous or in a promise, are ignored: a call never fails because of a logger.
 */
export function quietly(tell: () => unknown): void {
  new Promise((resolve) => resolve(tell())).catch(() => {});
}

/** Calls the observers. */
export function observe({ onRequest, onResponse, logger }: Observers) {
  return {
    /** Whether there are observers, so that a call need not create unused events. */
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
     * @param told warnings already reported: jobs of one request often have the same
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
