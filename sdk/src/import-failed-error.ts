import { LinguaLoopError } from './errors.ts';
import type { TranslationMemoryImportJob } from './types.ts';

/** An import that the service had accepted ended without importing anything. The message says what to do. */
export class ImportFailedError extends LinguaLoopError {
  static {
    ImportFailedError.prototype.name = 'ImportFailedError';
  }

  declare readonly status: null;
  /** At its end: `error` is the service's word. */
  readonly job: TranslationMemoryImportJob;

  constructor(job: TranslationMemoryImportJob) {
    super({
      status: null,
      detail: `import ${job.id} failed: ${job.error ?? 'the service does not say why'}`,
    });
    this.job = job;
  }
}
