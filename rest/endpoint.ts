import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createArrayCheck } from '#server/array-limits.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { type BodyKind, inputSource, type Route, type Upload } from '#server/trpc.ts';
import { parseChoosingBody, parseForm, parseFormOrJson, parseJsonBody } from './body-parsers.ts';
import { needsBody, type RestProcedure } from './procedures.ts';
import { isUpload, readUpload } from './upload.ts';

/** The procedure that a request asks for, and its input, read when the procedure wants it. */
interface ChosenProcedure {
  procedure: RestProcedure;
  readInput(): Promise<Record<string, unknown>>;
}

/** One method and path, with every procedure that stands there. */
export interface Endpoint {
  takesFiles: boolean;
  /** What a body that is no file is. */
  body: BodyKind;
  /** @throws AppError for a body that no procedure here can be chosen by */
  choose(request: FastifyRequest): ChosenProcedure;
}

/**
 * Works out once how requests to one address are told apart and read.
 * @throws Error where a form is to be told from other bodies: that is only made for JSON and files
 */
export function createEndpoint(procedures: readonly RestProcedure[], settings: Settings): Endpoint {
  const upload = procedures.find(({ route }) => route.upload);
  const others = procedures.filter((procedure) => procedure !== upload);
  const chosen = others.filter(({ route }) => route.chosenBy !== undefined);
  const plain = others.find(({ route }) => route.chosenBy === undefined);
  // Whatever else comes there is a form that lacks its file (B 7 "missing upload"): the procedure says so, behind its gates.
  const onlyForms = others.length === 0 && upload?.route.upload?.raw === false;
  const kinds = procedures.map(bodyKind);
  if (kinds.length > 1 && kinds.some((kind) => kind !== 'json'))
    throw new Error(`${procedures[0]?.path}: a procedure that takes no JSON stands alone at its address`);
  const readers = new Map(procedures.map((procedure) => [procedure, inputReader(procedure, settings)]));
  const choice = (
    procedure: RestProcedure,
    request: FastifyRequest,
    body?: Record<string, unknown>,
  ): ChosenProcedure => {
    const read = readers.get(procedure) as InputReader;
    return { procedure, readInput: async () => read(request, body) };
  };

  return {
    takesFiles: upload !== undefined,
    body: kinds[0] ?? 'json',
    choose(request) {
      if (upload && (onlyForms || isUpload(request, upload.route.upload as Upload)))
        return choice(upload, request);
      if (!plain) throw new AppError('unsupported_media_type', 'unsupported content type');
      if (chosen.length === 0) return choice(plain, request);
      let body: Record<string, unknown>;
      try {
        body = parseChoosingBody(request.body, request.headers['content-type']);
      } catch (error) {
        // The plain one refuses it, behind its own first gates.
        return { procedure: plain, readInput: () => Promise.reject(error) };
      }
      const found = chosen.find(({ route }) => holds(body, route.chosenBy as string));
      return choice(found ?? plain, request, body);
    },
  };
}

function bodyKind({ route }: RestProcedure): BodyKind {
  return route.body ?? 'json';
}

/** Whether a body has a member; of a path `a.b`, b must hold an object. */
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

type InputReader = (
  request: FastifyRequest,
  body: Record<string, unknown> | undefined,
) => Promise<Record<string, unknown>> | Record<string, unknown>;

/**
 * One object out of body, query, headers and path. The path wins: it is what the address says. What belongs into the query
 * does not count in a body, and a body that no input comes from is not looked at.
 */
function inputReader(procedure: RestProcedure, settings: Settings): InputReader {
  const { route, inputShape } = procedure;
  const kinds = queryKinds(inputShape, route);
  const names = Object.keys(inputShape);
  const readBody = bodyReader(procedure);
  const refuseLongArrays = createArrayCheck(procedure.input, route);
  const headers = Object.entries(route.headers ?? {}).map(([name, header]) => [name, header.toLowerCase()]);
  return async (request, body) => {
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
    return input;
  };
}

function bodyReader(procedure: RestProcedure): (request: FastifyRequest) => Record<string, unknown> {
  const { route, inputShape } = procedure;
  const names = Object.keys(inputShape).filter((name) => inputSource(route, name) === 'body');
  if (names.length === 0) return () => ({});
  const kind = bodyKind(procedure);
  if (kind === 'raw') return ({ body }) => ({ body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
  const optional = !needsBody(procedure);
  const parse = { json: parseJsonBody, form: parseForm, form_or_json: parseFormOrJson }[kind];
  return ({ body, headers }) => {
    if (optional && (!Buffer.isBuffer(body) || body.length === 0)) return {};
    return parse(body, headers['content-type'], names);
  };
}

type QueryKind = 'string' | 'number' | 'boolean';

/** What each query parameter of a route is to become, worked out once; the schemas themselves stay untouched. */
function queryKinds(shape: Record<string, z.ZodType>, route: Route): ReadonlyMap<string, QueryKind> {
  return new Map(
    Object.entries(shape)
      .filter(([name]) => inputSource(route, name) === 'query')
      .map(([name, schema]) => [name, kindOf(schema)]),
  );
}

function kindOf(schema: z.ZodType): QueryKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return kindOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return 'string';
}

/**
 * A query string's values in their schemas' types. What does not read as a number or a boolean stays the string
 * it is, for the schema to refuse by name; parameters that the route does not have are left out.
 */
function coerceQuery(
  query: Record<string, unknown>,
  kinds: ReadonlyMap<string, QueryKind>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const value = query[name];
    if (value !== undefined) input[name] = typeof value === 'string' ? coerce(value, kind) : value;
  }
  return input;
}

function coerce(value: string, kind: QueryKind): unknown {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (kind === 'boolean' && /^(true|1)$/i.test(value)) return true;
  if (kind === 'boolean' && /^(false|0)$/i.test(value)) return false;
  return value;
}
