import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { recordApproval } from '#server/documents/approval-record.ts';
import { isIntact, newestArtifact } from '#server/documents/artifacts.ts';
import { feedApproval, selectTally } from '#server/documents/feed-manifest.ts';
import {
  type DocumentRow,
  documentColumns,
  isApproved,
  isDocument,
  requireDocument,
} from '#server/documents/jobs.ts';
import {
  type LeasedDocument,
  needsRendering,
  type RenderServices,
  renderChanges,
} from '#server/documents/rendering.ts';
import { withReviewLease } from '#server/documents/review-lease.ts';
import { type DocumentApprovalResult, documentApproval } from '#server/documents/schema.ts';
import { documentSegment } from '#server/documents/segment-list.ts';
import { selectCritical } from '#server/documents/segments.ts';
import { keepFiles } from '#server/documents/unreferenced-files.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { moment } from '#server/platform/input-limits.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { removeGoldenLater, removeGoldenNow } from '#server/records/golden-deletion.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import { qualityIssue } from '#server/translation/agent-run-schema.ts';
import { requireTurn } from '../assignments/turn.ts';
import { type Author, recordDecision, requireName } from '../author.ts';
import {
  type Confirmations,
  type DecidingContext,
  decideEach,
  UnconfirmedFindings,
  Unopened,
} from '../decide.ts';
import { confirmCritical, decisionOutcome, distinct } from '../schema.ts';
import { documentAuthor, lockTranslated, whileLeased, withdrawApproval } from './document.ts';
import { ofDocumentJob } from './segment-schema.ts';

export const documentApproveInput = z
  .object({
    ...ofDocumentJob,
    notes: z.string().max(10_000).nullish().describe('Accepted, but not stored. At most 10000 characters.'),
    reviewer: z
      .string()
      .max(320)
      .nullish()
      .describe(
        'The name of the reviewer, at most 320 characters. Required for clients with an API key. For signed-in members, the session determines the reviewer.',
      ),
    confirm_critical: confirmCritical,
    updated_at: moment
      .optional()
      .describe(
        'The `updated_at` of the document when the reviewer read it. If others have changed a translation since then, the status is 409 and nothing is approved. Required for a document with a second review.',
      ),
  })
  .meta({
    id: 'DocumentApproveRequest',
    description: 'An approval. Send an empty object, {}, if there is no further data.',
  });

type DocumentApproveRequest = Omit<z.infer<typeof documentApproveInput>, 'confirm_critical' | 'document_id'>;

const documentId = z.string().max(200);
const ids = z.array(documentId).max(100);

export const approveManyInput = documentApproveInput
  .omit({ document_id: true, confirm_critical: true, updated_at: true })
  .extend({
    document_ids: distinct(documentId, { max: 100, keyOf: (id) => id, what: 'a document' }).describe(
      'The IDs of the documents to approve.',
    ),
    confirm_unopened: ids
      .default([])
      .describe('Those of `document_ids` that are approved even if the reviewer has not opened them.'),
    confirm_critical: ids
      .default([])
      .describe('Those of `document_ids` that are approved even if they have critical findings.'),
  });

const criticalSegment = documentSegment.pick({ region_id: true, cell_id: true, place: true }).extend({
  position: z.int().describe('The position of the segment in the document, from 0.'),
  issues: z.array(qualityIssue).describe('The critical issues of the segment.'),
});

export const approvalOutcomes = z.object({
  results: z
    .array(
      decisionOutcome(
        ofDocumentJob,
        { approval_result: documentApproval.shape.approval_result },
        criticalSegment,
      ),
    )
    .meta({ description: 'One result for each document, in the order of `document_ids`.' }),
});

type CompleteServices = LocatingServices & Pick<Services, 'backgroundWork' | 'embedder' | 'log'>;

/**
 * Approves a translated document: stores the approval in its row, adds to the TM the segments that no review has added,
 * and writes the audit record. If the first approval was interrupted, a second one completes it; otherwise a second one
 * changes nothing, unless the document was changed since. Then it is a new approval, which replaces the first one.
 * @throws AppError 404; 400 if the document is not translated, a file of it is missing or damaged, or its reviewer cannot be
 *   determined; 409, 403 if others review it; 409 conflict if others have changed it since the reviewer read it; 409
 *   storage_binding_not_verified; UnconfirmedFindings; Unopened
 */
