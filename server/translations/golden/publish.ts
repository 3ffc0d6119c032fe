import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { persistenceFailed } from '../complete.ts';
import { learnIfPossible, learningOf } from '../learning.ts';
import { endPublication, type UnpersistedJob } from '../queries/publication.ts';
import { selectJob } from '../queries/reading.ts';
import type { TranslationJob } from '../schema.ts';
import { persistGolden, removeGolden } from './persist.ts';

/**
 * Publishes an approved or parked job: the golden record first, then the job's state (B 3.1 "fails closed"). Doing it
 * twice writes the same record twice.
 * @throws AppError persistence_failed where the record could not be written: the job is parked
 */
export async function publishJob(
  services: Services,
  tenantId: string,
  { job, attempt, publishAs }: UnpersistedJob,
): Promise<TranslationJob> {
  const uri = await persistGolden(services, tenantId, { ...job, status: publishAs }, attempt);
  // Parked it is already; touching it again would put it first in every list.
  if (uri === null && job.status === 'persistence_failed') throw persistenceFailed();
  const to = uri === null ? 'persistence_failed' : publishAs;
  const learn = uri === null ? undefined : learningOf(services, tenantId, job, uri);
  const ended = await learnIfPossible(services, tenantId, learn, async (tx, learning) => {
    const [published] = await Promise.all([endPublication(tx, tenantId, job.id, to, uri), learning?.(tx)]);
    return published ?? (await selectJob(tx, tenantId, job.id));
  });
  if (!ended) {
    if (uri !== null) await removeGolden(services, tenantId, job.id, uri);
    throw new AppError('not_found', 'the job was deleted while it was published');
  }
  if (ended.status === 'persistence_failed') throw persistenceFailed();
  return ended;
}
