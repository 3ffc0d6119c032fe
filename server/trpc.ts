import { type AnyRouter, initTRPC, TRPCError } from '@trpc/server';
import superjson from 'superjson';
import { type ZodError, z } from 'zod';
import { findUnstorable } from '#server/platform/input-limits.ts';
import type { Access, RequestContext, Services } from './context.ts';
import { AppError, describeForLog, errorBody, errorTable, type FieldProblem, toAppError } from './errors.ts';
import '#server/platform/input-messages.ts';

/**
 * The format of a body that is not a file.
 * - `form`: only application/x-www-form-urlencoded, whose values are all strings.
 * - `form_or_json`: either format, or no body. A body that cannot be read counts as no body.
 * - `raw`: bytes of any content type, which become the input `body`, because the sender's signature covers the exact
 *   bytes.
 * - `xliff`: only XLIFF; its bytes become the input `body`. The route may share its path with a procedure that takes
 *   JSON.
 */
export type BodyKind = 'json' | 'form' | 'form_or_json' | 'raw' | 'xliff';

/** How a procedure is served over REST. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Contains `{name}` for each path parameter. The input of that name gets its value. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /** Status of a successful response. Default: 200. */
  status?: 200 | 202 | 204;
  /** Inputs that are read from the query string although the method has a body. */
  query?: readonly string[];
  /** Default: JSON. */
  body?: BodyKind;
  /**
   * Inputs that are read from a request header if the body omits them, as a map from the input name to the header
   * name.
   */
  headers?: Readonly<Record<string, string>>;
  /**
   * Needed if several procedures share one method and path: the field of the JSON body that selects this procedure.
   * `a.b` means that `a` is present and its `b` is an object. At most one of these procedures has no `chosenBy`; it
   * takes all other requests.
   */
  chosenBy?: string;
  /** The body is a file, or a form that contains one. */
  upload?: Upload;
  /** Whether a request with `Prefer: respond-async` gets a 202 before the result exists. */
  respondsAsync?: true;
  /** The schema of a 202 response, if the procedure may send one instead (`ctx.response.setStatus`). */
  accepted?: z.ZodType;
  /**
   * The output is a `FileResponse` or a `StreamResponse`, sent as a download with one of these content types. If
   * other procedures share the path, this one is selected by an Accept header that prefers the first content type of
   * this list to JSON.
   */
  download?: readonly string[];
  /** The response has the header X-Next-Cursor if there is a next page. */
  paged?: true;
  /** The download carries X-Suggested-Filename. */
  suggestsName?: true;
  /** Runs before any other check of the request, even that of its size. */
  gate?: (services: Services) => void;
  /** False for routes that ignore the version parameters. */
  versioned?: false;
}

/** Which files a route accepts. */
export interface Upload {
  /** Names of the form's file parts. The first part with one of these names becomes the input of the same name. */
  parts: readonly [string, ...string[]];
  /**
   * Whether the body may also be the file itself. The file then becomes the first input of `parts`, and the fields
   * come from the query.
   */
  raw: boolean;
  /** Names of the fields of a form that may be sent several times. Of other fields, the last value is used. */
  lists?: readonly string[];
  /** The size limit for a file in a form, chosen from the part's header before the file is read. */
  ceiling(file: { name: string; contentType: string }): 'MAX_REQUEST_BYTES' | 'MAX_UPLOAD_BYTES';
}

/** An uploaded file. */
export const uploadedFile = z.object({
  name: z.string(),
  /** The content type that the client has declared; empty if it has declared none. */
  contentType: z.string(),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  via: z.enum(['form', 'raw']),
});

export type UploadedFile = z.infer<typeof uploadedFile>;

/**
 * A file name for a translation, chosen so that the file overwrites neither the source nor a translation into another
 * language.
 */
const suggestedName = z.string().optional();

/** A download whose bytes are all in memory. */
export const fileResponse = z.object({
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  contentType: z.string(),
  fileName: z.string(),
  suggestedName,
});

export type FileResponse = z.infer<typeof fileResponse>;

