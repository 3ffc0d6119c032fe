import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import { csvRecord } from './csv-record.ts';
import { recordFields } from './record-fields.ts';
import type { RecordKey } from './records.ts';

/** Records of one page: enough that its round trip does not count, few enough that many slow readers fit into memory. */
const recordsOfPage = 2000;

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
  /** The last of them. */
  end: RecordKey;
  models: string[];
}

/** What an aggregate over no rows leaves null. */
interface PageRow {
  text: string | null;
  end_at: string | null;
  end_id: string | null;
  models: string[] | null;
}

/**
 * A tenant's records, the oldest first, from behind `after` up to `last`, a page of them: undefined where there are none.
 * Each end is one comparison, which the index can begin and stop at.
 */
export async function selectPage(
  tx: Tx,
  { tenantId, operator, form, separator, models }: PageQuery,
  after: RecordKey,
  last: RecordKey,
): Promise<RecordPage | undefined> {
  const { recordedAt, jobId } = usageRecords;
  const place = sql`(${recordedAt}, ${jobId})`;
  const key = (record: RecordKey) => sql`(${record.recordedAt.toISOString()}::timestamptz, ${record.jobId})`;
  const { names, list } = recordFields(operator);
  const record = form === 'json' ? sql`row_to_json(page)::text` : csvRecord(names);
  const found = models
    ? sql`(select json_agg(distinct model) from page, jsonb_array_elements_text(page.models) model)`
    : sql`null`;
  // An ordered subquery hands its rows to the aggregates in that order.
  const statement = sql`
    with page as (
      select ${list} from ${usageRecords}
      where ${usageRecords.tenantId} = ${tenantId} and ${place} > ${key(after)} and ${place} <= ${key(last)}
      order by ${recordedAt}, ${jobId} limit ${sql.raw(String(recordsOfPage))})
    select string_agg(${record}, ${separator}) as text, (array_agg(recorded_at))[count(*)] as end_at,
      (array_agg(job_id))[count(*)] as end_id, ${found} as models
    from page`;
  const [row] = (await tx.last(tx.execute(statement))) as unknown as PageRow[];
  if (!row || row.text === null) return undefined;
  return {
    text: row.text,
    end: { recordedAt: new Date(row.end_at as string), jobId: row.end_id as string },
    models: row.models ?? [],
  };
}
