import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { learnFromJob } from '#server/language/translation-memory/learning.ts';
import { isUntranslated } from '#server/language/translation-memory/sentence-pairs.ts';
import { isJob } from './jobs.ts';
import { OptionalWrite } from './optional-writes.ts';
import type { TranslationJob } from './schema.ts';

/**
 * Returns the write that adds a published job to the tenant's golden TM set. It belongs to the transaction that
 * publishes the job, after the publishing statement. The write is optional: if the TM is unavailable, the job is still
 * published.
 * @returns undefined if nothing has to be added, because every text equals its translation
 */
export function learnFrom(
  { settings, embedder }: Pick<Services, 'settings' | 'embedder'>,
  tenantId: string,
  { id: jobId, request, final_translation, agent_run }: TranslationJob,
  goldenUri: string,
): OptionalWrite<unknown> | undefined {
  const { source_text: sourceText, source_lang: sourceLang, target_lang: targetLang } = request;
  const hasSentences = request.text_type !== 'Html' && agent_run.human_review_task !== null;
  const pair = {
    ...{ jobId, sourceText, targetText: final_translation ?? '', sourceLang, targetLang },
    hasSentences,
  };
  const parts = request.text_type === 'Html' ? textsOf(pair) : [pair];
  if (parts.every((part) => isUntranslated({ ...part, targetLang }))) return undefined;
  return new OptionalWrite('a segment was not added to the translation memory', (tx) =>
    learnFromJob(tx, { settings, embedder }, tenantId, pair, isPublished(tenantId, jobId, goldenUri)),
  );
}

/** Returns the text nodes of a page, each with its translation. */
function textsOf({ sourceText, targetText }: { sourceText: string; targetText: string }) {
  const targets = extractHtml(targetText);
  return extractHtml(sourceText).map(({ text }, index) => ({
    sourceText: text,
    targetText: targets[index]?.text ?? '',
  }));
}

/**
 * The condition for storing the segment: the job is published with exactly this golden record. Each attempt has a
 * separate record, so if another attempt has replaced a run, the run stores no segment.
 */
function isPublished(tenantId: string, jobId: string, goldenUri: string): SQL {
  return sql`exists (select from ${translationJobs} where ${isJob(tenantId, jobId)}
    and ${inArray(translationJobs.status, ['published', 'human_edited'])}
    and ${eq(translationJobs.goldenUri, goldenUri)})`;
}
