import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { fedKeysOf, forgetChanges, handOverMerged } from './editing/history.ts';
import { deleteVectors } from './embed-golden-sets.ts';
import { learnSentences, leaveShards, type RemovedSegment } from './learned-sentences.ts';
import { ensureSet, goldenSetName, segmentsOfPair } from './sets.ts';
import { forgetUses } from './use-counts.ts';

/** Source and target of a completed text job. Languages are canonical codes. */
interface JobPair {
  jobId: string;
  sourceLang: string;
  targetLang: string;
  sourceText: string;
  targetText: string;
  /** Whether its sentences are added, too: a person has approved the text, and it has no markup. */
  hasSentences: boolean;
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

/** Identifies a segment in the form in which its job added it. */
interface FedPairKey {
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
  const wanted = only
    ? sql`((source_hash, target_text) in (select decode(w.h, 'hex'), w.t
        from json_to_recordset(${JSON.stringify(only.map(({ hash, targetText }) => ({ h: hash, t: targetText })))}::json)
          as w(h text, t text)) or fed_key in ${fedKeysOf(only)})`
    : sql`true`;
  return Promise.all([
    handOverMerged(tx, tenantId, jobId, wanted),
    deletePairsOfJob(tx, tenantId, jobId, wanted),
    forgetChanges(tx, tenantId, jobId, only),
    // Again: an undo that ran during the statement before may have restored some.
    deletePairsOfJob(tx, tenantId, jobId, wanted),
  ]).then(([, removed, , restored]) => removed + restored);
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
async function deletePairsOfJob(tx: Tx, tenantId: string, jobId: string, wanted: SQL): Promise<number> {
  const removed = await tx.execute<RemovedSegment & { p: string | null }>(sql`
    with wanted as (
      select segment_no from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId} and ${wanted})
    delete from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId}
      and (segment_no in (select segment_no from wanted) or part_of in (select segment_no from wanted))
    returning content_id as c, segment_no as n, shard_no as d, part_of as p`);
  if (removed.length === 0) return 0;
  await leaveShards(tx, tenantId, removed);
  await deleteVectors(tx, tenantId, removed);
  await forgetUses(tx, tenantId, removed);
  return removed.filter(({ p }) => p === null).length;
}
