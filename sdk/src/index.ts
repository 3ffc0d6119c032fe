export { type Analyses, analyses } from './analyses.ts';
export { type ApiKeys, apiKeys } from './api-keys.ts';
export type { Answered, ApiPromise, ResponseInfo } from './api-promise.ts';
export { type Assignments, assignments } from './assignments.ts';
export { type Audit, audit } from './audit.ts';
export { type Auth, auth, type Sso } from './auth.ts';
export { type Billing, billing } from './billing.ts';
export type { RawRequestOptions } from './client.ts';
export { LinguaLoop, type System, system } from './client.ts';
export { type Connection, connect } from './connection.ts';
export type { DocumentHandle, DocumentOptions, DocumentPoller } from './document-poller.ts';
export { documentTypes } from './document-types.ts';
export {
  type DocumentFile,
  type Documents,
  documents,
  type ExistingTarget,
  type TranslateOptions,
} from './documents.ts';
export { type Engines, engines } from './engines.ts';
export { ConnectionError, type Failure, type FieldProblem, LinguaLoopError, TimeoutError } from './errors.ts';
export { type EventStreamOptions, type Events, events } from './event-feed.ts';
export type { Logger, RequestEvent, ResponseEvent } from './events.ts';
export type { Bytes } from './exchange.ts';
export type { ImportOptions, ImportPoller } from './import-poller.ts';
export { byStatus, type DocumentJobByStatus, type TranslationJobByStatus } from './job-states.ts';
export { type Language, languages } from './languages.ts';
export { findLeftOutTexts, type LeftOutText } from './left-out-texts.ts';
export { type Members, members } from './members.ts';
export { type Memory, memory } from './memory.ts';
export type {
  AccessToken,
  CallOptions,
  CreateOptions,
  Fetch,
  LinguaLoopOptions,
  LogLevel,
  OnIdempotencyMismatch,
  TenantOptions,
  UploadOptions,
  UploadProgress,
} from './options.ts';
export {
  CursorExpiredError,
  DocumentFailedError,
  IdempotencyMismatchError,
  ImportFailedError,
  MfaRequiredError,
  TranslationFailedError,
  TranslationPendingError,
  WorkspaceRequiredError,
} from './outcome-errors.ts';
export type { List, Page, ToArrayOptions } from './pages.ts';
export { type Quality, quality } from './quality.ts';
export type { Backoff } from './retry.ts';
export { type ApprovedItemsFile, type ReviewReports, reviewReports } from './review-reports.ts';
export { type Reviews, reviews } from './reviews.ts';
export type { MfaPrompt, SignInOptions, SignInRequest } from './sign-in.ts';
export type { FileAtPath, NamedBlob, NamedContent, SourceFile } from './source-file.ts';
export * from './status-errors.ts';
export { type Storage, storage } from './storage.ts';
export type { ExportedText, MemoryExport, StreamedFile } from './streamed-file.ts';
export { type StyleGuides, styleGuides } from './style-guides.ts';
export { type Invites, type Tenants, tenants } from './tenants.ts';
export { type Terminology, terminology } from './terminology.ts';
export type { TokenStore } from './tokens.ts';
export { type Tokens, tokensOf } from './tokens.ts';
export {
  type GoldenFile,
  type GoldenQuery,
  type JobPage,
  type Translations,
  translations,
} from './translations.ts';
export type * from './types.ts';
export { type Usage, type UsageExport, usage } from './usage.ts';
export { apiVersion, version } from './version.ts';
export type { Poller, WaitForOptions, WaitOptions } from './watching.ts';
export {
  verifyWebhook,
  type Webhook,
  WebhookError,
  type WebhookOptions,
  type WebhookRequest,
} from './webhooks.ts';
