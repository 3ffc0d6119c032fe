import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import type { BodyCeiling } from '#server/http/request-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route has versions and reports the served version. */
    versioned?: boolean;
    /** Name of the limit for the route's bodies; undefined if the limit is MAX_REQUEST_BYTES. */
    bodyCeiling?: BodyCeiling['name'];
    /** Whether the route accepts only a form. Bodies of other content types then get 422, not 415. */
    formOnly?: boolean;
    /** Whether the route accepts a body of any content type, and does not read it. */
    ignoresBody?: boolean;
  }
}

/** Released contract versions, oldest first. */
const releasedVersions = ['2026-09-01'] as const;
export const currentVersion = releasedVersions[releasedVersions.length - 1] as string;

/**
 * The version that the query parameter or the header with the same meaning requests; undefined if neither is sent.
 * The query takes precedence.
 */
export interface VersionRequest {
  query?: string | undefined;
  header?: string | undefined;
}

/**
 * Returns the version to serve: the requested one or, without a request, the oldest supported one.
 * @throws AppError 400 for a malformed value or an unreleased date
 */
function resolveVersion({ query, header }: VersionRequest): string {
  const asked = query ?? header;
  if (asked === undefined) return releasedVersions[0];
  if ((releasedVersions as readonly string[]).includes(asked)) return asked;
  const supported = `Supported: ${releasedVersions.join(', ')}`;
  const wellFormed = /^\d{4}-\d{2}-\d{2}$/.test(asked) && !Number.isNaN(Date.parse(`${asked}T00:00:00Z`));
  throw new AppError(
    'malformed_request',
    wellFormed
      ? `unknown api-version: '${asked}' is not a released version. ${supported}`
      : `unsupported api-version: '${asked.slice(0, 40)}' is not a date of the form YYYY-MM-DD. ${supported}`,
  );
}

/**
 * Sets X-Api-Version to the served version if the route is versioned. If no route matched, the path of the URL shows
 * whether the response is versioned.
 * @throws AppError 400 for a version that cannot be served
 */
export function stampVersion(
  request: FastifyRequest,
  reply: FastifyReply,
  asked = versionRequest(request),
): void {
  const { config } = request.routeOptions;
  const versioned = request.is404 ? request.url.startsWith('/api/') : config?.versioned;
  if (versioned) reply.header('x-api-version', resolveVersion(asked));
}

function versionRequest({ query, headers }: FastifyRequest): VersionRequest {
  const parameter = first((query as Record<string, unknown> | undefined)?.['api-version']);
  return { query: parameter, header: first(headers['x-api-version']) };
}

function first(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' ? one : undefined;
}