export async function approveDocument(
  services: RenderServices,
  withTenant: WithTenant,
  origin: Origin,
  documentId: string,
  request: DocumentApproveRequest,
  { confirmCritical, isUnopened = false, openedAt }: Confirmations = {},
): Promise<{ tenantId: string; result: DocumentApprovalResult }> {
  const { tenantId, ...author } = await withTenant(async (tx, principal) => {
    const row = await lockTranslated(tx, principal.tenant.id, documentId);
    if (isUnopened && !isApproved(row)) throw new Unopened(`document job ${documentId}`);
    await destinationIn(tx, services, principal.tenant.id);
    const author = await documentAuthor(tx, principal, request.reviewer);
    if (!isApproved(row)) await requireApprovable(tx, row, author, request.updated_at);
    if (!isApproved(row)) await requireOpened(tx, row, author, openedAt);
    return { tenantId: principal.tenant.id, ...author, name: requireName(author) };
  });
  const result = await whileLeased(services, { tenantId, documentId }, async (leased) => {
    const { updated_at: seen } = request;
    const { row, isNew } = await stampRendered(services, leased, {
      ...author,
      confirmCritical,
      origin,
      seen,
      openedAt,
    });
    const { pairs, skipped, error } = await completeApproval(services, row);
    return {
      approved: true,
      already_approved: !isNew,
      reviewer: row.approvedBy,
      fed_pairs: isNew ? pairs : 0,
      skipped,
      feed_error: error,
    } as const;
  });
  return { tenantId, result };
}

/** Approves several documents, as `decideEach` does. */
export function approveDocuments(
  context: DecidingContext & { services: RenderServices },
  { document_ids: ids, confirm_unopened, confirm_critical, ...request }: z.infer<typeof approveManyInput>,
) {
  const { services, withTenant } = context;
  return decideEach(context, 'document', ids, {
    idOf: (id) => id,
    named: (document_id) => ({ document_id }),
    foundBy: ({ findings }) => findings as z.infer<typeof criticalSegment>[],
    async decide(id, openedAt) {
      // Stop here if the process is stopping; otherwise it could not stop before all documents are approved.
      if (services.backgroundWork.stopping.aborted)
        throw new AppError('transient_error', 'the service is restarting; approve the document again');
      const { result } = await approveDocument(services, withTenant, context, id, request, {
        confirmCritical: confirm_critical.includes(id),
        ...(!confirm_unopened.includes(id) && { isUnopened: openedAt === undefined, openedAt }),
      });
      return { approval_result: result };
    },
  });
}

/**
 * Requires that an author may approve a locked document.
 * @param seen the `updated_at` of the document when the author read it; undefined if the request does not name it
 * @throws AppError 409, 403 if others review the document; 409 conflict if others have changed a translation or its tags
 *   since, or if the document has no version that late
 */
async function requireApprovable(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  seen: string | undefined,
): Promise<void> {
  const { tenantId, documentId } = row;
  const languages = row.request as { source_lang: string; target_lang: string };
  await requireTurn(
    tx,
    { ...author, tenantId },
    { kind: 'document', id: documentId },
    { decision: { publishes: true, languages }, namesVersion: seen !== undefined },
  );
  if (seen !== undefined) await requireUnchanged(tx, row, author, seen);
}

/**
 * Requires that others have not changed a translation of a locked document since an author read it.
 * @param seen the `updated_at` of the document then
 * @throws AppError 409 conflict; its `present` has the changed segments, with the present and the former translation, and the
 *   `updated_at` of the document with these changes
 */
