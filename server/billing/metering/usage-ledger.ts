import { and, desc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { BillingPeriod } from './periods.ts';
import type { UsageRecord } from './schema.ts';

/** The position of a record in the order of `recorded_at`, then `job_id`. */
export interface RecordKey {
  recordedAt: Date;
  jobId: string;
}

interface RecordListing {
  tenantId: string;
  period: BillingPeriod;
  operator: boolean;
  limit: number;
  /** The last record of the previous page; undefined for the first page. */
  after: PageEnd | undefined;
}

/**
 * Returns a page of a billing period's records, latest first, and whether there are more. Selects them by
 * `recorded_at`, because the index has this column; `billing_period` is derived from it.
 */
export async function selectRecords(
  tx: Tx,
  { tenantId, period, operator, limit, after }: RecordListing,
): Promise<{ records: UsageRecord[]; more: boolean }> {
  const { recordedAt, jobId } = usageRecords;
  // A cursor after the period's end restricts nothing.
  const older =
    after && after.updatedAt.toISOString().slice(0, 7) <= period.name
      ? sql`(${recordedAt}, ${jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`
      : sql`${recordedAt} < ${period.before}::timestamptz`;
  // The select list returns rows of this type.
  const found = await tx.execute<UsageRecord>(sql`
    select ${recordFields(operator).list} from ${usageRecords}
    where ${eq(usageRecords.tenantId, tenantId)} and ${recordedAt} >= ${period.from}::timestamptz and ${older}
    order by ${desc(recordedAt)}, ${desc(jobId)} limit ${limit + 1}`);
  return { records: found.slice(0, limit), more: found.length > limit };
}

/** Returns the key of the latest record of a period; undefined if the period has no records. */
export async function selectLatestKey(
  tx: Tx,
  tenantId: string,
  period: BillingPeriod,
): Promise<RecordKey | undefined> {
  const [key] = await tx
    .select({ recordedAt: usageRecords.recordedAt, jobId: usageRecords.jobId })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.tenantId, tenantId),
        sql`${usageRecords.recordedAt} >= ${period.from}::timestamptz`,
        sql`${usageRecords.recordedAt} < ${period.before}::timestamptz`,
      ),
    )
    .orderBy(desc(usageRecords.recordedAt), desc(usageRecords.jobId))
    .limit(1);
  return key;
}

/** Number of records on the first page of an export. It is small, because the client waits for it. */
export const firstPageSize = 200;

/**
 * Number of records on the other pages: large enough that the round trip does not matter, small enough that many slow
 * clients do not use up memory.
 */
export const pageSize = 5000;

export interface PageQuery {
  tenantId: string;
  operator: boolean;
  /** The format of a record. */
  form: 'json' | 'csv';
  /** Text between two records. */
  separator: string;
  /** Whether to return the names of the models in the page's records. */
  models: boolean;
}

export interface RecordPage {
  /** The records as text. PostgreSQL formats them, so this process never has them as objects. */
  text: string;
  /** The last record of the page if more records follow; else null. */
  end: RecordKey | null;
  models: string[];
}

/** The aggregate is null if the page has no rows; the end is null on the last page. */
type PageRow = {
  text: string | null;
  /** Milliseconds since the epoch; null on the last page. */
  end_at: number | null;
  end_id: string | null;
  models: string[] | null;
};

/**
 * Returns a page of a tenant's records, oldest first, after the key `after` and up to the key `last`; undefined if none
 * exist. Each bound is one row comparison, for which PostgreSQL reads a range of the index.
 */
export async function selectPage(
  tx: Tx,
  { tenantId, operator, form, separator, models }: PageQuery,
  after: RecordKey,
  last: RecordKey,
  max: typeof firstPageSize | typeof pageSize,
): Promise<RecordPage | undefined> {
  const { recordedAt, jobId } = usageRecords;
  const place = sql`(${recordedAt}, ${jobId})`;
  const key = (record: RecordKey) => sql`(${record.recordedAt.toISOString()}::timestamptz, ${record.jobId})`;
  const behind = sql`${usageRecords.tenantId} = ${tenantId} and ${place} > ${key(after)}`;
  const { names, list } = recordFields(operator);
  const record = form === 'json' ? sql`row_to_json(page)::text` : csvRecord(names, tenantId);
  const found = models
    ? sql`(select json_agg(distinct model) from page, jsonb_array_elements_text(page.models) model)`
    : sql`null`;
  // The end of the page is read from the index only, which costs less than reading it from the aggregate. The aggregate
  // reads an ordered subquery, and so gets its rows in order.
  const statement = sql`
    with page as (
      select ${list} from ${usageRecords} where ${behind} and ${place} <= ${key(last)}
      order by ${recordedAt}, ${jobId} limit ${sql.raw(String(max))}),
    page_end as materialized (
      select ${recordedAt} as at, ${jobId} as id from ${usageRecords} where ${behind} and ${place} < ${key(last)}
      order by ${recordedAt}, ${jobId} offset ${sql.raw(String(max - 1))} limit 1)
    select string_agg(${record}, ${separator}) as text, ${found} as models,
      (select (extract(epoch from at) * 1000)::float8 from page_end) as end_at, (select id from page_end) as end_id
    from page`;
  const [row] = await tx.last(tx.execute<PageRow>(statement));
  if (!row || row.text === null) return undefined;
  const { end_at, end_id } = row;
  return {
    text: row.text,
    end: end_at !== null && end_id !== null ? { recordedAt: new Date(end_at), jobId: end_id } : null,
    models: row.models ?? [],
  };
}

