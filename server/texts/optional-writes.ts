import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { learnFromJob } from '#server/language/translation-memory/learning.ts';
import { isUntranslated } from '#server/language/translation-memory/sentence-pairs.ts';
import type { Log } from '#server/platform/log.ts';
import { isJob } from './jobs.ts';
import type { TranslationJob } from './schema.ts';

/** A write that a transaction makes if possible. If the write fails, the transaction runs again without it. */
class OptionalWrite<T> {
  dropped = false;
  failed = false;
  /** The message to log if the write is omitted. */
  readonly warning: string;
  readonly #write: (tx: Tx) => Promise<T>;

  constructor(warning: string, write: (tx: Tx) => Promise<T>) {
    this.warning = warning;
    this.#write = write;
  }

  /** Sends the write; does nothing and returns undefined if the write is omitted. */
  async run(tx: Tx): Promise<T | undefined> {
    if (this.dropped) return undefined;
    try {
      return await this.#write(tx);
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

/**
 * Runs `transaction`. Each time one of its optional writes fails, runs it again without this write, until it succeeds.
 * Any other error is thrown: the transaction may have been committed although its COMMIT was not acknowledged.
 * @param writes in the order in which `transaction` sends them: if a statement fails, all later ones fail too, so the
 *   first failed write is the cause
 */
export async function retryWithout<T>(
  log: Log,
  writes: readonly (OptionalWrite<unknown> | undefined)[],
  transaction: () => Promise<T>,
): Promise<T> {
  for (;;) {
    for (const write of writes) if (write) write.failed = false;
    try {
      return await transaction();
    } catch (error) {
      const culprit = writes.find((write) => write?.failed);
      if (!culprit) throw error;
      culprit.dropped = true;
      log.warn({ error: describeForLog(error) }, culprit.warning);
    }
  }
}

/**
 * Returns the write that adds a published job to the tenant's golden TM set. It belongs to the transaction that
 * publishes the job, after the publishing statement. The write is optional: if the TM is unavailable, the job is still
 * published.
 * @returns undefined if nothing has to be added, because every text equals its translation, or because the translation is
 *   made of sentences of the TM and no person has reviewed it: it would stay in the TM after these are withdrawn
 */
export function learnFrom(
  { settings, embedder }: Pick<Services, 'settings' | 'embedder'>,
  tenantId: string,
  { id: jobId, request, final_translation, agent_run }: TranslationJob,
  goldenUri: string,
): OptionalWrite<unknown> | undefined {
  const { source_text: sourceText, source_lang: sourceLang, target_lang: targetLang } = request;
  const isReviewed = agent_run.human_review_task !== null;
  const { provenance } = request.metadata as { provenance?: { tm_sentences?: unknown } };
  if (provenance?.tm_sentences && !isReviewed) return undefined;
  const hasSentences = request.text_type !== 'Html' && isReviewed;
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
