import type { FastifyReply } from 'fastify';
import type { AppError } from '#server/errors.ts';

/** Sets Retry-After, in whole seconds, if the error has one. */
export function setRetryAfter(reply: FastifyReply, { retryAfter }: AppError): void {
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
}
