import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { segmentationOf } from '#server/language/segmentation/rules.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { fedKeysOf, forgetChanges } from './editing/history.ts';
import { deleteVectors } from './embed-golden-sets.ts';
import { type ApprovedPair, sentencePairs } from './sentence-pairs.ts';
import { ensureSet, goldenSetName, segmentsOfPair, sentenceSetName } from './sets.ts';

/** Source and target of a completed text job. Languages are canonical codes. */
export interface JobPair {
  jobId: string;
  sourceLang: string;
  targetLang: string;
  sourceText: string;
  targetText: string;
  /** Whether its sentences are added, too: a person has approved the text, and it has no markup. */
  hasSentences: boolean;
}

/**
 * Whether a target is not a translation: it is empty, equals its source, or is the stub engine's echo of the source.
 * Such segments are not added to the TM.
 */
export function isUntranslated({
  sourceText,
  targetText,
  targetLang,
}: Omit<JobPair, 'jobId' | 'sourceLang' | 'hasSentences'>): boolean {
  const source = normalForm(sourceText);
  const target = normalForm(targetText);
  return target === '' || target === source || target === `[${targetLang}] ${source}`;
}

/**
 * Adds the segment of a published job to the golden set of its languages, and its sentences. Runs in the transaction that publishes the
 * job, after the publishing statement. `published` is SQL that is true if the job's row is still published: another run
 * may have taken the job.
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
    ensureSet(tx, tenantId, {
      ...languages,
      ...{ setId: newId(), name, origin: 'golden_approved', embeddingModel: embedder?.model ?? null },
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
        offered: isShortEnough(sourceText) && isShortEnough(targetText),
      },
      settings.MAX_TM_SEGMENTS,
    ),
    pair.hasSentences && learnSentences(tx, { tenantId, jobId, languages }, [pair]),
  ]);
}

/**
 * Adds the sentence pairs of approved segments, which the same transaction has added to the golden set for this job. A
 * segment that was not added has none. Sentence pairs are a set of their own that no list shows: they are not segments of
 * the TM, do not count toward its capacity, and are deleted with their segments (`part_of`).
 */
export async function learnSentences(
  tx: Tx,
  { tenantId, jobId, languages }: { tenantId: string; jobId: string; languages: LanguagePair },
  pairs: readonly ApprovedPair[],
): Promise<void> {
  const rules = await segmentationOf(tx);
  const rows = new Map<string, object>();
  for (const pair of pairs) {
    const of = { ph: sourceHashHex(normalForm(pair.sourceText)), pt: pair.targetText };
    for (const { sourceText, targetText } of sentencePairs(pair, languages, rules)) {
      if (isUntranslated({ sourceText, targetText, targetLang: languages.pairTarget })) continue;
      const shard = isShortEnough(sourceText) && isShortEnough(targetText) ? null : -1;
      const hash = sourceHashHex(normalForm(sourceText));
      rows.set(`${hash} ${targetText}`, { ...of, h: hash, s: sourceText, t: targetText, shard });
    }
  }
  if (rows.size === 0) return;
  const name = sentenceSetName(languages);
  const named = (set: SQL, its: string) => sql`${set}.tenant_id = ${tenantId} and ${set}.name = ${its}`;
  await Promise.all([
    ensureSet(tx, tenantId, {
      ...languages,
      ...{ setId: newId(), name, origin: 'golden_sentences', embeddingModel: null },
    }),
    tx.execute(sql`
      insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, shard_no,
        job_id, part_of)
      select ${tenantId}, g.content_id, decode(r.h, 'hex'), r.s, r.t, date_trunc('second', now()), r.shard, ${jobId},
        whole.segment_no
      from memory_sets g
      cross join json_to_recordset(${JSON.stringify([...rows.values()])}::json)
        as r(ph text, pt text, h text, s text, t text, shard int)
      cross join lateral (
        select m.segment_no from memory_segments m join memory_sets a
          on a.tenant_id = m.tenant_id and a.content_id = m.content_id and a.name = ${goldenSetName(languages)}
        where m.tenant_id = ${tenantId} and m.source_hash = decode(r.ph, 'hex') and m.target_text = r.pt
          and m.job_id = ${jobId}
        order by m.segment_no desc limit 1) whole
      where ${named(sql`g`, name)} and not exists (
        select from memory_segments m where m.tenant_id = ${tenantId} and m.source_hash = decode(r.h, 'hex')
          and m.content_id = g.content_id and m.target_text = r.t)
      for key share of g`),
  ]);
}

