import { callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '#server/context.ts';
import type { AppRouter } from '#server/router.ts';
import type { FileResponse, StreamResponse } from '#server/trpc.ts';
import { sendFile } from './downloads.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { sendError } from './errors.ts';
import { type RestProcedure, restProcedures } from './procedures.ts';
import { bodyCeiling, refuseDeclaredSize, tooLargeUnauthenticated } from './request-limits.ts';

/** Serves every procedure that has a route at its REST address. */
export function serveRest(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  services: Services,
): void {
  const limits = services.settings;
  for (const procedures of byAddress(restProcedures(router))) {
    const address = createEndpoint(procedures, limits);
    const { route, meta } = procedures[0] as RestProcedure;
    const ceiling = bodyCeiling(address, limits);
    app.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: {
        versioned: route.versioned !== false,
        formOnly: address.body === 'form',
        ...(ceiling && { bodyCeiling: ceiling.name }),
        // Skip raw bodies: the signature over their bytes authenticates the sender.
        ...(address.body !== 'raw' && {
          authenticate: async (request, reply) => {
            const authenticated = await createContext(request, reply).authenticate(meta.guard ?? 'public');
            if (!authenticated) throw tooLargeUnauthenticated();
          },
        }),
      },
      ...(ceiling && { bodyLimit: ceiling.bytes }),
      onRequest: async (request, reply) => {
        try {
          route.gate?.(services);
          // Parse a raw body as bytes: its declared content type must not select another parser.
          if (address.body === 'raw') request.headers['content-type'] = 'application/octet-stream';
          if (address.takesFiles) refuseDeclaredSize(request, limits);
        } catch (error) {
          return sendError(reply, error);
        }
      },
      handler: async (request, reply) => {
        try {
          return await handleRequest(router, address, request, reply, createContext(request, reply));
        } catch (error) {
          return sendError(reply, error);
        }
      },
    });
  }
}

async function handleRequest(
  router: AppRouter,
  address: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: RequestContext,
): Promise<FastifyReply> {
  const { procedure, readInput } = address.choose(request);
  const { path, type, route } = procedure;
  reply.code(route.status ?? 200);
  const output = await callTRPCProcedure({
    router,
    path,
    type,
    ctx,
    getRawInput: readInput,
    signal: undefined,
    batchIndex: 0,
  });
  if (route.download) return sendFile(reply, output as FileResponse | StreamResponse);
  if (route.status === 204) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(output));
}

/** Groups procedures by method and path, in the router's order. */
function byAddress(procedures: RestProcedure[]): RestProcedure[][] {
  const groups = Map.groupBy(procedures, ({ route }) => `${route.method} ${route.path}`);
  return [...groups.values()];
}
