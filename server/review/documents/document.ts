import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { approvalOf } from '#server/documents/approval-record.ts';
import { withdrawApprovalFeed } from '#server/documents/feed-withdrawal.ts';
import { type DocumentRow, isDocument, requireDocument, unknownDocument } from '#server/documents/jobs.ts';
import { readFigures } from '#server/documents/quality-report.ts';
import { type LeasedDocument, queueRendering } from '#server/documents/rendering.ts';
import { withReviewLease } from '#server/documents/review-lease.ts';
import { ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { shownName, usersOf } from '../assignments/profiles.ts';
import { type Author, authorOf } from '../author.ts';
import {
  claimsOn,
  type DocumentTask,
  isOpened,
  type LiveClaim,
  type TaskState,
  type Tasks,
  taskFields,
} from '../inbox.ts';
import type { Claimant, Decision, ReviewKind } from '../item.ts';

/** Documents as items for review. */
export const documents: ReviewKind = {
  table: documentJobs,
  is: isDocument,
  unknown: unknownDocument,
  hasSegment,
  listWaiting,
  selectDecision,
  async reopenIn(services, withBearer, id, { check, work }) {
    const principal = await withBearer(async (tx, principal) => {
      await check(tx, principal);
      return principal;
    });
    const tenantId = principal.tenant.id;
    return withReviewLease(services, tenantId, id, (lease) =>
      services.database.inTenant(tenantId, async (tx) => {
        await lease.confirm(tx);
        return work(tx, principal);
      }),
    );
  },
};

async function hasSegment(tx: Tx, tenantId: string, id: string, position: number): Promise<boolean> {
  const found = await tx
    .select({ position: documentSegments.position })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, id), eq(documentSegments.position, position)));
  return found.length > 0;
}

/**
 * Selects the approval of a document. Its withdrawal removes it from the document's row, and removes from the TM the
 * segments that the approval added. Corrections, confirmations, the translated files, and segments that reviews added
 * stay.
 * @throws AppError 404; 409 conflict if the document is not approved
 */
async function selectDecision(tx: Tx, tenantId: string, documentId: string): Promise<Decision> {
  const row = await requireDocument(tx, tenantId, documentId);
  const what = `document job ${documentId}`;
  if (row.approvedAt === null)
    throw new AppError('conflict', `${what} is not approved (status=${row.status})`);
  return {
    what,
    status: 'approved',
    isReview: true,
    by: row.approvedByUser,
    published: { tenantId, jobId: documentId, goldenUri: row.goldenUri },
    async withdraw() {
      // The file is rendered again even if nothing else changes.
      const updatedAt = await withdrawApproval(tx, row, { decisions: sql`${documentJobs.decisions} + 1` });
      await queueRendering(tx, tenantId, documentId);
      return { status: row.status, updatedAt };
    },
  };
}

/**
 * Withdraws the approval of a locked document, but not its golden record.
 * @param further columns to change
 * @returns the document's updated_at
 */
export async function withdrawApproval(
  tx: Tx,
  row: DocumentRow,
  further: { decisions?: SQL } = {},
): Promise<Date> {
  await withdrawApprovalFeed(tx, row);
  const [changed] = await tx
    .update(documentJobs)
    .set({
      approvedAt: null,
      approvedBy: null,
      approvedByUser: null,
      approvedVia: null,
      changedSinceApproval: null,
      goldenRecord: null,
      goldenUri: null,
      reopenings: approvalOf(row.reopenings),
      ...further,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(isDocument(row.tenantId, row.documentId))
    .returning({ updatedAt: documentJobs.updatedAt });
  if (!changed) throw new Error('a document was deleted although it was locked');
  return changed.updatedAt;
}

/** Returns the author of changes of a document. A name of white space is no name. */
export function documentAuthor(
  tx: Tx,
  principal: Principal,
  said: string | null | undefined,
): Promise<Author> {
  return authorOf(tx, principal, said?.trim());
}

/** @throws AppError 404; 400 if the document is not translated */
export async function requireTranslated(tx: Tx, tenantId: string, documentId: string): Promise<DocumentRow> {
  const row = await requireDocument(tx, tenantId, documentId);
  requireTranslatedRow(row);
  return row;
}

/** @throws AppError 400 if the document is not translated */
export function requireTranslatedRow({ documentId, status }: DocumentRow): void {
  if (status !== 'translated')
    throw new AppError(
      'validation_error',
      `document job ${documentId} is not in a completed state (status=${status})`,
    );
}

/**
 * Locks a translated document until the transaction ends. Everything that changes segments of a translated document
 * takes this lock first, so the changes of a document happen one after another.
 * @throws AppError 404; 400 if the document is not translated
 */
export async function lockTranslated(tx: Tx, tenantId: string, documentId: string): Promise<DocumentRow> {
  await tx
    .select({ documentId: documentJobs.documentId })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId))
    .for('no key update');
  return requireTranslated(tx, tenantId, documentId);
}

/**
 * Runs work that reads a document, renders it and writes it again, under the document's lease. When the process stops, it
 * waits until the work is done, even if the reviewer has disconnected.
 */
