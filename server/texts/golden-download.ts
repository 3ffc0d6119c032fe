import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { translatedFileName } from '#server/formats/translated-name.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { sandboxRefusal } from '#server/platform/sandbox-errors.ts';
import type { FileResponse } from '#server/trpc.ts';
import { isDownloadable, reviewableStatuses } from './job-states.ts';
import { getJob } from './jobs.ts';
import type { GoldenFormat, TranslationJob } from './schema.ts';

/** Content types of a download. */
export const goldenTypes = {
  txt: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
} as const satisfies Record<GoldenFormat, string>;

/**
 * Renders a job's final translation as a file. DOCX and PDF are rendered in a child process, because that may take
 * seconds.
 */
async function renderGolden(
  { fileWork }: Pick<Services, 'fileWork'>,
  scope: TaskScope,
  job: TranslationJob,
  format: GoldenFormat,
): Promise<Omit<FileResponse, 'fileName'>> {
  const text = job.final_translation ?? '';
  const contentType = goldenTypes[format];
  if (format === 'txt') return { bytes: Buffer.from(text), contentType };
  const { target_lang: language, text_type } = job.request;
  const golden = { format, text, markup: text_type === 'Html', language, title: titleOf(job) };
  const bytes = await fileWork.run('render_golden', golden, scope).catch((error: unknown) => {
    throw sandboxRefusal(error);
  });
  return { bytes, contentType };
}

function titleOf({ id, request }: TranslationJob): string {
  const document = request.metadata['source_document'] as { name?: unknown } | undefined;
  return typeof document?.name === 'string' ? document.name : `Translation ${id}`;
}

/**
 * Renders a published translation as a file. Reads the job, not its golden record, because a job that a fast path
 * served has no record.
 * @throws AppError 404; 409 unless the job is published or human_edited
 */
export async function downloadGolden(
  services: Pick<Services, 'fileWork'>,
  withTenant: WithTenant,
  jobId: string,
  format: GoldenFormat,
  signal: AbortSignal,
): Promise<FileResponse> {
  const { job, tenantId } = await withTenant(async (tx, { tenant }) => ({
    job: await getJob(tx, tenant.id, jobId),
    tenantId: tenant.id,
  }));
  if (!isDownloadable(job.status)) {
    const then = reviewableStatuses.includes(job.status) ? '; review it first' : '';
    const detail = `the translation of job ${job.id} is not published (status=${job.status})${then}`;
    throw new AppError('conflict', detail);
  }
  const { bytes, contentType } = await renderGolden(services, { tenantId, signal }, job, format);
  const fileName = goldenFileName(job, format);
  return { bytes, contentType, fileName, suggestedName: fileName };
}

/** Returns the file name of a download: source document (or job ID), page and language. */
function goldenFileName({ id, request }: TranslationJob, extension: string): string {
  const { source_document: document } = request.metadata as {
    source_document?: { name?: unknown; page_number?: unknown; page_count?: unknown };
  };
  const hasPages = typeof document?.page_count === 'number' && document.page_count > 1;
  return translatedFileName({
    sourceName: typeof document?.name === 'string' ? document.name : '',
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    extension,
    page: hasPages ? Number(document.page_number) : undefined,
    unnamed: `translation-${id}`,
  });
}
