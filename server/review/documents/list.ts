import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { isAfter, isApproved, isInFlight, isOneOf } from '#server/documents/jobs.ts';
import { readFigures } from '#server/documents/quality-report.ts';
import {
  type DocumentFailureDetail,
  documentFailureDetail,
  documentJob,
  documentJobStatus,
  documentStage,
} from '#server/documents/schema.ts';
import { waitingColumns, waitingView } from '#server/documents/waiting.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { hasText, searchedText } from '#server/http/text-search.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { runSearch, scanJobs } from '#server/translation/listing/bounded-scan.ts';
import { filterCondition, jobListFilter } from '#server/translation/listing/job-list-filter.ts';
import { namesOf } from '../assignments/profiles.ts';
import { changedAt, ofDocumentJob } from './segment-schema.ts';

/** The states of a file in the list. */
const states = ['translating', 'needs_review', 'approved', 'failed'] as const;

type State = (typeof states)[number];

export const filesQuery = z.object({
  state: z.enum(states).optional().describe('Only files in this state.'),
  format: documentJob.shape.source_format.optional().describe('Only files of this format.'),
  target_lang: jobListFilter.shape.target_lang,
  text: searchedText.optional().describe('Only files whose name contains this text.'),
  document_ids: z
    .array(z.string().max(64))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these files, without other filters and pages.'),
  limit: z.int().min(1).max(100).default(50).describe('Files per page.'),
  cursor: z.string().max(200).optional().describe('The next_cursor of the previous page.'),
});

const {
  id,
  status,
  source_file_name,
  source_format,
  approved_at,
  changed_since_approval,
  created_at,
  updated_at,
  waiting,
} = documentJob.shape;
const count = z.int();

const file = z.object({
  id,
  status,
  source_file_name,
  source_format,
  source_key: z
    .string()
    .nullable()
    .describe(
      'Equal for files with the same content, so that the translations of a file can be shown together.',
    ),
  source_lang: z.string().describe('The language of the file.'),
  target_lang: z.string().describe('The language of the translation.'),
  pages: count
    .nullable()
    .describe('The number of pages; null if the format has none, or before it is known.'),
  segments: count.describe('The number of segments; 0 before they are extracted.'),
  confirmed: count.describe('Segments that a reviewer has confirmed.'),
  critical: count.describe('Unconfirmed segments with critical findings.'),
  flagged: count.describe('Other unconfirmed segments that need a review.'),
  approved_at,
  changed_since_approval,
  changed_by: z.string().nullable().describe('The approver, or else the last reviewer; null without one.'),
  assignee: z
    .string()
    .nullable()
    .describe('The member who reviews next; null if no one is assigned, or no review is open.'),
  changed_by_claimed: z.boolean().describe('Whether a client with an API key sent this name.'),
  failure: documentFailureDetail.pick({ code: true, error_type: true, message: true }).nullable(),
  waiting,
  created_at,
  updated_at,
});

export const filePage = z.object({
  files: z.array(file).describe('The last changed first.'),
  next_cursor: z.string().nullable().describe('null at the end; a filtered page may have fewer files.'),
  counts: z
    .object({ translating: count, needs_review: count, approved: count, failed: count, more: z.boolean() })
    .nullable()
    .describe(
      'The files by state, without filters; null with a cursor. `more`: only the last changed files were counted.',
    ),
});

type FilesQuery = z.infer<typeof filesQuery>;
type FileView = z.infer<typeof file>;

/** Maximum number of files whose states are counted. */
const maxCounted = 10_000;

const conditions: Readonly<Record<State, SQL>> = {
  translating: sql`status in ('queued', 'extracted')`,
  needs_review: sql`(status = 'translated' and (approved_at is null or changed_since_approval is not null))`,
  approved: sql`(status = 'translated' and approved_at is not null and changed_since_approval is null)`,
  failed: sql`status = 'failed'`,
};

/**
 * Returns a page of the files of a workspace with their progress, the last changed first. With a filter, one request
 * examines a bounded number of files, so a page may be short or empty although more follow.
 * @throws AppError 422 for an invalid cursor or an unsupported language
 */
export function listFiles(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  query: FilesQuery,
  signal: AbortSignal,
): Promise<z.infer<typeof filePage>> {
  // Without a cursor, the request counts files, too.
  const { document_ids: ids } = query;
  const scans = () => !ids && (conditionOf(query) !== undefined || query.cursor === undefined);
  return runSearch(database, withTenant, { scans, signal }, async (tx, { tenant: { id: tenantId } }) => {
    if (ids) return { files: await selectFiles(tx, tenantId, ids), next_cursor: null, counts: null };
    const { found, last, more } = await findFiles(tx, tenantId, query);
    return {
      files: await selectFiles(
        tx,
        tenantId,
        found.map(({ id }) => id),
      ),
      next_cursor:
        more && last ? writeCursor({ updated_at: last.updatedAt.toISOString(), id: last.id }) : null,
      counts: query.cursor === undefined ? await countStates(tx, tenantId) : null,
    };
  });
}

