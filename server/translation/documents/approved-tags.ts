import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import type { ApprovedTarget } from '#server/translation/core/pipeline/run.ts';
import { type DocumentRow, requestOf } from './jobs.ts';

/*
 * The translation memory has no tags. If it serves a text that a person has approved in a document of the workspace, the
 * tags of that document prove the positions. They are read from its segments, not stored with the memory, so that
 * positions that a reviewer moves, undoes or deletes are never used, and a translation edited in the memory has none.
 */

/**
 * The maximum number of segments with the same source of which the approved ones are used: those of the latest documents.
 * A text such as a footer is in all documents of a workspace.
 */
const maxRepetitions = 200;

/** SQL: when a person approved the segment `s` of the document `d`. */
const approvedAt = sql`coalesce(greatest(s.confirmed_at, d.approved_at), d.updated_at)`;

/**
 * SQL: whether a person has approved the translation of the segment `s`: it is confirmed, or was added to the TM as a
 * correction, or is an unflagged segment of an approved document. A draft is not approved.
 */
const isApproved = sql`(s.confirmed_at is not null or case when s.corrected then not s.feed_pending
  else d.approved_at is not null and not s.needs_review end)`;

/**
 * Returns the approved translations of segments, by their positions: those of other documents of the workspace with the
 * same languages, whose sources have the same text and the same tags at the same places. Of several with the same text, it
 * is the one that was approved last. The tags are compared as for repetitions (`repeatedText`), in any file format: bold
 * words of a Word file and of a web page correspond to the same words of the translation.
 */
export async function selectApprovedTargets(
  tx: Tx,
  row: DocumentRow,
  positions: readonly number[],
): Promise<Map<number, ApprovedTarget[]>> {
  const found = new Map<number, ApprovedTarget[]>();
  if (positions.length === 0) return found;
  const { tenantId, documentId } = row;
  const { source_lang, target_lang } = requestOf(row);
  const rows = await tx.execute<{ position: number; source: InlineContent; target: InlineContent }>(sql`
    with wanted as materialized (
      select position, source_key from document_segments
      where tenant_id = ${tenantId} and document_id = ${documentId}
        and position = any(array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int)))
    select k.position, a.source, a.target from wanted k
    cross join lateral (
      select distinct on (s.target_text) s.source, s.target
      from (select * from document_segments o
        where o.source_key = k.source_key and o.tenant_id = ${tenantId} and o.document_id <> ${documentId}
        order by o.document_id desc limit ${maxRepetitions}) s
      join document_jobs d on d.tenant_id = ${tenantId} and d.document_id = s.document_id
      where s.target is not null and ${isApproved}
        and d.request ->> 'source_lang' = ${source_lang} and d.request ->> 'target_lang' = ${target_lang}
      order by s.target_text, ${approvedAt} desc, s.document_id desc, s.position) a`);
  for (const { position, ...approved } of rows) {
    const known = found.get(position);
    if (known) known.push(approved);
    else found.set(position, [approved]);
  }
  return found;
}
