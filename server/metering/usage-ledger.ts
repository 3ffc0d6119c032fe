import { and, desc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import type { PageEnd } from '#server/paging.ts';
import type { BillingPeriod } from './periods.ts';
import type { UsageRecord } from './schema.ts';

/** Where a record stands in the ledger, which is in the order of `recorded_at` and then of `job_id`. */
export interface RecordKey {
  recordedAt: Date;
  jobId: string;
}

interface RecordListing {
  tenantId: string;
  period: BillingPeriod;
  operator: boolean;
  limit: number;
  /** The last record of the page before. */
  after: PageEnd | undefined;
}

/**
 * A billing period's records, the newest first, `limit` of them, and whether there are more. `billing_period` is made from
 * the moment that they are found by (A 2.5), which is what the index has.
 */
export async function selectRecords(
  tx: Tx,
  { tenantId, period, operator, limit, after }: RecordListing,
): Promise<{ records: UsageRecord[]; more: boolean }> {
  const { recordedAt, jobId } = usageRecords;
  // A cursor from behind the period's end bounds nothing.
  const older =
    after && after.updatedAt.toISOString().slice(0, 7) <= period.name
      ? sql`(${recordedAt}, ${jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`
      : sql`${recordedAt} < ${period.before}::timestamptz`;
  // The rows are what the select list makes them.
  const found = await tx.execute<UsageRecord>(sql`
    select ${recordFields(operator).list} from ${usageRecords}
    where ${eq(usageRecords.tenantId, tenantId)} and ${recordedAt} >= ${period.from}::timestamptz and ${older}
    order by ${desc(recordedAt)}, ${desc(jobId)} limit ${limit + 1}`);
  return { records: found.slice(0, limit), more: found.length > limit };
}

/** The newest record of a period; undefined where there is none. */
export async function selectNewestKey(
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

/** Records of the first page, which the reader waits for. */
export const firstPageSize = 200;

/** Records of the others: enough that its round trip does not count, few enough that many slow readers fit into memory. */
export const pageSize = 5000;

export interface PageQuery {
  tenantId: string;
  operator: boolean;
  /** How a record is written. */
  form: 'json' | 'csv';
  /** Stands between two records. */
  separator: string;
  /** Whether to tell the models of the page's records. */
  models: boolean;
}

export interface RecordPage {
  /** The records as text, made by PostgreSQL: they are never objects here. */
  text: string;
  /** The last of them, where there are more behind it. */
  end: RecordKey | null;
  models: string[];
}

/** What no rows leave null: of an aggregate over none, and of the last page, which ends where the ledger does. */
type PageRow = {
  text: string | null;
  /** Milliseconds. */
  end_at: number | null;
  end_id: string | null;
  models: string[] | null;
};

/**
 * A tenant's records, the oldest first, from behind `after` up to `last`, a page of them: undefined where there are none.
 * Each end is one comparison, which the index can begin and stop at.
 */
export async function selectPage(
  tx: Tx,
  { tenantId, operator, form, separator, models }: PageQuery,
  after: RecordKey,
  last: RecordKey,
  most: typeof firstPageSize | typeof pageSize,
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
  // Where the page ends is read off the index alone: to carry it out of the aggregate costs more. An ordered subquery hands
  // its rows to an aggregate in that order.
  const statement = sql`
    with page as (
      select ${list} from ${usageRecords} where ${behind} and ${place} <= ${key(last)}
      order by ${recordedAt}, ${jobId} limit ${sql.raw(String(most))}),
    page_end as materialized (
      select ${recordedAt} as at, ${jobId} as id from ${usageRecords} where ${behind} and ${place} < ${key(last)}
      order by ${recordedAt}, ${jobId} offset ${sql.raw(String(most - 1))} limit 1)
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
 * A record's moment as JavaScript writes a Date, which the other answers are written by. to_json writes ISO 8601 whatever the
 * session's DateStyle, in less time than to_char takes; a microsecond more, and it leaves no digits out.
 */
const writtenMoment = sql`substr(
  to_json((${usageRecords.recordedAt} at time zone 'UTC') + interval '1 microsecond')::text, 2, 23) || 'Z'`;

/** C 3 "TenantUsageRecord", in its order: what everybody who may read the ledger sees. */
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

/** A 2.5: what a platform operator sees beside that. */
const operatorFields = {
  input_tokens: usageRecords.inputTokens,
  output_tokens: usageRecords.outputTokens,
  total_tokens: usageRecords.totalTokens,
  models: usageRecords.models,
} satisfies Record<string, SQLWrapper>;

export type FieldName = keyof typeof publicFields | keyof typeof operatorFields;

/**
 * The columns of a record that a caller may see, and the same as a select list, named as they are answered. By these alone
 * the ledger is read for it: a new column is seen by nobody until it stands here.
 */
export function recordFields(operator: boolean): { names: FieldName[]; list: SQL } {
  const fields: Partial<Record<FieldName, SQLWrapper>> = operator
    ? { ...publicFields, ...operatorFields }
    : publicFields;
  const columns = Object.entries(fields).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`);
  return { names: Object.keys(fields) as FieldName[], list: sql.join(columns, sql`, `) };
}

/** A row of `page`, all of whose records are one tenant's, as a line of csv (RFC 4180) without its end; null is empty. */
function csvRecord(names: readonly FieldName[], tenantId: string): SQL {
  const values = names.map((name) => csvValue(name, tenantId));
  return sql`concat_ws(',', ${sql.join(values, sql`, `)})`;
}

/**
 * Ids that the service makes, numbers, moments, and words out of its own lists (kinds, languages, statuses) are letters,
 * digits and hyphens, and begin with no hyphen: to look at each would cost an export a fifth of its speed. What is left may
 * hold anything.
 */
function csvValue(name: FieldName, tenantId: string): SQL {
  const column = sql.identifier(name);
  switch (name) {
    case 'tenant_id':
      return sql`${tenantId.startsWith('-') ? `'${tenantId}` : tenantId}::text`;
    case 'fast_path':
      // `concat_ws` would leave a null out, and its comma.
      return sql`case when ${column} is null then '' else ${quoted(harmless(sql`${column}`))} end`;
    case 'models':
      // A JSON array begins with a bracket.
      return quoted(sql`${column}::text`);
    default:
      return sql`${column}`;
  }
}

/** A spreadsheet runs what begins with one of these; behind an apostrophe it shows it. */
function harmless(text: SQL): SQL {
  return sql`case when ${text} ~ '^[=+@\\t\\r-]' then '''' || ${text} else ${text} end`;
}

function quoted(text: SQL): SQL {
  return sql`'"' || replace(${text}, '"', '""') || '"'`;
}
