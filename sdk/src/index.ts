export type { Auth } from './auth.ts';
export type { Billing } from './billing.ts';
export { LinguaLoop } from './client.ts';
export type { DocumentHandle, DocumentOptions, DocumentPoller } from './document-poller.ts';
export type { DocumentFile, Documents, TranslateOptions } from './documents.ts';
export { ConnectionError, type Failure, type FieldProblem, LinguaLoopError, TimeoutError } from './errors.ts';
export type { ImportOptions, ImportPoller } from './import-poller.ts';
export type { Memory } from './memory.ts';
export type { MemoryExport } from './memory-export.ts';
export type {
  AccessToken,
  CallOptions,
  CreateOptions,
  Fetch,
  LinguaLoopOptions,
  TenantOptions,
} from './options.ts';
export {
  DocumentFailedError,
  ImportFailedError,
  MfaRequiredError,
  WorkspaceRequiredError,
} from './outcome-errors.ts';
export type { Page } from './pages.ts';
export type { Backoff } from './retry.ts';
export type { MfaPrompt, SignInOptions, SignInRequest } from './sign-in.ts';
export type { NamedBlob, NamedContent, SourceFile } from './source-file.ts';
export * from './status-errors.ts';
export type { Storage } from './storage.ts';
export type { StreamedFile } from './streamed-file.ts';
export type { System } from './system.ts';
export type { Invites, Tenants } from './tenants.ts';
export type { Terminology } from './terminology.ts';
export type { TokenStore } from './tokens.ts';
export { type Tokens, tokensOf } from './tokens.ts';
export type { GoldenFile, Translations } from './translations.ts';
export type * from './types.ts';
export type { Usage, UsageExport } from './usage.ts';
export { version } from './version.ts';
