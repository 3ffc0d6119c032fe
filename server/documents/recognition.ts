import { and, asc, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { recognizedPages } from '#db/schema/documents.ts';
import type { Recognition, RecognizedPage, SegmentWord } from '#server/formats/document.ts';
import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { type DocumentRun, updateRun, Yielded } from './document-run.ts';
import { recognizeFile } from './file-work.ts';
import { languagesOf } from './jobs.ts';
import { progressed } from './waiting.ts';

/**
 * Recognizes the pages of a document whose text is only in images, one after another. Each page is stored when it is
 * completed, so that another worker continues with the next one. A page that cannot be recognized stays as it is.
 *
 * @param pages the numbers of the pages, from 1
 * @throws Yielded if the worker has to yield
 */
export async function recognizePages(
  run: DocumentRun,
  bytes: Uint8Array,
  pages: readonly number[],
): Promise<Recognition> {
  const { services, tenantId, documentId, row, signal } = run;
  const known = await services.database.inTenant(tenantId, (tx) =>
    selectRecognition(tx, tenantId, documentId),
  );
  const pagesDone = [...(known?.pages ?? []), ...(known?.failed ?? [])].map(({ page }) => page);
  const waiting = new Set(pages).difference(new Set(pagesDone));
  const recognition: Recognition = { pages: [...(known?.pages ?? [])], failed: [...(known?.failed ?? [])] };
  for (const page of waiting) {
    if (await run.isOver()) throw new Yielded();
    const { sourceLanguage: language } = languagesOf(row);
    const payload = { format: row.sourceFormat, bytes, page, language };
    const content = await recognizeFile(services, payload, { tenantId, signal }).catch(failureOf);
    const isRead = 'lines' in content;
    if (isRead) recognition.pages.push(content);
    else recognition.failed.push({ page, reason: content.failure });
    await services.database.inTenant(tenantId, async (tx) => {
      await updateRun(tx, run, progressed);
      await tx
        .insert(recognizedPages)
        .values({ tenantId, documentId, page, ...(isRead ? { content } : content) })
        .onConflictDoNothing();
    });
  }
  return recognition;
}

/** Returns why the file of a page was rejected. @throws other errors, which do not depend on the page */
function failureOf(error: unknown): { failure: string } {
  if (!(error instanceof FileError)) throw error;
  return { failure: reasons[error.reason] ?? error.message };
}

const reasons: Partial<Record<FileErrorReason, string>> = {
  too_large: 'recognition takes too much time or memory',
  unreadable: 'the images cannot be decoded',
};

/** Returns the recognized pages of a document; undefined for a document without them. */
export async function selectRecognition(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<Recognition | undefined> {
  const rows = await tx
    .select()
    .from(recognizedPages)
    .where(and(eq(recognizedPages.tenantId, tenantId), eq(recognizedPages.documentId, documentId)))
    .orderBy(asc(recognizedPages.page));
  if (rows.length === 0) return undefined;
  return {
    pages: rows.flatMap(({ content }) => (content ? [content as RecognizedPage] : [])),
    failed: rows.flatMap(({ page, failure }) => (failure === null ? [] : [{ page, reason: failure }])),
  };
}

/** The maximum number of uncertain words that an issue lists. */
const maxListed = 5;

/** Words that are recognized with less confidence, from 0 to 100, are often wrong (docs/decisions/0124-scans.md). */
export const minConfidence = 70;

/**
 * Returns the issue of a segment with words of little confidence. It prevents the approval of the document until a
 * reviewer has resolved it or confirmed the segment.
 */
export function doubtOf(words: readonly SegmentWord[] | undefined): QualityIssue[] {
  const doubtful = words?.filter(({ confidence }) => confidence < minConfidence) ?? [];
  if (doubtful.length === 0) return [];
  const listed = doubtful.slice(0, maxListed).map(({ text }) => `“${text}”`);
  const more = doubtful.length > maxListed ? ` and ${doubtful.length - maxListed} more` : '';
  return [
    {
      severity: 'critical',
      category: 'accuracy',
      span: null,
      explanation: `The source was recognized in a picture, and these words are uncertain: ${listed.join(', ')}${more}. Compare the source with the picture.`,
      suggestion: null,
      found_by: 'recognition',
    },
  ];
}
