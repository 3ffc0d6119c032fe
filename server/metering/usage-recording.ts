import { Param, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { QueryBuilder } from '#db/client.ts';
import { usageRecords, usageTotals } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';

/** What the ledger is told of a delivered job, beside what the job's own row says. */
export interface JobUsage {
  sourceLang: string;
  targetLang: string;
  /** Unicode code points. */
  sourceChars: number;
  /** Weighted, see `weighCharacters`. */
  billableChars: number;
  /** Of the billable ones, those that the trial grant pays for. */
  trialChars: number;
  fastPath: string | null;
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

/** The columns of the jobs that a statement has just finished. */
export interface FinishedColumns extends SQLWrapper {
  tenantId: SQLWrapper;
  jobId: SQLWrapper;
  status: SQLWrapper;
  updatedAt: SQLWrapper;
}

const value = sql.placeholder;

/**
 * The usage records of the jobs that `finished` returns, as the rows to insert into `usageRecords`; the values are
 * placeholders named as in `JobUsage`. In the same statement as the job: no record without it, and no job without one.
 */
export function usageRows(kind: 'text' | 'document', finished: FinishedColumns): SQL {
  return sql`select ${finished.tenantId}, ${finished.jobId}, ${sql.raw(`'${kind}'`)},
    to_char(${finished.updatedAt} at time zone 'UTC', 'YYYY-MM'),
    ${value('sourceLang')}, ${value('targetLang')}, ${value('sourceChars')}::int,
    ${value('billableChars')}::int, ${finished.status}, ${value('fastPath')},
    ${value('inputTokens')}::int, ${value('outputTokens')}::int,
    ${value('inputTokens')}::int + ${value('outputTokens')}::int,
    ${new Param(value('models'), usageRecords.models)}::jsonb, ${finished.updatedAt} from ${finished}`;
}

/** Rows that a day's total is spread over, so that jobs which finish at one time wait for each other less. */
const slots = 16;

const increased = (column: PgColumn) => sql`${column} + ${sql.raw(`excluded.${column.name}`)}`;

/**
 * Adds the jobs that `finished` returns to the running totals: a statement to run beside the one that inserts their
 * records, with the same placeholders.
 */
export function addToTotals(db: QueryBuilder, finished: FinishedColumns) {
  const tokens = sql`${value('inputTokens')}::int + ${value('outputTokens')}::int`;
  return db
    .insert(usageTotals)
    .select(
      sql`select ${finished.tenantId}, (${finished.updatedAt} at time zone 'UTC')::date, ${tenants.allowanceWindow},
        pg_backend_pid() % ${sql.raw(String(slots))}, 1, ${value('sourceChars')}::int, ${value('billableChars')}::int,
        ${value('trialChars')}::int, 0, ${value('inputTokens')}::int, ${value('outputTokens')}::int, ${tokens}
      from ${finished} join ${tenants} on ${tenants.tenantId} = ${finished.tenantId}`,
    )
    .onConflictDoUpdate({
      target: [usageTotals.tenantId, usageTotals.day, usageTotals.allowanceWindow, usageTotals.slot],
      set: {
        jobs: increased(usageTotals.jobs),
        sourceChars: increased(usageTotals.sourceChars),
        billableChars: increased(usageTotals.billableChars),
        trialChars: increased(usageTotals.trialChars),
        inputTokens: increased(usageTotals.inputTokens),
        outputTokens: increased(usageTotals.outputTokens),
        totalTokens: increased(usageTotals.totalTokens),
      },
    });
}

export { usageRecords, usageTotals };