/** Identifies a segment in the form in which its job added it. */
export interface FedPairKey {
  /** Hash of the source's normal form, in hexadecimal. */
  hash: string;
  targetText: string;
}

/**
 * Deletes the segments that were added from a job, because the job is being deleted or reopened. Returns the number of
 * deleted segments.
 * @param only the segments to delete; default: all segments of the job
 */
export function unlearnJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
  only?: readonly FedPairKey[],
): Promise<number> {
  return Promise.all([
    deletePairsOfJob(tx, tenantId, jobId, only),
    forgetChanges(tx, tenantId, jobId, only),
  ]).then(([removed]) => removed);
}

/** A segment with an approved translation. */
interface LearnedPair extends LanguagePair {
  /** Hash of the source's normal form, in hexadecimal. */
  hash: string;
  sourceText: string;
  targetText: string;
  /** Whether the segment may be offered as a fuzzy match. */
  offered: boolean;
}

/**
 * Adds the segment of a text job if `published` is true. A job never adds the same segment twice. If the language pair
 * is at its capacity, only corrections of sources that it already has are added. If the set is being deleted, this is
 * blocked until the deletion is committed, and adds nothing.
 */
export async function appendPairOfJob(
  tx: Tx,
  tenantId: string,
  { jobId, published }: { jobId: string; published: SQL },
  name: string,
  pair: LearnedPair,
  capacity: number,
): Promise<void> {
  const hash = sql`decode(${pair.hash}, 'hex')`;
  // `offset 0` makes PostgreSQL use the index of hashes, whatever the planner expects of the sets.
  const ofSource = sql`(
    select * from memory_segments where tenant_id = ${tenantId} and source_hash = ${hash} offset 0) m
    join memory_sets s on s.tenant_id = m.tenant_id and s.content_id = m.content_id
    where s.pair_source = ${pair.pairSource} and s.pair_target = ${pair.pairTarget}`;
  await tx.execute(sql`
    insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, shard_no,
      job_id)
    select ${tenantId}, g.content_id, ${hash}, ${pair.sourceText}, ${pair.targetText}, date_trunc('second', now()),
      ${pair.offered ? null : -1}::int, ${jobId}
    from memory_sets g
    where g.tenant_id = ${tenantId} and g.name = ${name}
      and ${published}
      and not exists (select from ${ofSource} and m.job_id = ${jobId} and m.target_text = ${pair.targetText})
      and (exists (select from ${ofSource})
        or ${segmentsOfPair(tenantId, pair, null)} < ${capacity})
    for key share of g`);
}

/** Deletes the segments added from a job with their sentences, and returns the number of the segments. */
async function deletePairsOfJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
  only: readonly FedPairKey[] | undefined,
): Promise<number> {
  const isWanted = only
    ? sql`((source_hash, target_text) in (select decode(w.h, 'hex'), w.t
        from json_to_recordset(${JSON.stringify(only.map(({ hash, targetText }) => ({ h: hash, t: targetText })))}::json)
          as w(h text, t text)) or fed_key in ${fedKeysOf(only)})`
    : sql`true`;
  const removed = await tx.execute<{ c: string; n: string; d: number | null; p: string | null }>(sql`
    with wanted as (
      select segment_no from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId} and ${isWanted})
    delete from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId}
      and (segment_no in (select segment_no from wanted) or part_of in (select segment_no from wanted))
    returning content_id as c, segment_no as n, shard_no as d, part_of as p`);
  if (removed.length === 0) return 0;
  // These are separate statements, so that they see what was stored while the first one waited.
  await tx.execute(sql`
    update memory_shards s set segments = segments - gone.n
    from (select c, d, count(*) as n from json_to_recordset(${JSON.stringify(removed)}::json) as r(c text, d int)
      group by c, d) gone
    where s.tenant_id = ${tenantId} and s.content_id = gone.c and s.shard_no = gone.d`);
  await deleteVectors(tx, tenantId, removed);
  return removed.filter(({ p }) => p === null).length;
}