/**
 * The time of a record, in the format of JavaScript's dates, as in every other response. to_json always writes ISO
 * 8601, independent of the session's DateStyle, and is faster than to_char. It omits trailing zeros of the fraction;
 * adding a microsecond prevents this.
 */
const writtenMoment = sql`substr(
  to_json((${usageRecords.recordedAt} at time zone 'UTC') + interval '1 microsecond')::text, 2, 23) || 'Z'`;

/** The fields of `TenantUsageRecord` that every administrator sees, in the order of the response. */
const publicFields = {
  job_id: usageRecords.jobId,
  tenant_id: usageRecords.tenantId,
  kind: usageRecords.kind,
  billing_period: usageRecords.billingPeriod,
  source_lang: usageRecords.sourceLang,
  target_lang: usageRecords.targetLang,
  source_chars: usageRecords.sourceChars,
  billable_chars: usageRecords.billableChars,
  job_status: usageRecords.jobStatus,
  fast_path: usageRecords.fastPath,
  recorded_at: writtenMoment,
} satisfies Record<string, SQLWrapper>;

/** The additional fields that only a platform operator sees. */
const operatorFields = {
  input_tokens: usageRecords.inputTokens,
  output_tokens: usageRecords.outputTokens,
  total_tokens: usageRecords.totalTokens,
  models: usageRecords.models,
} satisfies Record<string, SQLWrapper>;

export type FieldName = keyof typeof publicFields | keyof typeof operatorFields;

/**
 * The columns of a record that a caller may see: their names, and a select list that gives them the API's names. Every
 * read of the records uses this function, so that a new column stays hidden until it is listed here.
 */
export function recordFields(operator: boolean): { names: FieldName[]; list: SQL } {
  const fields: Partial<Record<FieldName, SQLWrapper>> = operator
    ? { ...publicFields, ...operatorFields }
    : publicFields;
  const columns = Object.entries(fields).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`);
  return { names: Object.keys(fields) as FieldName[], list: sql.join(columns, sql`, `) };
}

/**
 * Formats a row of `page` as a line of CSV (RFC 4180) without the line end; null becomes an empty value. All rows
 * belong to one tenant.
 */
function csvRecord(names: readonly FieldName[], tenantId: string): SQL {
  const values = names.map((name) => csvValue(name, tenantId));
  return sql`concat_ws(',', ${sql.join(values, sql`, `)})`;
}

/**
 * Ids that the service generates, numbers, times, and words from the service's own lists (kinds, languages, statuses)
 * need no quotes: they contain only letters, digits and hyphens, and do not begin with a hyphen. Checking each of them
 * would make an export a fifth slower. The other columns may contain any text.
 */
function csvValue(name: FieldName, tenantId: string): SQL {
  const column = sql.identifier(name);
  switch (name) {
    case 'tenant_id':
      return sql`${tenantId.startsWith('-') ? `'${tenantId}` : tenantId}::text`;
    case 'fast_path':
      // `concat_ws` would omit a null and its comma.
      return sql`case when ${column} is null then '' else ${quoted(harmless(sql`${column}`))} end`;
    case 'models':
      // A JSON array begins with a bracket, so it is never a formula.
      return quoted(sql`${column}::text`);
    default:
      return sql`${column}`;
  }
}

/**
 * A spreadsheet runs a cell that begins with one of these characters as a formula. An apostrophe before the text makes
 * the spreadsheet show the text instead.
 */
function harmless(text: SQL): SQL {
  return sql`case when ${text} ~ '^[=+@\\t\\r-]' then '''' || ${text} else ${text} end`;
}

function quoted(text: SQL): SQL {
  return sql`'"' || replace(${text}, '"', '""') || '"'`;
}
