import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { usageRecords } from '#db/schema/metering.ts';

/**
 * A record's moment as JavaScript writes a Date, which the other answers are written by. to_json writes ISO 8601 whatever the
 * session's DateStyle, in less time than to_char takes; a microsecond more, and it leaves no digits out.
 */
const writtenMoment = sql`substr(
  to_json((${usageRecords.recordedAt} at time zone 'UTC') + interval '1 microsecond')::text, 2, 23) || 'Z'`;

/** C 3 "TenantUsageRecord", in its order: what everybody who may read the ledger sees. */
const everybodys = {
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
const operators = {
  input_tokens: usageRecords.inputTokens,
  output_tokens: usageRecords.outputTokens,
  total_tokens: usageRecords.totalTokens,
  models: usageRecords.models,
} satisfies Record<string, SQLWrapper>;

export type FieldName = keyof typeof everybodys | keyof typeof operators;

/**
 * The columns of a record that a caller may see, and the same as a select list, named as they are answered. By these alone
 * the ledger is read for it: a new column is seen by nobody until it stands here.
 */
export function recordFields(operator: boolean): { names: FieldName[]; list: SQL } {
  const fields: Partial<Record<FieldName, SQLWrapper>> = operator
    ? { ...everybodys, ...operators }
    : everybodys;
  const columns = Object.entries(fields).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`);
  return { names: Object.keys(fields) as FieldName[], list: sql.join(columns, sql`, `) };
}
