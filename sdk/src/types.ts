import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { LanguageCode as SupportedCode } from '../../server/languages.ts';
import type { AppRouter } from '../../server/router.ts';

// Everything below is read off the service's procedures. The published declarations hold the same types
// written out, so that they depend on nothing of the server: scripts/declarations.ts.
type Inputs = WithCodes<inferRouterInputs<AppRouter>>;
type Outputs = inferRouterOutputs<AppRouter>;
type ReviewInput = Inputs['translations']['review'];
type ReviewFields = Omit<ReviewInput, 'job_id' | 'action' | 'final_translation'>;

/** Inputs whose languages an editor completes. Every text stays allowed: the service takes codes in any letter case, and may gain languages. */
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
/** The language of what is to be translated: a supported one, or `auto` to have it detected. */
export type SourceLanguageCode = SupportedCode | 'auto';
/** Options of a translation. Other keys are kept with the job. */
export interface RequestMetadata {
  /** The quality score below which a translation is repaired and waits for review, 0 to 100. Default: 85. */
  min_quality_score?: number | undefined;
  /** How often a translation is repaired at most, 1 to 5. Default: 2. */
  max_quality_loop_retries?: number | undefined;
  /** Additional models to translate with, two at most; their names in a list, or with commas. */
  candidate_models?: string | string[] | undefined;
  /** Rounds in which the candidates are compared, 1 to 3. Default: 1. Without `candidate_models` it has no effect. */
  debate_rounds?: number | undefined;
  /** True requires a human review. */
  sensitive?: boolean | undefined;
  /** True requires a human review. */
  regulated?: boolean | undefined;
  /** True requires a human review. */
  requires_human_review?: boolean | undefined;
  /** Keys of your own. */
  [key: string]: unknown;
}
/** The document that a text is of. */
export interface SourceDocument {
  /** Its name, after which the translation's downloads are named. */
  name?: string | undefined;
  /** Anything else that you keep with the job. */
  [key: string]: unknown;
}
/** Options of a document's text, and the document that it is of. */
export interface DocumentTextMetadata extends RequestMetadata {
  /** The document. */
  source_document: SourceDocument;
}
/** What to translate, and how. Only `source_text` and `target_lang` are needed. */
export type TranslationRequest = WithAuto<WithOptions<Inputs['translations']['create']>>;
/** Texts to translate, each into one or more languages: up to 50 translations. */
export type BatchTranslationRequest = {
  [K in keyof Inputs['translations']['createBatch']]: K extends 'inputs'
    ? BatchInput[]
    : Inputs['translations']['createBatch'][K];
};
/** One text of a batch, and into what it is translated. */
export type BatchInput = WithAuto<Inputs['translations']['createBatch']['inputs'][number]>;
/** The text of a document, in `source_text`, which is translated page by page; `metadata.source_document` names it. */
export type DocumentTextRequest = WithAuto<
  WithOptions<Inputs['translations']['createFromText'], DocumentTextMetadata>
