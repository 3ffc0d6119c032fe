import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { isUntranslated, learnFromJob } from '#server/translation-memory/service.ts';
import { isJob } from './jobs.ts';
import type { TranslationJob } from './schema.ts';

/** Statements that feed the memory with a job's pair, behind those that publish it in the same transaction. */
export type Learn = (tx: Tx) => Promise<unknown>;

/** How the memory learns from a job that is being published (B 8 rule 4); undefined where there is nothing to remember. */
export function learningOf(
  { settings, embedder }: Services,
  tenantId: string,
  { id: jobId, request, final_translation }: TranslationJob,
  goldenUri: string,
): Learn | undefined {
  const { source_text: sourceText, source_lang: sourceLang, target_lang: targetLang } = request;
  const pair = { jobId, sourceText, targetText: final_translation ?? '', sourceLang, targetLang };
  const parts = request.text_type === 'Html' ? textsOf(pair) : [pair];
  if (parts.every((part) => isUntranslated({ ...part, targetLang }))) return undefined;
  return (tx) =>
    learnFromJob(tx, { settings, embedder }, tenantId, pair, isPublished(tenantId, jobId, goldenUri));
}

/** The texts of a page beside those of its translation. */
function textsOf({ sourceText, targetText }: { sourceText: string; targetText: string }) {
  const targets = extractHtml(targetText);
  return extractHtml(sourceText).map(({ text }, index) => ({
    sourceText: text,
    targetText: targets[index]?.text ?? '',
  }));
}

/**
 * Runs a transaction that publishes, with what the memory learns of it; and once more without, where that alone failed: it
 * is best effort, and never fails a publication (B 8 rule 4).
 */
export async function learnIfPossible<T>(
  { database, log }: Services,
  tenantId: string,
  learn: Learn | undefined,
  publish: (tx: Tx, learning: Learn | undefined) => Promise<T>,
): Promise<T> {
  if (learn) {
    let failed = false;
    const watched: Learn = (tx) =>
      learn(tx).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    try {
      return await database.inTenant(tenantId, (tx) => publish(tx, watched));
    } catch (error) {
      // Anything else may have been stored, its COMMIT's answer lost.
      if (!failed) throw error;
      log.warn({ error: describeForLog(error) }, 'a pair was not learned');
    }
  }
  return database.inTenant(tenantId, (tx) => publish(tx, undefined));
}

/**
 * Whether a job's row says that this very record of it is published: a condition of a statement behind the one that publishes
 * it. Each attempt has its own record: what a run writes that another has replaced is none of it.
 */
function isPublished(tenantId: string, jobId: string, goldenUri: string): SQL {
  return sql`exists (select from ${translationJobs} where ${isJob(tenantId, jobId)}
    and ${inArray(translationJobs.status, ['published', 'human_edited'])}
    and ${eq(translationJobs.goldenUri, goldenUri)})`;
}
