import { AppError } from '#server/errors.ts';

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