function conditionOf({ state, format, target_lang, text }: FilesQuery): SQL | undefined {
  return and(
    state && conditions[state],
    format && eq(documentJobs.sourceFormat, format),
    filterCondition(documentJobs, { target_lang }),
    text === undefined ? undefined : hasText(sql`source_file_name`, text, 'contains'),
  );
}

function findFiles(tx: Tx, tenantId: string, query: FilesQuery) {
  const { documentId, updatedAt, request } = documentJobs;
  const order = [desc(updatedAt), desc(documentId)];
  const condition = conditionOf(query);
  const ofTenant = eq(documentJobs.tenantId, tenantId);
  return scanJobs({
    after: query.cursor === undefined ? undefined : readCursor(query.cursor),
    limit: query.limit,
    filtered: condition !== undefined,
    places: (after, limit) =>
      tx
        .select({
          id: documentId,
          updatedAt,
          bytes: query.target_lang ? sql<number>`4 * pg_column_size(${request})` : sql<number>`0`,
        })
        .from(documentJobs)
        .where(and(ofTenant, after && isAfter(after)))
        .orderBy(...order)
        .limit(limit),
    pick: (ids, limit) =>
      tx
        .select({ id: documentId })
        .from(documentJobs)
        .where(and(ofTenant, isOneOf(ids), condition))
        .orderBy(...order)
        .limit(limit),
  });
}

async function countStates(tx: Tx, tenantId: string) {
  const counted = (state: State) =>
    sql`(count(*) filter (where ${conditions[state]}))::int as ${sql.raw(state)}`;
  const [row] = await tx.execute<Record<State, number>>(sql`
    select ${sql.join(states.map(counted), sql`, `)} from (
      select status, approved_at, changed_since_approval from document_jobs where tenant_id = ${tenantId}
      order by updated_at desc, document_id desc limit ${maxCounted}) latest`);
  const found = row ?? { translating: 0, needs_review: 0, approved: 0, failed: 0 };
  const all = states.reduce((sum, state) => sum + found[state], 0);
  return { ...found, more: all === maxCounted };
}

type Row = Awaited<ReturnType<typeof selectRows>>[number];

async function selectFiles(tx: Tx, tenantId: string, ids: readonly string[]): Promise<FileView[]> {
  if (ids.length === 0) return [];
  const rows = await selectRows(tx, tenantId, ids);
  const keys = await selectSourceKeys(tx, tenantId, ids);
  const holders = rows.flatMap(({ holder }) => holder ?? []);
  const names = holders.length > 0 ? await namesOf(tx, tenantId, holders) : undefined;
  return rows.map((row) => ({
    ...fileView(row, keys.get(row.id) ?? null),
    assignee: (row.holder && names?.get(row.holder)) ?? null,
  }));
}

function selectRows(tx: Tx, tenantId: string, ids: readonly string[]) {
  const jobs = documentJobs;
  return tx
    .select({
      id: jobs.documentId,
      status: jobs.status,
      source_file_name: jobs.sourceFileName,
      source_format: jobs.sourceFormat,
      source_lang: sql<string>`${jobs.request} ->> 'source_lang'`,
      target_lang: sql<string>`${jobs.request} ->> 'target_lang'`,
      changed_by: sql<
        string | null
      >`coalesce(${jobs.approvedBy}, ${jobs.reviewHistory} -> -1 ->> 'reviewer')`,
      changed_by_claimed: sql<boolean>`case when ${jobs.approvedBy} is not null then ${jobs.approvedByUser} is null
        else coalesce(jsonb_typeof(${jobs.reviewHistory} -> -1 -> 'claimed_via') = 'object', false) end`,
      pages: jobs.pageCount,
      segments: jobs.segments,
      reportFigures: jobs.reportFigures,
      failure: jobs.failure,
      approvedAt: jobs.approvedAt,
      changedSinceApproval: jobs.changedSinceApproval,
      holder: sql<string | null>`(select holder from review_assignments a where a.tenant_id = ${tenantId}
        and a.item_kind = 'document' and a.item_id = ${jobs.documentId} and a.closed_at is null)`,
      ...waitingColumns,
      createdAt: jobs.createdAt,
      updatedAt: jobs.updatedAt,
    })
    .from(jobs)
    .where(and(eq(jobs.tenantId, tenantId), isOneOf(ids)))
    .orderBy(desc(jobs.updatedAt), desc(jobs.documentId));
}

