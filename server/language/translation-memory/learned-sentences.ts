import { setImmediate } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { segmentationOf } from '#server/language/segmentation/rules.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { type ApprovedPair, isUntranslated, sentencePairs } from './sentence-pairs.ts';
import { ensureSet, goldenSetName, sentenceSetName } from './sets.ts';

/**
 * Adds the sentence pairs of approved segments, which the same transaction has added to the golden set for this job. A
 * segment that was not added has none. Sentence pairs are in another set, which no list shows: they are not segments of
 * the TM, do not count toward its capacity, and are deleted with their segments (`part_of`).
 */
export function learnSentences(
  tx: Tx,
  { tenantId, jobId, languages }: { tenantId: string; jobId: string; languages: LanguagePair },
  pairs: readonly ApprovedPair[],
): Promise<void> {
  const segment = sql`
    select m.segment_no, m.job_id from memory_segments m join memory_sets a
      on a.tenant_id = m.tenant_id and a.content_id = m.content_id and a.name = ${goldenSetName(languages)}
    where m.tenant_id = ${tenantId} and m.source_hash = decode(r.ph, 'hex') and m.target_text = r.pt
      and m.job_id = ${jobId}
    order by m.segment_no desc limit 1`;
  return insertSentences(tx, { tenantId, languages, segment }, pairs);
}

/** A segment of a golden set that a member has changed. */
export interface ChangedSegment extends ApprovedPair {
  segmentNo: number;
}

/** Replaces the sentence pairs of changed segments of a golden set. A text with markup has none. */
export async function renewSentences(
  tx: Tx,
  { tenantId, versionId, ...languages }: LanguagePair & { tenantId: string; versionId: string },
  segments: readonly ChangedSegment[],
): Promise<void> {
  await forgetSentences(
    tx,
    tenantId,
    segments.map(({ segmentNo }) => segmentNo),
  );
  const segment = sql`
    select m.segment_no, m.job_id from memory_segments m
    where m.tenant_id = ${tenantId} and m.content_id = ${versionId} and m.segment_no = r.pn`;
  const plain = segments.filter(({ sourceText }) => !/<[/!?a-z]/i.test(sourceText));
  await insertSentences(tx, { tenantId, languages, segment }, plain);
}

/** Deletes the sentence pairs of some segments of a golden set. */
export async function forgetSentences(
  tx: Tx,
  tenantId: string,
  segmentNos: readonly number[],
): Promise<void> {
  if (segmentNos.length === 0) return;
  const removed = await tx.execute<RemovedSegment>(sql`
    delete from memory_segments where tenant_id = ${tenantId}
      and part_of = any(array(select value::bigint from json_array_elements_text(${JSON.stringify(segmentNos)}::json)))
    returning content_id as c, segment_no as n, shard_no as d`);
  await leaveShards(tx, tenantId, removed);
}

/** Milliseconds after which other requests may run. A change has up to 16 MB of texts. */
const maxSliceMs = 4;

/** Milliseconds after which a transaction stops queueing for a thread, and the built-in rules divide its texts. */
const maxWaitMs = 1000;

/** @param segment SQL that selects the segment of a row `r` */
async function insertSentences(
  tx: Tx,
  { tenantId, languages, segment }: { tenantId: string; languages: LanguagePair; segment: SQL },
  pairs: readonly (ApprovedPair & { segmentNo?: number })[],
): Promise<void> {
  const rules = await segmentationOf(tx);
  const { pairSource, pairTarget } = languages;
  const sides = pairs.flatMap(({ sourceText, targetText }) => [
    { text: sourceText, language: pairSource },
    { text: targetText, language: pairTarget },
  ]);
  await rules?.divide(sides, { tenantId, signal: AbortSignal.timeout(maxWaitMs) });
  const rows = new Map<string, object>();
  let begun = performance.now();
  for (const pair of pairs) {
    if (performance.now() - begun > maxSliceMs) {
      await setImmediate();
      begun = performance.now();
    }
    const of = { ph: sourceHashHex(normalForm(pair.sourceText)), pt: pair.targetText, pn: pair.segmentNo };
    for (const { sourceText, targetText } of sentencePairs(pair, languages, rules)) {
      if (isUntranslated({ sourceText, targetText, targetLang: languages.pairTarget })) continue;
      const shard = isShortEnough(sourceText) && isShortEnough(targetText) ? null : -1;
      const hash = sourceHashHex(normalForm(sourceText));
      rows.set(`${hash} ${targetText}`, { ...of, h: hash, s: sourceText, t: targetText, shard });
    }
  }
  if (rows.size === 0) return;
  const name = sentenceSetName(languages);
  await ensureSet(tx, tenantId, {
    ...languages,
    ...{ setId: newId(), name, origin: 'golden_sentences', embeddingModel: null },
  });
  // A sentence is not added if its latest translation is already this one.
  await tx.execute(sql`
    insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, shard_no,
      job_id, part_of)
    select ${tenantId}, g.content_id, decode(r.h, 'hex'), r.s, r.t, date_trunc('second', now()), r.shard,
      segment.job_id, segment.segment_no
    from memory_sets g
    cross join json_to_recordset(${JSON.stringify([...rows.values()])}::json)
      as r(ph text, pt text, pn bigint, h text, s text, t text, shard int)
    cross join lateral (${segment}) segment
    where g.tenant_id = ${tenantId} and g.name = ${name} and r.t is distinct from (
      select m.target_text from memory_segments m
      where m.tenant_id = ${tenantId} and m.source_hash = decode(r.h, 'hex') and m.content_id = g.content_id
      order by m.segment_no desc limit 1)
    for key share of g`);
}

/** A deleted segment: its version `c`, number `n` and shard `d`. */
export type RemovedSegment = { c: string; n: string; d: number | null };

/**
 * Counts deleted segments out of their shards. This is a separate statement, so that it sees what was stored while the
 * deletion waited.
 */
export async function leaveShards(
  tx: Tx,
  tenantId: string,
  removed: readonly RemovedSegment[],
): Promise<void> {
  if (removed.length === 0) return;
  await tx.execute(sql`
    update memory_shards s set segments = segments - gone.n
    from (select c, d, count(*) as n from json_to_recordset(${JSON.stringify(removed)}::json) as r(c text, d int)
      group by c, d) gone
    where s.tenant_id = ${tenantId} and s.content_id = gone.c and s.shard_no = gone.d`);
}
