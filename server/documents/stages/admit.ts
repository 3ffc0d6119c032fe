import { sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import {
  type CommittedUsage,
  lockAdmissions,
  type UsageLimits,
  usageCheck,
} from '#server/billing/metering/committed-usage.ts';
import { checkEntitlement, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import { AppError } from '#server/errors.ts';
import { type DocumentRun, updateRun } from '../document-run.ts';
import { requestOf } from '../jobs.ts';
import { progressed } from '../waiting.ts';

const value = sql.placeholder;

/** Counts the tenant's committed usage. If any allowance remains, reserves all characters of the document. */
const reserve = prepare<
  UsageLimits & { tenantId: string; documentId: string; attempt: number; weight: number },
  { usage: CommittedUsage; admitted: string | null }[]
>((db) => {
  const { committed, withinLimits, usage } = usageCheck(db);
  const admitted = db.$with('admitted').as(
    db
      .update(documentJobs)
      .set({ reservedChars: sql`${value('weight')}::bigint`, stage: 'map_translate', updatedAt: sql`now()` })
      .from(committed)
      .where(
        sql`${documentJobs.tenantId} = ${value('tenantId')} and ${documentJobs.documentId} = ${value('documentId')}
          and ${documentJobs.attempt} = ${value('attempt')} and ${documentJobs.status} = 'extracted' and ${withinLimits}`,
      )
      .returning({ documentId: documentJobs.documentId }),
  );
  return db
    .with(committed, admitted)
    .select({ usage, admitted: admitted.documentId })
    .from(committed)
    .leftJoin(admitted, sql`true`)
    .prepare('admit_document');
});

/**
 * Reserves the document's characters from the allowance until the job ends.
 * @throws AppError quota_exceeded if the allowance is used up; rate_limit if the tenant's runs fail too often
 */
export async function admitDocument(run: DocumentRun): Promise<void> {
  const { services, tenantId, documentId, attempt, row } = run;
  const { settings, database } = services;
  const weight = weightOf(run);
  await database.inTenant(tenantId, async (tx: Tx) => {
    const tenant = await readBilledTenant(tx, settings);
    const entitlement = checkEntitlement(
      settings,
      tenant,
      // The credential was checked when the document was submitted.
      { kind: 'document', credential: 'session', chars: weight },
      [],
    );
    await lockAdmissions(tx, tenantId);
    const [counted] = await reserve(tx, { ...entitlement.limits, tenantId, documentId, attempt, weight });
    if (!counted) throw new Error('the tenant of the document no longer exists');
    if (counted.admitted) {
      await updateRun(tx, run, {
        drawsTopup: entitlement.drawsTopUp(counted.usage),
        ...progressed,
      });
      return;
    }
    const refusal = entitlement.refusal(counted.usage);
    if (refusal?.code === 'too_many_requests')
      throw new AppError('quota_exceeded', refusal.message, { cause: refusal });
    if (refusal) throw refusal;
    // The job was neither admitted nor rejected, so another worker has it: this throws RunReplaced.
    await updateRun(tx, run, { stage: row.stage });
  });
}

/** Returns the billable characters of a document. */
export function weightOf({ row, services }: Pick<DocumentRun, 'row' | 'services'>): number {
  const { source_lang, target_lang } = requestOf(row);
  return weighCharacters(row.sourceChars, source_lang, target_lang, services.settings.DENSE_SCRIPT_WEIGHT);
}
