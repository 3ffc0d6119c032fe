import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/errors.ts';
import { sendError } from './errors.ts';

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Answers 405, and what would be allowed, to every method that a known path does not have (C 7). */
export function refuseOtherMethods(app: FastifyInstance, url: string, methods: string[]): void {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const others = allMethods.filter((method) => !methods.includes(method));
  if (others.length === 0) return;
  app.route({
    method: others,
    url,
    // Before the body is read: there is nothing to read it for.
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '));
      return sendError(reply, new AppError('method_not_allowed', 'method not allowed'));
    },
    handler: async () => {},
  });
}
