// Never run: the test is that this file compiles. It is compiled against the sources, against a copy of them whose
// procedures return fewer fields, and against the published declarations.
import {
  type AgentRun,
  type BatchInput,
  type BatchTranslationRequest,
  byStatus,
  type CallOptions,
  DocumentFailedError,
  type DocumentPoller,
  type DocumentTextRequest,
  type DocumentUpload,
  type Fetch,
  type FieldProblem,
  type FileTranslationRequest,
  ImportFailedError,
  type ImportPoller,
  type JobStatus,
  type LanguageCode,
  LinguaLoop,
  LinguaLoopError,
  languages,
  type Me,
  MfaRequiredError,
  NotFoundError,
  type QualityAssessment,
  type ReviewAction,
  type SignInOptions,
  type SignInRequest,
  type SourceFile,
  type SourceLanguageCode,
  type TenantDocumentJob,
  TimeoutError,
  type TokenStore,
  type Tokens,
  type TranslationJob,
  type TranslationListQuery,
  type TranslationMemorySet,
  type TranslationRequest,
  tokensOf,
  WorkspaceRequiredError,
} from '#sdk/index.ts';

/** Compiles only if a `T` can be used as an `Expected`. */
type Usable<T extends Expected, Expected> = T;
/** `any` can be used as every type, so this is checked separately. */
type IsAny<T> = 0 extends 1 & T ? true : false;
type Json = Record<string, unknown>;

export type Job = Usable<
  TranslationJob,
  {
    id: string;
    request: { source_text: string; source_lang: string; target_lang: string; metadata: Json };
    status: JobStatus;
    baseline_translation: string | null;
    final_translation: string | null;
    quality_assessment: QualityAssessment | null;
    refinement: { score: number; applied: boolean; rounds: number } | null;
    verification: { score: number; passed: boolean } | null;
    agent_run: AgentRun;
    created_at: string;
    updated_at: string;
  }
>;
export type Code = Usable<'fr-CA' | 'zh-Hans', LanguageCode>;
/** Values that an editor suggests, and other values that the type also accepts. */
export const completed: TranslationRequest[] = [
  { source_text: 'a', target_lang: 'fr-CA', source_lang: 'EN' },
  { source_text: 'a', target_lang: 'of a later version', metadata: { min_quality_score: 90, mine: ['x'] } },
  // @ts-expect-error a number is expected
  { source_text: 'a', target_lang: 'fr', metadata: { min_quality_score: '90' } },
  // @ts-expect-error a truth value is expected
  { source_text: 'a', target_lang: 'fr', metadata: { regulated: 'no' } },
];
/** Whether a type lists the codes for an editor's suggestions, and accepts every other text. */
type Completes<T, Codes extends string = LanguageCode> = Codes | (string & {}) extends infer Both
  ? (<G>() => G extends T ? 1 : 2) extends <G>() => G extends Both ? 1 : 2
    ? true
    : false
  : never;
export type Completed = Usable<
  | Completes<TranslationRequest['target_lang']>
  | Completes<FileTranslationRequest['target_lang']>
  | Completes<DocumentUpload['target_lang']>
  | Completes<BatchInput['Targets'][number]['Language']>
  | Completes<Exclude<TranslationListQuery['source_lang'], undefined>>,
  true
>;
export type Auto = Usable<LanguageCode | 'auto', SourceLanguageCode>;
export type CompletedWithAuto = Usable<
  | Completes<Exclude<TranslationRequest['source_lang'], undefined>, SourceLanguageCode>
  | Completes<Exclude<FileTranslationRequest['source_lang'], undefined>, SourceLanguageCode>
  | Completes<Exclude<DocumentTextRequest['source_lang'], undefined>, SourceLanguageCode>
  | Completes<Exclude<DocumentUpload['source_lang'], undefined>, SourceLanguageCode>
  | Completes<Exclude<BatchInput['Language'], undefined>, SourceLanguageCode>
  | Completes<Exclude<BatchTranslationRequest['inputs'][number]['Language'], undefined>, SourceLanguageCode>,
  true
