import { callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { createArrayCheck } from '#server/http/array-limits.ts';
import { admissionOf, bodyCeiling, mediaType, refuseDeclaredSize } from '#server/http/request-limits.ts';
import { nameIgnored, unknownFieldsOf } from '#server/http/unknown-fields.ts';
import type { AppRouter } from '#server/router.ts';
import type { Settings } from '#server/settings.ts';
import {
  type BodyKind,
  type FileResponse,
  inputSource,
  type StreamResponse,
  type Upload,
} from '#server/trpc.ts';
import {
  bodyTypes,
  formType,
  parseChoosingBody,
  parseForm,
  parseFormOrJson,
  parseJsonBody,
} from './body-parsers.ts';
import { sendFile } from './downloads.ts';
import { sendError } from './errors.ts';
import { isKeyed, needsBody, type RestProcedure, restProcedures } from './procedures.ts';
import {
  coerceQuery,
  knownParameters,
  queryKinds,
  readFields,
  selectableFields,
  selectFields,
} from './query.ts';
import { isUpload, readUpload } from './upload.ts';

/** Serves every procedure that has a route, at the path of the route. */
export function serveRest(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  services: Services,
): void {
  const limits = services.settings;
  for (const procedures of byAddress(restProcedures(router))) {
    const address = createEndpoint(procedures, limits);
    const { path, route, meta } = address.first;
    const ceiling = bodyCeiling(address, limits);
    app.route({
      method: route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      config: {
        versioned: route.versioned !== false,
        ...(procedures.length === 1 && { procedure: path }),
        formOnly: address.body === 'form',
        ...(ceiling && { bodyCeiling: ceiling.name }),
        // A raw body needs no other credential: the signature over its bytes authenticates the sender.
        ...(address.body !== 'raw' && {
          bodyAdmission: (request, reply) =>
            admissionOf({ access: meta, procedure: path, free: 0 }, request, () =>
              createContext(request, reply),
            ),
        }),
      },
      ...(ceiling && { bodyLimit: ceiling.bytes }),
      onRequest: async (request, reply) => {
        try {
          route.gate?.(services);
          // Parse a raw body as bytes: its declared content type must not select another parser.
          if (address.body === 'raw') request.headers['content-type'] = 'application/octet-stream';
          // A sign-out must work with any content type, so a body that is not a form is read as JSON.
          if (address.body === 'form_or_json')
            request.headers['content-type'] =
              mediaType(request.headers['content-type']) === formType ? formType : 'application/json';
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
  const { procedure, readInput, ignored, fields } = await chooseFor(address, request, ctx);
  nameIgnored(reply, ignored);
  if (address.variesByAccept)
    reply.header('vary', [reply.getHeader('vary'), 'Accept'].filter(Boolean).join(', '));
  const { path, type, route } = procedure;
  ctx.notes.procedure = path;
  reply.code(route.status ?? 200);
  if (type === 'mutation' && request.headers['idempotency-key'] !== undefined && !isKeyed(route))
    reply.header('idempotency-key-ignored', 'true');
  const output = await callTRPCProcedure({
    router,
    path,
    type,
    ctx,
    getRawInput: async () => {
      const { input, unknown } = await readInput();
      nameIgnored(reply, [...ignored, ...unknown]);
      return input;
    },
    signal: undefined,
    batchIndex: 0,
  });
  if (route.download) return sendFile(reply, output as FileResponse | StreamResponse);
  if (route.status === 204) return reply.send();
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(fields ? selectFields(output, fields) : output));
}

/** Returns the procedure of a request and the requested fields. Rejects a request only after its caller is admitted. */
async function chooseFor(address: Endpoint, request: FastifyRequest, ctx: RequestContext) {
  try {
    const chosen = address.choose(request);
    const { fields } = request.query as Record<string, unknown>;
    return { ...chosen, fields: readFields(fields, selectableFields(chosen.procedure)) };
  } catch (error) {
    await ctx.admit(address.first.meta, address.first.path);
    throw error;
  }
}

/** Groups procedures by method and path, and keeps the order of the router. */
function byAddress(procedures: RestProcedure[]): RestProcedure[][] {
  const groups = Map.groupBy(procedures, ({ route }) => `${route.method} ${route.path}`);
  return [...groups.values()];
}

/** The procedure that a request selects, and its input, which is read on demand. */
interface ChosenProcedure {
  procedure: RestProcedure;
  /** Names of the request's query parameters that the procedure does not have. */
  ignored: string[];
  readInput(): Promise<ReadInput>;
}

/** One method and path, with all procedures that it serves. */
interface Endpoint {
  /** The first of the procedures. All have the same guard. */
  first: RestProcedure;
  takesFiles: boolean;
  /** Whether the Accept header selects the procedure. */
  variesByAccept: boolean;
  /** The format of a body that is not a file. */
  body: BodyKind;
  /** @throws AppError if the body's content type fits none of the procedures */
  choose(request: FastifyRequest): ChosenProcedure;
}

/**
 * Prepares how requests to one path are read and dispatched to its procedures.
 * @throws Error if several procedures share the path and one of them has another kind of body than JSON, a file or
 * XLIFF: requests to it could not be distinguished from the others. Downloads are distinguished by the Accept header.
 */
function createEndpoint(procedures: readonly RestProcedure[], settings: Settings): Endpoint {
  const upload = procedures.find(({ route }) => route.upload);
  const xliff = procedures.find(({ route }) => route.body === 'xliff');
  const downloads = procedures.length > 1 ? procedures.filter(({ route }) => route.download) : [];
  const others = procedures.filter((procedure) => ![upload, xliff, ...downloads].includes(procedure));
  const chosen = others.filter(({ route }) => route.chosenBy !== undefined);
  // If a path has only downloads, its first one is the default.
  const plain =
    others.find(({ route }) => route.chosenBy === undefined) ??
    (downloads.length === procedures.length ? downloads[0] : undefined);
  // If the route accepts only forms, any other body counts as a form without a file. The procedure then reports the
  // missing file, after its own checks of the caller.
  const onlyForms = others.length === 0 && upload?.route.upload?.raw === false;
  const kinds = procedures.filter((procedure) => procedure !== xliff).map(bodyKind);
  if (kinds.length > 1 && kinds.some((kind) => kind !== 'json'))
    throw new Error(
      `${procedures[0]?.path}: only a procedure with a JSON body can share its path with others`,
    );
  const readers = new Map(procedures.map((procedure) => [procedure, inputReader(procedure, settings)]));
  const choice = (
    procedure: RestProcedure,
    request: FastifyRequest,
    body?: Record<string, unknown>,
  ): ChosenProcedure => {
    const { read, ignoredOf } = readers.get(procedure) as InputReader;
    return { procedure, ignored: ignoredOf(request), readInput: async () => read(request, body) };
  };

  return {
    first: procedures[0] as RestProcedure,
    takesFiles: upload !== undefined,
    variesByAccept: downloads.length > 0,
    body: kinds[0] ?? 'json',
    choose(request) {
      if (upload && (onlyForms || isUpload(request, upload.route.upload as Upload)))
        return choice(upload, request);
      if (xliff && bodyTypes.xliff.includes(mediaType(request.headers['content-type'])))
        return choice(xliff, request);
      const accepted = downloads.find(({ route }) =>
        isPreferred(request.headers.accept, route.download?.[0] ?? ''),
      );
      if (accepted) return choice(accepted, request);
      if (!plain)
        throw new AppError(
          'unsupported_media_type',
          'unsupported content type; send the file as a form (multipart/form-data)',
        );
      if (chosen.length === 0) return choice(plain, request);
      let body: Record<string, unknown>;
      try {
        body = parseChoosingBody(request.body, request.headers['content-type']);
      } catch (error) {
        // The input of `plain` then fails with this error, so that the caller is checked before the error is
        // reported.
        return { ...choice(plain, request), readInput: () => Promise.reject(error) };
      }
      const found = chosen.find(({ route }) => holds(body, route.chosenBy as string));
      return choice(found ?? plain, request, body);
    },
  };
}

/**
 * Whether an Accept header names a media type, and prefers it to JSON or accepts both equally. A wildcard counts as a
 * mention of JSON, not of the media type.
 */
function isPreferred(accept: string | undefined, type: string): boolean {
  const weights = new Map<string, number>();
  for (const range of (accept ?? '').split(',')) {
    const [, weight = '1'] = /;\s*q=([\d.]+)/i.exec(range) ?? [];
    const name = mediaType(range);
    weights.set(name, Math.max(weights.get(name) ?? 0, Number(weight)));
  }
  const [json = 0] = ['application/json', 'application/*', '*/*'].flatMap(
    (range) => weights.get(range) ?? [],
  );
  const weight = weights.get(type) ?? 0;
  return weight > 0 && weight >= json;
}

function bodyKind({ route }: RestProcedure): BodyKind {
  return route.body ?? 'json';
}

/** Whether a JSON body has a member. For a path `a.b`, the value of b must be an object. */
function holds(body: Record<string, unknown>, path: string): boolean {
  const [name, ...inside] = path.split('.') as [string, ...string[]];
  if (!Object.hasOwn(body, name)) return false;
  if (inside.length === 0) return true;
  let value = body[name];
  for (const part of inside)
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string, unknown>)[part]
        : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The input of a procedure, and the names of the fields of the body that it does not have. */
interface ReadInput {
  input: Record<string, unknown>;
  unknown: string[];
}

interface InputReader {
  read(request: FastifyRequest, body: Record<string, unknown> | undefined): Promise<ReadInput>;
  /** The names of query parameters that are not inputs. */
  ignoredOf(request: FastifyRequest): string[];
}

/**
 * Combines body, query, headers and path into one object. The path takes precedence, because it identifies the
 * resource. A body's members with the names of query parameters are ignored. A body that cannot contain an input is
 * not read.
 */
function inputReader(procedure: RestProcedure, settings: Settings): InputReader {
  const { route, inputShape } = procedure;
  const kinds = queryKinds(inputShape, route);
  const names = Object.keys(inputShape);
  const readBody = bodyReader(procedure);
  const refuseLongArrays = createArrayCheck(procedure.input, route);
  const headers = Object.entries(route.headers ?? {}).map(([name, header]) => [name, header.toLowerCase()]);
  const isKnown = knownParameters(procedure);
  const read: InputReader['read'] = async (request, body) => {
    const input = route.upload
      ? await readUpload(request, names, route.upload, settings)
      : (body ?? readBody(request));
    for (const name of kinds.keys()) delete input[name];
    Object.assign(input, coerceQuery(request.query as Record<string, unknown>, kinds));
    for (const [name, header] of headers as [string, string][]) {
      const value = request.headers[header];
      if (value !== undefined) input[name] ??= value;
    }
    Object.assign(input, request.params);
    refuseLongArrays?.(input, settings);
    return { input, unknown: unknownFieldsOf(input, procedure.input) };
  };
  return {
    read,
    ignoredOf: ({ query }) => Object.keys(query as object).filter((name) => name !== '' && !isKnown(name)),
  };
}

function bodyReader(procedure: RestProcedure): (request: FastifyRequest) => Record<string, unknown> {
  const { route, inputShape } = procedure;
  const names = Object.keys(inputShape).filter((name) => inputSource(route, name) === 'body');
  if (names.length === 0) return () => ({});
  const kind = bodyKind(procedure);
  if (kind === 'raw' || kind === 'xliff')
    return ({ body }) => ({ body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
  const optional = !needsBody(procedure);
  const parse = { json: parseJsonBody, form: parseForm, form_or_json: parseFormOrJson }[kind];
  return ({ body, headers }) => {
    if (optional && (!Buffer.isBuffer(body) || body.length === 0)) return {};
    return parse(body, headers['content-type'], names);
  };
}
