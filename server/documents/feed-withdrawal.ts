import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { changeManifest, manifestInSql } from './feed-manifest.ts';
import { type DocumentRow, documentColumns, isDocument } from './jobs.ts';
import type { DocumentFeedManifest } from './schema.ts';
import { isUnresolved, ofDocument } from './segments.ts';

/*
 * The TM has one pair for all segments of a document whose sources and translations have the same normal forms. So
 * pairs are compared here by their normal forms, not by their texts.
 */

type FedPair = DocumentFeedManifest['fed_pairs'][number];

/** A source and its translation. */
export interface Pair {
  source_text: string;
  target_text: string | null;
}

function keyOf({ source_text, target_text }: Pair): string {
  return `${sourceHashHex(normalForm(source_text))} ${normalForm(target_text ?? '')}`;
}

/**
 * Withdraws the segments that the approval of a document added: removes them from the TM and from the manifest, and
 * resets the manifest's counts of omitted segments. Corrections among them are added again by the next approval.
 * Segments that reviews added stay.
 */
export async function withdrawApprovalFeed(tx: Tx, row: DocumentRow): Promise<void> {
  const approved = await selectFed(tx, row, sql`f ->> 'stage' = 'approve'`);
  const reviewed = new Set((await selectFed(tx, row, sql`f ->> 'stage' = 'review'`)).map(keyOf));
  const fed = approved.filter((pair) => !reviewed.has(keyOf(pair)));
  await withdraw(tx, row, fed);
  await markPending(tx, row, fed);
  await changeManifest(tx, row, sql`jsonb_build_object('skipped', '{}'::jsonb, 'last_feed_error', null)`);
}

/**
 * Withdraws the corrections that reviews added to the TM, from documents that await review and now have an assignment or a
 * rule. They are added again by the approval. The rows of the documents must be locked.
 */
export async function withdrawReviewFeed(
  tx: Tx,
  tenantId: string,
  documentIds: readonly string[],
): Promise<void> {
  const rows = await tx
    .select(documentColumns)
    .from(documentJobs)
    .where(
      sql`${documentJobs.tenantId} = ${tenantId} and ${documentJobs.documentId} in (${elementsOf(documentIds)})
        and ${documentJobs.approvedAt} is null and ${documentJobs.feedManifest} @? '$.fed_pairs[*] ? (@.stage == "review")'`,
    )
    .orderBy(documentJobs.documentId);
  for (const row of rows) {
    const fed = await selectFed(tx, row, sql`f ->> 'stage' = 'review'`);
    await withdraw(tx, row, fed);
    await markPending(tx, row, fed);
  }
}

/**
 * Withdraws the pairs of a change that was undone, except for pairs that another segment of the document justifies: a
 * correction with the same translation that was added or did not have to be, or an unchanged segment of an approved
 * document.
 * @returns whether a pair was withdrawn
 */
export async function withdrawUndoneFeed(
  tx: Tx,
  row: DocumentRow,
  pairs: readonly Pair[],
): Promise<(pair: Pair) => boolean> {
  const undone = new Set(pairs.map(keyOf));
  const hashes = [...new Set(pairs.map(({ source_text }) => sourceHashHex(normalForm(source_text))))];
  const fed = (await selectFed(tx, row, sql`f ->> 'source_hash' in (${elementsOf(hashes)})`)).filter((pair) =>
    undone.has(keyOf(pair)),
  );
  const { corrected, feedPending } = documentSegments;
  const isLearned = sql`((${corrected} and not ${feedPending})
    or (not ${corrected} and ${row.approvedAt !== null}::boolean and not ${isUnresolved}))`;
  const justified = new Set((await selectEqual(tx, row, fed, isLearned)).map(keyOf));
  const withdrawn = fed.filter((pair) => !justified.has(keyOf(pair)));
  await withdraw(tx, row, withdrawn);
  const keys = new Set(withdrawn.map(keyOf));
  return (pair) => keys.has(keyOf(pair));
}

/**
 * Returns pairs of the manifest.
 * @param condition about `f`, a pair in the manifest
 */
async function selectFed(tx: Tx, { tenantId, documentId }: DocumentRow, condition: SQL): Promise<FedPair[]> {
  const [stored] = await tx
    .select({
      fed: sql<FedPair[]>`(select coalesce(jsonb_agg(f), '[]')
        from jsonb_array_elements(${documentJobs.feedManifest} -> 'fed_pairs') f where ${condition})`,
    })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId));
  return stored?.fed ?? [];
}

/** Removes pairs from the TM and from the manifest. */
async function withdraw(tx: Tx, row: DocumentRow, fed: readonly FedPair[]): Promise<void> {
  if (fed.length === 0) return;
  const keys = fed.map(({ source_hash, target_text }) => ({ hash: source_hash, targetText: target_text }));
  await unlearnJob(tx, row.tenantId, row.documentId, keys);
  await changeManifest(
    tx,
    row,
    sql`jsonb_build_object('fed_pairs', (select coalesce(jsonb_agg(f order by n), '[]')
      from jsonb_array_elements(${manifestInSql} -> 'fed_pairs') with ordinality as e(f, n)
      where (f ->> 'source_hash', f ->> 'target_text') not in (
        select hash, "targetText" from json_to_recordset(${JSON.stringify(keys)}::json) as w(hash text, "targetText" text))))`,
  );
}

/** Marks corrections whose pair was withdrawn as not added to the TM. */
async function markPending(tx: Tx, row: DocumentRow, withdrawn: readonly FedPair[]): Promise<void> {
  const { corrected, feedPending, position } = documentSegments;
  const equal = await selectEqual(tx, row, withdrawn, sql`(${corrected} and not ${feedPending})`);
  if (equal.length === 0) return;
  await tx
    .update(documentSegments)
    .set({ feedPending: true })
    .where(
      sql`${ofDocument(row.tenantId, row.documentId)} and ${position} = any(array(
        select value::int from json_array_elements_text(${JSON.stringify(equal.map((one) => one.position))}::json)))`,
    );
}

/** Returns the segments that meet the condition and have the source and the translation of one of the pairs. */
async function selectEqual(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  pairs: readonly FedPair[],
  condition: SQL,
): Promise<(Pair & { position: number })[]> {
  if (pairs.length === 0) return [];
  const { position, sourceText, targetText } = documentSegments;
  const keys = new Set(pairs.map(keyOf));
  const normal = [...new Set(pairs.map(({ source_text }) => normalForm(source_text)))];
  const rows = await tx
    .select({ position, source_text: sourceText, target_text: targetText })
    .from(documentSegments)
    .where(
      // Printable ASCII with single spaces is its own normal form. The normal forms of other texts are computed here.
      sql`${ofDocument(tenantId, documentId)} and ${condition} and (${sourceText} in (${elementsOf(normal)})
        or ${sourceText} collate "C" !~ '^[!-~]+( [!-~]+)*$')`,
    );
  return rows.filter((segment) => keys.has(keyOf(segment)));
}

/** SQL: a subquery that returns these values. It passes any number of them as one parameter. */
function elementsOf(values: readonly string[]): SQL {
  return sql`select json_array_elements_text(${JSON.stringify(values)}::json)`;
}
