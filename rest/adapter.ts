import { callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '#server/context.ts';
import type { AppRouter } from '#server/router.ts';
import { inputSource, type Route } from '#server/trpc.ts';
import { sendError } from './errors.ts';
import { parseJsonBody } from './json-body.ts';
import { restProcedures } from './procedures.ts';
import { coerceQuery, queryKinds } from './query.ts';

/** Puts every procedure that has a route at its REST address. */
export function serveRest(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  for (const { path, route, type, inputShape } of restProcedures(router)) {
    const url = route.path.replace(/\{(\w+)\}/g, ':$1');
    const reads: InputReading = {
      route,
      kinds: queryKinds(inputShape, route),
      hasBody: Object.keys(inputShape).some((name) => inputSource(route, name) === 'body'),
    };

    app.route({
      method: route.method,
      url,
      config: { versioned: route.versioned !== false },
      handler: async (request, reply) => {
        try {
          const output = await callTRPCProcedure({
            router,
            path,
            type,
            ctx: createContext(request, reply),
            getRawInput: async () => assembleInput(request, reads),
            signal: undefined,
            batchIndex: 0,
          });
          reply.code(route.status ?? 200);
          if (route.status === 204) return reply.send();
          return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(output));
        } catch (error) {
          return sendError(reply, error);
        }
      },
    });
  }
}

/** How a route's input is read; worked out once. */
interface InputReading {
  route: Route;
  kinds: ReturnType<typeof queryKinds>;
  hasBody: boolean;
}

/** One object out of body or query, headers and path. The path wins: it is what the address says. */
function assembleInput(
  request: FastifyRequest,
  { route, kinds, hasBody }: InputReading,
): Record<string, unknown> {
  const input = hasBody
    ? parseJsonBody(request.body, request.headers['content-type'])
    : coerceQuery(request.query as Record<string, unknown>, kinds);
  for (const [name, header] of Object.entries(route.headers ?? {})) {
    const value = request.headers[header.toLowerCase()];
    if (value !== undefined) input[name] ??= value;
  }
  return Object.assign(input, request.params);
}
