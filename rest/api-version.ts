import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import type { BodyCeiling } from './request-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A 9 rule 4: the route has versions, and says which one it serves. */
    versioned?: boolean;
    /** What the route's body limit is called where it is not MAX_REQUEST_BYTES. */
    bodyCeiling?: BodyCeiling['name'];
    /** The route takes a form and nothing else; other content types are answered 422, not 415. */
    formOnly?: boolean;
  }
}

/** Released contract versions (A 9), oldest first. */
export const releasedVersions = ['2026-09-01'] as const;
export const currentVersion = releasedVersions[releasedVersions.length - 1] as string;

/** What the query parameter or its alias header asks for; undefined where neither is sent. The query wins. */
export interface VersionRequest {
  query?: string | undefined;
  header?: string | undefined;
}

/**
 * The version to serve: what was asked for, or the oldest supported.
 * @throws AppError 400 for a malformed value or an unreleased date
 */
export function resolveVersion({ query, header }: VersionRequest): string {
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
 * Says in X-Api-Version which version is served, where the route has versions. What met no route counts by its path.
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
