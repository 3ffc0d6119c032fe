import type { JobStatus } from './schema.ts';

/**
 * All transitions between job statuses. `translated` exists only during a run and is never stored. `approved` is stored
 * while the golden record is written.
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

/**
 * Checks each transition from `from` along `steps`.
 * @returns the last status
 * @throws Error on a transition that is not allowed
 */
export function advance(from: JobStatus, ...steps: JobStatus[]): JobStatus {
  let status = from;
  for (const next of steps) {
    if (!transitions[status].includes(next)) throw new Error(`no transition from ${status} to ${next}`);
    status = next;
  }
  return status;
}

/** Returns the statuses from which a job may change to `to`, for the WHERE clause of an update. */
export function sourcesOf(to: JobStatus): JobStatus[] {
  return (Object.keys(transitions) as JobStatus[]).filter((from) => transitions[from].includes(to));
}

/** The statuses in which a job awaits review. */
export const reviewableStatuses: readonly JobStatus[] = sourcesOf('approved');

/**
 * The statuses of a closed job whose review may be reopened within a few minutes. Neither the pipeline nor a review
 * changes them.
 */
const closedStatuses: readonly JobStatus[] = ['published', 'human_edited', 'rejected', 'persistence_failed'];

/** Returns the status of a job after its review is reopened; undefined for a job that is not closed. */
export function reopen(from: JobStatus): 'awaiting_review' | undefined {
  return closedStatuses.includes(from) ? 'awaiting_review' : undefined;
}

/** Whether a finished job's translation may be downloaded. */
export function isDownloadable(status: JobStatus): boolean {
  return status === 'published' || status === 'human_edited';
}