export async function requireUnchanged(
  tx: Tx,
  { tenantId, documentId, updatedAt }: DocumentRow,
  author: Author,
  seen: string,
): Promise<void> {
  if (Date.parse(seen) > updatedAt.getTime())
    throw new AppError('conflict', `document job ${documentId} has no such version; read it again`);
  // A confirmation that leaves the translation as it was, with its tags, changes nothing. The result of an event for a
  // segment is stored with the next one, or is its present state.
  const changed = await tx.execute<ChangedSegment & { total: number }>(sql`
    select position, previous_text, target_text, count(*) over ()::int as total from (
    select distinct on (e.position) e.position, e.before ->> 'target_text' as previous_text, s.target_text
    from segment_events e join document_segments s
      on s.tenant_id = e.tenant_id and s.document_id = e.document_id and s.position = e.position
    where e.tenant_id = ${tenantId} and e.document_id = ${documentId} and e.created_at > ${seen}::timestamptz
      and e.kind not in ('resolved', 'unconfirmed') and (e.user_id is null or e.user_id is distinct from ${author.userId}::text)
      and (e.kind <> 'confirmed' or nullif(e.before -> 'target', 'null') is distinct from coalesce((
        select nullif(n.before -> 'target', 'null') from segment_events n
        where n.tenant_id = e.tenant_id and n.document_id = e.document_id and n.position = e.position
          and (n.created_at, n.event_id) > (e.created_at, e.event_id)
        order by n.created_at, n.event_id limit 1), to_jsonb(s.target)))
    order by e.position, e.created_at, e.event_id) changed order by position limit ${maxChanged}`);
  if (changed.length === 0) return;
  const segments = changed.map(({ total: _, ...segment }) => segment);
  throw new AppError('conflict', `document job ${documentId} has changed since it was read; read it again`, {
    present: { updated_at: updatedAt.toISOString(), total: changed[0]?.total, segments },
  });
}

/** Maximum number of changed segments in an error. */
const maxChanged = 100;

/** A segment that others have changed since an author read it. */
interface ChangedSegment extends Record<string, unknown> {
  position: number;
  /** The translation that the author has read. */
  previous_text: string | null;
  target_text: string | null;
}

/**
 * Requires that others have not changed a translation of a locked document since an author opened it.
 * @throws Unopened
 */
async function requireOpened(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  openedAt: Date | undefined,
): Promise<void> {
  if (openedAt === undefined || openedAt >= row.updatedAt) return;
  await requireUnchanged(tx, row, author, openedAt.toISOString()).catch((error: unknown) => {
    throw error instanceof AppError ? new Unopened(`document job ${row.documentId}`) : error;
  });
}

interface Approval extends Author {
  name: string;
  origin: Origin;
  confirmCritical: boolean | undefined;
  seen: string | undefined;
  openedAt: Date | undefined;
}

/** Maximum number of renderings, if reviewers save segments during each of them. */
const maxRenderings = 3;

/**
 * Renders the file of a document if it does not have all changes, and stores the approval in the document's row.
 * @returns the row, and whether this call has approved the document
 * @throws AppError like `approveDocument`; transient_error if reviewers do not stop saving segments
 */
async function stampRendered(
  services: RenderServices,
  leased: LeasedDocument,
  approval: Approval,
): Promise<{ row: DocumentRow; isNew: boolean }> {
  const { tenantId, documentId } = leased;
  const find = () => services.database.inTenant(tenantId, (tx) => requireDocument(tx, tenantId, documentId));
  for (let renderings = 0; renderings < maxRenderings; renderings++) {
    const known = await find();
    if (isApproved(known)) return { row: known, isNew: false };
    if (approval.confirmCritical === false)
      await services.database.inTenant(tenantId, (tx) => requireNoCritical(tx, known));
    await renderChanges(services, leased);
    await requireLayout(services, known);
    const row = await services.database.inTenant(tenantId, (tx) =>
      stamp(tx, services.settings, known, approval),
    );
    if (!row) continue;
    if (known.approvedAt !== null)
      await removeGoldenNow(services, { tenantId, jobId: documentId, goldenUri: known.goldenUri });
    return { row, isNew: true };
  }
  throw new AppError('transient_error', 'other reviewers are changing the document; try again');
}

/**
 * Requires that the document has no critical issues without a confirmation.
 * @throws UnconfirmedFindings
 */
