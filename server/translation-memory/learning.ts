import type { SQL } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { isOffered } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { goldenSetName } from './golden-name.ts';
import { appendPairOfJob, deletePairsOfJob, ensureGoldenSet } from './queries/learning.ts';

/** A finished text job's pair. Languages are codes of B 2.4. */
export interface JobPair {
  jobId: string;
  sourceLang: string;
  targetLang: string;
  sourceText: string;
  targetText: string;
}

/** B 8 rule 5: a target that is its source, or the stub engine's echo of it, is no translation to remember. */
export function isUntranslated({
  sourceText,
  targetText,
  targetLang,
}: Omit<JobPair, 'jobId' | 'sourceLang'>): boolean {
  const source = normalForm(sourceText);
  const target = normalForm(targetText);
  return target === '' || target === source || target === `[${targetLang}] ${source}`;
}

/**
 * Adds a published job's pair to the golden set of its languages (B 8 rule 4), as statements of the transaction that
 * publishes it, and after its own. `published` is true where its row now says so: another run may have had the job.
 */
export function learnFromJob(
  tx: Tx,
  { settings, embedder }: Pick<Services, 'settings' | 'embedder'>,
  tenantId: string,
  pair: JobPair,
  published: SQL,
): Promise<unknown> {
  const { jobId, sourceLang: pairSource, targetLang: pairTarget, sourceText, targetText } = pair;
  const languages = { pairSource, pairTarget };
  const name = goldenSetName(languages);
  const normal = normalForm(sourceText);
  return Promise.all([
    ensureGoldenSet(tx, tenantId, {
      ...languages,
      setId: newId(),
      name,
      embeddingModel: embedder?.model ?? null,
    }),
    appendPairOfJob(
      tx,
      tenantId,
      { jobId, published },
      name,
      {
        ...languages,
        hash: sourceHashHex(normal),
        sourceText,
        targetText,
        offered: isOffered(sourceText) && isOffered(targetText),
      },
      settings.MAX_TM_SEGMENTS,
    ),
  ]);
}

/** Takes back what was learned from a job that is deleted; answers how many pairs (C 4 `tm_pairs_removed`). */
export function unlearnJob(tx: Tx, tenantId: string, jobId: string): Promise<number> {
  return deletePairsOfJob(tx, tenantId, jobId);
}
