import { LinguaLoopError, TimeoutError } from './errors.ts';
import { ConflictError } from './status-errors.ts';
import type {
  MfaChallenge,
  TenantDocumentJob,
  TranslationJob,
  TranslationMemoryImportJob,
  Workspace,
} from './types.ts';

/**
 * 409. Events after the cursor have been deleted, or the service was restored from a backup. Read the state of your
 * jobs, then continue with the cursor of `events.list` without a cursor, requested before.
 */
export class CursorExpiredError extends ConflictError {
  static {
    CursorExpiredError.prototype.name = 'CursorExpiredError';
  }
}

/**
 * The idempotency key belongs to an earlier, different request. No new text was translated, except in a batch of
 * which some texts are new. Send the request with another key. With `onIdempotencyMismatch: 'return'`, the call
 * returns the jobs instead of throwing.
 */
export class IdempotencyMismatchError extends LinguaLoopError {
  static {
    IdempotencyMismatchError.prototype.name = 'IdempotencyMismatchError';
  }

  /** Null, because the HTTP response was successful. */
  declare readonly status: null;
  /**
   * The jobs in the service's response. Those that belong to a different request have the warning
   * `idempotency_request_differs`.
   */
  readonly jobs: readonly (TranslationJob | TenantDocumentJob)[];

  constructor(jobs: readonly (TranslationJob | TenantDocumentJob)[], requestId: string | null) {
    const differing = jobs.find(isOfAnotherRequest) ?? jobs[0];
    super({
      status: null,
      detail: `the idempotency key belongs to a different request, which created job ${differing?.id}; use another key, or set onIdempotencyMismatch: 'return' to accept that job`,
      requestId,
    });
    this.jobs = jobs;
  }

  /** The first job that belongs to a different request. */
  get job(): TranslationJob | TenantDocumentJob | undefined {
    return this.jobs.find(isOfAnotherRequest);
  }
}

function isOfAnotherRequest({ warnings }: TranslationJob | TenantDocumentJob): boolean {
  return warnings.some(({ code }) => code === 'idempotency_request_differs');
}

/** An import that the service had accepted has ended without importing anything. The message includes a fix. */
export class ImportFailedError extends LinguaLoopError {
  static {
    ImportFailedError.prototype.name = 'ImportFailedError';
  }

  /** Always null, because no HTTP request failed. */
  declare readonly status: null;
  /** The import in its final state. `error` has the service's message. */
  readonly job: TranslationMemoryImportJob;

  constructor(job: TranslationMemoryImportJob) {
    super({
      status: null,
      detail: `import ${job.id} failed: ${job.error ?? 'the service reported no reason'}`,
    });
    this.job = job;
  }
}

/** A document that the service had accepted could not be translated. `code` is the code in `job.failure`. */
export class DocumentFailedError extends LinguaLoopError {
  static {
    DocumentFailedError.prototype.name = 'DocumentFailedError';
  }

  /** Always null, because no HTTP request failed. */
  declare readonly status: null;
  /** The document in its final state. `failure` has the stage and the reason. */
  readonly job: TenantDocumentJob;

  constructor(job: TenantDocumentJob) {
    const { failure } = job;
    super({
      status: null,
      detail: `document ${job.id} failed: ${failure?.message ?? 'the service reported no reason'}`,
      code: failure?.code ?? null,
    });
    this.job = job;
  }
}

/** A text could not be translated. To start the same job again, send the text with its idempotency key. */
export class TranslationFailedError extends LinguaLoopError {
  static {
    TranslationFailedError.prototype.name = 'TranslationFailedError';
  }

  /** Always null, because no HTTP request failed. */
  declare readonly status: null;
  /** The job in its final state. `agent_run.error` has the reason. */
  readonly job: TranslationJob;

  constructor(job: TranslationJob) {
    const why = job.agent_run.error ?? 'the service reported no reason';
    super({ status: null, detail: `translation ${job.id} failed: ${why}` });
    this.job = job;
  }
}

/**
 * The service is still translating when the time of the call is over, for example because an earlier request with the
 * same idempotency key is still in progress. Nothing is lost: pass the ID of a job to `translations.waitFor`, or repeat
 * the call with the same idempotency key.
 */
export class TranslationPendingError extends TimeoutError {
  static {
    TranslationPendingError.prototype.name = 'TranslationPendingError';
  }

  /** All jobs of the call in their latest known state, in the order of the call. Some may have ended. */
  readonly jobs: readonly TranslationJob[];

  constructor(call: string, timeoutMs: number, jobs: readonly TranslationJob[]) {
    super(call, timeoutMs, 'the job is still in progress: no result');
    this.jobs = jobs;
  }

  /** The first job that is in progress. */
  get job(): TranslationJob {
    return this.jobs.find(isInProgress) ?? (this.jobs[0] as TranslationJob);
  }
}

/** Whether the service is still working on a job. */
export function isInProgress({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'pending' || status === 'translated' || status === 'approved';
}

/** The password is correct, but the sign-in needs MFA and the callback for that is missing. */
export class MfaRequiredError extends LinguaLoopError {
  static {
    MfaRequiredError.prototype.name = 'MfaRequiredError';
  }

  /** Always null, because no HTTP request failed. */
  declare readonly status: null;
  /** The missing callback of `auth.signIn`. */
  readonly callback: 'onMfa' | 'onRecoveryCodes';
  /** The challenge that has to be passed. */
  readonly challenge: MfaChallenge;

  constructor(callback: 'onMfa' | 'onRecoveryCodes', challenge: MfaChallenge) {
    super({
      status: null,
      detail: `the service requires MFA (${challenge.method}): call auth.signIn with ${callback}`,
    });
    this.callback = callback;
    this.challenge = challenge;
  }
}

/**
 * Email and password are valid in several workspaces, and no workspace was selected. Set `tenantId` or
 * `onWorkspaces`.
 */
export class WorkspaceRequiredError extends LinguaLoopError {
  static {
    WorkspaceRequiredError.prototype.name = 'WorkspaceRequiredError';
  }

  /** Always null, because no HTTP request failed. */
  declare readonly status: null;
  /** The missing callback of `auth.signIn`. */
  readonly callback: 'onWorkspaces';
  /** The workspaces from which to select. */
  readonly workspaces: Workspace[];

  constructor(workspaces: Workspace[]) {
    super({
      status: null,
      detail:
        'the email and password match accounts in several workspaces: call auth.signIn with onWorkspaces or tenantId',
    });
    this.callback = 'onWorkspaces';
    this.workspaces = workspaces;
  }
}
