import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { lockTranslated } from '#server/review/documents/document.ts';
import { pipelineText } from '#server/review/texts/findings.ts';
import { getJob } from '#server/texts/jobs.ts';
import { requirePlaces } from './checks.ts';
import { dayOf, domainOf, reviewCheckId } from './counting.ts';
import type { CheckError, ErrorMarks, MarksInput, MarkTextInput } from './schema.ts';

/** Maximum number of texts whose marks are returned. */
const maxTexts = 2000;

/*
 * The errors that reviewers mark in machine translations while they review them. They are the errors of the check that
 * the decision of the reviewer becomes (see `collectDecisions`), which is open until then. Texts that are not collected,
 * such as segments that needed no review, keep their marks, which count nowhere.
 */

/** Returns the marks of a document, or of all texts under review. */
export async function listMarks(
  tx: Tx,
  { tenant }: SessionPrincipal,
  { document_id }: MarksInput,
): Promise<ErrorMarks[]> {
  const items =
    document_id === undefined
      ? sql`state = 'open' and item_kind = 'job'`
      : sql`item_kind = 'document' and item_id = ${document_id}`;
  const rows = await tx.execute<ErrorMarks & Record<string, unknown>>(sql`
    select item_id, position, errors, checked_by as marked_by from quality_checks
    where tenant_id = ${tenant.id} and origin = 'review' and ${items} and errors <> '[]'
    order by item_id, position limit ${maxTexts}::int`);
  const members = rows.flatMap(({ marked_by }) => marked_by ?? []);
  const names = await emailsOf(tx, tenant.id, members);
  return rows.map(({ marked_by, ...row }) => ({
    ...row,
    marked_by: marked_by && (names.get(marked_by) || marked_by),
  }));
}

/**
 * Replaces the marks of a text under review. Sending the same marks again changes nothing.
 * @throws AppError 404 for an unknown text; 400 if the document is not translated; 409 conflict if the review is over, or
 *   another member has changed the marks; 422 if an error is not in the machine translation
 */
export async function markText(
  tx: Tx,
  { tenant, user }: SessionPrincipal,
  { item_kind, item_id, position, errors, known }: MarkTextInput,
): Promise<ErrorMarks> {
  const isDocument = item_kind === 'document';
  const { isOpen, machine } = isDocument
    ? await segmentOf(tx, tenant.id, item_id, position)
    : await textOf(tx, tenant.id, item_id);
  if (!isOpen) throw new AppError('conflict', 'errors are marked while the text is reviewed');
  requirePlaces(errors, machine);
  const id = reviewCheckId(tenant.id, sql`${item_id}::text`, sql`${isDocument ? position : 0}::int`);
  const item = isDocument
    ? sql`document_jobs where document_id = ${item_id}`
    : sql`translation_jobs where job_id = ${item_id}`;
  const json = (of: CheckError[]) => sql`${JSON.stringify(of)}::jsonb`;
  const stored = await tx.execute(sql`
    insert into quality_checks as c (tenant_id, check_id, origin, item_kind, item_id, position, source_lang,
      target_lang, domain, day, route, state, checked_by, errors)
    select ${tenant.id}, ${id}, 'review', ${item_kind}, ${item_id}, ${isDocument ? position : 0}::int,
      request ->> 'source_lang', request ->> 'target_lang', ${domainOf(sql`request`)}, ${dayOf(sql`created_at`)},
      'held', 'open', ${user.id}, ${json(errors)}
    from ${item} and tenant_id = ${tenant.id} and (${known.length === 0} or exists (
      select from quality_checks where tenant_id = ${tenant.id} and check_id = ${id}))
    on conflict (tenant_id, check_id) do update set errors = excluded.errors, checked_by = excluded.checked_by
      where c.state = 'open' and c.errors in (${json(known)}, excluded.errors)
    returning 1`);
  if (stored.length === 0)
    throw new AppError('conflict', 'the marks of the text have changed; read them again');
  const names = await emailsOf(tx, tenant.id, [user.id]);
  return { item_id, position, errors, marked_by: names.get(user.id) || user.id };
}

async function segmentOf(tx: Tx, tenantId: string, documentId: string, position: number) {
  const { approvedAt } = await lockTranslated(tx, tenantId, documentId);
  const [segment] = await tx.execute<{ machine: string | null }>(sql`
    select coalesce(pipeline_text, target_text) as machine from document_segments
    where tenant_id = ${tenantId} and document_id = ${documentId} and position = ${position}`);
  if (!segment) throw new AppError('not_found', 'segment not found');
  return { isOpen: approvedAt === null, machine: segment.machine ?? '' };
}

async function textOf(tx: Tx, tenantId: string, jobId: string) {
  const job = await getJob(tx, tenantId, jobId);
  const isOpen = job.status === 'awaiting_review' || job.status === 'refined';
  return { isOpen, machine: pipelineText(job) ?? '' };
}
