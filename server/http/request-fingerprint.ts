import { createHash } from 'node:crypto';
import type { HttpResponse } from '#server/context.ts';
import { type Warning, warningOf } from './warnings.ts';

/*
 * A request with an idempotency key stores its fingerprint on the job. A later request with that key still gets the
 * job, with a warning if it differs from the first one.
 */

/**
 * The SHA-256 of a value in JSON, regardless of the order of its keys. A null field counts as absent, so that a
 * request keeps its fingerprint when a field is added to the API.
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
 * Whether a request differs from the one that created the job of its key.
 * @param stored null for a job from before fingerprints were stored: its request is unknown
 */
export function requestDiffers(stored: Uint8Array | null, fingerprint: Uint8Array | null): boolean {
  return stored !== null && fingerprint !== null && Buffer.compare(stored, fingerprint) !== 0;
}

/** How a response was produced, for its headers. */
export interface KeyedResult {
  /** Whether an earlier request with the same key did all of the work. */
  replayed: boolean;
  /** Whether a job in it was made by a different request with the same key. */
  differs: boolean;
}

/** Marks a response in its headers if earlier requests with the key created the jobs in it. */
export function markKeyedResult(response: Pick<HttpResponse, 'setHeader'>, result: KeyedResult): void {
  if (result.replayed) response.setHeader('Idempotency-Replayed', 'true');
  if (result.differs) response.setHeader('Idempotency-Request-Differs', 'true');
}

/** The job of a key for a request that differs from the first one. The warning is not stored. */
export function withDifferingRequest<T extends { warnings: Warning[] }>(job: T): T {
  const message =
    'this key belongs to an earlier, different request, whose job this is; send this request with another key';
  const warning = warningOf('idempotency_request_differs', 'idempotency_key', message);
  return { ...job, warnings: [...job.warnings, warning] };
}
