import {
  type AnyRouter,
  callTRPCProcedure,
  getTRPCErrorFromUnknown,
  getTRPCErrorShape,
  TRPCError,
  type TRPCProcedureType,
} from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import superjson from 'superjson';
import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError, describeForLog, errorTable, toAppError } from '#server/errors.ts';
import { refuseManyValues } from '#server/platform/input-limits.ts';
import { carriesFiles, type ProcedureMeta, proceduresOf } from '#server/trpc.ts';
import { createArrayCheck } from './array-limits.ts';
import { sendEventStream, trackEventStreams } from './event-stream.ts';
import { admissionOf } from './request-limits.ts';
import { setRetryAfter } from './response-headers.ts';
import { nameIgnored, unknownFieldsOf } from './unknown-fields.ts';

/**
 * Serves tRPC's HTTP format under /trpc, one call per request: with superjson, as the SDK sends it, or as plain JSON. tRPC's own adapters build a web Request and
 * Response for each call, which costs more than the call itself, and return 500 for a malformed one. This handler
 * accepts JSON bodies only and all its errors are from the error table. Subscriptions are server-sent events.
 */
export function serveRpc(
  app: FastifyInstance,
  router: AnyRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
): void {
  const procedures = servedProcedures(router);
  const calledBy = (request: FastifyRequest, reply: FastifyReply): Called => {
    const { path } = request.params as { path: string };
    return { router, path, type: procedures.get(path)?.type, ctx: createContext(request, reply) };
  };
  const streams = trackEventStreams(app);
  app.route({
    method: ['GET', 'POST'],
    url: '/trpc/:path',
    config: {
      bodyAdmission: (request, reply) => {
        const { path } = request.params as { path: string };
        const access = procedures.get(path)?.access ?? { admit: refuseUnknown };
        return admissionOf({ access, procedure: path, free: freeBytes }, request, () =>
          createContext(request, reply),
        );
      },
    },
    errorHandler: (thrown, request, reply) => {
      // The application's handler translates the errors of Fastify.
      if (!((thrown as unknown) instanceof AppError)) throw thrown;
      return sendFailure(thrown, calledBy(request, reply), reply, inSuperjson);
    },
    handler: async (request, reply) => {
      const called = calledBy(request, reply);
      const { path, type, ctx } = called;
      const procedure = procedures.get(path);
      // Do not log the name in the URL: the caller chooses it.
      ctx.notes.procedure = procedure ? path : 'unknown';
      reply.header('content-type', 'application/json');
      const read = readInput(request);
      // A call with a plain input gets a plain response, also to an error or without an input in the schema.
      const wrap = (json: unknown) => ('input' in read && read.isPlain ? (json ?? null) : inSuperjson(json));
      try {
        if (!type) throw new AppError('route_not_found', 'not found');
        if (type !== 'query' && request.method !== (type === 'mutation' ? 'POST' : 'GET')) {
          reply.header('allow', type === 'mutation' ? 'POST' : 'GET');
          throw new AppError('method_not_allowed', 'method not allowed');
        }
        const data = await callTRPCProcedure({
          router,
          path,
          type,
          ctx,
          getRawInput: async () => {
            if ('refusal' in read) throw read.refusal;
            const { input } = read;
            procedure?.refuseLongArrays?.(input, ctx.services.settings);
            nameIgnored(reply, unknownFieldsOf(input, procedure?.schema));
            return type === 'subscription' ? withLastEventId(request, input) : input;
          },
          signal: type === 'subscription' ? streams.begin(reply) : undefined,
          batchIndex: 0,
        });
        if (type === 'subscription')
          return await sendEventStream(
            reply,
            data as AsyncIterable<unknown>,
            (thrown) => failureOf(thrown, called).shape,
          );
        return reply.send(JSON.stringify({ result: { data: wrap(data) } }));
      } catch (thrown) {
        return sendFailure(thrown, called, reply, wrap);
      }
    },
  });
}

/** The procedures that this transport serves, by their paths. */
function servedProcedures(router: AnyRouter) {
  return new Map(
    proceduresOf(router)
      .filter(([, { meta }]) => !travelsByRestOnly(meta))
      .map(([path, { type, meta, inputs }]) => {
        return [
          path,
          {
            type,
            access: meta ?? {},
            refuseLongArrays: createArrayCheck(inputs[0], meta?.route),
            schema: inputs[0] instanceof z.ZodPrefault ? (inputs[0].unwrap() as z.ZodType) : inputs[0],
          },
        ];
      }),
  );
}

/** A call, with its router. The type is undefined if the router has no such procedure. */
interface Called {
  router: AnyRouter;
  path: string;
  type: TRPCProcedureType | undefined;
  ctx: RequestContext;
}

