import { LinguaLoopError } from './errors.ts';
import type {
  MfaChallenge,
  TenantDocumentJob,
  TranslationJob,
  TranslationMemoryImportJob,
  Workspace,
} from './types.ts';

/**
 * The idempotency key belongs to an earlier request that asked for something else. Nothing new was translated, unless a part of a batch is
 * new. Send the request with another key; `onIdempotencyMismatch: 'return'` returns the jobs instead.
 */
export class IdempotencyMismatchError extends LinguaLoopError {
  static {
    IdempotencyMismatchError.prototype.name = 'IdempotencyMismatchError';
  }

  /** Null: the response is a success. */
  declare readonly status: null;
  /** What the service returned: the jobs of the key. Those of a different request have the warning `idempotency_request_differs`. */
  readonly jobs: readonly (TranslationJob | TenantDocumentJob)[];

  constructor(jobs: readonly (TranslationJob | TenantDocumentJob)[], requestId: string | null) {
    const differing = jobs.find(isOfAnotherRequest) ?? jobs[0];
    super({
      status: null,
      detail: `the idempotency key belongs to a different request, which made job ${differing?.id}; use another key, or onIdempotencyMismatch: 'return'`,
      requestId,
    });
    this.jobs = jobs;
  }

  /** The first job that a different request made. */
  get job(): TranslationJob | TenantDocumentJob | undefined {
    return this.jobs.find(isOfAnotherRequest);
  }
}

function isOfAnotherRequest({ warnings }: TranslationJob | TenantDocumentJob): boolean {
  return warnings.some(({ code }) => code === 'idempotency_request_differs');
}

/** An import that the service had accepted ended without importing anything. The message says what to do. */
export class ImportFailedError extends LinguaLoopError {
  static {
    ImportFailedError.prototype.name = 'ImportFailedError';
  }

  /** Null: no response says it. */
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

/** A document that the service had accepted was not translated. `code` says what to do: that of `job.failure`. */
export class DocumentFailedError extends LinguaLoopError {
  static {
    DocumentFailedError.prototype.name = 'DocumentFailedError';
  }

  /** Null: no response says it. */
  declare readonly status: null;
  /** At its end: `failure` says in which stage, and why. */
  readonly job: TenantDocumentJob;

  constructor(job: TenantDocumentJob) {
    const { failure } = job;
    super({
      status: null,
      detail: `document ${job.id} failed: ${failure?.message ?? 'the service does not say why'}`,
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

  /** Null: no response says it. */
  declare readonly status: null;
  /** At its end: `agent_run.error` says why. */
  readonly job: TranslationJob;

  constructor(job: TranslationJob) {
    const why = job.agent_run.error ?? 'the service does not say why';
    super({ status: null, detail: `translation ${job.id} failed: ${why}` });
    this.job = job;
  }
}

/** The password is right; the sign-in goes on with a second factor, and has no one to ask for it. */
export class MfaRequiredError extends LinguaLoopError {
  static {
    MfaRequiredError.prototype.name = 'MfaRequiredError';
  }

  /** Null: no response says it. */
  declare readonly status: null;
  /** The callback that `auth.signIn` needs. */
  readonly callback: 'onMfa' | 'onRecoveryCodes';
  /** What a code is asked for. */
  readonly challenge: MfaChallenge;

  constructor(callback: 'onMfa' | 'onRecoveryCodes', challenge: MfaChallenge) {
    super({
      status: null,
      detail: `auth.signIn needs ${callback}: the service asks for MFA (${challenge.method})`,
    });
    this.callback = callback;
    this.challenge = challenge;
  }
}

/** Address and password fit several workspaces, and there is no one to choose: give `tenantId` or `onWorkspaces`. */
export class WorkspaceRequiredError extends LinguaLoopError {
  static {
    WorkspaceRequiredError.prototype.name = 'WorkspaceRequiredError';
  }

  /** Null: no response says it. */
  declare readonly status: null;
  /** The callback that `auth.signIn` needs. */
  readonly callback: 'onWorkspaces';
  /** Those to choose among. */
  readonly workspaces: Workspace[];

  constructor(workspaces: Workspace[]) {
    super({
      status: null,
      detail: 'auth.signIn needs onWorkspaces or tenantId: the password fits several workspaces',
    });
    this.callback = 'onWorkspaces';
    this.workspaces = workspaces;
  }
}
