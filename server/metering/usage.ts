import { Param, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { usageRecords } from '#db/schema/metering.ts';

/** What the ledger is told of a delivered job, beside what the job's own row says. */
export interface JobUsage {
  sourceLang: string;
  targetLang: string;
  /** Unicode code points. */
  sourceChars: number;
  /** Weighted, see `weighCharacters`. */
  billableChars: number;
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

export { usageRecords };
