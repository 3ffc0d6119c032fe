// Never run: it compiles, or the SDK's types are wrong. It is compiled against the sources, against a copy of them
// whose procedures answer less, and against the published declarations.
import {
  type AgentRun,
  type CallOptions,
  type EmailSignupRequest,
  type FieldProblem,
  type HealthStatus,
  type HumanReviewTask,
  type JobStatus,
  LinguaLoop,
  LinguaLoopError,
  NotFoundError,
  type OAuth2TokenResponse,
  type Page,
  type QualityAssessment,
  type QualityGate,
  type SignupResponse,
  type TenantAccount,
  TimeoutError,
  type TranslationJob,
  type TranslationListQuery,
  type TranslationRequest,
} from '#sdk/index.ts';

/** Fails to compile unless `T` is usable as `Expected`. */
type Usable<T extends Expected, Expected> = T;
/** `any` is usable as everything, so it is asked for apart. */
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
export type Status = Usable<'published' | 'awaiting_review' | 'failed', JobStatus>;
export type Assessment = Usable<QualityAssessment, { score: number; issues: { explanation: string }[] }>;
export type Run = Usable<
  AgentRun,
  { steps: { name: string }[]; quality_gate: QualityGate | null; human_review_task: HumanReviewTask | null }
>;
export type Gate = Usable<QualityGate, { decision: 'pass' | 'needs_human' | 'fail'; threshold: number }>;
export type Task = Usable<HumanReviewTask, { status: 'open' | 'completed' | 'cancelled'; reason: string }>;
export type Signup = Usable<
  SignupResponse,
  { account: TenantAccount; tenant_api_key: string | null; token?: OAuth2TokenResponse | undefined }
>;
export type Token = Usable<OAuth2TokenResponse, { access_token: string; user: { role: string } }>;
export type Account = Usable<TenantAccount, { id: string; name: string; monthly_char_limit: number }>;
export type Health = Usable<HealthStatus, { status: 'ok'; live_services: boolean }>;
export type Request = Usable<{ source_text: string; target_lang: string }, TranslationRequest>;
export type Founding = Usable<{ tenant_name: string; email: string; password: string }, EmailSignupRequest>;
export type Query = Usable<{ status?: JobStatus; limit?: number; cursor?: string }, TranslationListQuery>;

export type Known = Usable<
  | IsAny<TranslationJob | AgentRun | QualityAssessment | QualityGate | HumanReviewTask | TranslationRequest>
  | IsAny<SignupResponse | OAuth2TokenResponse | TenantAccount | EmailSignupRequest | HealthStatus>
  | IsAny<JobStatus | TranslationListQuery>,
  false
>;

export async function calls(client: LinguaLoop, options: CallOptions): Promise<void> {
  const created: TranslationJob = await client.translations.create(
    { source_text: 'Hello', target_lang: 'fr', text_type: 'Html', metadata: { a: 1 } },
    { ...options, idempotencyKey: 'k' },
  );
  const page: Page<TranslationJob> = await client.translations.listPage({ limit: 5 }, options);
  for await (const job of client.translations.list({ status: created.status })) page.items.push(job);

  // @ts-expect-error target_lang is missing
  await client.translations.create({ source_text: 'Hello' });
  // @ts-expect-error no such status
  client.translations.list({ status: 'done' });
  // @ts-expect-error no such field
  created.translation;
  // @ts-expect-error only what creates takes a key
  await client.translations.get(created.id, { idempotencyKey: 'k' });
  // @ts-expect-error baseUrl is missing
  new LinguaLoop({ apiKey: 'k' });
  new LinguaLoop({ baseUrl: 'http://localhost', fetch, accessToken: async () => 't', timeoutMs: 1 });
}

export function errors(thrown: unknown): string | FieldProblem[] | 404 | number {
  if (thrown instanceof NotFoundError) return thrown.status satisfies 404;
  if (thrown instanceof TimeoutError) return thrown.timeoutMs;
  if (thrown instanceof LinguaLoopError) return thrown.detail;
  throw thrown;
}
