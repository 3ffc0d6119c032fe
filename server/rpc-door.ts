import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from './context.ts';
import { toAppError } from './errors.ts';
import { type AppRouter, appRouter } from './router.ts';

/** Puts the typed door, for the SDK, under /trpc. One call a request: a batch would share one fate and one status. */
export function serveRpc(
  app: FastifyInstance,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  maxBodySize: number,
): void {
  app.register(fastifyTRPCPlugin, {
    prefix: '/trpc',
    trpcOptions: {
      router: appRouter satisfies AppRouter,
      allowBatching: false,
      maxBodySize,
      createContext: ({ req, res }: { req: FastifyRequest; res: FastifyReply }) => createContext(req, res),
      responseMeta({ errors }: { errors: readonly { cause?: unknown }[] }) {
        const [error] = errors;
        if (!error) return {};
        const known = toAppError(error.cause ?? error);
        return {
          status: known.status,
          ...(known.retryAfter !== undefined && {
            headers: { 'retry-after': String(Math.ceil(known.retryAfter)) },
          }),
        };
      },
    },
  });
}
