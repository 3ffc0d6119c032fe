import { LinguaLoopError } from './errors.ts';
import type {
  MfaChallenge,
  TenantDocumentJob,
  TranslationJob,
  TranslationMemoryImportJob,
  Workspace,
} from './types.ts';

/**
 * The idempotency key belongs to an earlier, different request. Nothing new was translated, unless a part of a batch
 * is new. Send the request with another key; `onIdempotencyMismatch: 'return'` returns the jobs instead.
 */
export class IdempotencyMismatchError extends LinguaLoopError {
  static {
    IdempotencyMismatchError.prototype.name = 'IdempotencyMismatchError';
  }

  /** Null: the response is a success. */
  declare readonly status: null;
  /**
   * The service's result: the jobs of the key. Those of a different request have the warning
   * `idempotency_request_differs`.
   */
  readonly jobs: readonly (TranslationJob | TenantDocumentJob)[];

  constructor(jobs: readonly (TranslationJob | TenantDocumentJob)[], requestId: string | null) {
    const differing = jobs.find(isOfAnotherRequest) ?? jobs[0];
    super({
      status: null,
      detail: `the idempotency key belongs to a different request, which created job ${differing?.id}; use another key, or onIdempotencyMismatch: 'return'`,
      requestId,
    });
    this.jobs = jobs;
  }

  /** The first job that a different request created. */
  get job(): TranslationJob | TenantDocumentJob | undefined {
    return this.jobs.find(isOfAnotherRequest);
  }
}

function isOfAnotherRequest({ warnings }: TranslationJob | TenantDocumentJob): boolean {
  return warnings.some(({ code }) => code === 'idempotency_request_differs');
}

/** An import that the service had accepted ended without importing anything. The message includes a fix. */
export class ImportFailedError extends LinguaLoopError {
  static {
    ImportFailedError.prototype.name = 'ImportFailedError';
  }

  /** Always null: there was no failed response. */
  declare readonly status: null;
  /** In its final state: `error` is the service's message. */
  readonly job: TranslationMemoryImportJob;

  constructor(job: TranslationMemoryImportJob) {
    super({
      status: null,
      detail: `import ${job.id} failed: ${job.error ?? 'the service reported no reason'}`,
    });
    this.job = job;
  }
}

/** A document that the service had accepted was not translated. `code` is that of `job.failure`. */
export class DocumentFailedError extends LinguaLoopError {
  static {
    DocumentFailedError.prototype.name = 'DocumentFailedError';
  }

  /** Always null: there was no failed response. */
  declare readonly status: null;
  /** In its final state: `failure` has the stage and the reason. */
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

/** A text was not translated. Send it again with its idempotency key: the same job starts again. */
export class TranslationFailedError extends LinguaLoopError {
  static {
    TranslationFailedError.prototype.name = 'TranslationFailedError';
  }

  /** Always null: there was no failed response. */
  declare readonly status: null;
  /** In its final state: `agent_run.error` has the reason. */
  readonly job: TranslationJob;

  constructor(job: TranslationJob) {
    const why = job.agent_run.error ?? 'the service reported no reason';
    super({ status: null, detail: `translation ${job.id} failed: ${why}` });
    this.job = job;
  }
}

/** The password is right; the sign-in requires a second factor, but the callback for it is missing. */
export class MfaRequiredError extends LinguaLoopError {
  static {
    MfaRequiredError.prototype.name = 'MfaRequiredError';
  }

  /** Always null: there was no failed response. */
  declare readonly status: null;
  /** The callback that `auth.signIn` needs. */
  readonly callback: 'onMfa' | 'onRecoveryCodes';
  /** The challenge for which a code is required. */
  readonly challenge: MfaChallenge;

  constructor(callback: 'onMfa' | 'onRecoveryCodes', challenge: MfaChallenge) {
    super({
      status: null,
      detail: `auth.signIn needs ${callback}: the service requires MFA (${challenge.method})`,
    });
    this.callback = callback;
    this.challenge = challenge;
  }
}

/** Email and password match several workspaces, and none was selected: set `tenantId` or `onWorkspaces`. */
export class WorkspaceRequiredError extends LinguaLoopError {
  static {
    WorkspaceRequiredError.prototype.name = 'WorkspaceRequiredError';
  }

  /** Always null: there was no failed response. */
  declare readonly status: null;
  /** The callback that `auth.signIn` needs. */
  readonly callback: 'onWorkspaces';
  /** The workspaces to select from. */
  readonly workspaces: Workspace[];

  constructor(workspaces: Workspace[]) {
    super({
      status: null,
      detail: 'auth.signIn needs onWorkspaces or tenantId: the password matches several workspaces',
    });
    this.callback = 'onWorkspaces';
    this.workspaces = workspaces;
  }
}