>;
/** How to translate a file. `metadata` takes what it takes of a text, `min_quality_score` for instance. */
export type FileTranslationRequest = WithAuto<
  Pick<Inputs['translations']['createFromFile'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'model'>
> & { target_lang: Coded<string>; metadata?: RequestMetadata | undefined };
/** A text on its way through the pipeline, or at its end. */
export type TranslationJob = Outputs['translations']['create'];
/** Where a job stands. The service may gain values within a version: leave room for one you do not know. */
export type JobStatus = TranslationJob['status'];
/** Which jobs to list; `limit` is the size of a page. */
export type TranslationListQuery = Extract<Inputs['translations']['list'], object>;
/** What a reviewer does with a job: keep a draft, publish, publish a text of their own, turn down. */
export type ReviewAction = ReviewInput['action'];
/** A reviewer's action. `reviewer` counts only beside an API key: a session says itself who reviews. */
export type ReviewRequest =
  | (ReviewFields & { action: 'modify'; final_translation: string })
  // Not as a member of an object type: the declarations would repeat it as it stands here.
  | (ReviewFields &
      Record<'action', Exclude<ReviewAction, 'modify'>> &
      Pick<ReviewInput, 'final_translation'>);
/** Which jobs to export as XLIFF; `limit` is the size of a page. */
export type XliffQuery = Inputs['translations']['exportXliff'];
/** What to do with the text of an XLIFF document, if not what its state says. `reviewer` counts only beside an API key. */
export type XliffReviewRequest = Omit<Inputs['translations']['reviewXliff'], 'job_id' | 'body'>;
/** What a published translation can be downloaded as. */
export type GoldenFormat = NonNullable<Inputs['translations']['golden']['format']>;
/** What a deletion removed. */
export type TranslationDeletion = Outputs['translations']['delete'];
/** What the quality estimation said of the baseline translation. */
export type QualityAssessment = NonNullable<TranslationJob['quality_assessment']>;
/** One finding of the quality estimation. */
export type QualityIssue = QualityAssessment['issues'][number];
/** What the repair of the baseline changed. */
export type Refinement = NonNullable<TranslationJob['refinement']>;
/** The last look at what is about to be published. */
export type Verification = NonNullable<TranslationJob['verification']>;
/** The trace of a job's pipeline. */
export type AgentRun = TranslationJob['agent_run'];
/** One step of the pipeline. */
export type AgentStep = AgentRun['steps'][number];
/** A tool that a step called. */
export type ToolTrace = AgentStep['tool_calls'][number];
/** What a step decided, and why. */
export type AgentDecision = AgentStep['decisions'][number];
/** Whether a job may be published without a person. */
export type QualityGate = NonNullable<AgentRun['quality_gate']>;
/** What a job that is held for review asks of a person. */
export type HumanReviewTask = NonNullable<AgentRun['human_review_task']>;
/** Why a job is held. */
export type HumanReviewTrigger = QualityGate['triggers'][number];

/** Which jobs to search for. A page may be short: it ends after 10,000 jobs that do not fit. */
export type JobSearchQuery = Extract<Inputs['translations']['search'], object>;
/** A page of a search; `searched_to` says how far back it looked. */
export type JobSearchPage = Outputs['translations']['search'];
/** A job as a list shows it. */
export type JobSummary = JobSearchPage['jobs'][number];
/** Numbers of jobs. */
export type JobCounts = Outputs['translations']['counts'];
/** A text to be checked, and the job whose translation it would be. */
export type TextCheckRequest = Inputs['translations']['check'];
/** What the service's own checks find. */
export type TextCheck = Outputs['translations']['check'];
/** A reviewer's action on a job as the reviewer saw it. */
export type ReviewActRequest = Inputs['translations']['act'];
/** Reviewers' actions on several jobs. */
export type ReviewManyRequest = Inputs['translations']['reviewMany'];
/** What became of them, in their order. */
export type ReviewManyResult = Outputs['translations']['reviewMany'];
/** Which job to review next. */
export type NextReviewQuery = Extract<Inputs['reviews']['next'], object>;
/** The next job; null if none waits. */
export type NextReview = Outputs['reviews']['next'];
/** A claim to make, renew or end. */
export type ReviewClaimRequest = Inputs['reviews']['claim'];
/** Who is on a job. */
export type ReviewClaim = Outputs['reviews']['claim'];
/** A job or document whose review is taken back. */
export type ReopenRequest = Inputs['reviews']['reopen'];
/** The item, which awaits review again. */
export type ReopenedItem = Outputs['reviews']['reopen'];
/** Which days to report. */
export type ReviewerReportQuery = Extract<Inputs['reviews']['byReviewer'], object>;
/** What each reviewer did. */
export type ReviewerReport = Outputs['reviews']['byReviewer'];

/** How to translate a document in place. */
export type DocumentUpload = WithAuto<
  Pick<Inputs['documents']['translate'], 'source_lang' | 'domain' | 'tone' | 'gender' | 'text_type'>
> & { target_lang: Coded<string> };
/** A document on its way through the pipeline, or at its end. */
export type TenantDocumentJob = Outputs['documents']['get'];
/** Where a document stands. The service may gain values within a version: leave room for one you do not know. */
export type DocumentJobStatus = TenantDocumentJob['status'];
/** How far a document in flight is. */
export type DocumentProgress = NonNullable<TenantDocumentJob['progress']>;
/** Why a document failed; branch on its `code`. */
export type DocumentFailureDetail = NonNullable<TenantDocumentJob['failure']>;
/** What the checks found in a translated document. */
export type DocumentQualityReport = NonNullable<TenantDocumentJob['quality_report']>;
/** One finding: what is missing, doubtful, cut, or kept as it was. */
export type DocumentQualityFinding = DocumentQualityReport['findings'][number];
/** A file of a document: its source, or a translated revision. */
export type TenantDocumentArtifact = Outputs['documents']['artifacts'][number];
/** Which documents to list; `limit` is the size of a page. */
export type DocumentListQuery = Extract<Inputs['documents']['list'], object>;
/** One text of a document, with its translation and what is known of that. */
export type DocumentSegment = Outputs['documents']['segments']['segments'][number];
/** Which segments to list: `flagged` for those that need a review; `limit` is the size of a page. */
export type DocumentSegmentQuery = Omit<Inputs['documents']['segments'], 'document_id'>;
/** A page of segments; `next_cursor` is null on the last one. */
export type DocumentSegmentPage = Outputs['documents']['segments'];
/** Corrections of segments, each named by `region_id` and `cell_id`. `reviewer` counts only beside an API key. */
export type DocumentReviewRequest = Omit<Inputs['documents']['review'], 'document_id'>;
/** Which segments to export as XLIFF: all of them unless a `limit` makes pages. */
export type DocumentXliffQuery = Omit<Inputs['documents']['exportXliff'], 'document_id'>;
/** Remarks beside an XLIFF document. `reviewer` counts only beside an API key. */
export type DocumentXliffReviewRequest = Omit<Inputs['documents']['reviewXliff'], 'document_id' | 'body'>;
/** Who approves, and remarks. `reviewer` is required with an API key, and counts only there. */
export type DocumentApproveRequest = Omit<Inputs['documents']['approve'], 'document_id'>;
/** An approved document, and what the approval fed to the memory. */
export type DocumentApproval = Outputs['documents']['approve'];
/** What a deletion removed. */
export type DocumentDeletion = Outputs['documents']['delete'];
/** Which documents to look at. */
export type DocumentProgressQuery = Inputs['documents']['progress'];
/** How far they are. */
export type DocumentProgressList = Outputs['documents']['progress'];
/** The parts of a document. */
export type DocumentOutline = Outputs['documents']['outline'];
/** Which segments to search for, and from which position. */
export type SegmentSearchQuery = Inputs['documents']['search'];
/** The segments found, with their positions. */
export type SegmentSearchPage = Outputs['documents']['search'];
/** Which page's segments to place. */
export type SegmentBoxQuery = Inputs['documents']['boxes'];
/** Where segments stand on a page. */
export type SegmentBoxPage = Outputs['documents']['boxes'];
/** Corrections, each with the text it replaces. */
export type DocumentCorrectionRequest = Inputs['documents']['correct'];
/** The document with its corrections. */
export type CorrectedDocument = Outputs['documents']['correct'];
/** A text that a reviewer proposes for a segment. */
export type SegmentCheckRequest = Inputs['documents']['check'];
/** What the checks find in it. */
export type SegmentCheck = Outputs['documents']['check'];
/** Translations that a reviewer confirms as they are, each with the text that was seen. */
export type SegmentConfirmRequest = Inputs['documents']['confirm'];
/** The segments with their confirmations. */
export type ConfirmedSegments = Outputs['documents']['confirm'];
/** Which documents to approve. */
export type ApproveManyRequest = Inputs['documents']['approveMany'];
/** What became of each. */
export type ApprovalOutcomes = Outputs['documents']['approveMany'];
/** Since when failed documents count. */
export type DocumentOutageQuery = Inputs['documents']['outage'];
/** Documents that wait for an outage to pass, and those that can be queued again. */
export type DocumentOutage = Outputs['documents']['outage'];
/** Which failed documents to queue again. */
export type RequeueRequest = Inputs['documents']['requeue'];
/** What was queued again. */
export type RequeuedDocuments = Outputs['documents']['requeue'];
/** Which breakdowns to add, for an operator. */
export type DocumentSummaryQuery = Extract<Inputs['documents']['summary'], object>;
/** Counts of the tenant's documents. */
export type DocumentSummary = Outputs['documents']['summary'];

/** The workspace to found and its first administrator. */
export type EmailSignupRequest = Inputs['auth']['signUpWithEmail'];
/** Who joins a workspace by an invite, instead of founding one. */
export type InviteSignupRequest = Pick<EmailSignupRequest, 'email' | 'password'> & { invite_token: string };
/**
 * The workspace; its API key, shown this once, where it is a new one; and `token`, or where `mfa_required` says so an
 * `mfa_challenge`.
 */
export type SignupResponse = Outputs['auth']['signUpWithEmail'];
/** A workspace. */
export type TenantAccount = SignupResponse['account'];
/** A user's access token and the refresh token beside it. */
export type OAuth2TokenResponse = NonNullable<SignupResponse['token']>;
/** The user whom a token stands for. Its `role` is not the effective one, which `auth.me` tells. */
export type AuthenticatedUser = OAuth2TokenResponse['user'];
/** What a sign-in waits for: a code of the authenticator, or that one is enrolled (`totp_enroll`). */
export type MfaChallenge = Extract<Outputs['auth']['token'], { mfa_required: true }>['mfa_challenge'];
/** What to set an authenticator up with: its secret in base32, as a URI, and as a picture of that URI in a data URI. */
export type MfaEnrollment = Outputs['auth']['enrollMfa'];
/** A workspace that one may sign in to. */
export type Workspace = Extract<
  Outputs['auth']['token'],
  { tenant_selection_required: true }
>['tenants'][number];
/** A request to the token endpoint: a password, a code, or a refresh token. */
export type TokenRequest = Inputs['auth']['token'];
/** Tokens, or what the sign-in waits for. */
export type TokenEndpointResponse = Outputs['auth']['token'];
/** The authenticator is set up; with the tokens of the sign-in that waited for it. */
export type MfaConfirmation = Outputs['auth']['confirmMfa'];
/** A code for a challenge. */
export type MfaVerifyRequest = Inputs['auth']['verifyMfa'];
/** The challenge to set an authenticator up for. */
export type MfaEnrollRequest = Inputs['auth']['enrollMfa'];
/** The authenticator's first code. */
export type MfaConfirmRequest = Inputs['auth']['confirmMfa'];
/** The token of a link, and the new password. */
export type PasswordResetRequest = Inputs['auth']['resetPassword'];
/** The password is set. */
export type PasswordReset = Outputs['auth']['resetPassword'];
/** The token is ended. */
export type TokenRevocation = Outputs['auth']['revoke'];
/** Recovery codes, each good once. */
export type RecoveryCodes = Outputs['auth']['regenerateRecoveryCodes'];
/** What a token is good for. */
export type TokenIntrospection = Outputs['auth']['introspect'];
/** Where the identity provider is to send the browser back to, and into which workspace. */
export type SsoAuthorizeRequest = Omit<Inputs['auth']['authorizeSso'], 'provider'>;
/** Where to send the browser. */
export type SsoAuthorization = Outputs['auth']['authorizeSso'];
/** What the browser came back with. */
export type SsoCallbackRequest = Omit<Inputs['auth']['completeSso'], 'provider'>;
/** Tokens, or what the sign-in waits for. */
export type SsoSignIn = Outputs['auth']['completeSso'];
/** What a client must know of the identity provider. */
export type SsoClientConfig = Outputs['auth']['ssoClientConfig'];
/** The signed-in member, with the effective role, and its workspace. */
export type Me = Outputs['auth']['me'];

/** The tenant to provision. Its limit is not clamped, and its platform-owned metadata is kept. */
export type TenantAccountCreate = Inputs['tenants']['create'];
/** A tenant that was just provisioned, with its API key, which is shown this once. */
export type ProvisionedTenant = Outputs['tenants']['create'];
/** Which tenants to list; `limit` is the size of a page. */
export type TenantListQuery = Inputs['tenants']['list'];
/** Which toggles to set, at least one of them. One that is left out stays as it is. */
export type SecurityPolicy = Omit<Inputs['tenants']['setSecurityPolicy'], 'tenant_id'>;
/** Whom to invite; whoever holds the token, where no `email` is given. */
export type InviteCreateRequest = Omit<Inputs['members']['createInvite'], 'tenant_id'>;
/** An invite that was just created, with its token, which is shown this once. */
export type CreatedInvite = Outputs['members']['createInvite'];
/** An invite, and what became of it. */
export type InviteRecord = Outputs['members']['listInvites'][number];
/** Which invites to list; `limit` is the size of a page. */
export type InviteListQuery = Omit<Inputs['members']['listInvites'], 'tenant_id'>;

/** The password, or a code of the authenticator. */
export type KeyRotationProof = Inputs['tenants']['rotateKey'];
/** The new API key, shown this once. */
export type RotatedKey = Outputs['tenants']['rotateKey'];
/** What an invite is to. */
export type InvitePreview = Outputs['members']['previewInvite'];
/** Which members to list; `limit` is the size of a page. */
export type MemberListQuery = Omit<Inputs['members']['list'], 'tenant_id'>;
/** A member. */
export type UserRow = Outputs['members']['list'][number];
/** What a member may do. */
export type MemberRole = Inputs['members']['changeRole']['role'];
/** Whose authenticator was removed. */
export type MfaReset = Outputs['members']['resetMfa'];
/** A link to set a new password by. */
export type PasswordResetLink = Outputs['members']['issueResetLink'];
/** Which events to list: by action, actor and time. */
export type AuditListQuery = Extract<Inputs['audit']['list'], object>;
/** A page of events; a short one may have a next. */
export type AuditPage = Outputs['audit']['list'];
/** Something that happened, who did it and when. */
export type AuditEvent = AuditPage['events'][number];

/** The days to report, in UTC and both counted; the last 30 unless told, 366 at most. */
export type DailyUsageQuery = Omit<Inputs['usage']['daily'], 'tenant_id'>;
/** What was used on each day, days without any use included. Token counters are an operator's. */
export type DailyUsage = Outputs['usage']['daily'];
/** Which month (YYYY-MM in UTC; the current one unless told), and how many of its latest records, up to 1,000. */
export type UsageSummaryQuery = Omit<Inputs['usage']['summary'], 'tenant_id' | 'cursor'>;
/** What a tenant used in a month, what its allowance leaves, and the latest records. */
export type TenantUsageSummary = Outputs['usage']['summary'];
/** What one job was billed. Token counters and models are an operator's. */
export type TenantUsageRecord = TenantUsageSummary['records'][number];
/** Which month: YYYY-MM in UTC; the current one unless told. */
export type UsageRecordsQuery = Pick<Inputs['usage']['export'], 'period'>;
/** Which month, and as what: `json` unless told. */
export type UsageExportQuery = Omit<Inputs['usage']['export'], 'tenant_id'>;
/** What a month's records can be downloaded as. */
export type UsageExportFormat = NonNullable<UsageExportQuery['format']>;

/** Where a tenant's records and files are kept, and whether that works. */
export type StorageBinding = Outputs['storage']['binding'];
/** The complete desired state of a binding. */
export type StorageBindingRequest = Inputs['storage']['bind'];
/** What became of the translations that waited for storage. */
export type ReplaySummary = NonNullable<StorageBinding['replay']>;
/** What the tenant's documents occupy in the platform's storage. */
export type StorageUsage = Outputs['storage']['usage'];

/** What a glossary is called, and the languages of its entries where they name none; required beside TMX and TBX. */
export type TerminologyUpload = Pick<Inputs['terminology']['upload'], 'source_lang' | 'target_lang'> & {
  name: string;
};
/** Which glossaries or memories to list; `limit` is the size of a page, all of them by default. */
export type SetListQuery = Extract<Inputs['terminology']['list'], object>;
/** A glossary. */
export type TerminologySet = Outputs['terminology']['list'][number];
/** What an upload answers: the set, and what may not be meant so in its file. */
export type UploadedTerminologySet = Outputs['terminology']['upload'];
/** Of which edition of ISO 30042 to export a glossary: `2019`, or `2008` for tools that know no other. */
export type TbxQuery = Omit<Inputs['terminology']['exportTbx'], 'set_id'>;
/** Which entries of a glossary to read. */
export type GlossaryEntryQuery = Inputs['terminology']['entries'];
/** A page of entries. */
export type GlossaryEntryPage = Outputs['terminology']['entries'];
/** A term and what a translation must have for it. */
export type GlossaryEntry = GlossaryEntryPage['entries'][number];
/** A term to add. */
export type NewGlossaryEntry = Inputs['terminology']['addEntry'];
/** The term that was added, and what else the glossary has for it. */
export type AddedGlossaryEntry = Outputs['terminology']['addEntry'];
/** A text, and optionally its translation. */
export type TermMatchRequest = Inputs['terminology']['matches'];
/** The terms that it has. */
export type TermMatches = Outputs['terminology']['matches'];
/** Which units of which memory to read. */
export type MemoryBrowseQuery = Extract<Inputs['memory']['browse'], object>;
/** A page of units. */
export type MemoryUnitPage = Outputs['memory']['browse'];
/** A text and its translation. */
export type MemoryUnit = MemoryUnitPage['units'][number];
/** What to find in the memories. */
export type ConcordanceQuery = Inputs['memory']['concordance'];
/** A page of units in which it occurs. */
export type ConcordancePage = Outputs['memory']['concordance'];
/** A unit, and where in it the text occurs. */
export type ConcordanceUnit = ConcordancePage['units'][number];
/** A text to find matches for. */
export type MemoryMatchRequest = Inputs['memory']['matches'];
/** What the memories have for it. */
export type MemoryMatches = Outputs['memory']['matches'];
/** What a memory is called, and which of the file's languages it is of. */
export type MemoryImportRequest = Record<
  keyof Pick<Inputs['memory'][`import`], 'source_lang' | 'target_lang'>,
  Coded<string>
> & { name: string };
/** A translation memory; as the result of an import with what became of the file's units. */
export type TranslationMemorySet = Outputs['memory']['list'][number];
/** An import that runs in the background, or did. */
export type TranslationMemoryImportJob = Outputs['memory']['listImports'][number];
/** The languages whose approved translations are meant. */
export type GoldenMemoryQuery = Record<keyof Inputs['memory']['exportGolden'], Coded<string>>;

/** The plan to subscribe to. */
export type CheckoutRequest = Inputs['billing']['checkout'];
/** A plan that can be subscribed to. */
export type BillingTier = CheckoutRequest['tier'];
/** How many packs of 1,000,000 characters to buy: one unless told, five at most. */
export type TopUpRequest = Inputs['billing']['topup'];
/** Where to send the browser. */
export type PaymentPage = Outputs['billing']['checkout'];

/** Liveness, and which parts run on stubs. */
export type HealthStatus = Outputs['system']['health'];