/** Notes an error of a call, and returns its body. */
function failureOf(thrown: unknown, { router, path, type, ctx }: Called) {
  const known = toAppError(thrown);
  ctx.notes.error = known;
  // The procedures log other failures, but the items of a subscription are made after it has returned.
  if (type === 'subscription' && known.code === 'internal_error')
    ctx.services.log.error(
      { request_id: ctx.requestId, procedure: path, error: describeForLog(known.cause) },
      'unexpected failure',
    );
  const error =
    thrown instanceof TRPCError ? thrown : new TRPCError({ code: errorTable[known.code].trpc, cause: known });
  const shape = getTRPCErrorShape({
    config: router._def._config,
    error: getTRPCErrorFromUnknown(error),
    type: type ?? 'unknown',
    path,
    input: undefined,
    ctx,
  });
  return { known, shape };
}

/** @param wrap returns the body in the format of the call's input */
function sendFailure(
  thrown: unknown,
  called: Called,
  reply: FastifyReply,
  wrap: (json: unknown) => unknown,
): FastifyReply {
  const { known, shape } = failureOf(thrown, called);
  setRetryAfter(reply, known);
  return reply
    .code(known.status)
    .header('content-type', 'application/json')
    .send(JSON.stringify({ error: wrap(shape) }));
}

/** Bytes of a body that are read before its sender is admitted. An error has the format of the input, if it is read. */
const freeBytes = 1024;

/** Rejects the body of a call to no procedure. */
async function refuseUnknown(): Promise<never> {
  throw new AppError('route_not_found', 'not found');
}

/**
 * Whether only REST serves the procedure, because its input or output has bytes: JSON cannot carry them, and
 * superjson would double their size.
 */
function travelsByRestOnly(meta: ProcedureMeta | undefined): boolean {
  return meta?.route !== undefined && carriesFiles(meta.route);
}

/**
 * Wraps JSON in superjson's format. Every output is already JSON, because REST sends the same value. superjson
 * would walk the whole value to find nothing to convert, which costs more than the procedure.
 */
function inSuperjson(json: unknown): { json: unknown } {
  return { json: json ?? null };
}

type ReadInput = { input: unknown; isPlain: boolean } | { refusal: unknown };

/** Returns the input of the call, or the error to throw once the procedure asks for it. */
function readInput(request: FastifyRequest): ReadInput {
  try {
    return parseInput(request);
  } catch (refusal) {
    return { refusal };
  }
}

/**
 * Parses the input of the call: `?input=` of a GET request, or the body. It is in superjson's `{json, meta}` format,
 * or the input as a plain JSON object. No procedure has an input `json`.
 */
function parseInput(request: FastifyRequest): { input: unknown; isPlain: boolean } {
  const query = request.query as Record<string, unknown>;
  if (query['batch'] !== undefined) throw new AppError('malformed_request', 'batches are not accepted');
  const text = request.method === 'GET' ? query['input'] : bodyText(request);
  if (text === undefined || text === '') return { input: undefined, isPlain: false };
  let sent: unknown;
  try {
    sent = JSON.parse(String(text));
  } catch {
    throw new AppError('malformed_request', 'invalid JSON input');
  }
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new AppError('malformed_request', 'the input must be a JSON object');
  if (!('json' in sent)) return { input: sent, isPlain: true };
  const { json, meta } = sent as { json: unknown; meta?: unknown };
  if (meta === undefined) return { input: json, isPlain: false };
  if (!marksOnlyUndefined(meta)) throw new AppError('malformed_request', 'the input must be plain JSON');
  try {
    return { input: superjson.deserialize({ json, meta } as never), isPlain: false };
  } catch {
    throw new AppError('malformed_request', 'the input cannot be deserialized');
  }
}

/** Returns the input of a subscription. A client that connects again sends the ID of its last event in a header. */
function withLastEventId(request: FastifyRequest, input: unknown): unknown {
  const lastEventId = request.headers['last-event-id'];
  if (!lastEventId || (input !== undefined && (typeof input !== 'object' || input === null))) return input;
  return { ...input, lastEventId };
}

/**
 * Whether superjson's annotations of an input only mark fields as undefined. Inputs are plain JSON, so no other
 * annotation is accepted: others can turn a few bytes into Maps, typed arrays of any size, or one object that is
 * referenced from many places.
 */
function marksOnlyUndefined(meta: unknown): boolean {
  if (typeof meta !== 'object' || meta === null) return false;
  const { values, v: _version, ...others } = meta as { values?: unknown; v?: unknown };
  if (Object.keys(others).length > 0 || typeof values !== 'object' || values === null) return false;
  return (
    !Array.isArray(values) &&
    Object.values(values).every((mark) => Array.isArray(mark) && mark.length === 1 && mark[0] === 'undefined')
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function bodyText({ body, headers }: FastifyRequest): string | undefined {
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type', 'send application/json');
  refuseManyValues(body);
  try {
    return utf8.decode(body);
  } catch {
    throw new AppError('malformed_request', 'the body is not UTF-8');
  }
}
