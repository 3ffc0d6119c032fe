import { Param, type SQL, type SQLWrapper, sql, type WithSubquery } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { QueryBuilder } from '#db/client.ts';
import { usageRecords, usageTotals } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';

/** Fields of a finished job's usage record that are not on the job row. */
export interface JobUsage {
  sourceLang: string;
  targetLang: string;
  /** Source characters in Unicode code points. */
  sourceChars: number;
  /** Weighted characters, see `weighCharacters`. */
  billableChars: number;
  /** The part of `billableChars` that the trial grant pays for. */
  trialChars: number;
  fastPath: string | null;
  inputTokens: number;
  outputTokens: number;
  models: string[];
  /** See `submitterOf`; null if unknown. */
  submittedBy: string | null;
}

/** A common table expression that finishes jobs, with the columns that it returns. */
interface FinishedJobs extends SQLWrapper {
  tenantId: SQLWrapper;
  jobId: SQLWrapper;
  status: SQLWrapper;
  updatedAt: SQLWrapper;
}

const value = sql.placeholder;

/**
 * Records the usage of the jobs that `finished` returns: a usage record for each, and the tenant's running totals. One
 * statement updates the job, inserts the record and adds to the totals, so that none of these happens without the
 * others:
 *
 *     const finished = db.$with('finished').as(db.update(jobs).set(…).where(…).returning(…));
 *     return recordUsage(db, 'text', finished).prepare('finish_pending');
 *
 * The placeholders of the statement are the fields of `JobUsage` and those of the caller's update. It returns
 * `updatedAt` of each finished job.
 */
export function recordUsage(
  db: QueryBuilder,
  kind: 'text' | 'document',
  finished: FinishedJobs & WithSubquery,
) {
  const totals = db.$with('totals').as(addToTotals(db, finished).returning({ slot: usageTotals.slot }));
  return db
    .with(finished, totals)
    .insert(usageRecords)
    .select(recordsOf(kind, finished))
    .returning({ updatedAt: usageRecords.recordedAt });
}

/** The select list of the records, in the order of the table's columns. */
export function recordsOf(kind: 'text' | 'document', finished: FinishedJobs): SQL {
  return sql`select ${finished.tenantId}, ${finished.jobId}, ${sql.raw(`'${kind}'`)},
    to_char(${finished.updatedAt} at time zone 'UTC', 'YYYY-MM'),
    ${value('sourceLang')}, ${value('targetLang')}, ${value('sourceChars')}::int,
    ${value('billableChars')}::int, ${finished.status}, ${value('fastPath')},
    ${value('inputTokens')}::int, ${value('outputTokens')}::int,
    ${value('inputTokens')}::int + ${value('outputTokens')}::int,
    ${new Param(value('models'), usageRecords.models)}::jsonb, ${value('submittedBy')},
    ${finished.updatedAt} from ${finished}`;
}

/** Number of rows over which a day's total is spread, so that concurrent completions rarely block each other. */
const slots = 16;

const increased = (column: PgColumn) => sql`${column} + ${sql.raw(`excluded.${column.name}`)}`;

function addToTotals(db: QueryBuilder, finished: FinishedJobs) {
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
