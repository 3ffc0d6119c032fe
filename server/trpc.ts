import { type AnyProcedure, type AnyRouter, initTRPC, TRPCError } from '@trpc/server';
import superjson from 'superjson';
import { type ZodError, z } from 'zod';
import type { GuardName, RequestContext, Services } from './context.ts';
import { AppError, describeForLog, errorBody, errorTable, type FieldProblem, toAppError } from './errors.ts';
import { findUnstorable } from './input-limits.ts';

/**
 * What a body that is no file is: `form` is application/x-www-form-urlencoded and nothing else, all of whose values are
 * strings; `form_or_json` is either, or no body at all; `raw` is bytes of whatever type, which fill the input `body`: what
 * is signed is signed to the byte.
 */
export type BodyKind = 'json' | 'form' | 'form_or_json' | 'raw';

/** How a procedure appears at the REST door (A 4, B 4). */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each path parameter, which is an input of that name. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /** The status of success; 200 unless it says otherwise. */
  status?: 200 | 202 | 204;
  /** Inputs that come from the query string although the method has a body. */
  query?: readonly string[];
  /** JSON unless it says otherwise. */
  body?: BodyKind;
  /** Inputs that are filled from a request header where the body leaves them out: input name → header name. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Where several procedures stand at one address, the member of a JSON body (`a.b`: an object at b of a) by which this
   * one is chosen. At most one of them has none: it takes what is left.
   */
  chosenBy?: string;
  /** The body is a form with a file, or a file. */
  upload?: Upload;
  /** The body of a 202, where the procedure may answer one instead (`answer.setStatus`). */
  accepted?: z.ZodType;
  /** The output is a `FileAnswer` or a `StreamAnswer`, sent as a download of one of these content types. */
  download?: readonly string[];
  /** Asked before anything of the request is looked at, its size included (B 4.1 gate 1). */
  gate?: (services: Services) => void;
  /** False for the routes of A 9 rule 5, which ignore the version parameters. */
  versioned?: false;
}

/** What a route that takes files lets in. */
export interface Upload {
  /** The names of a form's file parts; each fills the input of that name, from the first part that has it. */
  parts: readonly [string, ...string[]];
  /** Whether the body may be the file itself, which then fills the first of them, with its fields in the query. */
  raw: boolean;
  /** Which of the two size limits a file in a form is held to; known from its part's header, before it is read. */
  ceiling(file: { name: string; contentType: string }): 'MAX_REQUEST_BYTES' | 'MAX_UPLOAD_BYTES';
}

/** A file as it came over the wire. */
export const uploadedFile = z.object({
  name: z.string(),
  /** As declared; empty where nothing was. */
  contentType: z.string(),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  via: z.enum(['form', 'raw']),
});

export type UploadedFile = z.infer<typeof uploadedFile>;

/** What a download is made of. */
export const fileResponse = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  contentType: z.string(),
  fileName: z.string(),
});

export type FileResponse = z.infer<typeof fileResponse>;

/** A download that is made while it is sent: it is never whole in memory, and its length is not known. */
export const streamResponse = z.object({
  /** Pieces of its text, made as they are asked for. Where one fails, the answer breaks off. */
  chunks: z.custom<AsyncIterable<string>>(
    (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  ),
  contentType: z.string(),
  fileName: z.string(),
  /** Goes off where the answer is to break off, because it is read too slowly. */
  cut: z.custom<AbortSignal>((value) => value instanceof AbortSignal),
  /** Called when the answer is over, whether it was read or not. */
  end: z.custom<() => void>((value) => typeof value === 'function'),
});

export type StreamResponse = z.infer<typeof streamResponse>;

/** The input `body` of a route whose body is raw. */
export const rawBody = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Whether a procedure's input or output is a file or bare bytes, which only the REST door carries. */
export function carriesFiles({ upload, download, body }: Route): boolean {
  return upload !== undefined || download !== undefined || body === 'raw';
}

export interface ProcedureMeta {
  guard?: GuardName;
  route?: Route;
}

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    transformer: superjson,
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const known = toAppError(error.cause ?? error);
      const body = errorBody(known, ctx?.requestId ?? '');
      return {
        code: shape.code,
        message: known.message,
        data: {
          code: errorTable[known.code].trpc,
          httpStatus: known.status,
          detail: body.detail,
          error_code: body.error_code ?? null,
          request_id: ctx?.requestId ?? null,
          retry_after: known.retryAfter ?? null,
        },
      };
    },
  });

export const { router, middleware } = t;

/** Where an input comes from at the REST door; the first element of a validation entry's `loc`. */
export function inputSource(route: Route, name: string): 'path' | 'query' | 'body' {
  if (route.path.includes(`{${name}}`)) return 'path';
  if (route.method === 'GET' || route.method === 'DELETE' || route.query?.includes(name)) return 'query';
  return 'body';
}

/**
 * Turns whatever a procedure throws into an AppError inside tRPC's own error, so that both doors answer from
 * the one error table. tRPC hands errors on in `result`, it does not throw them through a middleware.
 */
const mapErrors = middleware(async ({ ctx, path, meta, next }) => {
  const result = await next();
  if (result.ok) return result;
  const known = invalidInput(result.error, meta?.route) ?? toAppError(result.error.cause ?? result.error);
  if (known.code === 'internal_error')
    ctx.services.log.error(
      { request_id: ctx.requestId, procedure: path, error: describeForLog(known.cause) },
      'unexpected failure',
    );
  const error = new TRPCError({ code: errorTable[known.code].trpc, message: known.message, cause: known });
  return { ...result, error };
});

function invalidInput(error: TRPCError, route: Route | undefined): AppError | undefined {
  if (error.code !== 'BAD_REQUEST' || error.cause?.name !== 'ZodError') return undefined;
  const problems = (error.cause as ZodError).issues.map((issue): FieldProblem => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    return { loc: locationOf(route, path), msg: issue.message, type: issue.code ?? 'invalid' };
  });
  return new AppError('invalid_fields', problems);
}

/** The `loc` of a field: where its input comes from, then its path. */
export function locationOf(
  route: Route | undefined,
  path: readonly (string | number)[],
): (string | number)[] {
  return [route && path.length > 0 ? inputSource(route, String(path[0])) : 'body', ...path];
}

/** Looks at the input as sent, before its schema does, and only when a schema asks for it. */
const refuseUnstorable = middleware(({ getRawInput, meta, next }) =>
  next({
    getRawInput: async () => {
      const input = await getRawInput();
      const problem = findUnstorable(input);
      if (!problem) return input;
      throw new AppError('invalid_fields', [{ ...problem, loc: locationOf(meta?.route, problem.loc) }]);
    },
  }),
);

/** Every procedure starts here; `guards.ts` adds who may call it. */
export const procedure = t.procedure.use(mapErrors).use(refuseUnstorable);

/** Every procedure of a router by its path; at run time the record is flat, which its type does not say. */
export function proceduresOf(router: AnyRouter): [path: string, procedure: AnyProcedure][] {
  return Object.entries(router._def.procedures as unknown as Record<string, AnyProcedure>);
}
