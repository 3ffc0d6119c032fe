import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { LanguageCode as SupportedCode } from '../../server/languages.ts';
import type { AppRouter } from '../../server/router.ts';

// All types below are derived from the service's procedures. The published package has the same types written out by
// scripts/declarations.ts, so that it does not depend on the server.
type Inputs = WithCodes<inferRouterInputs<AppRouter>>;
type Outputs = inferRouterOutputs<AppRouter>;
type ReviewInput = Inputs['translations']['review'];
type ReviewFields = Omit<ReviewInput, 'job_id' | 'action' | 'final_translation'>;

/**
 * Adds language codes to the types of inputs, so that editors can complete them. Any string stays allowed: the
 * service accepts codes in any letter case, and may add languages.
 */
type WithCodes<T> = T extends readonly (infer E)[]
  ? WithCodes<E>[]
  : T extends object
    ? { [K in keyof T]: K extends 'source_lang' | 'target_lang' | 'Language' ? Coded<T[K]> : WithCodes<T[K]> }
    : T;
type Coded<T> = T extends string ? SupportedCode | (string & {}) : T;
/** Adds `auto` to the source language of inputs for which the service can detect the language. */
type WithAuto<T> = { [K in keyof T]: K extends 'source_lang' | 'Language' ? OrAuto<T[K]> : T[K] };
type OrAuto<T> = T extends undefined ? T : SupportedCode | 'auto' | (string & {});
/** Adds the known options to the types of inputs, so that editors can complete them. */
type WithOptions<T, Options = RequestMetadata> = {
  [K in keyof T]: K extends 'metadata' ? Options | Extract<T[K], undefined> : T[K];
};

/** The canonical code of a supported language, such as `fr-CA`. */
export type LanguageCode = SupportedCode;
/** The source language: the code of a supported language, or `auto` to detect it. */
export type SourceLanguageCode = SupportedCode | 'auto';
/** Options of a translation. You can add keys; the service stores them with the job. */
export interface RequestMetadata {
  /**
   * Minimum quality score, 0 to 100. A translation with a lower score is repaired; if the score is still too low, the
   * translation needs a review. Default: 85.
   */
  min_quality_score?: number | undefined;
  /** The maximum number of repairs, 1 to 5. Default: 2. */
  max_quality_loop_retries?: number | undefined;
  /**
   * Models whose translations compete with that of the main model: at most two, as a list of names or as names
   * separated by commas.
   */
  candidate_models?: string | string[] | undefined;
  /**
   * The number of rounds in which the candidate translations are compared, 1 to 3. Default: 1. Has no effect without
   * `candidate_models`.
   */
  debate_rounds?: number | undefined;
  /** True if the text is sensitive; a review is then required. */
  sensitive?: boolean | undefined;
  /** True if the text is regulated; a review is then required. */
  regulated?: boolean | undefined;
  /** True to require a review. */
  requires_human_review?: boolean | undefined;
  /** Your own keys. */
  [key: string]: unknown;
}
/** The document from which a text comes. */
export interface SourceDocument {
  /** The name of the document. Downloads of the translation are named after it. */
  name?: string | undefined;
  /** Other data about the document, which the service stores with the job. */
  [key: string]: unknown;
}
/** Options for the text of a document, and the description of the document. */
export interface DocumentTextMetadata extends RequestMetadata {
  /** The document. */
  source_document: SourceDocument;
}
/** A text to translate, with options. Only `source_text` and `target_lang` are required. */
export type TranslationRequest = WithAuto<WithOptions<Omit<Inputs['translations']['create'], 'dry_run'>>>;
/** Texts to translate, each into one or more languages; up to 50 translations in total. */
export type BatchTranslationRequest = {
  [K in keyof Omit<Inputs['translations']['createBatch'], 'dry_run'>]: K extends 'inputs'
    ? BatchInput[]
    : Inputs['translations']['createBatch'][K];
};
/** One text of a batch, with its target languages. */
export type BatchInput = WithAuto<Inputs['translations']['createBatch']['inputs'][number]>;
/**
 * The text of a document in `source_text`, which the service translates page by page. `metadata.source_document`
 * describes the document.
 */
export type DocumentTextRequest = WithAuto<
  WithOptions<Omit<Inputs['translations']['createFromText'], 'dry_run'>, DocumentTextMetadata>
