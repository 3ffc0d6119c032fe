import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import { csvRecord } from './csv-record.ts';
import { recordFields } from './record-fields.ts';
import type { RecordKey } from './records.ts';

/** Records of the first page, which the reader waits for. */
export const recordsOfFirstPage = 200;

/** Records of the others: enough that its round trip does not count, few enough that many slow readers fit into memory. */
export const recordsOfPage = 5000;

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
  most: typeof recordsOfFirstPage | typeof recordsOfPage,
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
