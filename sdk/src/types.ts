import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { LanguageCode as SupportedCode } from '../../server/languages.ts';
import type { AppRouter } from '../../server/router.ts';

// All types below are derived from the service's procedures. The published declarations have the same types written
// out, so that they do not depend on the server: scripts/declarations.ts.
type Inputs = WithCodes<inferRouterInputs<AppRouter>>;
type Outputs = inferRouterOutputs<AppRouter>;
type ReviewInput = Inputs['translations']['review'];
type ReviewFields = Omit<ReviewInput, 'job_id' | 'action' | 'final_translation'>;

/**
 * Inputs with language codes that an editor completes. Any text is allowed: the service accepts codes in any letter
 * case, and may add languages.
 */
type WithCodes<T> = T extends readonly (infer E)[]
  ? WithCodes<E>[]
  : T extends object
    ? { [K in keyof T]: K extends 'source_lang' | 'target_lang' | 'Language' ? Coded<T[K]> : WithCodes<T[K]> }
    : T;
type Coded<T> = T extends string ? SupportedCode | (string & {}) : T;
/** Inputs whose source language can be detected. */
type WithAuto<T> = { [K in keyof T]: K extends 'source_lang' | 'Language' ? OrAuto<T[K]> : T[K] };
type OrAuto<T> = T extends undefined ? T : SupportedCode | 'auto' | (string & {});
/** Inputs whose options an editor completes. */
type WithOptions<T, Options = RequestMetadata> = {
  [K in keyof T]: K extends 'metadata' ? Options | Extract<T[K], undefined> : T[K];
};

/** A supported language by its canonical code, such as `fr-CA`. */
export type LanguageCode = SupportedCode;
/** The source language: a supported one, or `auto` to detect it. */
export type SourceLanguageCode = SupportedCode | 'auto';
/** Options of a translation. Other keys are kept with the job. */
export interface RequestMetadata {
  /** The quality score below which a translation is repaired and waits for review, 0 to 100. Default: 85. */
  min_quality_score?: number | undefined;
  /** The maximum number of repairs, 1 to 5. Default: 2. */
  max_quality_loop_retries?: number | undefined;
  /** Additional models to translate with, at most two; their names in a list, or separated by commas. */
  candidate_models?: string | string[] | undefined;
  /** Rounds in which the candidates are compared, 1 to 3. Default: 1. Without `candidate_models` it has no effect. */
  debate_rounds?: number | undefined;
  /** True requires a human review. */
  sensitive?: boolean | undefined;
  /** True requires a human review. */
  regulated?: boolean | undefined;
  /** True requires a human review. */
  requires_human_review?: boolean | undefined;
  /** Your own keys. */
  [key: string]: unknown;
}
/** The document of a text. */
export interface SourceDocument {
  /** Its name, after which the translation's downloads are named. */
  name?: string | undefined;
  /** Any other data to keep with the job. */
  [key: string]: unknown;
}
/** Options of a document's text, with its document. */
export interface DocumentTextMetadata extends RequestMetadata {
  /** The document. */
  source_document: SourceDocument;
}
/** The text to translate, with options. Only `source_text` and `target_lang` are required. */
export type TranslationRequest = WithAuto<WithOptions<Inputs['translations']['create']>>;
/** Texts to translate, each into one or more languages: up to 50 translations. */
export type BatchTranslationRequest = {
  [K in keyof Inputs['translations']['createBatch']]: K extends 'inputs'
    ? BatchInput[]
    : Inputs['translations']['createBatch'][K];
};
/** One text of a batch, with its target languages. */
export type BatchInput = WithAuto<Inputs['translations']['createBatch']['inputs'][number]>;
/**
 * The text of a document, in `source_text`, which is translated page by page; `metadata.source_document` names it.
 */
export type DocumentTextRequest = WithAuto<
  WithOptions<Inputs['translations']['createFromText'], DocumentTextMetadata>
