import type { WithTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { FileAnswer } from '#server/trpc.ts';
import { isDownloadable } from '../job-states.ts';
import { getJob } from '../reading.ts';
import type { GoldenFormat } from '../schema.ts';
import { goldenFileName } from './file-name.ts';
import { renderGolden } from './render.ts';

/**
 * A published translation as a file (B 4.1, C 4 "Golden"), rendered from the job itself: a fast-path job has no golden
 * record.
 * @throws AppError 404; 409 unless the job is published or human_edited
 */
export async function downloadGolden(
  services: Services,
  withTenant: WithTenant,
  jobId: string,
  format: GoldenFormat,
  signal: AbortSignal,
): Promise<FileAnswer> {
  const { job, tenantId } = await withTenant(async (tx, { tenant }) => ({
    job: await getJob(tx, tenant.id, jobId),
    tenantId: tenant.id,
  }));
  if (!isDownloadable(job.status))
    throw new AppError(
      'conflict',
      `the translation of job ${job.id} is not published (status=${job.status})`,
    );
  const { bytes, contentType } = await renderGolden(services, { tenantId, signal }, job, format);
  return { bytes, contentType, fileName: goldenFileName(job, format) };
}
