import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { InlineContent, InlineTag } from '#server/formats/inline-content.ts';
import type { ApprovedTarget } from '#server/translation/pipeline/run.ts';
import { isAssigned } from './assigned.ts';
import { type DocumentRow, requestOf } from './jobs.ts';
import { sourceKeyOf } from './stages/extract.ts';

/*
 * The translation memory has no tags. If it serves a text that a person has approved in a document of the workspace, the
 * tags of that document prove the positions. They are read from its segments, not stored with the memory, so that
 * positions that a reviewer moves, undoes or deletes are never used, and a translation edited in the memory has none.
 */

/**
 * The maximum number of segments with the same source of which the approved ones are used: those of the latest documents.
 * A text such as a footer is in all documents of a workspace.
 */
const maxRepetitions = 100;

/** SQL: when a person approved the segment `s` of the document `d`. */
const approvedAt = sql`coalesce(greatest(s.confirmed_at, d.approved_at), d.updated_at)`;

/**
 * SQL: whether a person has approved the translation of the segment `s`: it is confirmed, or was added to the TM as a
 * correction, or is an unflagged segment of an approved document. A draft is not approved, and of an assigned document
 * nothing is before the document.
 */
const isApproved = sql`(s.confirmed_at is not null or case when s.corrected then not s.feed_pending
  else d.approved_at is not null and not s.needs_review end)
  and (d.approved_at is not null or not ${isAssigned(sql`s.tenant_id`, sql`s.document_id`)})`;

/**
 * Returns the approved translations of texts, in their order: those of other documents of the workspace with the same
 * languages, whose sources have the same text and the same tags at the same places. Of several with the same text, it is
 * the one that was approved last.
 *
 * The tags are the same as for repetitions (`repeatedText`): a pair of formatting is not the same as another pair, because
 * a translation may lack it. The kind of a tag does not matter, nor the format of the file: whether they are bold or
 * italic, the words of a source correspond to the same words of its translation.
 */
export async function selectApprovedTargets(
  tx: Tx,
  row: DocumentRow,
  sources: readonly InlineContent[],
): Promise<ApprovedTarget[][]> {
  const found = sources.map((): ApprovedTarget[] => []);
  if (sources.length === 0) return found;
  const { tenantId, documentId } = row;
  const { source_lang, target_lang } = requestOf(row);
  const keys = sources.flatMap((source, at) =>
    [...new Set([source, ...numberings(source)].map((one) => sourceKeyOf({ source: one })))].map((key) => ({
      at,
      key,
    })),
  );
  const rows = await tx.execute<{ at: number; source: InlineContent; target: InlineContent }>(sql`
    select k.at, a.source, a.target
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(at int, key text)
    cross join lateral (
      select distinct on (s.target_text) s.source, s.target, ${approvedAt} as approved_at
      from (select * from document_segments o
        where o.source_key = decode(k.key, 'hex') and o.tenant_id = ${tenantId} and o.document_id <> ${documentId}
        order by o.document_id desc limit ${maxRepetitions}) s
      -- With an ordinary join, PostgreSQL could search the segments again for each document.
      cross join lateral (
        select approved_at, updated_at from document_jobs
        where tenant_id = ${tenantId} and document_id = s.document_id
          and request ->> 'source_lang' = ${source_lang} and request ->> 'target_lang' = ${target_lang} offset 0) d
      where s.target is not null and ${isApproved}
      order by s.target_text, approved_at desc, s.document_id desc, s.position) a
    order by a.approved_at desc`);
  for (const { at, ...approved } of rows) found[at]!.push(approved);
  return found;
}

/**
 * Returns a source with its tags numbered as the readers of our formats do it: all in reading order, or in Office formats
 * first those that are not formatting.
 */
function numberings(source: InlineContent): [InlineContent, InlineContent] {
  const opened = source.filter((item) => typeof item !== 'string' && item.type !== 'close') as InlineTag[];
  const officeOrder = [...opened.filter(({ format }) => !format), ...opened.filter(({ format }) => format)];
  const numbered = (order: readonly InlineTag[]) => {
    const numbers = new Map(order.map(({ tag }, at) => [tag, at + 1]));
    return source.map((item) => (typeof item === 'string' ? item : { ...item, tag: numbers.get(item.tag)! }));
  };
  return [numbered(opened), numbered(officeOrder)];
}
