import type { FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import { mediaType } from './raw-types.ts';

/** The two sizes of B 8, in bytes. */
export interface BodyLimits {
  /** Of what is declared for a text submission. */
  MAX_REQUEST_BYTES: number;
  /** Of any request, as declared and as it comes. */
  MAX_UPLOAD_BYTES: number;
}

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