>;
export type NoCode = Usable<IsAny<LanguageCode> | (string extends LanguageCode ? true : false), false>;
export const codes: readonly LanguageCode[] = languages.map(({ code }) => code);
export type Request = Usable<{ source_text: string; target_lang: string }, TranslationRequest>;
export type Batch = Usable<
  { inputs: { Text: string; Targets: { Language: string }[] }[] },
  BatchTranslationRequest
>;
export type BatchItem = Usable<
  {
    Text: string;
    Language: 'de';
    TextType: 'Plain' | 'Html';
    Targets: { Language: string; Tone: string | null; Gender: null; AllowFallback: boolean }[];
  },
  BatchInput
>;
export type AnyFile = Usable<
  | File
  | { name: string; data: Blob; contentType: string }
  | { name: string; data: Uint8Array }
  | { name: string; data: ArrayBuffer },
  SourceFile
>;
export type Action = Usable<'save' | 'approve' | 'modify' | 'reject', ReviewAction>;

export async function calls(client: LinguaLoop, created: TranslationJob): Promise<void> {
  const { translations, tenants, usage, billing } = client;
  const content = { name: 'a.md', data: new Uint8Array(), contentType: 'text/markdown' };
  new LinguaLoop({ baseUrl: 'http://localhost', fetch, accessToken: async () => 't', timeout: 1 });

  // @ts-expect-error Targets are missing
  await translations.createBatch({ inputs: [{ Text: 'Hello' }] });
  // @ts-expect-error one text is no batch
  await translations.createBatch({ source_text: 'Hello', target_lang: 'fr' });
  // @ts-expect-error a Blob has no name
  await translations.createFromFile(new Blob([]), { target_lang: 'fr' });
  // @ts-expect-error nor have bytes
  await translations.createFromFile({ data: new Uint8Array() }, { target_lang: 'fr' });
  // @ts-expect-error target_lang is missing
  await translations.createFromFile(content, { source_lang: 'en' });
  // @ts-expect-error without source_document it is a text like any other
  await translations.createFromText({ source_text: 'Hello', target_lang: 'fr', metadata: {} });
  // @ts-expect-error modify needs the text
  await translations.review(created.id, { action: 'modify' });
  // @ts-expect-error no such action
  await translations.review(created.id, { action: 'publish' });
  // @ts-expect-error no such format
  await translations.golden(created.id, { format: 'odt' });
  // @ts-expect-error only what creates takes a key
  await translations.review(created.id, { action: 'approve' }, { idempotencyKey: 'k' });
  // @ts-expect-error target_lang is missing
  await translations.create({ source_text: 'Hello' });
  // @ts-expect-error no such status
  translations.list({ status: 'done' });
  // @ts-expect-error no such field
  created.translation;
  // @ts-expect-error only what creates takes a key
  await client.translations.get(created.id, { idempotencyKey: 'k' });
  // @ts-expect-error the unit is milliseconds, and the name is timeout
  new LinguaLoop({ baseUrl: 'http://localhost', timeoutMs: 1 });
  // @ts-expect-error the tenant is named first
  usage.records({ period: '2026-11' });
  // @ts-expect-error no such format
  await usage.export('t', { format: 'xlsx' });
  // @ts-expect-error all of them are in `records`
  await usage.summary('t', { cursor: 'c' });
  // @ts-expect-error no such plan
  await billing.checkout({ tier: 'gold' });
  // @ts-expect-error no such toggle
  await tenants.setSecurityPolicy({ mfa: true });
  // @ts-expect-error a tenant is named in the options
  await tenants.invites.create({ tenant_id: 't' });
  // @ts-expect-error the name is missing
  await tenants.create({});
}

