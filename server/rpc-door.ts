import { callTRPCProcedure, getTRPCErrorFromUnknown, getTRPCErrorShape, TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import superjson from 'superjson';
import type { RequestContext } from './context.ts';
import { AppError, errorTable, toAppError } from './errors.ts';
import type { AppRouter } from './router.ts';
import { findUnstorable } from './storable.ts';
import { proceduresOf } from './trpc.ts';

type ProcedureType = 'query' | 'mutation';

/**
 * The typed door, for the SDK: tRPC's own HTTP format under /trpc, one call a request. tRPC's adapters build a web
 * Request and Response for each call, which costs more than the call, and answer a malformed one with 500; here
 * are only JSON bodies, and every refusal comes from the error table.
 */
export function serveRpc(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  const types = new Map(proceduresOf(router).map(([path, { _def }]) => [path, _def.type as ProcedureType]));
  app.route({
    method: ['GET', 'POST'],
    url: '/trpc/:path',
    handler: async (request, reply) => {
      const { path } = request.params as { path: string };
      const type = types.get(path);
      const ctx = createContext(request, reply);
      reply.header('content-type', 'application/json');
      try {
        if (!type) throw new AppError('route_not_found', 'not found');
        if ((type === 'query') !== (request.method === 'GET')) {
          reply.header('allow', type === 'query' ? 'GET, HEAD' : 'POST');
          throw new AppError('method_not_allowed', 'method not allowed');
        }
        const data = await callTRPCProcedure({
          router,
          path,
          type,
          ctx,
          getRawInput: async () => readInput(request),
          signal: undefined,
          batchIndex: 0,
        });
        return reply.send(JSON.stringify({ result: { data: plain(data) } }));
      } catch (thrown) {
        const known = toAppError(thrown);
        if (known.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(known.retryAfter)));
        const error =
          thrown instanceof TRPCError
            ? thrown
            : new TRPCError({ code: errorTable[known.code].trpc, cause: known });
        const shape = getTRPCErrorShape({
          config: router._def._config,
          error: getTRPCErrorFromUnknown(error),
          type: type ?? 'unknown',
          path,
          input: undefined,
          ctx,
        });
        return reply.code(known.status).send(JSON.stringify({ error: plain(shape) }));
      }
    },
  });
}

/**
 * superjson's form of a value that is JSON already, as every output is: the REST door prints the same. Walking it to
 * find that out costs more than the procedure.
 */
function plain(json: unknown): { json: unknown } {
  return { json: json ?? null };
}

/** The call's input: `?input=` of a query, the body of a mutation, in superjson's `{json, meta}`. */
function readInput(request: FastifyRequest): unknown {
  const query = request.query as Record<string, unknown>;
  if (query['batch'] !== undefined) throw new AppError('malformed_request', 'batches are not accepted');
  const text = request.method === 'GET' ? query['input'] : bodyText(request);
  if (text === undefined || text === '') return undefined;
  let sent: unknown;
  try {
    sent = JSON.parse(String(text));
  } catch {
    throw new AppError('malformed_request', 'invalid JSON input');
  }
  // Before superjson walks it: it recurses, and follows the paths that `meta` gives it.
  const problem = findUnstorable(sent);
  if (problem) {
    const [, ...loc] = problem.loc;
    throw new AppError('invalid_fields', [{ ...problem, loc: ['body', ...loc] }]);
  }
  if (typeof sent !== 'object' || sent === null || !('json' in sent))
    throw new AppError('malformed_request', 'the input must be a superjson object');
  try {
    return superjson.deserialize(sent as never);
  } catch {
    throw new AppError('malformed_request', 'the input cannot be deserialized');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function bodyText({ body, headers }: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type', 'send application/json');
  try {
    return utf8.decode(body);
  } catch {
    throw new AppError('malformed_request', 'the body is not UTF-8');
  }
}
