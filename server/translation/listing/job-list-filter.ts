import { and, type Column, gte, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { pageCursor } from '#server/http/paging.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import { moment } from '#server/platform/input-limits.ts';

const maxMetadataKeys = 10;

/**
 * Filters of the lists of jobs and documents, in addition to the status. A job must match all filters in the request.
 */
export const jobListFilter = z.object({
  source_lang: z.string().max(40).optional().describe('Only jobs with this source language.'),
  target_lang: z.string().max(40).optional().describe('Only jobs with this target language.'),
  domain: z.string().max(1000).optional().describe('Only jobs with exactly this domain.'),
  created_after: moment
    .optional()
    .describe(
      'Only jobs that were created at or after this time: ISO 8601 with a time zone, such as `2026-11-22T08:00:00Z`.',
    ),
  created_before: moment
    .optional()
    .describe('Only jobs that were created before this time: ISO 8601 with a time zone.'),
  metadata: z
    .record(
      z.string().min(1).max(200),
      z.union([z.string().max(1000), z.number(), z.boolean()], 'must be a string, a number or a boolean'),
    )
    .refine(
      (wanted) => Object.keys(wanted).length <= maxMetadataKeys,
      `must have at most ${maxMetadataKeys} keys`,
    )
    .optional()
    .describe(
      'Only jobs with these values in `request.metadata`, at its top level. Send `metadata.project=alpha` or `metadata[project]=alpha`. The value is a string, a number or a boolean; `5` matches the number and the string.',
    ),
});

/** The page of a list of jobs or documents. */
export const jobListPage = {
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(50)
    .describe('The maximum number of jobs in the response: 1 to 200.'),
  cursor: pageCursor,
};

type JobListFilter = z.infer<typeof jobListFilter>;

/** Metadata keys that only operators see: filtering by them would reveal their values. */
const hiddenKeys: ReadonlySet<string> = new Set(['candidate_models', 'primary_model']);

interface FilteredColumns {
  request: Column;
  createdAt: Column;
  updatedAt: Column;
}

/**
 * Returns the SQL condition of a filter; undefined without a filter. No index supports the condition, so the query must
 * limit the rows that it reads.
 * @throws AppError 422 for an unsupported language, or for a metadata key that filters may not use
 */
export function filterCondition(
  { request, createdAt }: FilteredColumns,
  { source_lang, target_lang, domain, created_after, created_before, metadata = {} }: JobListFilter,
): SQL | undefined {
  const language = (field: 'source_lang' | 'target_lang', code: string | undefined) =>
    code === undefined ? undefined : sql`${request} ->> ${field} = ${requireLanguage(field, code)}`;
  return and(
    language('source_lang', source_lang),
    language('target_lang', target_lang),
    domain === undefined ? undefined : sql`${request} ->> 'domain' = ${domain}`,
    created_after === undefined ? undefined : gte(createdAt, new Date(created_after)),
    created_before === undefined ? undefined : lt(createdAt, new Date(created_before)),
    ...Object.entries(metadata).map(([key, value]) => hasMetadata(request, key, String(value))),
  );
}

/** Whether `filterCondition` reads the stored request of a job, which may be large. */
export function readsRequest({ source_lang, target_lang, domain, metadata }: JobListFilter): boolean {
  return [source_lang, target_lang, domain, metadata].some((wanted) => wanted !== undefined);
}

const day = 86_400_000;

/**
 * Returns the earliest possible `updated_at` of matching jobs; there is an index for this column. A job cannot change
 * before it is created. One day is subtracted in case the clock was set back.
 */
export function earliestChange(
  { updatedAt }: FilteredColumns,
  { created_after }: JobListFilter,
): SQL | undefined {
  return created_after === undefined
    ? undefined
    : gte(updatedAt, new Date(new Date(created_after).getTime() - day));
}

/** Numbers are compared by value: `5` matches 5.0. */
function hasMetadata(request: Column, key: string, value: string): SQL {
  if (hiddenKeys.has(key))
    throw new AppError('invalid_fields', [
      { loc: ['query', 'metadata', key], msg: 'jobs cannot be filtered by this key', type: 'not_filterable' },
    ]);
  const forms = [JSON.stringify(value), ...(isJsonScalar(value) ? [value] : [])];
  const equal = forms.map((form) => sql`${request} -> 'metadata' -> ${key}::text = ${form}::text::jsonb`);
  return sql`(${sql.join(equal, sql` or `)})`;
}

/** Whether the value is a boolean, or a number that PostgreSQL can store. */
function isJsonScalar(value: string): boolean {
  return (
    /^(?:true|false)$/.test(value) ||
    (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) &&
      value.length <= 100 &&
      Math.abs(Number(value)) < 1e300 &&
      !/[eE]-\d{4}/.test(value))
  );
}