export function statuses(job: TranslationJob, document: TenantDocumentJob): string {
  const text = byStatus(job);
  if (text.status === 'awaiting_review') return text.agent_run.human_review_task.reason;
  if (text.status === 'pending') return (text.final_translation satisfies null) ?? text.id;
  switch (text.status) {
    case 'published':
    case 'human_edited':
      text.status satisfies JobStatus;
      return text.final_translation;
    case 'failed':
      return text.agent_run.error;
    case 'rejected':
    case 'refined':
    case 'translated':
    case 'approved':
    case 'persistence_failed':
      return text.final_translation;
    default:
      // @ts-expect-error a later status guarantees nothing
      text.final_translation satisfies string;
  }
  // @ts-expect-error before the status is known, there may be no translation
  text.final_translation satisfies string;

  const file = byStatus(document);
  if (file.status === 'translated') return file.quality_report.schema_version;
  if (file.status === 'queued') return file.progress.stage;
  // @ts-expect-error a document that has not failed may have no reason
  file.failure satisfies object;
  return file.status === 'failed' ? file.failure.code + file.error : file.id;
}

export async function signingIn(client: LinguaLoop, options: CallOptions): Promise<Tokens> {
  const { auth } = client;
  await auth.signUp({ email: 'a@example.org', password: 'p', invite_token: 't' }, options);
  const { token } = await auth.signUp({ tenant_name: 'T', email: 'a@example.org', password: 'p' });
  const request: SignInRequest = { email: 'a@example.org', password: 'p', tenantId: 't', scope: 's' };
  const asking: SignInOptions = {
    ...options,
    onWorkspaces: async ([first]) => first?.tenant_id ?? '',
    onMfa: (prompt) =>
      prompt.method === 'totp_enroll' ? prompt.enroll.secret : `${prompt.challengeId} ${prompt.attempt}`,
    onRecoveryCodes: (codes) => void codes.join(),
  };
  const tokens: Tokens = await auth.signIn(request, asking);
  const me: Me = await auth.me(options);
  const store: TokenStore = { load: () => (token ? tokensOf(token) : null), save: async () => {} };
  new LinguaLoop({ baseUrl: me.tenant.name, tokens: store });
  await auth.signOut(options);

  // @ts-expect-error neither a workspace's name nor an invite
  await auth.signUp({ email: 'a@example.org', password: 'p' });
  // @ts-expect-error the password is missing
  await auth.signIn({ email: 'a@example.org' });
  // @ts-expect-error only a prompt to enroll has something to enroll
  await auth.signIn(request, { onMfa: (prompt) => prompt.enroll.secret });
  // @ts-expect-error a code is a string
  await auth.signIn(request, { onMfa: () => 123456 });
  // @ts-expect-error a store can be emptied
  new LinguaLoop({ baseUrl: '', tokens: { load: () => null } });
  return tokens;
}

export async function files({ memory, documents }: LinguaLoop, file: File): Promise<void> {
  const { pollUntilDone }: ImportPoller = await memory.resumeImport('a', {
    pollEvery: { firstMs: 1, maxMs: 2 },
  });
  (await pollUntilDone()) satisfies TranslationMemorySet;
  const poller: DocumentPoller = await documents.resume((await documents.resume('a')).toJSON());
  const job: TenantDocumentJob = await poller.pollUntilDone().catch((error) => {
    if (error instanceof DocumentFailedError) return error.job;
    throw error;
  });
  (await documents.approve(job.id)).approval_result.fed_pairs satisfies number;
  // @ts-expect-error the languages are missing
  await memory.importTmx(file, { name: 'M' });
  // @ts-expect-error the language is missing
  await documents.translate(file, {});
}

export function errors(thrown: unknown): string | FieldProblem[] | 404 | number {
  if (thrown instanceof NotFoundError) return thrown.status satisfies 404;
  if (thrown instanceof TimeoutError) return thrown.timeoutMs;
  if (thrown instanceof MfaRequiredError) return thrown.challenge.expires_in;
  if (thrown instanceof ImportFailedError) return thrown.job.total_units;
  if (thrown instanceof WorkspaceRequiredError) return thrown.workspaces.length;
  if (thrown instanceof LinguaLoopError) return thrown.detail;
  throw thrown;
}

/** A `fetch` function that does not support streams is also valid. */
export const plainFetch: Fetch = async (url, init) => {
  const { status, ok, headers, text, arrayBuffer } = await fetch(url, init);
  return { status, ok, headers, text, arrayBuffer };
};
