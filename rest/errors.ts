import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError, describeForLog, errorBody, toAppError } from '#server/errors.ts';
import { bodyOver, declaredSize } from '#server/http/request-limits.ts';
import { setRetryAfter } from '#server/http/response-headers.ts';
import { notAForm } from './body-parsers.ts';

/** Sends an error response, with Retry-After if the error has one. */
export function sendError(reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = fromFastify(thrown, reply) ?? toAppError(thrown);
  // Do not log errors of procedures again: they were logged where they were thrown.
  if (error.code === 'internal_error' && (thrown as Error | undefined)?.name !== 'TRPCError')
    reply.log.error({ request_id: reply.request.id, error: describeForLog(thrown) }, 'unexpected failure');
  setRetryAfter(reply, error);
  if (reply.request.notes) reply.request.notes.error = error;
  return (
    reply
      .code(error.status)
      // Set the header here, too: Fastify's own errors occur before the hook that sets it.
      .header('x-request-id', reply.request.id)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error, reply.request.id)))
  );
}

/** Returns the service's error for an error that Fastify raises before a handler runs, by the code of the latter. */
function fromFastify(thrown: unknown, { request }: FastifyReply): AppError | undefined {
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return bodyOver(
      {
        name: request.routeOptions.config?.bodyCeiling ?? 'MAX_REQUEST_BYTES',
        bytes: request.routeOptions.bodyLimit ?? request.server.initialConfig.bodyLimit ?? 0,
      },
      declaredSize(request),
    );
  if (code === 'FST_ERR_BAD_URL')
    return new AppError('malformed_request', 'malformed URL: percent-encode its path and query as UTF-8');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new AppError('malformed_request', 'the body length does not match Content-Length');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return request.routeOptions.config?.formOnly
      ? notAForm()
      : new AppError(
          'unsupported_media_type',
          'unsupported content type: the header Content-Type cannot be read',
        );
  if (
    typeof code === 'string' &&
    code.startsWith('FST_') &&
    typeof statusCode === 'number' &&
    statusCode < 500
  )
    return new AppError('malformed_request', 'malformed request');
  return undefined;
}

/** Sends errors that are thrown outside procedures, too, in the documented shapes. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  // Called for files that do not exist. Requests that match no route have been handled with `refusalFor` before.
  app.setNotFoundHandler((_request, reply) => sendError(reply, noSuchAddress()));
}

/** The paths of the API with their methods, for requests that match no route. */
interface KnownPaths {
  /**
   * Returns the error for a request that matches no route: 405 with the allowed methods if the path is known,
   * otherwise 404.
   */
  refusalFor(url: string): { error: AppError; allow?: string };
}

/** Collects the paths and methods of all routes that are registered after this call. */
export function collectPaths(app: FastifyInstance): KnownPaths {
  const methodsOf = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    const known = methodsOf.get(url) ?? { pattern, methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsOf.set(url, known);
  });
  return {
    refusalFor(url) {
      const path = url.split('?', 1)[0] as string;
      const known = [...methodsOf.values()].find(({ pattern }) => pattern.test(path));
      if (!known) return { error: noSuchAddress() };
      const allow = [...known.methods].sort().join(', ');
      return { error: new AppError('method_not_allowed', `method not allowed; allowed: ${allow}`), allow };
    },
  };
}

function noSuchAddress(): AppError {
  return new AppError('route_not_found', 'route not found; see GET /docs');
}