>;
/** Options for translating a file. `metadata` has the options of a text, for example `min_quality_score`. */
export type FileTranslationRequest = WithAuto<
  Pick<Inputs['translations']['createFromFile'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'model'>
> & { target_lang: Coded<string>; metadata?: RequestMetadata | undefined };
/** A text in the pipeline, or its result. */
export type TranslationJob = Outputs['translations']['create'];
/** The status of a job. The service may add values within a version: handle unknown ones. */
export type JobStatus = TranslationJob['status'];
/** Filters for jobs; `limit` is the size of a page. */
export type TranslationListQuery = Extract<Inputs['translations']['list'], object>;
/** A reviewer's action on a job: keep a draft, publish, publish another text, reject. */
export type ReviewAction = ReviewInput['action'];
/** A reviewer's action. Send `reviewer` only with an API key; a session identifies the reviewer. */
export type ReviewRequest =
  | (ReviewFields & { action: 'modify'; final_translation: string })
  // Not as a member of an object type: the declarations would repeat it in this form.
  | (ReviewFields &
      Record<'action', Exclude<ReviewAction, 'modify'>> &
      Pick<ReviewInput, 'final_translation'>);
/** Filters for jobs to export as XLIFF; `limit` is the size of a page. */
export type XliffQuery = Inputs['translations']['exportXliff'];
/**
 * The action for the text of an XLIFF document, if its state should not decide. Send `reviewer` only with an API key.
 */
export type XliffReviewRequest = Omit<Inputs['translations']['reviewXliff'], 'job_id' | 'body'>;
/** The download formats of a published translation. */
export type GoldenFormat = NonNullable<Inputs['translations']['golden']['format']>;
/** The result of a deletion. */
export type TranslationDeletion = Outputs['translations']['delete'];
/** The quality assessment of the baseline translation. */
export type QualityAssessment = NonNullable<TranslationJob['quality_assessment']>;
/** One finding of the quality assessment. */
export type QualityIssue = QualityAssessment['issues'][number];
/** The changes of the repair. */
export type Refinement = NonNullable<TranslationJob['refinement']>;
/** The final check before publication. */
export type Verification = NonNullable<TranslationJob['verification']>;
/** The trace of a job's pipeline. */
export type AgentRun = TranslationJob['agent_run'];
/** One step of the pipeline. */
export type AgentStep = AgentRun['steps'][number];
/** A tool that a step called. */
export type ToolTrace = AgentStep['tool_calls'][number];
/** A decision of a step, with its reason. */
export type AgentDecision = AgentStep['decisions'][number];
/** Whether a job may be published without a human review. */
export type QualityGate = NonNullable<AgentRun['quality_gate']>;
/** The task for the reviewer of a held job. */
export type HumanReviewTask = NonNullable<AgentRun['human_review_task']>;
/** The reason why a job is held. */
export type HumanReviewTrigger = QualityGate['triggers'][number];

/** Filters of a job search. A page may be short: it ends after 10,000 jobs that do not match. */
export type JobSearchQuery = Extract<Inputs['translations']['search'], object>;
/** A page of a search; `searched_to` is the time back to which it searched. */
export type JobSearchPage = Outputs['translations']['search'];
/** A job in a list. */
export type JobSummary = JobSearchPage['jobs'][number];
/** Numbers of jobs. */
export type JobCounts = Outputs['translations']['counts'];
/** A text to check, and the job whose translation it would be. */
export type TextCheckRequest = Inputs['translations']['check'];
/** The findings of the service's own checks. */
export type TextCheck = Outputs['translations']['check'];
/** A reviewer's action on the version of a job that the reviewer saw. */
export type ReviewActRequest = Inputs['translations']['act'];
/** Reviewers' actions on several jobs. */
export type ReviewManyRequest = Inputs['translations']['reviewMany'];
/** The results, in their order. */
export type ReviewManyResult = Outputs['translations']['reviewMany'];
/** Filters for the next job to review. */
export type NextReviewQuery = Extract<Inputs['reviews']['next'], object>;
/** The next job; null if no job awaits review. */
export type NextReview = Outputs['reviews']['next'];
/** A claim to create, renew or end. */
export type ReviewClaimRequest = Inputs['reviews']['claim'];
/** The current reviewers of a job. */
export type ReviewClaim = Outputs['reviews']['claim'];
/** A job or document whose review is undone. */
export type ReopenRequest = Inputs['reviews']['reopen'];
/** The item, which awaits review again. */
export type ReopenedItem = Outputs['reviews']['reopen'];
/** The days to report. */
export type ReviewerReportQuery = Extract<Inputs['reviews']['byReviewer'], object>;
/** The work of each reviewer. */
export type ReviewerReport = Outputs['reviews']['byReviewer'];

/** Options for translating a document. */
export type DocumentUpload = WithAuto<
  Pick<Inputs['documents']['translate'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'text_type'>
> & { target_lang: Coded<string> };
/** A document in the pipeline, or its result. */
export type TenantDocumentJob = Outputs['documents']['get'];
/** The status of a document. The service may add values within a version: handle unknown ones. */
export type DocumentJobStatus = TenantDocumentJob['status'];
/** The progress of a document. */
export type DocumentProgress = NonNullable<TenantDocumentJob['progress']>;
/** The reason why a document failed; branch on its `code`. */
export type DocumentFailureDetail = NonNullable<TenantDocumentJob['failure']>;
/** The findings of the checks in a translated document. */
export type DocumentQualityReport = NonNullable<TenantDocumentJob['quality_report']>;
/** One finding: missing, doubtful, truncated, or untranslated content. */
export type DocumentQualityFinding = DocumentQualityReport['findings'][number];
/** A file of a document: its source, or a translated revision. */
export type TenantDocumentArtifact = Outputs['documents']['artifacts'][number];
/** Filters for documents; `limit` is the size of a page. */
export type DocumentListQuery = Extract<Inputs['documents']['list'], object>;
/** One text of a document, with its translation and the translation's details. */
export type DocumentSegment = Outputs['documents']['segments']['segments'][number];
/** Filters for segments: `flagged` for those that need a review; `limit` is the size of a page. */
export type DocumentSegmentQuery = Omit<Inputs['documents']['segments'], 'document_id'>;
/** A page of segments; `next_cursor` is null on the last one. */
export type DocumentSegmentPage = Outputs['documents']['segments'];
/** Corrections of segments, each named by `region_id` and `cell_id`. Send `reviewer` only with an API key. */
export type DocumentReviewRequest = Omit<Inputs['documents']['review'], 'document_id'>;
/** Filters for segments to export as XLIFF: all of them unless a `limit` makes pages. */
export type DocumentXliffQuery = Omit<Inputs['documents']['exportXliff'], 'document_id'>;
/** Remarks for an XLIFF document. Send `reviewer` only with an API key. */
export type DocumentXliffReviewRequest = Omit<Inputs['documents']['reviewXliff'], 'document_id' | 'body'>;
/** The approver, and remarks. `reviewer` is required with an API key, and ignored with a session. */
export type DocumentApproveRequest = Omit<Inputs['documents']['approve'], 'document_id'>;
/** An approved document, and its additions to the memory. */
export type DocumentApproval = Outputs['documents']['approve'];
/** The result of a deletion. */
export type DocumentDeletion = Outputs['documents']['delete'];
/** The documents to check. */
export type DocumentProgressQuery = Inputs['documents']['progress'];
/** Their progress. */
export type DocumentProgressList = Outputs['documents']['progress'];
/** The parts of a document. */
export type DocumentOutline = Outputs['documents']['outline'];
/** Filters of a segment search, and the position to start at. */
export type SegmentSearchQuery = Inputs['documents']['search'];
/** The segments found, with their positions. */
export type SegmentSearchPage = Outputs['documents']['search'];
/** The page whose segments to locate. */
export type SegmentBoxQuery = Inputs['documents']['boxes'];
/** The positions of segments on a page. */
export type SegmentBoxPage = Outputs['documents']['boxes'];
/** Corrections, each with the text it replaces. */
export type DocumentCorrectionRequest = Inputs['documents']['correct'];
/** The document with its corrections. */
export type CorrectedDocument = Outputs['documents']['correct'];
/** A text that a reviewer proposes for a segment. */
export type SegmentCheckRequest = Inputs['documents']['check'];
/** The findings of its checks. */
export type SegmentCheck = Outputs['documents']['check'];
/** Translations that a reviewer confirms without changes, each with the text that was seen. */
export type SegmentConfirmRequest = Inputs['documents']['confirm'];
/** The segments with their confirmations. */
export type ConfirmedSegments = Outputs['documents']['confirm'];
/** The documents to approve. */
export type ApproveManyRequest = Inputs['documents']['approveMany'];
/** The result for each. */
export type ApprovalOutcomes = Outputs['documents']['approveMany'];
/** The time since which failed documents count. */
export type DocumentOutageQuery = Inputs['documents']['outage'];
/** Documents that wait for the end of an outage, and those that can be queued again. */
export type DocumentOutage = Outputs['documents']['outage'];
/** The failed documents to queue again. */
export type RequeueRequest = Inputs['documents']['requeue'];
/** The documents that were queued again. */
export type RequeuedDocuments = Outputs['documents']['requeue'];
/** The breakdowns to add, for an operator. */
export type DocumentSummaryQuery = Extract<Inputs['documents']['summary'], object>;
/** Counts of the tenant's documents. */
export type DocumentSummary = Outputs['documents']['summary'];

/** The workspace to create and its first administrator. */
export type EmailSignupRequest = Inputs['auth']['signUpWithEmail'];
/** A new member who joins a workspace with an invite, instead of creating one. */
export type InviteSignupRequest = Pick<EmailSignupRequest, 'email' | 'password'> & { invite_token: string };
/**
 * The workspace; its API key, shown this once, if it is a new one; and `token`, or an `mfa_challenge` if
 * `mfa_required` is true.
 */
export type SignupResponse = Outputs['auth']['signUpWithEmail'];
/** A workspace. */
export type TenantAccount = SignupResponse['account'];
/** A user's access token and refresh token. */
export type OAuth2TokenResponse = NonNullable<SignupResponse['token']>;
/** The user of a token. Its `role` is not the effective one, which `auth.me` returns. */
export type AuthenticatedUser = OAuth2TokenResponse['user'];
/** The pending step of a sign-in: an authenticator code, or the enrollment of an authenticator (`totp_enroll`). */
export type MfaChallenge = Extract<Outputs['auth']['token'], { mfa_required: true }>['mfa_challenge'];
/**
 * The data for setting up an authenticator: its secret in base32, as a URI, and as a picture of that URI in a data
 * URI.
 */
export type MfaEnrollment = Outputs['auth']['enrollMfa'];
/** A workspace that the user can sign in to. */
export type Workspace = Extract<
  Outputs['auth']['token'],
  { tenant_selection_required: true }
>['tenants'][number];
/** A request to the token endpoint: a password, a code, or a refresh token. */
export type TokenRequest = Inputs['auth']['token'];
/** Tokens, or the pending step of the sign-in. */
export type TokenEndpointResponse = Outputs['auth']['token'];
/** The authenticator is set up; with the tokens of the pending sign-in. */
export type MfaConfirmation = Outputs['auth']['confirmMfa'];
/** A code for a challenge. */
export type MfaVerifyRequest = Inputs['auth']['verifyMfa'];
/** The challenge for which to set up an authenticator. */
export type MfaEnrollRequest = Inputs['auth']['enrollMfa'];
/** The authenticator's first code. */
export type MfaConfirmRequest = Inputs['auth']['confirmMfa'];
/** The token of a link, and the new password. */
export type PasswordResetRequest = Inputs['auth']['resetPassword'];
/** The password is set. */
export type PasswordReset = Outputs['auth']['resetPassword'];
/** The token is ended. */
export type TokenRevocation = Outputs['auth']['revoke'];
/** Recovery codes, each for one use. */
export type RecoveryCodes = Outputs['auth']['regenerateRecoveryCodes'];
/** The state of a token. */
export type TokenIntrospection = Outputs['auth']['introspect'];
/** The URL to which the identity provider redirects the browser, and the workspace. */
export type SsoAuthorizeRequest = Omit<Inputs['auth']['authorizeSso'], 'provider'>;
/** The URL to redirect the browser to. */
export type SsoAuthorization = Outputs['auth']['authorizeSso'];
/** The parameters with which the browser returned. */
export type SsoCallbackRequest = Omit<Inputs['auth']['completeSso'], 'provider'>;
/** Tokens, or the pending step of the sign-in. */
export type SsoSignIn = Outputs['auth']['completeSso'];
/** The identity provider's public configuration. */
export type SsoClientConfig = Outputs['auth']['ssoClientConfig'];
/** The signed-in member, with the effective role, and its workspace. */
export type Me = Outputs['auth']['me'];

/** The tenant to create. Its limit is not lowered, and its platform-owned metadata is kept. */
export type TenantAccountCreate = Inputs['tenants']['create'];
/** A new tenant, with its API key, which is shown this once. */
export type ProvisionedTenant = Outputs['tenants']['create'];
/** Filters for tenants; `limit` is the size of a page. */
export type TenantListQuery = Inputs['tenants']['list'];
/** The toggles to set, at least one. Missing ones do not change. */
export type SecurityPolicy = Omit<Inputs['tenants']['setSecurityPolicy'], 'tenant_id'>;
/** The recipient of an invite; anyone with the token, if no `email` is given. */
export type InviteCreateRequest = Omit<Inputs['members']['createInvite'], 'tenant_id'>;
/** A new invite, with its token, which is shown this once. */
export type CreatedInvite = Outputs['members']['createInvite'];
/** An invite, and its status. */
export type InviteRecord = Outputs['members']['listInvites'][number];
/** Filters for invites; `limit` is the size of a page. */
export type InviteListQuery = Omit<Inputs['members']['listInvites'], 'tenant_id'>;

/** The password, or an authenticator code. */
export type KeyRotationProof = Inputs['tenants']['rotateKey'];
/** The new API key, shown this once. */
export type RotatedKey = Outputs['tenants']['rotateKey'];
/** The details of an invite. */
export type InvitePreview = Outputs['members']['previewInvite'];
/** Filters for members; `limit` is the size of a page. */
export type MemberListQuery = Omit<Inputs['members']['list'], 'tenant_id'>;
/** A member. */
export type UserRow = Outputs['members']['list'][number];
/** The role of a member. */
export type MemberRole = Inputs['members']['changeRole']['role'];
/** The member whose authenticator was removed. */
export type MfaReset = Outputs['members']['resetMfa'];
/** A password reset link. */
export type PasswordResetLink = Outputs['members']['issueResetLink'];
/** Filters for events: by action, actor and time. */
export type AuditListQuery = Extract<Inputs['audit']['list'], object>;
/** A page of events; a short one may have a next. */
export type AuditPage = Outputs['audit']['list'];
/** An event, with its actor and time. */
export type AuditEvent = AuditPage['events'][number];

/** The days to report, in UTC, first and last included; by default the last 30, at most 366. */
export type DailyUsageQuery = Omit<Inputs['usage']['daily'], 'tenant_id'>;
/** The usage of each day, including days without usage. Token counters are for operators. */
export type DailyUsage = Outputs['usage']['daily'];
/** The month (YYYY-MM in UTC; the current one by default), and the number of its latest records, up to 1,000. */
export type UsageSummaryQuery = Omit<Inputs['usage']['summary'], 'tenant_id' | 'cursor'>;
/** A tenant's usage in a month, its remaining allowance, and the latest records. */
export type TenantUsageSummary = Outputs['usage']['summary'];
/** The billed usage of one job. Token counters and models are for operators. */
export type TenantUsageRecord = TenantUsageSummary['records'][number];
/** The month: YYYY-MM in UTC; the current one by default. */
export type UsageRecordsQuery = Pick<Inputs['usage']['export'], 'period'>;
/** The month, and the format: `json` by default. */
export type UsageExportQuery = Omit<Inputs['usage']['export'], 'tenant_id'>;
/** The download formats of a month's records. */
export type UsageExportFormat = NonNullable<UsageExportQuery['format']>;

/** The storage of a tenant's records and files, and whether it works. */
export type StorageBinding = Outputs['storage']['binding'];
/** The complete desired state of a binding. */
export type StorageBindingRequest = Inputs['storage']['bind'];
/** The result for translations that waited for storage. */
export type ReplaySummary = NonNullable<StorageBinding['replay']>;
/** The platform storage that the tenant's documents use. */
export type StorageUsage = Outputs['storage']['usage'];

/** The name of a glossary, and the languages of entries without their own; required with TMX and TBX. */
export type TerminologyUpload = Pick<Inputs['terminology']['upload'], 'source_lang' | 'target_lang'> & {
  name: string;
};
/** Filters for glossaries or memories; `limit` is the size of a page, all of them by default. */
export type SetListQuery = Extract<Inputs['terminology']['list'], object>;
/** A glossary. */
export type TerminologySet = Outputs['terminology']['list'][number];
/** The response to an upload: the set, and possible mistakes in its file. */
export type UploadedTerminologySet = Outputs['terminology']['upload'];
/** The edition of ISO 30042 for the export of a glossary: `2019`, or `2008` for tools that support no other. */
export type TbxQuery = Omit<Inputs['terminology']['exportTbx'], 'set_id'>;
/** Filters for the entries of a glossary. */
export type GlossaryEntryQuery = Inputs['terminology']['entries'];
/** A page of entries. */
export type GlossaryEntryPage = Outputs['terminology']['entries'];
/** A term and its required translation. */
export type GlossaryEntry = GlossaryEntryPage['entries'][number];
/** A term to add. */
export type NewGlossaryEntry = Inputs['terminology']['addEntry'];
/** The added term, and the glossary's other translations of it. */
export type AddedGlossaryEntry = Outputs['terminology']['addEntry'];
/** A text, and optionally its translation. */
export type TermMatchRequest = Inputs['terminology']['matches'];
/** The terms of the text. */
export type TermMatches = Outputs['terminology']['matches'];
/** Filters for units of a memory. */
export type MemoryBrowseQuery = Extract<Inputs['memory']['browse'], object>;
/** A page of units. */
export type MemoryUnitPage = Outputs['memory']['browse'];
/** A text and its translation. */
export type MemoryUnit = MemoryUnitPage['units'][number];
/** A search in the memories. */
export type ConcordanceQuery = Inputs['memory']['concordance'];
/** A page of units with the text. */
export type ConcordancePage = Outputs['memory']['concordance'];
/** A unit, and the positions of the text in it. */
export type ConcordanceUnit = ConcordancePage['units'][number];
/** A text to find matches for. */
export type MemoryMatchRequest = Inputs['memory']['matches'];
/** The matches of the memories. */
export type MemoryMatches = Outputs['memory']['matches'];
/** The name of a memory, and the pair of the file's languages to import. */
export type MemoryImportRequest = Record<
  keyof Pick<Inputs['memory'][`import`], 'source_lang' | 'target_lang'>,
  Coded<string>
> & { name: string };
/** A translation memory; as the result of an import with the counts of the file's units. */
export type TranslationMemorySet = Outputs['memory']['list'][number];
/** An import in the background, running or ended. */
export type TranslationMemoryImportJob = Outputs['memory']['listImports'][number];
/** The languages of the approved translations. */
export type GoldenMemoryQuery = Record<keyof Inputs['memory']['exportGolden'], Coded<string>>;

/** The plan to subscribe to. */
export type CheckoutRequest = Inputs['billing']['checkout'];
/** A plan that can be subscribed to. */
export type BillingTier = CheckoutRequest['tier'];
/** The number of packs of 1,000,000 characters to buy: by default one, at most five. */
export type TopUpRequest = Inputs['billing']['topup'];
/** The page to redirect the browser to. */
export type PaymentPage = Outputs['billing']['checkout'];

/** Liveness, and the parts that run on stubs. */
export type HealthStatus = Outputs['system']['health'];