async function requireNoCritical(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<void> {
  const critical = await selectCritical(tx, tenantId, documentId);
  if (critical.length > 0) throw new UnconfirmedFindings(`document job ${documentId}`, critical);
}

/**
 * Requires that the files of the document are intact: otherwise it could not be delivered, or not be rendered again
 * after a correction.
 * @throws AppError 400
 */
async function requireLayout(services: RenderServices, { tenantId, documentId }: DocumentRow): Promise<void> {
  for (const kind of ['source', 'translated', 'existing'] as const) {
    const artifact = await services.database.inTenant(tenantId, (tx) =>
      newestArtifact(tx, tenantId, documentId, kind),
    );
    // Only a document with an existing translation has a file with the texts that stay.
    if (!artifact && kind === 'existing') continue;
    if (!artifact || !(await isIntact(services, artifact)))
      throw new AppError('validation_error', 'document layout is unavailable');
  }
}

/**
 * Stores the approval in the document's row. Returns undefined if the latest file does not have all changes, or if the
 * document is already approved.
 * @throws AppError 404; UnconfirmedFindings; Unopened
 */
async function stamp(
  tx: Tx,
  settings: Services['settings'],
  { tenantId, documentId }: DocumentRow,
  { confirmCritical, origin, seen, openedAt, ...author }: Approval,
): Promise<DocumentRow | undefined> {
  const locked = await lockTranslated(tx, tenantId, documentId);
  if (isApproved(locked)) return undefined;
  await requireApprovable(tx, locked, author, seen);
  await requireOpened(tx, locked, author, openedAt);
  if (confirmCritical === false) await requireNoCritical(tx, locked);
  if (needsRendering(locked)) return undefined;
  if (locked.approvedAt !== null) {
    await removeGoldenLater(tx, { tenantId, jobId: documentId, goldenUri: locked.goldenUri });
    await withdrawApproval(tx, locked);
  }
  const [row] = await tx
    .update(documentJobs)
    // The time after the lock was acquired: changes until then are approved, and later ones are not.
    .set({
      approvedAt: sql`clock_timestamp()`,
      approvedBy: author.name,
      approvedByUser: author.userId,
      approvedVia: author.claimedVia,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(isDocument(tenantId, documentId))
    .returning(documentColumns);
  if (!row) throw new Error('a locked document is gone');
  await keepFiles(tx, row);
  const item = { kind: 'document', id: documentId } as const;
  await recordDecision(tx, settings, origin, { ...author, tenantId }, item, { action: 'review_approved' });
  return row;
}

/**
 * Completes an approval that is stored in the row, unless it is already complete: adds segments to the TM, then writes
 * the audit record, which counts them. If the TM cannot be updated, both are left to a queued job; if the process dies
 * before it adds the job, the sweep adds it, because the record is missing.
 */
async function completeApproval(services: CompleteServices, row: DocumentRow) {
  const { tenantId, documentId } = row;
  const fed = await feedOnce(services, row);
  if (fed.error !== null)
    await services.database.inTenant(tenantId, (tx) =>
      queueCompletion(tx, { tenantId, documentId }, { afterSeconds: 60 }),
    );
  else if (row.goldenUri === null) await recordApproval(services, tenantId, documentId);
  return fed;
}

async function feedOnce(services: CompleteServices, row: DocumentRow) {
  const tally = await services.database.inTenant(row.tenantId, (tx) => selectTally(tx, row));
  return tally ? { pairs: 0, skipped: tally, error: null } : feedApproval(services, row);
}

/**
 * Completes an approval whose process died after storing it in the row, or could not write to the store or to the TM.
 * The audit record is written even if the TM still cannot be updated. May run twice.
 * @throws Error if the TM could not be updated, so that the queue runs the job again
 */
export async function resumeApproval(
  services: CompleteServices,
  { tenantId, documentId }: { tenantId: string; documentId: string },
): Promise<void> {
  const feedError = await withReviewLease(services, tenantId, documentId, async () => {
    const row = await services.database.inTenant(tenantId, (tx) => requireDocument(tx, tenantId, documentId));
    if (row.approvedAt === null) return null;
    const { error } = await feedOnce(services, row);
    if (row.goldenUri === null) await recordApproval(services, tenantId, documentId);
    return error;
  }).catch((error: unknown) => {
    // `not_found`: the document was deleted in between.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  });
  if (feedError !== null) throw new Error(feedError);
}

/** Queues the completion of approvals that have had no audit record for a while. */
export async function resumeApprovals(
  { database }: Pick<Services, 'database'>,
  idleSeconds: number,
): Promise<void> {
  await database.inPlatform(async (tx) => {
    const { tenantId, documentId, approvedAt, goldenUri } = documentJobs;
    const idle = await tx
      .select({ tenantId, documentId })
      .from(documentJobs)
      .where(
        and(
          isNotNull(approvedAt),
          isNull(goldenUri),
          sql`${approvedAt} < now() - make_interval(secs => ${idleSeconds})`,
        ),
      )
      .limit(1000);
    for (const document of idle) await queueCompletion(tx, document);
  });
}

function queueCompletion(
  tx: Tx,
  document: { tenantId: string; documentId: string },
  { afterSeconds = 0 } = {},
): Promise<void> {
  const key = `resume_approval:${document.documentId}`;
  return addJob(tx, 'resume_approval', document, { key, afterSeconds });
}
