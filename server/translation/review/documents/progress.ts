import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { isInFlight } from '#server/translation/documents/jobs.ts';
import { readFigures } from '#server/translation/documents/quality-report.ts';
import {
  type DocumentFailureDetail,
  documentJob,
  documentJobStatus,
  documentStage,
} from '#server/translation/documents/schema.ts';
import { waitingView } from '#server/translation/documents/waiting.ts';

export const progressQuery = z.object({
  document_ids: z.array(z.string().max(200)).min(1).max(50).describe('The IDs of the document jobs.'),
});

const documentProgress = z.object({
  document_id: z.string().describe('The ID of the document job.'),
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
  updated_at: z.string().meta({
    format: 'date-time',
    description: 'The time of the last change of the document, ISO 8601 in UTC.',
  }),
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
  const rows = await tx
    .select({
      documentId: documentJobs.documentId,
      status: documentJobs.status,
      stage: documentJobs.stage,
      translatedSegments: documentJobs.translatedSegments,
      segments: documentJobs.segments,
      failure: documentJobs.failure,
      reportFigures: documentJobs.reportFigures,
      running: documentJobs.running,
      waitingSince: documentJobs.waitingSince,
      waitingReason: documentJobs.waitingReason,
      waitingAttempts: documentJobs.waitingAttempts,
      nextAttemptAt: documentJobs.nextAttemptAt,
      updatedAt: documentJobs.updatedAt,
    })
    .from(documentJobs)
    .where(
      and(
        eq(documentJobs.tenantId, tenantId),
        sql`${documentJobs.documentId} = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`,
      ),
    );
  const byId = new Map(rows.map((row) => [row.documentId, row]));
  const documents = ids.flatMap((id) => {
    const row = byId.get(id);
    if (!row) return [];
    const figures = readFigures(row.reportFigures);
    return [
      {
        document_id: id,
        status: row.status,
        stage: row.stage,
        translated_segments: row.translatedSegments,
        total_segments: row.segments,
        percent: percentOf(row),
        needs_review_segments: figures.unresolved,
        confirmed_segments: figures.confirmed,
        error: (row.failure as DocumentFailureDetail | null)?.message ?? null,
        waiting: isInFlight(row) ? waitingView(row) : null,
        updated_at: row.updatedAt.toISOString(),
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

interface Figures {
  status: (typeof documentJobs.$inferSelect)['status'];
  translatedSegments: number;
  segments: number;
}

function percentOf({ status, translatedSegments, segments }: Figures): number {
  if (status === 'translated') return 100;
  return segments === 0 ? 0 : Math.min(99, Math.floor((100 * translatedSegments) / segments));
}
