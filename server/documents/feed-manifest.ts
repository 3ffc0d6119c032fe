import { and, asc, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type InlineContent, memoryText } from '#server/formats/inline-content.ts';
import {
  type DocumentFeed,
  type DocumentPair,
  feedDocument,
} from '#server/language/translation-memory/document-feed.ts';
import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { isAssigned } from './assigned.ts';
import { type DocumentRow, emptyManifest, isDocument, requestOf, unknownDocument } from './jobs.ts';
import type { DocumentApprovalResult } from './schema.ts';
import { selectContexts } from './segment-contexts.ts';
import { isUnresolved, ofDocument } from './segments.ts';

type FeedServices = Pick<Services, 'database' | 'embedder' | 'log' | 'settings'>;
type Tally = DocumentApprovalResult['skipped'];

/** The result of adding segments to the TM. */
interface Fed {
  /** Number of segments that this call added to the manifest. */
  pairs: number;
  skipped: Tally;
  error: string | null;
}

const nothingSkipped: Tally = { fast_path: 0, needs_review: 0, duplicates: 0, empty: 0 };

/** The segments of a document to add to the TM. */
interface Selection {
  /** Positions of the corrections that are not in the TM yet. */
  corrections: number[];
  pairs: (DocumentPair & { sourceKey: string })[];
  /** Number of omitted segments by reason; null leaves the stored numbers unchanged. */
  skipped: Tally | null;
}

/**
 * Adds to the TM the corrections of a review, and all other corrections that a reviewer has confirmed since. Those of an
 * assigned document are added only by its approval. A correction
 * that is a draft, which means that no one has confirmed it, is added by the approval: its author may still be typing.
 * @param changeId the change that stored the review's corrections. If a reviewer has saved a draft over one of them
 *   since, the draft is not added.
 */
export function feedReview(services: FeedServices, row: DocumentRow, changeId?: string): Promise<Fed> {
  const { confirmedAt, position } = documentSegments;
  const isOfChange = sql`${changeId ?? ''} = (
    select e.change_id from segment_events e
    where e.tenant_id = ${row.tenantId} and e.document_id = ${row.documentId} and e.position = ${position}
      and e.undone_at is null and e.kind not in ('undone', 'redone')
    order by e.created_at desc, e.event_id desc limit 1)`;
  const isReviewed = changeId === undefined ? isNotNull(confirmedAt) : or(isNotNull(confirmedAt), isOfChange);
  return feedMemory(services, row, 'review', async (tx) => ({
    ...(await selectCorrections(
      tx,
      row,
      and(isReviewed, sql`not ${isAssigned(row.tenantId, row.documentId)}`),
    )),
    skipped: null,
  }));
}

/** Whether a review can add a correction to the TM that a reviewer has confirmed. */
export async function hasPendingFeed(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<boolean> {
  const { confirmedAt, feedPending, position } = documentSegments;
  const [pending] = await tx
    .select({ position })
    .from(documentSegments)
    .where(
      and(
        ofDocument(tenantId, documentId),
        sql`${feedPending} and not ${isAssigned(tenantId, documentId)}`,
        isNotNull(confirmedAt),
      ),
    )
    .limit(1);
  return pending !== undefined;
}

/**
 * Adds to the TM all segments that are not in it yet, except drafts that a reviewer has saved since the approval: no one
 * has confirmed or approved these. Of an assigned document, confirmed changes since the approval are not added either.
 */
export function feedApproval(services: FeedServices, row: DocumentRow): Promise<Fed> {
  const { confirmedAt, position } = documentSegments;
  const isSettled = sql`((${confirmedAt} is not null and not ${isAssigned(row.tenantId, row.documentId)}) or not exists (
    select from segment_events e join document_jobs d on d.tenant_id = e.tenant_id and d.document_id = e.document_id
    where e.tenant_id = ${row.tenantId} and e.document_id = ${row.documentId} and e.position = ${position}
      and e.created_at > d.approved_at))`;
  return feedMemory(services, row, 'approve', async (tx) => {
    const { corrections, pairs } = await selectCorrections(tx, row, isSettled);
    const unedited = await selectUnedited(tx, row);
    return { corrections, pairs: [...pairs, ...unedited.pairs], skipped: unedited.skipped };
  });
}

/**
 * Returns the number of segments that the last approval omitted, by reason; undefined if no approval has added segments
 * to the TM yet.
 */
export async function selectTally(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<Tally | undefined> {
  const [row] = await tx
    .select({ skipped: sql<Partial<Tally> | null>`${documentJobs.feedManifest} -> 'skipped'` })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId));
  const skipped = row?.skipped ?? {};
  return Object.keys(skipped).length > 0 ? { ...nothingSkipped, ...skipped } : undefined;
}

