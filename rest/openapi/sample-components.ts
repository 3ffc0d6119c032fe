/**
 * Ids of one workspace, its members and its translations, for the examples. As in all ids, the first characters
 * encode the time of creation.
 */
export const sampleIds = {
  workspace: '019f8e4f75c0c2f4a4bc51f384fb738a',
  member: '019f8e4f75c19ec36a670fc8ee785b91',
  job: '01a05c4dd5c0a53962a65b477d08415a',
  step: '01a05c4dd5c5b7733e38aec0aca60fe6',
  document: '01a05c4ec020c44f2fcd95c35f95cfc3',
  artifact: '01a05c4ec4087f8f8fdec9798f4b8d58',
  set: '019ff54ea5c07f9834a4b5b509c108a5',
  import: '01a05c4ee7307a6499b3ab94fda39ed5',
} as const;

export const sampleTimes = {
  begun: '2026-09-01T09:30:00.000Z',
  ended: '2026-09-01T09:30:04.180Z',
  founded: '2026-07-23T09:30:00.000Z',
  aWeekLater: '2026-09-08T09:30:00.000Z',
} as const;

export const sampleTexts = {
  english: 'Save your changes before you leave.',
  french: 'Enregistrez vos modifications avant de partir.',
} as const;

export const sampleKey = 'h8Qm2vT5yR7wK1pZ4nX9cB6jL3gF0dSaEoUiYtRqWxM';

/**
 * Values of a component's fields that must fit each other, so that a value for each field's name is not enough. All
 * other values are generated from the schema.
 */
export const sampleComponents: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  AgentStep: {
    id: sampleIds.step,
    name: 'baseline',
    actor: 'translator',
    status: 'completed',
    input_summary: 'en to fr',
    completed_at: sampleTimes.ended,
    tool_calls: [],
    decisions: [],
  },
  TranslationJob: {
    id: sampleIds.job,
    status: 'published',
    quality_assessment: { score: 97, issues: [], summary: 'Faithful and fluent.' },
    agent_run: { status: 'completed' },
    warnings: [],
    updated_at: sampleTimes.ended,
  },
  TenantDocumentArtifact: { id: sampleIds.artifact, kind: 'translated' },
  TenantDocumentJob: {
    id: sampleIds.document,
    status: 'translated',
    billable_chars: 6120,
    review_history: [],
    feed_manifest: { fed_pairs: [] },
    warnings: [],
    progress: { stage: 'reconstruct', translated_segments: 64, total_segments: 64 },
    updated_at: '2026-09-01T09:31:12.040Z',
  },
  DocumentReviewRecord: { corrections: 1, reviewer: 'ana@example.org' },
  DocumentApproval: { approval_result: { reviewer: 'ana@example.org', fed_pairs: 61 } },
  DocumentSummary: { billable_chars: 6120 },
  DocumentSegment: {
    cell_id: null,
    kind: 'paragraph',
    page: null,
    place: 'main, paragraph 3',
    quality: { score: 97, needs_review: false, issues: [] },
  },
  DocumentSegmentPage: { total: 64 },
  TenantAccount: {
    id: sampleIds.workspace,
    name: 'Acme',
    active: true,
    created_at: sampleTimes.founded,
  },
  SignupResponse: { tenant_api_key: sampleKey },
  AuthenticatedUser: { provider: 'email' },
  UserRow: { provider: 'email', active: true, totp_enrolled: true, created_at: sampleTimes.founded },
  InviteRecord: { email: 'ben@example.org', role: 'agent_id_developer', created_by: sampleIds.member },
  IntrospectResponse: {
    active: true,
    token_type: 'access_token',
    scope: 'translate:jobs',
    exp: 1_788_258_600,
    sub: sampleIds.member,
    tenant_id: sampleIds.workspace,
    email: 'ana@example.org',
    role: 'global_administrator',
  },
  StorageBinding: {
    auth_mode: 'managed_identity',
    has_secret: false,
    provider: 'datalake',
    status: 'verified',
    principal_client_id: 'b2c7c6ac-3f0f-4a0b-9f6e-6a1d2f6f4b1e',
    last_verified_at: sampleTimes.ended,
  },
  TenantUsageSummary: {
    allowance: { limit: 500_000, used: 35, remaining: 499_965 },
    trial: null,
    topup: { purchased: 0, used: 0, balance: 0 },
  },
  TranslationMemoryImportJob: {
    id: sampleIds.import,
    status: 'running',
    set_name: 'Website 2025',
    total_units: 12_400,
    deduped_units: 310,
    updated_at: sampleTimes.ended,
  },
  TranslationMemoryImportPoll: { poll_url: `/api/tm/imports/${sampleIds.import}` },
  TranslationMemorySet: { id: sampleIds.set, name: 'Website 2025', entry_count: 12_090 },
  TerminologySet: { id: sampleIds.set },
};
