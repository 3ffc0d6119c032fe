import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { fedKeysOf, forgetChanges } from './editing/history.ts';
import { deleteVectors } from './embed-golden-sets.ts';
import { goldenSetName, segmentsOfPair } from './sets.ts';

/** Source and target of a completed text job. Languages are canonical codes. */
export interface JobPair {
  jobId: string;
  sourceLang: string;
  targetLang: string;
  sourceText: string;
  targetText: string;
}

/**
 * Whether a target is not a translation: it is empty, equals its source, or is the stub engine's echo of the source.
 * Such segments are not added to the TM.
 */
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
 * Adds the segment of a published job to the golden set of its languages. Runs in the transaction that publishes the
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
        offered: isShortEnough(sourceText) && isShortEnough(targetText),
      },
      settings.MAX_TM_SEGMENTS,
    ),
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
 * Creates the golden set of a language pair, if it does not exist. The name of its version is the name of the set: so
 * two concurrent first approvals create only one version. They conflict in both unique indexes of the sets, so the
 * statement must name neither: a conflict in the other one would be an error, and the segment would be lost.
 */
export async function ensureGoldenSet(
  tx: Tx,
  tenantId: string,
  set: LanguagePair & { setId: string; name: string; embeddingModel: string | null },
): Promise<void> {
  await tx.execute(sql`
    with version as (
      insert into memory_contents (tenant_id, content_id) select ${tenantId}, ${set.name}
      where not exists (select from memory_sets where tenant_id = ${tenantId} and name = ${set.name})
      on conflict do nothing)
    insert into memory_sets (tenant_id, set_id, content_id, name, source_lang, target_lang, pair_source, pair_target,
      origin, entry_count, embedding_model)
    values (${tenantId}, ${set.setId}, ${set.name}, ${set.name}, ${set.pairSource}, ${set.pairTarget},
      ${set.pairSource}, ${set.pairTarget}, 'golden_approved', 0, ${set.embeddingModel})
    on conflict do nothing`);
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

/** Deletes the segments added from a job, and returns their number. */
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
  const removed = await tx.execute<{ c: string; n: string; d: number | null }>(sql`
    delete from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId} and ${isWanted}
    returning content_id as c, segment_no as n, shard_no as d`);
  if (removed.length === 0) return 0;
  // These are separate statements, so that they see what was stored while the first one waited.
  await tx.execute(sql`
    update memory_shards s set segments = segments - gone.n
    from (select c, d, count(*) as n from json_to_recordset(${JSON.stringify(removed)}::json) as r(c text, d int)
      group by c, d) gone
    where s.tenant_id = ${tenantId} and s.content_id = gone.c and s.shard_no = gone.d`);
  await deleteVectors(tx, tenantId, removed);
  return removed.length;
}
