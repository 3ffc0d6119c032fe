import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AppError } from '#server/errors.ts';

/**
 * The headers of every response, unless its route sets others. Most responses are for one workspace or one member, so
 * neither shared caches nor browser caches may store them. Routes whose response is the same for everyone set their
 * own Cache-Control.
 * @param secure whether the service's URL is https; only then does a browser accept Strict-Transport-Security
 */
function defaultHeaders(secure: boolean): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };
}

/**
 * Adds the default headers to every response. Register it before other hooks, so that their rejections have them,
 * too.
 * @returns a function that adds the headers to a response; for errors that occur before any hook
 */
export function addDefaultHeaders(app: FastifyInstance, secure: boolean): (reply: FastifyReply) => void {
  const headers = defaultHeaders(secure);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  return (reply) => void reply.headers(headers);
}

/**
 * The headers of an HTML page, in addition to those of `defaultHeaders`. Scripts and styles are loaded only from this
 * origin, inline ones are blocked, and no text can become a script (Trusted Types). `default-src` is not 'none',
 * because Firefox applies it to module preloads.
 * @param trustedTypes the names of the page's Trusted Types policies
 */
export function pageHeaders(trustedTypes = 'lingualoop'): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'self'",
    // The QR code for an authenticator app is a data URL; images in previews are blobs.
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
  };
}

/** Sets Retry-After, in whole seconds, if the error has one. */
export function setRetryAfter(reply: FastifyReply, { retryAfter }: AppError): void {
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
}
