import { createHash } from 'node:crypto';
import type { HttpResponse } from '#server/context.ts';
import { type Warning, warningOf } from './warnings.ts';

/*
 * A request with an idempotency key leaves its fingerprint on the job. A later request of that key still gets the job, and is told if it
 * asked for something else.
 */

/**
 * The SHA-256 of a value in JSON, whatever the order of its keys. A field of the value that is null counts as absent, so that a request is the same
 * before and after a field was added to the API.
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
 * Whether a request asks for something else than the one that made the job of its key.
 * @param stored null for a job from before fingerprints were stored: nothing is known of its request
 */
export function requestDiffers(stored: Uint8Array | null, fingerprint: Uint8Array | null): boolean {
  return stored !== null && fingerprint !== null && Buffer.compare(stored, fingerprint) !== 0;
}

/** How a response came about, for its headers. */
export interface KeyedResult {
  /** Whether an earlier request with the same key did all of the work. */
  replayed: boolean;
  /** Whether a job in it was made by a different request with the same key. */
  differs: boolean;
}

/** Says in the headers that earlier requests of a key made what is returned. */
export function markKeyedResult(response: Pick<HttpResponse, 'setHeader'>, result: KeyedResult): void {
  if (result.replayed) response.setHeader('Idempotency-Replayed', 'true');
  if (result.differs) response.setHeader('Idempotency-Request-Differs', 'true');
}

/** The job of a key as it is returned to a request that asked for something else. The warning is not stored. */
export function withDifferingRequest<T extends { warnings: Warning[] }>(job: T): T {
  const message =
    'this key belongs to an earlier request that asked for something else, and this is its job; send this request with another key';
  const warning = warningOf('idempotency_request_differs', 'idempotency_key', message);
  return { ...job, warnings: [...job.warnings, warning] };
}
