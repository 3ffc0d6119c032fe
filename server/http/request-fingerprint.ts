import { createHash } from 'node:crypto';
import type { HttpResponse } from '#server/context.ts';
import { type Warning, warningOf } from './warnings.ts';

/*
 * The fingerprint of a request with an idempotency key is stored on its job. A later request with this key gets the
 * same job. If its fingerprint is different, the response has a warning.
 */

/**
 * Returns the SHA-256 of a value as JSON. The order of keys does not matter. A field with null counts as absent, so
 * that requests keep their fingerprints when a field is added to the API.
 */
export function fingerprintOf(value: Readonly<Record<string, unknown>>): Uint8Array {
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field != null));
  return createHash('sha256').update(JSON.stringify(given, inOrderOfKeys)).digest();
}

function inOrderOfKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Whether a request differs from the request that created the job of its idempotency key.
 * @param stored null for a job that was created before fingerprints were stored; the result is then false
 */
export function requestDiffers(stored: Uint8Array | null, fingerprint: Uint8Array | null): boolean {
  return stored !== null && fingerprint !== null && Buffer.compare(stored, fingerprint) !== 0;
}

/** How a response to a request with an idempotency key was produced; its headers report it. */
export interface KeyedResult {
  /** Whether earlier requests with the same key created all jobs of the response. */
  replayed: boolean;
  /** Whether a different request with the same key created any job of the response. */
  differs: boolean;
}

/** Sets response headers that report `result`: that jobs were replayed, and that they belong to a different request. */
export function markKeyedResult(response: Pick<HttpResponse, 'setHeader'>, result: KeyedResult): void {
  if (result.replayed) response.setHeader('Idempotency-Replayed', 'true');
  if (result.differs) response.setHeader('Idempotency-Request-Differs', 'true');
}

/** Adds a warning to a job that a different request with the same key created. The warning is not stored. */
export function withDifferingRequest<T extends { warnings: Warning[] }>(job: T): T {
  const message =
    'an earlier, different request has used this idempotency key, and this is the job of that request; send this request with another key';
  const warning = warningOf('idempotency_request_differs', 'idempotency_key', message);
  return { ...job, warnings: [...job.warnings, warning] };
}
