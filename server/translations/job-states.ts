import type { JobStatus } from './schema.ts';

/**
 * The transitions of B 3.1, the only ones there are. `translated` is passed through inside one run and never
 * written; `approved` lasts as long as the golden record is being written.
 */
const transitions: Record<JobStatus, readonly JobStatus[]> = {
  pending: ['translated', 'failed', 'pending'],
  translated: ['published', 'awaiting_review', 'persistence_failed'],
  refined: ['awaiting_review', 'approved', 'rejected'],
  awaiting_review: ['awaiting_review', 'approved', 'rejected'],
  approved: ['published', 'human_edited', 'persistence_failed'],
  persistence_failed: ['published', 'human_edited', 'persistence_failed'],
  failed: ['pending'],
  published: [],
  human_edited: [],
  rejected: [],
};

/** Walks a job along `steps`, and answers where it ends. @throws Error on a step that the table does not have */
export function advance(from: JobStatus, ...steps: JobStatus[]): JobStatus {
  let status = from;
  for (const next of steps) {
    if (!transitions[status].includes(next)) throw new Error(`no transition from ${status} to ${next}`);
    status = next;
  }
  return status;
}

/** The states from which a job may go to `to`: what an update's `where` says. */
export function sourcesOf(to: JobStatus): JobStatus[] {
  return (Object.keys(transitions) as JobStatus[]).filter((from) => transitions[from].includes(to));
}

/** Whether a finished job's translation may be downloaded (B 3.1). */
export function isDownloadable(status: JobStatus): boolean {
  return status === 'published' || status === 'human_edited';
}
