import { AppError } from '#server/errors.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';

/*
 * The errors 409 conflict: another reviewer, or the pipeline, has changed a text since this reviewer read it. No part
 * of the request is applied.
 */

/** The job has changed since the reviewer read it. */
export class JobChanged extends AppError {
  readonly job: TranslationJob;
  constructor(job: TranslationJob) {
    super('conflict', `job ${job.id} has changed since it was read (status=${job.status})`);
    this.job = job;
  }
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

/** @param nothingWas past participle of the action, such as "corrected"; it was applied to no segment */
export function correctionConflicts(
  conflicts: readonly CorrectionConflict[],
  nothingWas: 'corrected' | 'confirmed' | 'saved' | 'undone' | 'redone' | 'resolved',
): AppError {
  return new AppError(
    'conflict',
    `translations have changed since they were read (${conflicts.length}); nothing was ${nothingWas}`,
    { present: conflicts },
  );
}