/**
 * Adds segments of a document to the TM and records them in the document's manifest, in one transaction: if it is
 * repeated, it adds nothing twice. If the TM is unavailable, this returns an error instead of throwing it, because the
 * review or approval still succeeds.
 */
async function feedMemory(
  services: FeedServices,
  row: DocumentRow,
  stage: 'review' | 'approve',
  select: (tx: Tx) => Promise<Selection>,
): Promise<Fed> {
  const { tenantId, documentId } = row;
  const { source_lang, target_lang } = requestOf(row);
  const languages = {
    pairSource: source_lang as LanguageCode,
    pairTarget: target_lang as LanguageCode,
  };
  const tallied = (skipped: Tally | null, duplicates: number): Tally => ({
    ...nothingSkipped,
    ...skipped,
    duplicates: (skipped?.duplicates ?? 0) + duplicates,
  });
  try {
    let selection: Selection = { corrections: [], pairs: [], skipped: null };
    const { fed, duplicates } = await feedDocument(
      services,
      { tenantId, documentId, languages },
      {
        async select(tx) {
          await lockDocument(tx, row);
          selection = await select(tx);
          const { pairs } = selection;
          const contexts = await selectContexts(tx, row, new Set(pairs.map(({ sourceKey }) => sourceKey)));
          return pairs.map(({ sourceKey, ...pair }) => ({ ...pair, context: contexts.get(sourceKey) }));
        },
        async record(tx, feed) {
          const { corrections, skipped } = selection;
          await storeFed(tx, row, stage, feed, skipped && tallied(skipped, feed.duplicates));
          await markFed(tx, row, corrections);
        },
      },
    );
    return { pairs: fed.length, skipped: tallied(selection.skipped, duplicates), error: null };
  } catch (error) {
    services.log.warn(
      { document_id: documentId, error: describeForLog(error) },
      'a document was not added to the translation memory',
    );
    const message = 'the translation memory could not be updated';
    await services.database
      .inTenant(tenantId, (tx) =>
        changeManifest(tx, row, sql`jsonb_build_object('last_feed_error', ${message}::text)`),
      )
      .catch(() => {});
    return { pairs: 0, skipped: nothingSkipped, error: message };
  }
}

/**
 * Locks the document, so that reviewers cannot change a segment between its selection and the mark that it was added.
 * @throws AppError 404 if the document was deleted
 */
async function lockDocument(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<void> {
  const [locked] = await tx
    .select({ documentId: documentJobs.documentId })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId))
    .for('no key update');
  if (!locked) throw unknownDocument();
}

const sourceKey = sql<string>`encode(${documentSegments.sourceKey}, 'hex')`;

/** Returns the corrections that are not in the TM yet, in reading order. */
async function selectCorrections(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  condition?: SQL,
): Promise<Pick<Selection, 'corrections' | 'pairs'>> {
  const rows = await tx
    .select({
      position: documentSegments.position,
      source: documentSegments.source,
      target: documentSegments.target,
      variant: documentSegments.variant,
      sourceKey,
    })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), sql`${documentSegments.feedPending}`, condition))
    .orderBy(asc(documentSegments.position));
  return {
    corrections: rows.map(({ position }) => position),
    // A segment with a variant counts as added, but is not added to the TM, which compares only texts.
    pairs: rows
      .filter(({ variant }) => variant === null)
      .map((segment) => ({ ...pairOf(segment), sourceKey: segment.sourceKey, corrected: true })),
  };
}

/** Returns the texts of a segment as the TM has them. */
function pairOf({ source, target }: { source: unknown[]; target: unknown[] | null }) {
  const [sourceText, targetText] = [source, target ?? []].map((content) =>
    memoryText(content as InlineContent),
  ) as [string, string];
  return { sourceText, targetText };
}

