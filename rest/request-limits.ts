import type { FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import type { BodyKind } from '#server/trpc.ts';
import { mediaType } from './media-types.ts';

/** The two sizes of B 8, in bytes. */
export interface BodyLimits {
  /** Of what is declared for a text submission. */
  MAX_REQUEST_BYTES: number;
  /** Of any request, as declared and as it comes. */
  MAX_UPLOAD_BYTES: number;
}

/** Bytes; a token or a password is far from it. */
const largestForm = 65_536;

/** Bytes; a payment event has some thousands. Its signature is over the very bytes: it is read before anybody is authenticated. */
const largestEvent = 1_000_000;

/** Bytes; past them nothing is read of a body whose sender is not authenticated. */
export const largestUnauthenticated = 102_400;

/** What bodies at an address are held to, and what a refusal calls it. */
export interface BodyCeiling {
  name: 'MAX_UPLOAD_BYTES' | `${number} bytes`;
  bytes: number;
}

/** Undefined where it is the limit of all others, MAX_REQUEST_BYTES. */
export function bodyCeiling(
  address: { takesFiles: boolean; body: BodyKind },
  limits: BodyLimits,
): BodyCeiling | undefined {
  if (address.takesFiles) return { name: 'MAX_UPLOAD_BYTES', bytes: limits.MAX_UPLOAD_BYTES };
  const bytes = largestOf[address.body];
  return limits[exceededFirst(limits)] < bytes ? undefined : { name: `${bytes} bytes`, bytes };
}

const largestOf: Readonly<Record<BodyKind, number>> = {
  json: Number.POSITIVE_INFINITY,
  form: largestForm,
  form_or_json: largestForm,
  raw: largestEvent,
};

/**
 * Refuses by Content-Length, before the body is read. What a form's file is held to is known once its part begins: here
 * it is only held to the absolute limit.
 */
export function refuseDeclaredSize(request: FastifyRequest, limits: BodyLimits): void {
  const limit = isForm(request) ? 'MAX_UPLOAD_BYTES' : exceededFirst(limits);
  const declared = declaredSize(request);
  const exceeded = (['MAX_UPLOAD_BYTES', limit] as const).find((name) => declared > limits[name]);
  if (exceeded) throw tooLarge(exceeded);
}

function exceededFirst(limits: BodyLimits): keyof BodyLimits {
  return limits.MAX_UPLOAD_BYTES < limits.MAX_REQUEST_BYTES ? 'MAX_UPLOAD_BYTES' : 'MAX_REQUEST_BYTES';
}

/** Bytes by Content-Length; 0 where it is not sent. */
export function declaredSize({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

export function isForm({ headers }: FastifyRequest): boolean {
  return mediaType(headers['content-type']) === 'multipart/form-data';
}

export function tooLarge(limit: keyof BodyLimits): AppError {
  return new AppError('payload_too_large', `request body exceeds ${limit}`);
}

/** What is answered to a large body where no credential is asked for: no request there has one. */
export function tooLargeUnauthenticated(): AppError {
  return new AppError('payload_too_large', `request body exceeds ${largestUnauthenticated} bytes`);
}
