export type { Auth } from './auth.ts';
export type { Billing } from './billing.ts';
export { LinguaLoop } from './client.ts';
export { ConnectionError, type Failure, type FieldProblem, LinguaLoopError, TimeoutError } from './errors.ts';
export type { GoldenFile } from './golden.ts';
export { ImportFailedError } from './import-failed-error.ts';
export type { ImportOptions, ImportPoller } from './import-poller.ts';
export type { Invites } from './invites.ts';
export type { Memory } from './memory.ts';
export type { MemoryExport } from './memory-export.ts';
export type { MfaPrompt } from './mfa.ts';
export type {
  AccessToken,
  CallOptions,
  CreateOptions,
  Fetch,
  LinguaLoopOptions,
  TenantOptions,
} from './options.ts';
export type { Page } from './pages.ts';
export type { Backoff } from './retry.ts';
export type { SignInOptions, SignInRequest } from './sign-in.ts';
export { MfaRequiredError, WorkspaceRequiredError } from './sign-in-errors.ts';
export type { NamedBlob, NamedContent, SourceFile } from './source-file.ts';
export * from './status-errors.ts';
export type { System } from './system.ts';
export type { Tenants } from './tenants.ts';
export type { Terminology } from './terminology.ts';
export type { TokenStore } from './token-store.ts';
export { type Tokens, tokensOf } from './tokens.ts';
export type { Translations } from './translations.ts';
export type * from './types.ts';
export type { Usage, UsageExport } from './usage.ts';
export { version } from './version.ts';