>;
/** Options to translate a file. `metadata` has the options that a text has, such as `min_quality_score`. */
export type FileTranslationRequest = WithAuto<
  Pick<Inputs['translations']['createFromFile'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'model'>
> & {
  target_lang: Coded<string>;
  metadata?: RequestMetadata | undefined;
  /** The maximum number of billable characters; a larger file is rejected. */
  max_characters?: number | undefined;
};
/** A translation job of a text, in progress or completed. */
export type TranslationJob = Outputs['translations']['get'];
/**
 * The work and the price of a request: its characters, the matches in the translation memory, the reviews that its
 * rules require, and the reason for which it would be rejected.
 */
export type TranslationEstimate = Extract<Outputs['translations']['create'], { dry_run: true }>;
/** The status of a job. The service may add values to an API version, so handle unknown ones. */
export type JobStatus = TranslationJob['status'];
/** Filters for jobs; `limit` is the size of a page. */
export type TranslationListQuery = Extract<Inputs['translations']['list'], object>;
/** A reviewer's action on a job: save a draft, publish, publish another text, or reject. */
export type ReviewAction = ReviewInput['action'];
/**
 * A reviewer's action with its details. Send `reviewer` only with an API key; with a session, the member is the
 * reviewer.
 */
export type ReviewRequest =
  | (ReviewFields & { action: 'modify'; final_translation: string })
  // Not as a member of an object type: the published declarations would then repeat the whole type.
  | (ReviewFields &
      Record<'action', Exclude<ReviewAction, 'modify'>> &
      Pick<ReviewInput, 'final_translation'>);
/** Filters for jobs to export as XLIFF; `limit` is the size of a page. */
export type XliffQuery = Inputs['translations']['exportXliff'];
/**
 * The action for the texts of an XLIFF document, if the states in the document should not determine it. Send
 * `reviewer` only with an API key.
 */
export type XliffReviewRequest = Omit<Inputs['translations']['reviewXliff'], 'job_id' | 'body'>;
/** The download formats of a published translation. */
export type GoldenFormat = NonNullable<Inputs['translations']['golden']['format']>;
/** The result of the deletion of a job. */
export type TranslationDeletion = Outputs['translations']['delete'];
/** The quality assessment of the machine translation. */
export type QualityAssessment = NonNullable<TranslationJob['quality_assessment']>;
/** One finding of the quality assessment. */
export type QualityIssue = QualityAssessment['issues'][number];
/** The changes that the repair has made. */
export type Refinement = NonNullable<TranslationJob['refinement']>;
/** The final check of the translation before publication. */
export type Verification = NonNullable<TranslationJob['verification']>;
/** The steps and decisions of a job's pipeline. */
export type AgentRun = TranslationJob['agent_run'];
/** One step of the pipeline. */
export type AgentStep = AgentRun['steps'][number];
/** A tool that a step called. */
export type ToolTrace = AgentStep['tool_calls'][number];
/** A decision of a step, with its reason. */
export type AgentDecision = AgentStep['decisions'][number];
/** The decision whether a job may be published without a review. */
export type QualityGate = NonNullable<AgentRun['quality_gate']>;
/** The task for the reviewer of a job that is awaiting review. */
export type HumanReviewTask = NonNullable<AgentRun['human_review_task']>;
/** The reason why a job is awaiting review. */
export type HumanReviewTrigger = QualityGate['triggers'][number];

/** Filters to search jobs. A page may have fewer items than requested: it ends after 10,000 jobs that do not match. */
export type JobSearchQuery = Extract<Inputs['translations']['search'], object>;
/** A page of search results. `searched_to` is the time back to which the search has examined jobs. */
export type JobSearchPage = Outputs['translations']['search'];
/** A job as part of a list. */
export type JobSummary = JobSearchPage['jobs'][number];
/** The number of jobs with each status. */
export type JobCounts = Outputs['translations']['counts'];
/** A text to check, and the job for which it is proposed as translation. */
export type TextCheckRequest = Inputs['translations']['check'];
/** The findings of the service's own checks. */
export type TextCheck = Outputs['translations']['check'];
/** A reviewer's action, and the version of the job that the reviewer has seen. */
export type ReviewActRequest = Inputs['translations']['act'];
/** How a reviewer resolves a finding of a text. */
export type TextFindingResolution = Inputs['translations']['resolve'];
/** The text that the judge model sees again, with the version that the reviewer saw. */
export type TextRecheckRequest = Inputs['translations']['recheck'];
/** Reviewers' actions on several jobs. */
export type ReviewManyRequest = Inputs['translations']['reviewMany'];
/** The results of the actions, in the same order. */
export type ReviewManyResult = Outputs['translations']['reviewMany'];
/** Filters for the next job to review. */
export type NextReviewQuery = Extract<Inputs['reviews']['next'], object>;
/** The next job; null if no job awaits review. */
export type NextReview = Outputs['reviews']['next'];
/** A claim to create, renew or end. */
export type ReviewClaimRequest = Inputs['reviews']['claim'];
/** The current reviewers of a job or document, each with the open segment. */
export type ReviewClaim = Outputs['reviews']['claim'];
/** The job or document whose review is to be undone. */
export type ReopenRequest = Inputs['reviews']['reopen'];
/** The reopened job or document, which is awaiting review again. */
export type ReopenedItem = Outputs['reviews']['reopen'];
/** The period of the report. */
export type ReviewerReportQuery = Extract<Inputs['reviews']['byReviewer'], object>;
/** The work of each reviewer. */
export type ReviewerReport = Outputs['reviews']['byReviewer'];
/** The period and the format of the export of approved items. */
export type ApprovedItemsQuery = Extract<Inputs['reviews']['approvedItems'], object>;

/**
 * The hashes of the texts of a translated document: of the source and of the translation, by key, or as a list for a
 * format without keys. ` edited` follows the hashes of a text that was edited by hand. Add ` outdated` to have a text
 * translated again unless it was edited.
 */
export type DocumentTexts = Record<string, string> | string[];

/** Options to translate a document. */
export type DocumentUpload = WithAuto<
  Pick<Inputs['documents']['translate'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'text_type'>
> & {
  target_lang: Coded<string>;
  /**
   * What to translate: for a PDF, pages such as `'1-3,7'` or `['1-3', '7']`; for a workbook, names of sheets. The name
   * of a sheet with a comma must be in a list. The rest of the file stays unchanged and is not billed.
   */
  pages?: string | string[] | undefined;
  /**
   * The ID of an earlier document with the same languages, `domain`, `tone` and `gender`. Texts that the file has in
   * common with it keep their translations and confirmations, and are not billed.
   */
  update_of?: string | undefined;
  /** Texts that are translated only on request. A format accepts only those that it has. */
  include?: DocumentRequest['include'] | undefined;
  /** Columns of sheets whose cells stay and are not billed, such as `A`, or `Labels!A` for one sheet. */
  exclude_columns?: string | string[] | undefined;
  /**
   * The form of the translated file. `bilingual` has the source, too (PDF and DOCX); `docx` is a Word file with the text
   * of a PDF. Default: `translated`.
   */
  output?: 'translated' | DocumentRequest['output'] | undefined;
  /** For a gettext catalog: the field with the text to translate. Default: determined from the catalog. */
  source_field?: DocumentRequest['source_field'] | undefined;
  /** For subtitles: the maximum number of characters of a line, from 10 to 200. */
  line_length?: number | undefined;
  /** For subtitles: the maximum number of characters for each second, from 5 to 100. */
  reading_speed?: number | undefined;
  /** The maximum number of billable characters; a larger document is rejected. */
  max_characters?: number | undefined;
};
type DocumentRequest = TenantDocumentJob['request'];
/** A document job, in progress or completed. */
export type TenantDocumentJob = Outputs['documents']['get'];
/** The status of a document. The service may add values to an API version, so handle unknown ones. */
export type DocumentJobStatus = TenantDocumentJob['status'];
/** The progress of a document. */
export type DocumentProgress = NonNullable<TenantDocumentJob['progress']>;
/** The reason why a document failed. Use `code` to distinguish the cases. */
export type DocumentFailureDetail = NonNullable<TenantDocumentJob['failure']>;
/** The findings of the checks of a translated document. */
export type DocumentQualityReport = NonNullable<TenantDocumentJob['quality_report']>;
/** A finding: content that is missing, doubtful, truncated or untranslated. */
export type DocumentQualityFinding = DocumentQualityReport['findings'][number];
/** A file of a document: the source, or a translated revision. */
export type TenantDocumentArtifact = Outputs['documents']['artifacts'][number];
/** Filters for documents; `limit` is the size of a page. */
export type DocumentListQuery = Extract<Inputs['documents']['list'], object>;
/** A segment of a document with its translation, and details of the translation. */
export type DocumentSegment = Outputs['documents']['segments']['segments'][number];
/** Filters for segments: with `flagged`, only those that need a review; `limit` is the size of a page. */
export type DocumentSegmentQuery = Omit<Inputs['documents']['segments'], 'document_id'>;
/** A page of segments. `next_cursor` is null on the last page. */
export type DocumentSegmentPage = Outputs['documents']['segments'];
/** Corrections of segments. `region_id` and `cell_id` identify each segment. Send `reviewer` only with an API key. */
export type DocumentReviewRequest = Omit<Inputs['documents']['review'], 'document_id'>;
/** Filters for segments to export as XLIFF. With `limit`, the result is one page; otherwise all segments. */
export type DocumentXliffQuery = Omit<Inputs['documents']['exportXliff'], 'document_id'>;
/** Notes about a review by XLIFF document. Send `reviewer` only with an API key. */
export type DocumentXliffReviewRequest = Omit<Inputs['documents']['reviewXliff'], 'document_id' | 'body'>;
/** The approver, and notes. `reviewer` is required with an API key, and ignored with a session. */
export type DocumentApproveRequest = Omit<Inputs['documents']['approve'], 'document_id'>;
/** An approved document, and the segments that the approval added to the TM. */
export type DocumentApproval = Outputs['documents']['approve'];
/** The result of the deletion of a document. */
export type DocumentDeletion = Outputs['documents']['delete'];
/** The documents whose progress to return. */
export type DocumentProgressQuery = Inputs['documents']['progress'];
/** Their progress. */
export type DocumentProgressList = Outputs['documents']['progress'];
/** The structure of a document. */
export type DocumentOutline = Outputs['documents']['outline'];
/** Filters for segments, and the position at which the result begins. */
export type SegmentSearchQuery = Inputs['documents']['search'];
/** The segments that match, with their positions in the list. */
export type SegmentSearchPage = Outputs['documents']['search'];
/** The page of the file whose segments to locate. */
export type SegmentBoxQuery = Inputs['documents']['boxes'];
/** The positions of the segments on a page of the file. */
export type SegmentBoxPage = Outputs['documents']['boxes'];
/** Corrections of segments, each with the text that it replaces. */
export type DocumentCorrectionRequest = Inputs['documents']['correct'];
/** The document after the corrections. */
export type CorrectedDocument = Outputs['documents']['correct'];
/** A text that a reviewer proposes for a segment. */
export type SegmentCheckRequest = Inputs['documents']['check'];
/** The findings of the checks of a proposed text. */
export type SegmentCheck = Outputs['documents']['check'];
/** Translations that a reviewer confirms without changing them, each with the text that the reviewer has seen. */
export type SegmentConfirmRequest = Inputs['documents']['confirm'];
/** The segments after the confirmation. */
export type ConfirmedSegments = Outputs['documents']['confirm'];
/** The statuses of the segments that are confirmed together. */
export type ConfirmAllRequest = Inputs['documents']['confirmAll'];
/** The number of segments that were confirmed, and of those that are left. */
export type ConfirmedAll = Outputs['documents']['confirmAll'];
/** How a reviewer resolves a finding of a segment. */
export type FindingResolution = Inputs['documents']['resolve'];
/** The segment after a finding was resolved, and the change that can be undone. */
export type ResolvedSegment = Outputs['documents']['resolve'];
/** The segments that the judge model sees again. */
export type FindingRecheckRequest = Inputs['documents']['recheck'];
/** The segments after the check, and the positions of those that were checked. */
export type RecheckedSegments = Outputs['documents']['recheck'];
/** Translations and confirmations of segments, each with the text that it replaces. */
export type SegmentSaveRequest = Inputs['documents']['save'];
/** The segments after they were saved, and the change that can be undone. */
export type SavedSegments = Outputs['documents']['save'];
/** A change of segments. */
export type SegmentChangeRequest = Inputs['documents']['undo'];
/** The segments after the change was undone or redone. */
export type RestoredSegments = Outputs['documents']['undo'];
/** The segment whose history to return. */
export type SegmentHistoryQuery = Inputs['documents']['history'];
/** The events of a segment. */
export type SegmentHistory = Outputs['documents']['history'];
/** The latest translated file of a document. */
export type RenderedDocument = Outputs['documents']['render'];
/** The documents to approve. */
export type ApproveManyRequest = Inputs['documents']['approveMany'];
/** The result for each document. */
export type ApprovalOutcomes = Outputs['documents']['approveMany'];
/** The time since which failed documents are listed. */
export type DocumentOutageQuery = Inputs['documents']['outage'];
/** Documents that wait until an outage ends, and failed documents that can be queued again. */
export type DocumentOutage = Outputs['documents']['outage'];
/** The failed documents to queue again. */
export type RequeueRequest = Inputs['documents']['requeue'];
/** The documents that were queued again. */
export type RequeuedDocuments = Outputs['documents']['requeue'];
/** The breakdowns to return in addition. Only operators may request them. */
export type DocumentSummaryQuery = Extract<Inputs['documents']['summary'], object>;
/** Counts of the tenant's documents. */
export type DocumentSummary = Outputs['documents']['summary'];

/** The workspace to create and its first administrator. */
export type EmailSignupRequest = Inputs['auth']['signUpWithEmail'];
/** A new member who joins a workspace with an invite. */
export type InviteSignupRequest = Pick<EmailSignupRequest, 'email' | 'password'> & { invite_token: string };
/**
 * The workspace, with its API key if it is new (the service never shows it again), and either `token` or, if
 * `mfa_required` is true, an `mfa_challenge`.
 */
export type SignupResponse = Outputs['auth']['signUpWithEmail'];
/** A workspace. */
export type TenantAccount = SignupResponse['account'];
/** The access token and the refresh token of a member. */
export type OAuth2TokenResponse = NonNullable<SignupResponse['token']>;
/** The member of a token. `role` may be only a default value; `auth.me` returns the effective role. */
export type AuthenticatedUser = OAuth2TokenResponse['user'];
/** The next step of a sign-in: a verification code, or the enrollment of an authenticator app (`totp_enroll`). */
export type MfaChallenge = Extract<Outputs['auth']['token'], { mfa_required: true }>['mfa_challenge'];
/**
 * The data to set up an authenticator app: the secret in base32, the secret as a URI, and an image of the URI as a
 * data URI.
 */
export type MfaEnrollment = Outputs['auth']['enrollMfa'];
/** A workspace to which the member can sign in. */
export type Workspace = Extract<
  Outputs['auth']['token'],
  { tenant_selection_required: true }
>['tenants'][number];
/** A request to the token endpoint, with a password, a code or a refresh token. */
export type TokenRequest = Inputs['auth']['token'];
/** Tokens, or the next step of the sign-in. */
export type TokenEndpointResponse = Outputs['auth']['token'];
/** The result of the enrollment of an authenticator app, with the tokens of the sign-in if one was in progress. */
export type MfaConfirmation = Outputs['auth']['confirmMfa'];
/** A verification code for a challenge. */
export type MfaVerifyRequest = Inputs['auth']['verifyMfa'];
/** The challenge for which to set up an authenticator app. */
export type MfaEnrollRequest = Inputs['auth']['enrollMfa'];
/** The first code of the authenticator app. */
export type MfaConfirmRequest = Inputs['auth']['confirmMfa'];
/** The token of a password reset link, and the new password. */
export type PasswordResetRequest = Inputs['auth']['resetPassword'];
/** The result of a password reset. */
export type PasswordReset = Outputs['auth']['resetPassword'];
/** The result of the revocation of a token. */
export type TokenRevocation = Outputs['auth']['revoke'];
/** Recovery codes. Each code works once. */
export type RecoveryCodes = Outputs['auth']['regenerateRecoveryCodes'];
/** Whether a token is valid, and its details. */
export type TokenIntrospection = Outputs['auth']['introspect'];
/** The URL to which the identity provider redirects the browser, and the workspace to sign in to. */
export type SsoAuthorizeRequest = Omit<Inputs['auth']['authorizeSso'], 'provider'>;
/** The URL to which to redirect the browser. */
export type SsoAuthorization = Outputs['auth']['authorizeSso'];
/** The query parameters with which the browser has returned. */
export type SsoCallbackRequest = Omit<Inputs['auth']['completeSso'], 'provider'>;
/** Tokens, or the next step of the sign-in. */
export type SsoSignIn = Outputs['auth']['completeSso'];
/** The identity provider's public configuration. */
export type SsoClientConfig = Outputs['auth']['ssoClientConfig'];
/** The signed-in member with the effective role, and the member's workspace. */
export type Me = Outputs['auth']['me'];

/**
 * The tenant to create. Unlike at a sign-up, its limit may be higher than the default, and its metadata may have keys
 * that the platform owns.
 */
export type TenantAccountCreate = Inputs['tenants']['create'];
/** A new tenant with its API key, which the service never shows again. */
export type ProvisionedTenant = Outputs['tenants']['create'];
/** Filters for tenants; `limit` is the size of a page. */
export type TenantListQuery = Inputs['tenants']['list'];
/** The settings to change, at least one. Omitted settings stay the same. */
export type SecurityPolicy = Omit<Inputs['tenants']['setSecurityPolicy'], 'tenant_id'>;
/** The email address that an invite is for. Without `email`, anyone with the token can use the invite. */
export type InviteCreateRequest = Omit<Inputs['members']['createInvite'], 'tenant_id'>;
/** A new invite with its token, which the service never shows again. */
export type CreatedInvite = Outputs['members']['createInvite'];
/** An invite, and its status. */
export type InviteRecord = Outputs['members']['listInvites'][number];
/** Filters for invites; `limit` is the size of a page. */
export type InviteListQuery = Omit<Inputs['members']['listInvites'], 'tenant_id'>;

/** An API key, without its secret. */
export type ApiKey = Outputs['apiKeys']['update'];
/** An API key with its new secret, which the service never shows again. */
export type ApiKeyWithSecret = Outputs['apiKeys']['create'];
/** The API keys of a tenant. */
export type ApiKeyList = Outputs['apiKeys']['list'];
/** Whether to list the revoked keys. */
export type ApiKeyListQuery = Inputs['apiKeys']['list'];
/** An API key to create, with the password or a verification code. */
export type ApiKeyCreateRequest = Inputs['apiKeys']['create'];
/** The changes of an API key, with the password or a verification code. */
export type ApiKeyUpdateRequest = Inputs['apiKeys']['update'];
/** An API key to rotate and the overlap, with the password or a verification code. */
export type ApiKeyRotateRequest = Inputs['apiKeys']['rotate'];
/** A permission of an API key. */
export type ApiKeyScope = ApiKey['scopes'][number];
/** The style guide of a language, or of all languages. */
export type StyleGuide = Outputs['styleGuides']['get'];
/** The style guides of a tenant. */
export type StyleGuideList = Outputs['styleGuides']['list'];
/** A style guide to save, with the version that it replaces. Fields that are omitted are not set. */
export type StyleGuideSaveRequest = Inputs['styleGuides']['save'];
/** A style guide to delete, with its version. */
export type StyleGuideDeleteRequest = Inputs['styleGuides']['delete'];
/** The password, or a verification code of the authenticator app. */
export type KeyRotationProof = Inputs['tenants']['rotateKey'];
/** The new API key, which the service never shows again. */
export type RotatedKey = Outputs['tenants']['rotateKey'];
/** The details of an invite. */
export type InvitePreview = Outputs['members']['previewInvite'];
/** Filters for members; `limit` is the size of a page. */
export type MemberListQuery = Omit<Inputs['members']['list'], 'tenant_id'>;
/** A member. */
export type UserRow = Outputs['members']['list'][number];
/** The role of a member. */
export type MemberRole = Inputs['members']['changeRole']['role'];
/** The member whose authenticator app was removed. */
export type MfaReset = Outputs['members']['resetMfa'];
/** A password reset link. */
export type PasswordResetLink = Outputs['members']['issueResetLink'];
/** Filters for events: by action, actor and time. */
export type AuditListQuery = Extract<Inputs['audit']['list'], object>;
/** A page of events. A page may have fewer events than requested, although there is a next page. */
export type AuditPage = Outputs['audit']['list'];
/** An event, with its actor and time. */
export type AuditEvent = AuditPage['events'][number];
/** A cursor, the number of events to read, and the types of events to return. */
export type EventQuery = Extract<Inputs['events']['list'], object>;
/** The events after a cursor. If `has_more` is true, more exist now. */
export type EventPage = Outputs['events']['list'];
/**
 * A change of a translation, document, review or import. It contains no texts. `id` never changes, and `cursor` is the
 * place after the event.
 */
export type WorkspaceEvent = EventPage['events'][number];
/** The type of an event, for example `translation.published`. */
export type EventType = WorkspaceEvent['type'];

/** The period of the report: first and last day in UTC, both included. Default: the last 30 days; at most 366 days. */
export type DailyUsageQuery = Omit<Inputs['usage']['daily'], 'tenant_id'>;
/** The usage of each day, including days without usage. Only operators get the numbers of tokens. */
export type DailyUsage = Outputs['usage']['daily'];
/**
 * The month as YYYY-MM in UTC (default: the current month), and the number of latest records to return, up to 1,000.
 */
export type UsageSummaryQuery = Omit<Inputs['usage']['summary'], 'tenant_id' | 'cursor'>;
/** The usage of a tenant in a month, the remaining allowance, and the latest records. */
export type TenantUsageSummary = Outputs['usage']['summary'];
/** The billed usage of one job. Only operators get the numbers of tokens and the models. */
export type TenantUsageRecord = TenantUsageSummary['records'][number];
/** The month as YYYY-MM in UTC. Default: the current month. */
export type UsageRecordsQuery = Pick<Inputs['usage']['export'], 'period'>;
/** The month, and the format of the file. The default format is `json`. */
export type UsageExportQuery = Omit<Inputs['usage']['export'], 'tenant_id'>;
/** The formats of the file with a month's records. */
export type UsageExportFormat = NonNullable<UsageExportQuery['format']>;

/** The storage that a tenant's records and files are kept in, and whether it works. */
export type StorageBinding = Outputs['storage']['binding'];
/** The complete configuration of the tenant's own storage. */
export type StorageBindingRequest = Inputs['storage']['bind'];
/** The numbers of translations that could not be stored before: now published, failed again, or not tried yet. */
export type ReplaySummary = NonNullable<StorageBinding['replay']>;
/** The engine that a tenant uses with its own key. */
export type WorkspaceEngine = Outputs['engines']['get'];
/** The complete engine, with its key. */
export type EngineRequest = Inputs['engines']['save'];
/** The engine to remove. */
export type EngineRemoval = Inputs['engines']['remove'];
/** A key to test. */
export type EngineKey = Inputs['engines']['test'];
/** The result of a test of a key. */
export type EngineTest = Outputs['engines']['test'];
/** The amount of platform storage that the tenant's documents use. */
export type StorageUsage = Outputs['storage']['usage'];

/**
 * The name of a glossary, and the languages of its entries. The languages are required for TMX and TBX; in other
 * files, each entry may have its own.
 */
export type TerminologyUpload = Pick<Inputs['terminology']['upload'], 'source_lang' | 'target_lang'> & {
  name: string;
};
/** Filters for glossaries or TMs. `limit` is the size of a page; without it, all are returned. */
export type SetListQuery = Extract<Inputs['terminology']['list'], object>;
/** A glossary. */
export type TerminologySet = Outputs['terminology']['list'][number];
/** The stored glossary, and possible mistakes in the uploaded file. */
export type UploadedTerminologySet = Outputs['terminology']['upload'];
/** The changes that an upload would make, and warnings about single terms. */
export type GlossaryPreview = Outputs['terminology']['previewUpload'];
/** The fields of a previewed upload, and the `revision` of its preview. */
export type PreviewedTerminologyUpload = Omit<Inputs['terminology']['applyPreview'], 'content' | 'file_name'>;
/** The fields of an upload, and optionally the use of the file's columns. */
export type TerminologyPreviewRequest = Omit<Inputs['terminology']['previewUpload'], 'content' | 'file_name'>;
/** The name and the languages of a new glossary. */
export type NewGlossary = Inputs['terminology']['create'];
/** The edition of ISO 30042 for the export of a glossary: `2019`, or `2008` for tools that support only this one. */
export type TbxQuery = Omit<Inputs['terminology']['exportTbx'], 'set_id'>;
/** Filters for the entries of a glossary. */
export type GlossaryEntryQuery = Inputs['terminology']['entries'];
/** A page of glossary entries. */
export type GlossaryEntryPage = Outputs['terminology']['entries'];
/** A term and its required translation. */
export type GlossaryEntry = GlossaryEntryPage['entries'][number];
/** A term to add. */
export type NewGlossaryEntry = Inputs['terminology']['addEntry'];
/** The added term, and other translations that the glossary has for it. */
export type AddedGlossaryEntry = Outputs['terminology']['addEntry'];
/** A text, and optionally its translation. */
export type TermMatchRequest = Inputs['terminology']['matches'];
/** The glossary terms in a text. */
export type TermMatches = Outputs['terminology']['matches'];
/** Where to look for candidates for terms: in the TMs of a language pair, and in files in base64. */
export type TermCandidatesRequest = Inputs['terminology']['candidates'];
/** Candidates for terms, the best first. */
export type TermCandidates = Outputs['terminology']['candidates'];
/** Candidates to reject or restore. */
export type RejectCandidatesRequest = Inputs['terminology']['rejectCandidates'];
/** Filters for the segments of a TM. */
export type MemoryBrowseQuery = Extract<Inputs['memory']['browse'], object>;
/** A page of TM segments. */
export type MemoryUnitPage = Outputs['memory']['browse'];
/** A TM segment: a text and its translation. */
export type MemoryUnit = MemoryUnitPage['units'][number];
/** A text to search for in the TMs. */
export type ConcordanceQuery = Inputs['memory']['concordance'];
/** A page of TM segments that contain the searched text. */
export type ConcordancePage = Outputs['memory']['concordance'];
/** A TM segment, and the positions of the searched text in it. */
export type ConcordanceUnit = ConcordancePage['units'][number];
/** A text for which to find TM matches. */
export type MemoryMatchRequest = Inputs['memory']['matches'];
/** The TM matches for a text. */
export type MemoryMatches = Outputs['memory']['matches'];
/** The languages of two files that are aligned. */
export type MemoryAlignRequest = Omit<Inputs['memory']['align'], 'source_file' | 'target_file'>;
/** The sentences of two files that belong together, with a confidence. */
export type FileAlignment = Outputs['memory']['align'];
/** Sentence pairs for a new TM. */
export type MemoryPairsRequest = Inputs['memory']['importPairs'];
/** A TM that was created from sentence pairs, or its background import. */
export type MemoryPairsResult = Outputs['memory']['importPairs'];
/** Sentence pairs for an existing TM. */
export type AddMemoryPairsRequest = Inputs['memory']['addPairs'];
/** The numbers of pairs that were added, and that the TM already has. */
export type AddedMemoryPairs = Outputs['memory']['addPairs'];
/** The new texts of a TM segment, and the texts that the caller saw. */
export type UpdateMemoryUnitRequest = Inputs['memory']['updateUnit'];
/** The segment after the change, and the ID of the change. */
export type UpdatedMemoryUnit = Outputs['memory']['updateUnit'];
/** The TM segments to delete, as the caller saw them. */
export type DeleteMemoryUnitsRequest = Inputs['memory']['deleteUnits'];
/** The number of deleted TM segments, and the ID of the change. */
export type DeletedMemoryUnits = Outputs['memory']['deleteUnits'];
/** A text to search for in a TM. */
export type FoundUnitsQuery = Inputs['memory']['countFound'];
/** The number of TM segments that a search finds, and their version. */
export type FoundUnits = Outputs['memory']['countFound'];
/** A text whose TM segments to delete, and their version. */
export type DeleteFoundUnitsRequest = Inputs['memory']['deleteFound'];
/** A text to replace in a TM. */
export type MemoryReplacementQuery = Inputs['memory']['previewReplace'];
/** The changes that a replacement would make. */
export type MemoryReplacementPreview = Outputs['memory']['previewReplace'];
/** A text to replace in a TM, and the version of the segments in which it occurs. */
export type MemoryReplacementRequest = Inputs['memory']['replace'];
/** A change of many TM segments. */
export type MemoryBulkChange = Outputs['memory']['replace'];
/** The TM and the kinds of problems to search for. */
export type MemoryProblemsQuery = Inputs['memory']['problems'];
/** A page of TM segments that have problems. */
export type MemoryProblemPage = Outputs['memory']['problems'];
/** A TM segment, and what is wrong with it. */
export type MemoryProblemUnit = MemoryProblemPage['units'][number];
/** The number of identical TM segments, and of sources with several translations. */
export type MemoryDuplicates = Outputs['memory']['duplicates'];
/** The TM whose identical segments to merge, and how many they are. */
export type MergeDuplicatesRequest = Inputs['memory']['mergeDuplicates'];
/** The TM whose sources with several translations to list. */
export type OtherTranslationsQuery = Inputs['memory']['otherTranslations'];
/** A page of sources with several translations. */
export type OtherTranslationsPage = Outputs['memory']['otherTranslations'];
/** A source with several translations: its segments in the TMs of the language pair. */
export type OtherTranslations = OtherTranslationsPage['sources'][number];
/** Filters for the changes of TM segments. */
export type MemoryChangesQuery = Extract<Inputs['memory']['changes'], object>;
/** A page of changes of TM segments. */
export type MemoryChangePage = Outputs['memory']['changes'];
/** A change of TM segments. */
export type MemoryChange = MemoryChangePage['changes'][number];
/** The number of TM segments that were undone, and those that were not. */
export type UndoneMemoryChange = Outputs['memory']['undo'];
/** The points that the matches of a TM lose, always and for each year. */
export type MemoryPenalty = Outputs['memory']['setPenalty'];
/** The name of a TM, and the languages to import: the file's source and target. */
export type MemoryImportRequest = Record<
  keyof Pick<Inputs['memory'][`import`], 'source_lang' | 'target_lang'>,
  Coded<string>
> & { name: string };
/** A translation memory. If it is the result of an import, it has the counts of that import. */
export type TranslationMemorySet = Outputs['memory']['list'][number];
/** An import in the background, in progress or ended. */
export type TranslationMemoryImportJob = Outputs['memory']['listImports'][number];
/** The language pair of the approved translations. */
export type GoldenMemoryQuery = Record<keyof Inputs['memory']['exportGolden'], Coded<string>>;

/** The plan to subscribe to. */
export type CheckoutRequest = Inputs['billing']['checkout'];
/** A plan that can be subscribed to. */
export type BillingTier = CheckoutRequest['tier'];
/** The number of packs to purchase, each of 1,000,000 characters: 1 to 5. Default: 1. */
export type TopUpRequest = Inputs['billing']['topup'];
/** The page of the payment processor to which to redirect the browser. */
export type PaymentPage = Outputs['billing']['checkout'];

/** The health of the service, and the parts of it that run on stubs. */
export type HealthStatus = Outputs['system']['health'];
/** The filters of the checks to list. */
export type QualityChecksQuery = Omit<Inputs['quality']['checks'], 'cursor'>;
/** The filters of the checks, and the cursor of the page to return. */
export type QualityCheckPageQuery = Inputs['quality']['checks'];
/** The number of candidates that were rejected or restored. */
export type RejectedCandidates = Outputs['terminology']['rejectCandidates'];
/** A page of checks. */
export type QualityCheckPage = Outputs['quality']['checks'];
/** A check in a list, with the beginning of its source. */
export type QualityCheckSummary = Outputs['quality']['checks']['checks'][number];
/** A check with its texts and its result. */
export type QualityCheck = Outputs['quality']['check'];
/** An error in a translation, by the typology of MQM. */
export type QualityCheckError = QualityCheck['errors'][number];
/** The result of a check. */
export type QualityCheckResult = Inputs['quality']['decide'];
/** The errors that a reviewer marked in the machine translation of a text. */
export type QualityMarks = Outputs['quality']['mark'];
/** All marks of a text under review. */
export type QualityMarksRequest = Inputs['quality']['mark'];
/** Which texts to draw, and how many. */
export type QualityDrawRequest = Inputs['quality']['draw'];
/** The settings of spot checks and quality checks. */
export type QualitySettings = Outputs['quality']['settings'];
/** The texts of a report. */
export type QualityReportQuery = Inputs['quality']['report'];
/** The shares of published texts that needed no change, or have an error, by the checks of members. */
export type QualityReport = Outputs['quality']['report'];
/** A share with its interval at a confidence of 95 %. */
export type QualityShare = NonNullable<QualityReport['no_change']>;
/** How the judge is calibrated for a target language. */
export type QualityCalibration = Outputs['quality']['calibrations'][number];
/** The period of a scorecard. */
export type QualityScorecardQuery = Inputs['quality']['scorecard'];
/** The results of quality checks. */
export type QualityScorecard = Outputs['quality']['scorecard'];

/** The languages and options of an analysis. */
export type AnalysisRequest = Inputs['analyses']['create'];
/** The files and languages to send; by default all. */
export type AnalysisStartRequest = Omit<Inputs['analyses']['start'], 'analysis_id'>;
/** The number of analyses of a page, and its cursor. */
export type AnalysisPageQuery = Inputs['analyses']['list'];
/** The counts of files in several languages, before they are translated. */
export type Analysis = Outputs['analyses']['get'];
/** A file of an analysis. */
export type AnalysisFile = Analysis['files'][number];
/** The counts of a file in a language. */
export type AnalysisCell = AnalysisFile['languages'][number];
/** An analysis in a list. */
export type AnalysisSummary = Outputs['analyses']['list']['analyses'][number];
/** A page of analyses. */
export type AnalysisPage = Outputs['analyses']['list'];
/** Which of the member's own items to list. */
export type OwnAssignmentsQuery = Omit<NonNullable<Inputs['assignments']['mine']>, 'cursor'>;
/** Which of the member's own items to list, and the cursor of the page to return. */
export type OwnAssignmentsPageQuery = NonNullable<Inputs['assignments']['mine']>;
/** The filters of the items to list. */
export type AssignmentsQuery = Omit<NonNullable<Inputs['assignments']['list']>, 'cursor'>;
/** The filters of the items to list, and the cursor of the page to return. */
export type AssignmentsPageQuery = NonNullable<Inputs['assignments']['list']>;
/** A page of items with their assignments. */
export type AssignmentPageData = Outputs['assignments']['list'];
/** An item that awaits review, with who reviews it, and by when. */
export type Assignment = AssignmentPageData['items'][number];
/** The items to assign, and what changes. */
export type AssignRequest = Inputs['assignments']['assign'];
/** The result for one item. */
export type AssignmentOutcome = Outputs['assignments']['assign']['results'][number];
/** The item to pass on, or back. */
export type PassRequest = Inputs['assignments']['pass'];
/** An item with its next review. */
export type PassedItem = Outputs['assignments']['pass'];
/** The page of members to return. */
export type MemberPageQuery = NonNullable<Inputs['assignments']['profiles']>;
/** A page of members with their languages. */
export type ReviewerProfilePage = Outputs['assignments']['profiles'];
/** The name, time zone, absence and languages of a member. */
export type ReviewerProfile = Outputs['assignments']['saveProfile'];
/** The changes of a profile. */
export type ReviewerProfileChange = Inputs['assignments']['saveProfile'];
/** A page of members with what they have to review. */
export type MemberLoadPage = Outputs['assignments']['load'];
/** The load of a member. */
export type MemberLoad = MemberLoadPage['members'][number];
/** The rules by which items are assigned, with their version. */
export type AssignmentRules = Outputs['assignments']['rules'];
/** The new rules, and the version that was read. */
export type AssignmentRulesChange = Inputs['assignments']['saveRules'];
/** A rule by which items are assigned. */
export type AssignmentRule = Inputs['assignments']['saveRules']['rules'][number];
