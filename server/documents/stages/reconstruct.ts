import { and, eq, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { prepare, type Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { settleTopUp } from '#server/billing/metering/committed-usage.ts';
import { type JobUsage, recordUsage } from '#server/billing/metering/usage-recording.ts';
import type { Finding } from '#server/formats/document.ts';
import { queueDocumentMail } from '#server/identity/mail/outbox.ts';
import { haveSetsChanged, queueTermCheckOf } from '#server/language/terminology/sets.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { removeAt } from '#server/storage/destination.ts';
import { insertArtifact, removeFile, storeTranslation } from '../artifacts.ts';
import { type DocumentRun, mailOf, RunReplaced } from '../document-run.ts';
import { rebuildFile } from '../file-work.ts';
import { rebuildOptionsOf, requestOf, resultFormatOf } from '../jobs.ts';
import { selectKept } from '../kept-texts.ts';
import { findingView } from '../quality-report.ts';
import { selectRecognition } from '../recognition.ts';
import type { DocumentFailureDetail, DocumentStage } from '../schema.ts';
import { figuresOf, findingsOfSegments } from '../segment-figures.ts';
import { selectTranslations, storeTargetRectangles } from '../segments.ts';
import { progressed } from '../waiting.ts';
import { weightOf } from './admit.ts';
import { readSource } from './extract.ts';

/**
 * Writes the translated file, then ends the job. One transaction stores its output, status and usage record, so that a
 * job becomes `translated` only after its output exists, and is billed once.
 */
export async function reconstructDocument(run: DocumentRun): Promise<void> {
  const { services, tenantId, documentId, row } = run;
  const bytes = await readSource(run);
  const [translations, recognition] = await services.database.inTenant(tenantId, (tx) =>
    Promise.all([selectTranslations(tx, tenantId, documentId), selectRecognition(tx, tenantId, documentId)]),
  );
  const kept = await selectKept(services, tenantId, documentId);
  const rebuilt =
    translations.length === 0 && !kept && resultFormatOf(row) === row.sourceFormat
      ? { bytes, rectangles: [], findings: nothingToTranslate(row.extractFindings as Finding[]) }
      : await rebuildFile(
          services,
          {
            format: row.sourceFormat,
            bytes,
            translations,
            options: { ...rebuildOptionsOf(row), kept, recognition },
          },
          { tenantId, signal: run.signal },
        );
  const output = await storeTranslation(
    services,
    { tenantId, documentId, format: resultFormatOf(row) },
    rebuilt.bytes,
  );
  if (output.address !== null) run.delivered = [...(run.delivered ?? []), output.address];
  const finish = async (tx: Tx) => {
    const findings = [
      ...rebuilt.findings.map(findingView),
      ...(await findingsOfSegments(tx, tenantId, documentId)),
    ];
    const figures = await figuresOf(tx, tenantId, documentId);
    const [finished] = await finishDocument(tx, {
      tenantId,
      documentId,
      attempt: run.attempt,
      findings: JSON.stringify(findings),
      figures: JSON.stringify(figures),
      ...usageOf(run),
    });
    if (!finished) throw new RunReplaced();
    await storeTargetRectangles(tx, tenantId, documentId, rebuilt.rectangles);
    await insertArtifact(tx, output);
    if (row.drawsTopup) await settleTopUp(tx, tenantId);
    // Check its terms as those of the documents that were translated before the change of the glossary.
    if (await haveSetsChanged(tx, tenantId, row.createdAt)) await queueTermCheckOf(tx, tenantId, documentId);
    await queueDocumentMail(tx, services.settings, { ...mailOf(run), hasFailed: false });
  };
  await services.database.inTenant(tenantId, finish).catch(async (error: unknown) => {
    if (error instanceof RunReplaced) await removeFile(services, output).catch(() => {});
    throw error;
  });
  countEvent('jobs', 'document translated');
  await removeEarlier(run);
}

/**
 * Removes the outputs of earlier tries of this stage from the tenant's account, hours before the sweep would. Runs
 * after the job has ended, because an earlier transaction that was not acknowledged may have referred to one of them.
 * Best effort.
 */
async function removeEarlier({ services, tenantId, delivered = [] }: DocumentRun): Promise<void> {
  for (const address of delivered.slice(0, -1)) await removeAt(services, tenantId, address).catch(() => {});
}

/** Returns the finding for a file without text, unless the file format has already reported it. */
function nothingToTranslate(reported: readonly Pick<Finding, 'code'>[]): Finding[] {
  if (reported.some(({ code }) => code === 'no_translatable_text')) return [];
  return [
    {
      severity: 'info',
      code: 'no_translatable_text',
      message: 'the file has no text to translate; it is returned unchanged',
      unitId: null,
    },
  ];
}

const maxTokens = 1_000_000_000;

function usageOf(run: DocumentRun): JobUsage {
  const { row } = run;
  const { source_lang, target_lang } = requestOf(row);
  return {
    sourceLang: source_lang,
    targetLang: target_lang,
    sourceChars: row.sourceChars,
    billableChars: weightOf(run),
    trialChars: 0,
    fastPath: null,
    inputTokens: Math.min(row.inputTokens, maxTokens),
    outputTokens: Math.min(row.outputTokens, maxTokens),
    models: row.models,
    submittedBy: row.submittedBy,
  };
}

/**
 * Ends a job as failed although its translated file was delivered to the tenant's own account. The tenant has the
 * result: the job is billed, and the file need not be sent again.
 */
export async function failDelivered(
  run: DocumentRun,
  stage: DocumentStage,
  failure: DocumentFailureDetail,
): Promise<DocumentFailureDetail> {
  const { services, tenantId, documentId, attempt, row, delivered } = run;
  const told: DocumentFailureDetail = {
    ...failure,
    message: `${failure.message}; the translated file was already delivered to your storage, so the job is billed and need not be sent again`,
    transient: false,
    metadata: { ...failure.metadata, delivered_to: delivered?.at(-1) },
  };
  await services.database.inTenant(tenantId, async (tx) => {
    const [failed] = await failBilled(tx, {
      tenantId,
      documentId,
      attempt,
      stage,
      failure: JSON.stringify(told),
      stageTimings: JSON.stringify(run.timings()),
      ...usageOf(run),
    });
    if (!failed) throw new RunReplaced();
    if (row.drawsTopup) await settleTopUp(tx, tenantId);
    await queueDocumentMail(tx, services.settings, { ...mailOf(run), hasFailed: true });
  });
  countEvent('jobs', 'document failed');
  await removeEarlier(run);
  return told;
}

const value = sql.placeholder;

/** A run that is about to end its job. */
interface EndingRun {
  tenantId: string;
  documentId: string;
  attempt: number;
}

/**
 * Prepares a statement that ends a job, inserts its usage record and adds to the running totals. The statement returns
 * no row if another worker has the job.
 * @param changes columns to set in addition to the usual ones
 */
function prepareEnd<P extends object>(name: string, changes: PgUpdateSetSource<typeof documentJobs>) {
  return prepare<EndingRun & JobUsage & P, { updatedAt: Date }[]>((db) => {
    const ended = db.$with('finished').as(
      db
        .update(documentJobs)
        .set({ ...changes, ...progressed, reservedChars: 0, running: false, updatedAt: sql`now()` })
        .where(
          and(
            eq(documentJobs.tenantId, value('tenantId')),
            eq(documentJobs.documentId, value('documentId')),
            eq(documentJobs.attempt, value('attempt')),
            eq(documentJobs.status, 'extracted'),
          ),
        )
        .returning({
          tenantId: documentJobs.tenantId,
          jobId: documentJobs.documentId,
          status: documentJobs.status,
          updatedAt: documentJobs.updatedAt,
        }),
    );
    return recordUsage(db, 'document', ended).prepare(name);
  });
}

const finishDocument = prepareEnd<{ findings: string; figures: string }>('finish_document', {
  status: 'translated',
  rebuildFindings: sql`${value('findings')}::jsonb`,
  reportFigures: sql`${value('figures')}::jsonb`,
});

const failBilled = prepareEnd<{ stage: DocumentStage; failure: string; stageTimings: string }>(
  'fail_billed_document',
  {
    status: 'failed',
    stage: sql`${value('stage')}`,
    failure: sql`${value('failure')}::jsonb`,
    stageTimings: sql`${value('stageTimings')}::jsonb`,
  },
);
