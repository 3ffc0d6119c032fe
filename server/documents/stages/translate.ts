import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { type DocumentRun, updateRun, yieldIfOver } from '../document-run.ts';
import { ofDocument } from '../segments.ts';
import { type GroupSegment, type TranslatedSegment, translateGroup } from '../translate-group.ts';

/** Distinct texts that are looked up, translated and stored together; a crash loses at most these calls. */
const textsOfBatch = 200;
/** UTF-16 units of the texts of one group: one call of the engine. */
const unitsOfGroup = 6000;
const textsOfGroup = 40;

/**
 * Translates the segments that have no translation yet, in reading order. Equal segments are translated once. Each group is
 * stored as soon as it is done, so that a worker that takes over repeats only the groups in flight.
 */
export async function translateSegments(run: DocumentRun): Promise<void> {
  const { services, tenantId, signal } = run;
  const untranslated = await services.database.inTenant(tenantId, (tx) => selectUntranslated(tx, run));
  for (let start = 0; start < untranslated.length; start += textsOfBatch) {
    signal.throwIfAborted();
    const texts = await services.database.inTenant(tenantId, (tx) =>
      selectTexts(tx, run, untranslated.slice(start, start + textsOfBatch)),
    );
    const groups = groupsOf(texts);
    const results = await Promise.allSettled(
      groups.map(async (group) => {
        const { segments, cost } = await translateGroup(run, group);
        await services.database.inTenant(tenantId, (tx) => storeTranslations(tx, run, segments, cost));
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    if (start + textsOfBatch < untranslated.length) await yieldIfOver(run);
  }
  await services.database.inTenant(tenantId, (tx) => updateRun(tx, run, { stage: 'reconstruct' }));
}

/** The positions of each distinct text without a translation, in reading order. */
async function selectUntranslated(tx: Tx, { tenantId, documentId }: DocumentRun): Promise<number[][]> {
  const rows = await tx.execute<{ positions: number[] }>(sql`
    select json_agg(position order by position) as positions from document_segments
    where tenant_id = ${tenantId} and document_id = ${documentId} and target is null
    group by source_key order by min(position)`);
  return rows.map(({ positions }) => positions);
}

async function selectTexts(
  tx: Tx,
  { tenantId, documentId }: DocumentRun,
  texts: readonly number[][],
): Promise<GroupSegment[]> {
  const byFirst = new Map(texts.map((positions) => [positions[0], positions]));
  const rows = await tx
    .select({
      position: documentSegments.position,
      source: documentSegments.source,
      units: sql<number>`length(${documentSegments.sourceText})`,
      before: sql<string | null>`(select b.source_text from document_segments b
        where b.tenant_id = ${tenantId} and b.document_id = ${documentId} and b.position = document_segments.position - 1)`,
    })
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(
        select jsonb_array_elements_text(${JSON.stringify([...byFirst.keys()])}::jsonb)::int))`,
    )
    .orderBy(documentSegments.position);
  return rows.map(({ position, source, ...row }) => ({
    ...row,
    positions: byFirst.get(position) ?? [position],
    source: source as InlineContent,
  }));
}

function groupsOf(texts: readonly GroupSegment[]): GroupSegment[][] {
  const groups: GroupSegment[][] = [];
  let units = 0;
  for (const text of texts) {
    const last = groups.at(-1);
    units += text.units;
    if (last && units <= unitsOfGroup && last.length < textsOfGroup) last.push(text);
    else {
      groups.push([text]);
      units = text.units;
    }
  }
  return groups;
}

/** Stores the translations at every segment with the same source, and what they cost. @throws RunReplaced */
async function storeTranslations(
  tx: Tx,
  run: DocumentRun,
  segments: readonly TranslatedSegment[],
  cost: { inputTokens: number; outputTokens: number; models: readonly string[] },
): Promise<void> {
  const { tenantId, documentId } = run;
  const rows = segments.flatMap(({ positions: [position, ...copies], ...segment }) => [
    {
      position,
      target: segment.target,
      target_text: segment.targetText,
      score: segment.score === null ? null : Math.round(segment.score),
      needs_review: segment.needsReview,
      issues: segment.issues,
      fast_path: segment.fastPath,
      provenance: segment.provenance,
    },
    ...copies.map((copy) => ({ position: copy, copy_of: position })),
  ]);
  // Locks the job's row: groups of one document are stored one after the other.
  await updateRun(tx, run, {
    interruptions: 0,
    inputTokens: sql`least(${documentJobs.inputTokens}::bigint + ${cost.inputTokens}, 1000000000)::int`,
    outputTokens: sql`least(${documentJobs.outputTokens}::bigint + ${cost.outputTokens}, 1000000000)::int`,
    models: sql`(select coalesce(jsonb_agg(distinct m), '[]') from jsonb_array_elements(
      ${documentJobs.models} || ${JSON.stringify(cost.models)}::jsonb) m)`,
  });
  await tx.execute(sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, copy_of int, target jsonb,
        target_text text, score int, needs_review boolean, issues jsonb, fast_path text, provenance jsonb)),
    translated as (
      update document_segments s set target = r.target, target_text = r.target_text, score = r.score,
        needs_review = r.needs_review, issues = r.issues, fast_path = r.fast_path, provenance = r.provenance
      from given at join given r on r.position = coalesce(at.copy_of, at.position)
      where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = at.position
        -- Without statistics the planner would read the whole document; an array becomes a condition of the index.
        and s.position = any(array(select position from given))
      returning 1)
    update document_jobs set translated_segments = translated_segments + (select count(*) from translated)
    where tenant_id = ${tenantId} and document_id = ${documentId}`);
}
