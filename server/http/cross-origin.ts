import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** The routes that pages of other origins may call: the two transports, the liveness probe and the documents. */
const callable = /^\/(?:(?:api|trpc)(?:[/?]|$)|(?:healthz|openapi(?:\.clients)?\.json)(?:\?|$))/;

/** The response headers that a page may read, in addition to those that browsers always let it read. */
const exposedHeaders = [
  'X-Request-ID',
  'X-Next-Cursor',
  'X-Ignored-Parameters',
  'WWW-Authenticate',
  'Idempotency-Replayed',
  'Idempotency-Request-Differs',
  'Idempotency-Key-Ignored',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'Content-Disposition',
  'X-Suggested-Filename',
  'Content-Encoding',
  'X-Api-Version',
].join(', ');

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Names of headers, as a preflight lists them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** Seconds for which a browser may cache the response to a preflight; browsers cache none longer than two hours. */
const preflightAge = '7200';

/** Adds the CORS headers (Fetch standard) to a response, if the request is from an allowed origin. */
export type AllowOrigin = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Lets pages of other origins call the API (CORS_ORIGINS), with an API key or a token in a header. Requests from
 * other origins cannot use cookies: no response allows credentials, so a browser hides responses to requests with
 * cookies. Preflights are handled before any route, because a browser sends no credential with them. If `origins` is
 * empty, no header is added and OPTIONS gets 405. Register it before other hooks, so that a page can read their
 * rejections, too.
 * @returns a function that adds the headers to a response; for errors that occur before any hook
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): AllowOrigin {
  if (origins.length === 0) return () => {};
  const allowed = new Set(origins);
  const allow: AllowOrigin = ({ url, headers: { origin } }, reply) => {
    if (!callable.test(url)) return;
    // Set it even if the request has no Origin: a shared cache must not serve this response to a page of another
    // origin.
    reply.header('vary', 'Origin');
    if (origin === undefined || !allowed.has(origin)) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', exposedHeaders);
  };
  app.addHook('onRequest', async (request, reply) => {
    allow(request, reply);
    if (reply.hasHeader('access-control-allow-origin') && isPreflight(request))
      return respondToPreflight(request, reply);
  });
  return allow;
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/**
 * Allows every method and all requested headers, because the caller's permissions depend only on its credential.
 * Callers may send their own headers, for example for tracing.
 */
function respondToPreflight({ id, headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const asked = headers['access-control-request-headers'];
  reply
    .code(204)
    .removeHeader('access-control-expose-headers')
    .header('x-request-id', id)
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .header('access-control-allow-methods', methods)
    .header('access-control-max-age', preflightAge);
  if (asked !== undefined && headerNames.test(asked)) reply.header('access-control-allow-headers', asked);
  return reply.send();
}
