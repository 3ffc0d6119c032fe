import { sql } from 'drizzle-orm';
import { usageRecords, usageTotals } from '#db/schema/metering.ts';
import { newId } from '#server/platform/ids.ts';
import type { TestApp } from '#test/setup/app.ts';

type NewRecord = typeof usageRecords.$inferInsert;

/** The fields of a usage record that a test sets. All others have defaults. */
export type LedgerRecord = Partial<Omit<NewRecord, 'recordedAt'>> & { at: string };

/**
 * Inserts usage records of a tenant and adds them to the totals, like completed jobs.
 * @param spread the row of the totals to which the records are added; concurrent jobs, or jobs under different plans,
 * use several rows
 */
export async function addRecords(
  { database }: TestApp,
  tenantId: string,
  records: LedgerRecord[],
  spread: { slot?: number; allowanceWindow?: string } = {},
): Promise<NewRecord[]> {
  const rows = records.map((record) => rowOf(tenantId, record));
  const { slot = 0, allowanceWindow = '' } = spread;
  await database.inTenant(tenantId, async (tx) => {
    for (const row of rows) {
      const { sourceChars, billableChars, inputTokens = 0, outputTokens = 0, totalTokens = 0 } = row;
      const day = (row.recordedAt as Date).toISOString().slice(0, 10);
      await tx.insert(usageRecords).values(row);
      await tx
        .insert(usageTotals)
        .values({
          ...{ tenantId, day, allowanceWindow, slot, jobs: 1 },
          ...{ sourceChars, billableChars, inputTokens, outputTokens, totalTokens },
        })
        .onConflictDoUpdate({
          target: [usageTotals.tenantId, usageTotals.day, usageTotals.allowanceWindow, usageTotals.slot],
          set: {
            jobs: sql`${usageTotals.jobs} + 1`,
            sourceChars: sql`${usageTotals.sourceChars} + ${sourceChars}`,
            billableChars: sql`${usageTotals.billableChars} + ${billableChars}`,
            inputTokens: sql`${usageTotals.inputTokens} + ${inputTokens}`,
            outputTokens: sql`${usageTotals.outputTokens} + ${outputTokens}`,
            totalTokens: sql`${usageTotals.totalTokens} + ${totalTokens}`,
          },
        });
    }
  });
  return rows;
}

function rowOf(tenantId: string, { at, ...given }: LedgerRecord): NewRecord {
  const sourceChars = given.sourceChars ?? 10;
  const inputTokens = given.inputTokens ?? 7;
  const outputTokens = given.outputTokens ?? 3;
  return {
    tenantId,
    jobId: newId(),
    kind: 'text',
    billingPeriod: new Date(at).toISOString().slice(0, 7),
    sourceLang: 'en',
    targetLang: 'fr',
    sourceChars,
    billableChars: sourceChars,
    jobStatus: 'published',
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    models: ['writer'],
    ...given,
    recordedAt: new Date(at),
  };
}

/**
 * Inserts `count` usage records for 2026-09: `perMoment` records for each second, without totals. Record i has
 * `source_chars` i.
 */
export async function fillLedger(
  { database }: TestApp,
  tenantId: string,
  count: number,
  perMoment = 1,
): Promise<void> {
  await database.inTenant(tenantId, (tx) =>
    tx.execute(sql`
      insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
        billable_chars, job_status, models, recorded_at)
      select ${tenantId}, md5(i::text), 'text', '2026-09', 'en', 'fr', i, i, 'published', '["writer"]',
        timestamptz '2026-09-01T00:00:00Z' + i / ${perMoment}::int * interval '1 second'
      from generate_series(0, ${count}::int - 1) i`),
  );
}