/** Returns the segments that no reviewer changed, one for each distinct text. */
async function selectUnedited(tx: Tx, { tenantId, documentId }: DocumentRow) {
  const ofThis = ofDocument(tenantId, documentId);
  const [correctedRows, rows] = await Promise.all([
    tx
      .selectDistinct({ sourceText: documentSegments.sourceText })
      .from(documentSegments)
      .where(and(ofThis, sql`${documentSegments.corrected}`)),
    tx
      .selectDistinctOn([documentSegments.sourceText, documentSegments.targetText], {
        sourceText: documentSegments.sourceText,
        targetText: documentSegments.targetText,
        source: documentSegments.source,
        target: documentSegments.target,
        fastPath: documentSegments.fastPath,
        sourceKey,
        needsReview: isUnresolved.mapWith(Boolean),
      })
      .from(documentSegments)
      .where(
        and(
          ofThis,
          isNotNull(documentSegments.target),
          isNull(documentSegments.variant),
          sql`not ${documentSegments.corrected}`,
        ),
      )
      // If a text occurs several times, one confirmation suffices: the unresolved occurrences are sorted last.
      .orderBy(
        documentSegments.sourceText,
        documentSegments.targetText,
        isUnresolved,
        documentSegments.position,
      ),
  ]);
  const corrected = new Set(correctedRows.map(({ sourceText }) => normalForm(sourceText)));
  const skipped = { ...nothingSkipped };
  const pairs = rows.flatMap(({ sourceText, targetText, sourceKey, ...segment }) => {
    // This translation must not be added after the correction of an equal text: it would be served instead of the
    // correction.
    const isCorrectedElsewhere = corrected.size > 0 && corrected.has(normalForm(sourceText));
    const reason = reasonToSkip(targetText ?? '', { ...segment, isCorrectedElsewhere });
    if (reason) skipped[reason] += 1;
    return reason ? [] : [{ ...pairOf(segment), sourceKey, corrected: false }];
  });
  return { pairs, skipped };
}

function reasonToSkip(
  targetText: string,
  segment: { fastPath: string | null; needsReview: boolean; isCorrectedElsewhere: boolean },
): keyof Tally | null {
  if (targetText.trim() === '') return 'empty';
  if (segment.fastPath !== null) return 'fast_path';
  if (segment.needsReview) return 'needs_review';
  return segment.isCorrectedElsewhere ? 'duplicates' : null;
}

/**
 * Adds the segments to the manifest. The manifest lists all of them, because deleting the document removes exactly
 * these from the TM.
 */
function storeFed(
  tx: Tx,
  row: DocumentRow,
  stage: 'review' | 'approve',
  { fed, atCap }: DocumentFeed,
  skipped: Tally | null,
): Promise<unknown> {
  const createdAt = new Date().toISOString();
  const added = fed.map(({ sourceText, targetText, sourceHash, corrected }) => ({
    source_text: sourceText,
    target_text: targetText,
    source_hash: sourceHash,
    corrected,
    stage,
    created_at: createdAt,
  }));
  const current = manifestInSql;
  return changeManifest(
    tx,
    row,
    sql`jsonb_build_object(
      'fed_pairs', (${current} -> 'fed_pairs') || ${JSON.stringify(added)}::jsonb,
      'skipped', coalesce(${skipped && JSON.stringify(skipped)}::jsonb, ${current} -> 'skipped'),
      'golden_skipped_at_cap', (${current} ->> 'golden_skipped_at_cap')::int + ${atCap}::int,
      'last_feed_error', null)`,
  );
}

/** SQL: the manifest of a document; the empty one if none is stored. */
export const manifestInSql = sql`coalesce(${documentJobs.feedManifest}, ${JSON.stringify(emptyManifest)}::jsonb)`;

/**
 * Replaces members of the manifest inside the database, so that a large manifest need not be read.
 * @throws AppError 404 if the document was deleted in between
 */
export async function changeManifest(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  members: ReturnType<typeof sql>,
): Promise<void> {
  const changed = await tx
    .update(documentJobs)
    .set({ feedManifest: sql`${manifestInSql} || ${members}` })
    .where(isDocument(tenantId, documentId))
    .returning({ documentId: documentJobs.documentId });
  if (changed.length === 0) throw unknownDocument();
}

async function markFed(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  positions: readonly number[],
): Promise<void> {
  if (positions.length === 0) return;
  await tx
    .update(documentSegments)
    .set({ feedPending: false })
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(
        select jsonb_array_elements_text(${JSON.stringify(positions)}::jsonb)::int))`,
    );
}