export function whileLeased<T>(
  services: Pick<Services, 'backgroundWork' | 'database' | 'settings'>,
  document: { tenantId: string; documentId: string },
  work: (leased: LeasedDocument) => Promise<T>,
): Promise<T> {
  const { tenantId, documentId } = document;
  const leased = async () => {
    using deadline = startDeadline(services.settings.REQUEST_DEADLINE_SECONDS);
    const { signal } = deadline;
    return await withReviewLease(services, tenantId, documentId, (lease) =>
      work({ ...document, lease, signal }),
    );
  };
  return services.backgroundWork.track(leased());
}

/** A correction of a segment whose translation has changed since the reviewer read it. */
export interface CorrectionConflict {
  /** Index of the correction in the request. */
  index: number;
  position: number;
  region_id: string;
  cell_id: string | null;
  /** The current translation. */
  target_text: string | null;
  corrected: boolean;
}

/** Returns the conflict of a request's correction with the present state of the segment. */
export function conflictAt(
  index: number,
  row: Pick<
    typeof documentSegments.$inferSelect,
    'position' | 'regionId' | 'cellId' | 'targetText' | 'corrected'
  >,
): CorrectionConflict {
  const { position, regionId: region_id, cellId: cell_id, targetText: target_text, corrected } = row;
  return { index, position, region_id, cell_id, target_text, corrected };
}

/**
 * Rejects a request if translations have changed since the reviewer read them.
 * @param nothingWas past participle of the action, such as "corrected"; it was applied to no segment
 * @throws AppError 409 conflict
 */
export function requireNoConflict(
  conflicts: readonly CorrectionConflict[],
  nothingWas: 'corrected' | 'confirmed' | 'saved' | 'undone' | 'redone' | 'resolved',
): void {
  if (conflicts.length === 0) return;
  throw new AppError(
    'conflict',
    `translations have changed since they were read (${conflicts.length}); nothing was ${nothingWas}`,
    { present: conflicts },
  );
}

/** Maximum number of documents that are listed. */
const maxListed = 100;

/** Maximum number of waiting documents that are examined: those that were changed last. */
const maxExamined = 1000;

/** A document as the query returns it. */
interface Waiting extends TaskState {
  id: string;
  name: string;
  format: DocumentTask['format'];
  source_lang: string;
  target_lang: string;
  domain: string | null;
  segments: number;
  figures: unknown;
  critical: number;
  warnings: number;
  claims: LiveClaim[];
  /** Whether not all waiting documents were examined. */
  cut: boolean;
}

/** Returns the translated documents that are not approved, the most severe first. */
async function listWaiting(tx: Tx, member: Claimant): Promise<Tasks<DocumentTask>> {
  const id = sql`j.document_id`;
  const rows = await tx.execute<Waiting & Record<string, unknown>>(sql`
    with waiting as materialized (
      select document_id from document_jobs
      where tenant_id = ${member.tenantId} and status = 'translated' and approved_at is null
      order by updated_at desc, document_id desc limit ${maxExamined + 1}),
    listed as (
      select w.document_id, coalesce(f.critical, 0) as critical, coalesce(f.unresolved - f.critical, 0) as warnings,
        coalesce(t.created_at, j.created_at) as since
      from (select * from waiting limit ${maxExamined}) w
      join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = w.document_id
      cross join jsonb_to_record(j.report_figures) f(critical int, unresolved int)
      left join document_artifacts t on t.tenant_id = ${member.tenantId} and t.document_id = j.document_id
        and t.kind = 'translated' and t.revision = 1
      order by f.critical > 0 desc, f.unresolved > f.critical desc, since, j.document_id limit ${maxListed + 1})
    select j.document_id as id, j.source_file_name as name, j.source_format as format,
      j.request ->> 'source_lang' as source_lang, j.request ->> 'target_lang' as target_lang,
      j.request ->> 'domain' as domain, j.segments, j.report_figures as figures, l.critical, l.warnings,
      to_json(l.since) #>> '{}' as since, ${isOpened(member, 'document', id)} as opened,
      coalesce(${claimsOn(member, 'document', id)}, '[]') as claims,
      (select coalesce(json_agg(${shownName}), '[]') from ${usersOf(member.tenantId)}
        and u.user_id = a.holder) as assignees,
      coalesce(a.holder = ${member.userId}, false) as is_assigned,
      case when a.holder is null then 1 else 0 end as unassigned, to_json(a.due_at) #>> '{}' as due,
      (select count(*) from waiting) > ${maxExamined} as cut
    from listed l join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = l.document_id
    left join review_assignments a on a.tenant_id = ${member.tenantId} and a.item_kind = 'document'
      and a.item_id = l.document_id and a.closed_at is null
    order by l.critical > 0 desc, l.warnings > 0 desc, l.since, l.document_id`);
  return {
    tasks: rows.slice(0, maxListed).map(taskOf),
    more: rows.length > maxListed || (rows[0]?.cut ?? false),
  };
}

function taskOf({ figures, claims, cut: _, ...row }: Waiting): DocumentTask {
  return {
    kind: 'document',
    ...row,
    ...taskFields(row, row, claims),
    submitter: null,
    confirmed: readFigures(figures).confirmed,
    drafts: readFigures(figures).drafts,
  };
}