/** A download that is read or generated while it is sent. It is never in memory as a whole. */
export const streamResponse = z.object({
  /** The pieces of the file, each made when it is needed. If a piece fails, the response is cut off. */
  chunks: z.custom<AsyncIterable<string | Uint8Array>>(
    (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
  ),
  contentType: z.string(),
  fileName: z.string(),
  suggestedName,
  /** Bytes of all pieces, if known in advance. */
  length: z.int().min(0).optional(),
  /** Aborts when the reader must be disconnected because it is too slow. */
  cut: z.custom<AbortSignal>((value) => value instanceof AbortSignal),
  /** Called once the response has ended, read completely or not. */
  end: z.custom<() => void>((value) => typeof value === 'function'),
});

export type StreamResponse = z.infer<typeof streamResponse>;

/** The input `body` of a route with raw bytes or XLIFF. */
export const rawBody = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** Whether a procedure's input or output is a file or raw bytes, which only REST carries. */
export function carriesFiles({ upload, download, body }: Route): boolean {
  return upload !== undefined || download !== undefined || body === 'raw' || body === 'xliff';
}

export interface ProcedureMeta extends Access {
  route?: Route;
  /**
   * Inputs that are only hashed and never stored, such as tokens. Any text is allowed: an invalid text gets the
   * response for an unknown token.
   */
  onlyHashed?: readonly string[];
}

const t = initTRPC
  .context<RequestContext>()
  .meta<ProcedureMeta>()
  .create({
    transformer: superjson,
    isDev: false,
    errorFormatter({ shape, error, ctx }) {
      const known = toAppError(error.cause ?? error);
      const { detail, error_code, request_id: _, ...additions } = errorBody(known, ctx?.requestId ?? '');
      return {
        code: shape.code,
        message: known.message,
        data: {
          code: errorTable[known.code].trpc,
          httpStatus: known.status,
          detail,
          error_code,
          request_id: ctx?.requestId ?? null,
          retry_after: known.retryAfter ?? null,
          ...additions,
          ...(known.present !== undefined && { present: known.present }),
        },
      };
    },
  });

export const { router, middleware } = t;

/** Returns the part of the request that contains an input. It is the first element of a validation error's `loc`. */
export function inputSource(route: Route, name: string): 'path' | 'query' | 'body' {
  if (route.path.includes(`{${name}}`)) return 'path';
  if (route.method === 'GET' || route.method === 'DELETE' || route.query?.includes(name)) return 'query';
  return 'body';
}

/**
 * Wraps every error of a procedure as an AppError in a TRPCError, so that REST and `/trpc` share one error table.
 * tRPC passes errors to middleware as a `result` and does not throw them to it.
 */
const mapErrors = middleware(async ({ ctx, path, meta, next }) => {
  const result = await next();
  if (result.ok) return result;
  const known = invalidInput(result.error, meta?.route) ?? toAppError(result.error.cause ?? result.error);
  if (known.code === 'unauthenticated') ctx.describeCredential(meta?.guard);
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

/**
 * Middleware for procedures whose validation errors have a string as their detail: the message of the first problem.
 * The message names the field.
 */
export const detailInWords = middleware(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const { code, cause } = result.error;
  if (cause instanceof AppError && cause.problems) throw new AppError('unprocessable', cause.message);
  if (code === 'BAD_REQUEST' && cause?.name === 'ZodError') {
    const [issue] = (cause as ZodError).issues;
    throw new AppError('unprocessable', issue ? namingField(issue) : 'invalid request body');
  }
  return result;
});

/**
 * Returns the message of an issue with the name of its field. A message from the schema itself already contains the
 * name.
 */
function namingField({ path, message }: z.core.$ZodIssue): string {
  const name = path.join('.');
  return message.includes(String(path.at(-1) ?? '')) ? message : `${name} ${message}`;
}

/** Returns the `loc` of a field: the part of the request that contains its input, then the path of the field. */
export function locationOf(
  route: Route | undefined,
  path: readonly (string | number)[],
): (string | number)[] {
  return [route && path.length > 0 ? inputSource(route, String(path[0])) : 'body', ...path];
}

/** Rejects raw inputs that cannot be stored, before the schema parses them. Runs only if a schema reads the input. */
const refuseUnstorable = middleware(({ getRawInput, meta, next }) =>
  next({
    getRawInput: async () => {
      const input = await getRawInput();
      const problem = findUnstorable(without(input, meta?.onlyHashed));
      if (!problem) return input;
      throw new AppError('invalid_fields', [{ ...problem, loc: locationOf(meta?.route, problem.loc) }]);
    },
  }),
);

function without(input: unknown, names: readonly string[] = []): unknown {
  if (names.length === 0 || typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
}

/** The base of every procedure. The guards in `access/guards/` extend it with checks of the caller. */
export const procedure = t.procedure.use(mapErrors).use(refuseUnstorable);

/**
 * Decides whether the caller may make the call before the input is read: for guards whose handlers authenticate in their
 * own transactions. Otherwise a stranger's input would be validated, which costs time.
 */
export const admitFirst = middleware(async ({ ctx, path, meta, next }) => {
  await ctx.admit(meta ?? {}, path);
  return next();
});

/** The definition of a procedure. */
interface ProcedureDefinition {
  type: 'query' | 'mutation' | 'subscription';
  meta?: ProcedureMeta;
  inputs: z.ZodType[];
  output?: z.ZodType;
}

/** Returns the paths and definitions of all procedures of a router. */
export function proceduresOf(router: AnyRouter): [path: string, definition: ProcedureDefinition][] {
  // tRPC's type is wrong: at run time, the record is flat and contains the schemas.
  const procedures = router._def.procedures as unknown as Record<string, { _def: ProcedureDefinition }>;
  return Object.entries(procedures).map(([path, { _def }]) => [path, _def]);
}
