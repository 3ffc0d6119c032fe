import type { FastifyReply } from 'fastify';
import type { AppError } from '#server/errors.ts';

/** Sets Retry-After, in whole seconds, if the error says when to try again (B 7). */
export function setRetryAfter(reply: FastifyReply, { retryAfter }: AppError): void {
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
}
