import type { LinguaLoopError } from './errors.ts';
import type { TranslationJob } from './types.ts';

/** A request that is about to be sent. */
export interface RequestEvent {
  /** The method of the client that was called, for example `translations.create`. */
  call: string;
  /** The HTTP method in capitals, for example `GET`. */
  method: string;
  /** The full URL, with its query. */
  url: string;
  /**
   * The headers of the request. Values that may contain a secret are replaced by `***`. Bodies are never part of an
   * event.
   */
  headers: Readonly<Record<string, string>>;
  /** The number of the attempt: 1 for the first, then one more for each retry. */
  attempt: number;
}

/** The result of a request. */
export interface ResponseEvent extends RequestEvent {
  /** The HTTP status; null without a response. */
  status: number | null;
  /** X-Request-ID of the response. */
  requestId: string | null;
  /** Milliseconds until the end of the response; for a streamed download, until its first piece. */
  durationMs: number;
  /** The error of the request: a LinguaLoopError, or the reason of the caller's signal. Undefined after a success. */
  error?: unknown;
}

/** A logger: `console`, or any object with these methods. */
export interface Logger {
  /** Called for each request and each response. */
  debug(message: string, fields: object): void;
  /**
   * Called for each retry, with the reason. Also called for each warning about a request that creates jobs, such as
   * an unknown field.
   */
  warn(message: string, fields: object): void;
}

/** The fields of a job from which its warnings are logged. */
type Warned = Pick<TranslationJob, 'id' | 'warnings'>;

/**
 * Headers whose values are not secret. The SDK cannot know this for headers that callers add, so it hides their
 * values.
 */
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

/** Observers of requests and responses. */
export interface Observers {
  /** Called before each request, including retries. Errors of the callback are ignored. */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each request, successful or not. Errors of the callback are ignored. */
  onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Gets a line for each request, response and retry. Default: no logger. */
  logger?: Logger | undefined;
}

/**
 * Calls an observer and ignores its errors, both thrown ones and rejected promises: an observer must never make a
 * call fail.
 */
export function quietly(tell: () => unknown): void {
  new Promise((resolve) => resolve(tell())).catch(() => {});
}

/** Returns functions that report to all observers. */
export function observe({ onRequest, onResponse, logger }: Observers) {
  return {
    /** Whether there are any observers. If not, callers need not create events. */
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
     * Logs a line for each warning of a job or of several jobs.
     * @param told warnings that have already been logged: jobs of one request often have the same warnings
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
