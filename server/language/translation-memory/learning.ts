import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { deleteVectors } from './embed-golden-sets.ts';
import { goldenSetName, segmentsOfPair } from './sets.ts';

/** A finished text job's pair. Languages are canonical codes. */
export interface JobPair {
  jobId: string;
  sourceLang: string;
  targetLang: string;
  sourceText: string;
  targetText: string;
}

/**
 * Whether a target is not a translation: empty, equal to its source, or the stub engine's echo of it. Such pairs are
 * not learned.
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
 * Adds a published job's pair to the golden set of its languages. It runs in the transaction that publishes the job,
 * after that statement. `published` is SQL that is true if the job's row is still published: another run may have
 * taken the job.
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

/** A pair as its job added it. */
export interface FedPairKey {
  /** Of the source's normal form, in hexadecimal. */
  hash: string;
  targetText: string;
}

/**
 * Deletes the pairs learned from a job that is being deleted or reopened, and returns how many.
 * @param only these pairs; default: all
 */
export function unlearnJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
  only?: readonly FedPairKey[],
): Promise<number> {
  return deletePairsOfJob(tx, tenantId, jobId, only);
}

/** An approved pair. */
interface LearnedPair extends LanguagePair {
  /** Of the source's normal form, in hexadecimal. */
  hash: string;
  sourceText: string;
  targetText: string;
  /** Whether it may be offered as a close match. */
  offered: boolean;
}

/**
 * Creates a pair's golden set if it does not exist. Its version has the name of the set, so that two concurrent first
 * approvals create one version and leave none unused.
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
    on conflict (tenant_id, name) do nothing`);
}

/**
 * Appends the pair of a text job if `published` holds. A job never adds the same pair twice. If the language pair is at its
 * capacity, only corrections of sources that it has are added. If the set is being deleted, it waits for that and adds
 * nothing.
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
  // `offset 0` makes it use the index of hashes, whatever the planner expects of the sets.
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

/** Deletes the pairs learned from a job, and returns their number. */
async function deletePairsOfJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
  only: readonly FedPairKey[] | undefined,
): Promise<number> {
  const isWanted = only
    ? sql`(source_hash, target_text) in (select decode(w.h, 'hex'), w.t
        from json_to_recordset(${JSON.stringify(only.map(({ hash, targetText }) => ({ h: hash, t: targetText })))}::json)
          as w(h text, t text))`
    : sql`true`;
  const removed = await tx.execute<{ c: string; n: string; d: number | null }>(sql`
    delete from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId} and ${isWanted}
    returning content_id as c, segment_no as n, shard_no as d`);
  if (removed.length === 0) return 0;
  // Separate statements, which see what was stored while the first one waited.
  await tx.execute(sql`
    update memory_shards s set segments = segments - gone.n
    from (select c, d, count(*) as n from json_to_recordset(${JSON.stringify(removed)}::json) as r(c text, d int)
      group by c, d) gone
    where s.tenant_id = ${tenantId} and s.content_id = gone.c and s.shard_no = gone.d`);
  await deleteVectors(tx, tenantId, removed);
  return removed.length;
}
