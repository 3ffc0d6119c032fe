import { and, desc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { BillingPeriod } from './periods.ts';
import type { UsageRecord } from './schema.ts';

/** The position of a record: records are ordered by `recorded_at`, then by `job_id`. */
export interface RecordKey {
  recordedAt: Date;
  jobId: string;
}

interface RecordListing {
  tenantId: string;
  period: BillingPeriod;
  operator: boolean;
  limit: number;
  /** The last record of the previous page. */
  after: PageEnd | undefined;
}

/**
 * Returns a billing period's records, latest first, and whether there are more. Selects them by `recorded_at`, which the index
 * has, and from which `billing_period` is derived.
 */
export async function selectRecords(
  tx: Tx,
  { tenantId, period, operator, limit, after }: RecordListing,
): Promise<{ records: UsageRecord[]; more: boolean }> {
  const { recordedAt, jobId } = usageRecords;
  // A cursor from after the period's end restricts nothing.
  const older =
    after && after.updatedAt.toISOString().slice(0, 7) <= period.name
      ? sql`(${recordedAt}, ${jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`
      : sql`${recordedAt} < ${period.before}::timestamptz`;
  // The select list gives the rows this type.
  const found = await tx.execute<UsageRecord>(sql`
    select ${recordFields(operator).list} from ${usageRecords}
    where ${eq(usageRecords.tenantId, tenantId)} and ${recordedAt} >= ${period.from}::timestamptz and ${older}
    order by ${desc(recordedAt)}, ${desc(jobId)} limit ${limit + 1}`);
  return { records: found.slice(0, limit), more: found.length > limit };
}

/** The latest record of a period; undefined without one. */
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

/** Records of an export's first page, which the reader waits for. */
export const firstPageSize = 200;

/** Records of the other pages: enough that the round trip does not matter, few enough for the memory of many slow readers. */
export const pageSize = 5000;

export interface PageQuery {
  tenantId: string;
  operator: boolean;
  /** The format of a record. */
  form: 'json' | 'csv';
  /** Written between two records. */
  separator: string;
  /** Whether to return the models of the page's records. */
  models: boolean;
}

export interface RecordPage {
  /** The records as text. PostgreSQL formats them; they are never objects in this process. */
  text: string;
  /** The last record of the page if more follow; else null. */
  end: RecordKey | null;
  models: string[];
}

/** An aggregate over no rows is null, and so is the end of the last page. */
type PageRow = {
  text: string | null;
  /** Milliseconds. */
  end_at: number | null;
  end_id: string | null;
  models: string[] | null;
};

/**
 * Returns a page of a tenant's records, oldest first, after `after` and up to `last`; undefined without any. Each end is
 * one row comparison, which is a range of the index.
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
  // The end of the page is read from the index only, which is cheaper than from the aggregate. An aggregate gets its
  // rows in the order of an ordered subquery.
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
 * A record's time in the format of JavaScript's dates, like every other response. to_json writes ISO 8601 whatever the
 * session's DateStyle is, and is faster than to_char. It omits trailing zeros, unless a microsecond is added.
 */
const writtenMoment = sql`substr(
  to_json((${usageRecords.recordedAt} at time zone 'UTC') + interval '1 microsecond')::text, 2, 23) || 'Z'`;

/** The fields of `TenantUsageRecord` that every administrator sees, in their order. */
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

/** The fields that only a platform operator sees in addition. */
const operatorFields = {
  input_tokens: usageRecords.inputTokens,
  output_tokens: usageRecords.outputTokens,
  total_tokens: usageRecords.totalTokens,
  models: usageRecords.models,
} satisfies Record<string, SQLWrapper>;

export type FieldName = keyof typeof publicFields | keyof typeof operatorFields;

/**
 * The columns of a record that a caller may see: their names, and a select list with the API's names. Every read of
 * the records uses it, so that a new column stays hidden until it is listed here.
 */
export function recordFields(operator: boolean): { names: FieldName[]; list: SQL } {
  const fields: Partial<Record<FieldName, SQLWrapper>> = operator
    ? { ...publicFields, ...operatorFields }
    : publicFields;
  const columns = Object.entries(fields).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`);
  return { names: Object.keys(fields) as FieldName[], list: sql.join(columns, sql`, `) };
}

/** A row of `page` as a line of CSV (RFC 4180) without the line end; null is empty. All rows are of one tenant. */
function csvRecord(names: readonly FieldName[], tenantId: string): SQL {
  const values = names.map((name) => csvValue(name, tenantId));
  return sql`concat_ws(',', ${sql.join(values, sql`, `)})`;
}

/**
 * Ids that the service generates, numbers, times, and words from its own lists (kinds, languages, statuses) need no quotes:
 * they are letters, digits and hyphens, and do not begin with a hyphen. Checking each would make an export a fifth slower.
 * The other columns may hold anything.
 */
function csvValue(name: FieldName, tenantId: string): SQL {
  const column = sql.identifier(name);
  switch (name) {
    case 'tenant_id':
      return sql`${tenantId.startsWith('-') ? `'${tenantId}` : tenantId}::text`;
    case 'fast_path':
      // `concat_ws` would omit a null together with its comma.
      return sql`case when ${column} is null then '' else ${quoted(harmless(sql`${column}`))} end`;
    case 'models':
      // A JSON array begins with a bracket.
      return quoted(sql`${column}::text`);
    default:
      return sql`${column}`;
  }
}

/** A spreadsheet runs a cell that begins with one of these; after an apostrophe, it shows the text. */
function harmless(text: SQL): SQL {
  return sql`case when ${text} ~ '^[=+@\\t\\r-]' then '''' || ${text} else ${text} end`;
}

function quoted(text: SQL): SQL {
  return sql`'"' || replace(${text}, '"', '""') || '"'`;
}