async function selectSourceKeys(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.execute<{ id: string; key: string }>(sql`
    select document_id as id, sha256 as key from document_artifacts
    where tenant_id = ${tenantId} and kind = 'source' and revision = 1
      and document_id = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`);
  return new Map(rows.map(({ id, key }) => [id, key]));
}

function fileView(row: Row, sourceKey: string | null): Omit<FileView, 'assignee'> {
  const figures = readFigures(row.reportFigures);
  const awaitsReview = row.status === 'translated' && !isApproved(row);
  // The validation of the response drops the other columns.
  return {
    ...row,
    source_key: sourceKey,
    confirmed: figures.confirmed,
    critical: awaitsReview ? figures.critical : 0,
    flagged: awaitsReview ? figures.unresolved - figures.critical : 0,
    approved_at: row.approvedAt?.toISOString() ?? null,
    changed_since_approval: row.changedSinceApproval?.toISOString() ?? null,
    failure: row.failure as FileView['failure'],
    waiting: isInFlight(row) ? waitingView(row) : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

export const progressQuery = z.object({
  document_ids: z.array(z.string().max(200)).min(1).max(50).describe('The IDs of the document jobs.'),
});

const documentProgress = z.object({
  ...ofDocumentJob,
  status: documentJobStatus.describe('The status of the document job.'),
  stage: documentStage.meta({ description: 'The stage that is running, or ran last.' }),
  translated_segments: z.int().describe('The number of segments with a translation.'),
  total_segments: z.int().meta({ description: 'The number of segments; 0 before the text is extracted.' }),
  percent: z.int().meta({
    description:
      'The percentage of translated segments. It stays below 100 until the translated file exists.',
  }),
  needs_review_segments: z
    .int()
    .meta({ description: 'The number of segments that need a review and are not confirmed.' }),
  confirmed_segments: z
    .int()
    .meta({ description: 'The number of segments that a reviewer has confirmed without changes.' }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'The error message if the document failed; otherwise null.' }),
  waiting: documentJob.shape.waiting,
  ...changedAt,
});

export const documentProgressList = z.object({
  documents: z
    .array(documentProgress)
    .meta({ description: 'The progress of each document, in the order of the IDs, without duplicates.' }),
  unknown_ids: z.array(z.string()).meta({
    description: 'The IDs to which no document of the workspace belongs, or whose document was deleted.',
  }),
  updated_at: z.string().nullable().meta({
    format: 'date-time',
    description: 'The time of the latest change of any of the documents; null without documents.',
  }),
});

/**
 * Returns the progress of documents. Uses one query that reads no segments, files or manifests, because a page calls
 * this repeatedly.
 */
export async function readProgress(
  tx: Tx,
  tenantId: string,
  { document_ids: given }: z.infer<typeof progressQuery>,
): Promise<z.infer<typeof documentProgressList>> {
  const ids = [...new Set(given)];
  const jobs = documentJobs;
  const rows = await tx
    .select({
      document_id: jobs.documentId,
      status: jobs.status,
      stage: jobs.stage,
      translated_segments: jobs.translatedSegments,
      total_segments: jobs.segments,
      failure: jobs.failure,
      reportFigures: jobs.reportFigures,
      ...waitingColumns,
      updatedAt: jobs.updatedAt,
    })
    .from(jobs)
    .where(and(eq(jobs.tenantId, tenantId), isOneOf(ids)));
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  const documents = ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    const { failure, reportFigures, updatedAt, ...same } = row;
    const figures = readFigures(reportFigures);
    return [
      {
        // The validation of the response drops the columns of `waitingView`.
        ...same,
        percent: percentOf(row),
        needs_review_segments: figures.unresolved,
        confirmed_segments: figures.confirmed,
        error: (failure as DocumentFailureDetail | null)?.message ?? null,
        waiting: isInFlight(row) ? waitingView(row) : null,
        updated_at: updatedAt.toISOString(),
      },
    ];
  });
  return {
    documents,
    unknown_ids: ids.filter((id) => !byId.has(id)),
    updated_at:
      documents
        .map((document) => document.updated_at)
        .toSorted()
        .at(-1) ?? null,
  };
}

type Figures = Pick<z.infer<typeof documentProgress>, 'status' | 'translated_segments' | 'total_segments'>;

function percentOf({ status, translated_segments: translated, total_segments: total }: Figures): number {
  if (status === 'translated') return 100;
  return total === 0 ? 0 : Math.min(99, Math.floor((100 * translated) / total));
}
