import postgres from 'postgres';
import { setScope, setScopeByCredential } from '#db/client.ts';
import { lockAdmissions } from '#server/billing/metering/committed-usage.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { lookUpPrincipal } from '#server/identity/access/principal.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { newId } from '#server/platform/ids.ts';
import { finishJob } from '#server/texts/complete.ts';
import { admitJob } from '#server/texts/insert-jobs.ts';
import { translationRequest } from '#server/texts/schema.ts';
import { prefetch } from '#server/translation/leverage/leverage.ts';
import { runPipeline } from '#server/translation/pipeline/text-run.ts';
import { recordStatements, type Statement } from './recorded-statements.ts';
import type { BenchTenant } from './service.ts';

/** A placeholder for the ID of the tenant, and one for that of the job, in recorded parameters. */
const tenantMark = 'tenant-mark';
const jobMark = 'job-mark';

/**
 * Records the statements that the service sends for one text job. They come from the service's own queries, with
 * placeholders for the tenant and the job.
 */
async function recordJob(sourceText: string): Promise<{ admit: Statement[]; complete: Statement[] }> {
  const request = translationRequest.parse({ source_text: sourceText, target_lang: 'fr' });
  request.metadata = { tenant: { id: tenantMark, name: 'Bench' } };
  const result = await runPipeline(stubEngine, request, { tenantId: tenantMark });
  const lookup = await recordStatements((tx) => lookUpPrincipal(tx, null));
  const chars = sourceText.length;
  const lock = await recordStatements((tx) => lockAdmissions(tx, tenantMark));
  const insert = await recordStatements((tx) =>
    admitJob(
      tx,
      {
        tenantId: tenantMark,
        jobId: jobMark,
        request,
        requestFingerprint: null,
        warnings: [],
        reservedChars: chars,
        queued: false,
      },
      {
        chars,
        keys: '[]',
        staleSeconds: 600,
        monthBefore: 10_000_000 - chars,
        topUpCeiling: null,
        trialBefore: null,
        failedBefore: null,
        tokenLimit: null,
        trialSince: null,
      },
    ),
  );
  const finish = await recordStatements((tx) =>
    finishJob(
      tx,
      {
        tenantId: tenantMark,
        jobId: jobMark,
        attempt: 1,
        status: result.status,
        finalTranslation: result.final_translation,
        baselineTranslation: result.baseline_translation,
        qualityAssessment: result.quality_assessment,
        refinement: result.refinement,
        verification: result.verification,
        agentRun: result.agentRun,
        pipelineMetadata: null,
        goldenUri: `golden/${newId()}.json`,
        publishAs: null,
      },
      {
        sourceLang: 'en',
        targetLang: 'fr',
        sourceChars: chars,
        billableChars: chars,
        trialChars: 0,
        fastPath: null,
        inputTokens: 0,
        outputTokens: 0,
        models: [],
        submittedBy: 'api_key',
      },
    ),
  );
  const found = await recordStatements((tx) => prefetch(tx, [request]));
  return { admit: [...lookup, ...found, ...lock, ...insert], complete: finish };
}

/**
 * A script that runs only the database part of a text job: the same statements in the same two transactions with the
 * same driver. Each transaction is sent as one pipeline. Each loop has its own connection.
 */
export async function openBareScript(url: string, connections: number, sourceText: string) {
  const { admit, complete } = await recordJob(sourceText);
  const clients = Array.from({ length: connections }, () =>
    postgres(url, { max: 1, max_lifetime: null, onnotice: () => {} }),
  );
  // The same serializers as those that Drizzle sets: JSON values are already text.
  for (const { options } of clients) {
    options.serializers[114] = (value: unknown) => value;
    options.serializers[3802] = (value: unknown) => value;
  }

  return {
    async job(loop: number, { tenantId, apiKey }: BenchTenant): Promise<void> {
      const sql = clients[loop] as postgres.Sql;
      const jobId = newId();
      const send = ({ text, parameters }: Statement) =>
        sql
          .unsafe(text, parameters.map((value) => fill(value, tenantId, jobId)) as never[], { prepare: true })
          .execute();
      const plain = (text: string, parameters: unknown[] = []) => send({ text, parameters });
      await Promise.all([
        plain('begin'),
        plain(setScopeByCredential, [null, hashSecret(apiKey)]),
        ...admit.map(send),
        plain('commit'),
      ]);
      await Promise.all([
        plain('begin'),
        plain(setScope, [tenantId]),
        ...complete.map(send),
        plain('commit'),
      ]);
    },
    close: () => Promise.all(clients.map((client) => client.end())),
  };
}

function fill(value: unknown, tenantId: string, jobId: string): unknown {
  if (value === tenantMark) return tenantId;
  if (value === jobMark) return jobId;
  return value;
}
