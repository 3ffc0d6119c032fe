import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { type CallOptions, type TenantOptions, tenantOf } from './options.ts';
import { createListing, type List, type Page } from './pages.ts';
import type { RestRequest } from './rest.ts';
import type { Call } from './send.ts';
import type { MemberListQuery, MemberRole, MfaReset, PasswordResetLink, UserRow } from './types.ts';

/**
 * The members of a tenant. Requires an administrator's session or a platform operator; a tenant's API key is not
 * accepted.
 */
export interface Members {
  /**
   * Lists the members, oldest first; with `include_revoked`, also revoked ones. Pages are requested when they are
   * read.
   */
  list(query?: MemberListQuery, options?: TenantOptions): List<UserRow>;
  /** Returns one page of `list`. */
  listPage(query?: MemberListQuery, options?: TenantOptions): ApiPromise<Page<UserRow>>;
  /** Revokes a member and ends the member's sessions. Throws ConflictError for the last administrator. */
  revoke(userId: string, options?: CallOptions): ApiPromise<UserRow>;
  /** Restores a revoked member. */
  restore(userId: string, options?: CallOptions): ApiPromise<UserRow>;
  /** Changes a member's role. Throws ConflictError for the last administrator. */
  setRole(userId: string, role: MemberRole, options?: CallOptions): ApiPromise<UserRow>;
  /** Removes a member's authenticator app and recovery codes, and ends the member's sessions. */
  resetMfa(userId: string, options?: CallOptions): ApiPromise<MfaReset>;
  /**
   * Creates a password reset link for a member, which replaces the member's previous link. The service never shows it
   * again. Retried only if the service certainly did nothing.
   */
  createPasswordResetLink(userId: string, options?: CallOptions): ApiPromise<PasswordResetLink>;
}

const listCall: Call = { name: 'members.list', repeatable: true, result: ['length'] };
const revokeCall: Call = { name: 'members.revoke', repeatable: true, result: ['user_id'] };
const restoreCall: Call = { name: 'members.restore', repeatable: true, result: ['user_id'] };
const setRoleCall: Call = { name: 'members.setRole', repeatable: true, result: ['user_id'] };
const resetMfaCall: Call = { name: 'members.resetMfa', repeatable: true, result: ['mfa_reset'] };
/** Not repeatable: a second call would replace the link of the first one, which may already be in use. */
const linkCall: Call = {
  name: 'members.createPasswordResetLink',
  repeatable: false,
  result: ['reset_token'],
};

const path = '/api/auth/users';

export function members({ json }: Connection): Members {
  const change = <T>(
    call: Call,
    method: RestRequest['method'],
    userId: string,
    step: string,
    options: CallOptions | undefined,
    body?: object,
  ) => json<T>(call, { method, path: `${path}/${encodeURIComponent(userId)}${step}`, json: body }, options);
  return {
    ...createListing<MemberListQuery, UserRow[], UserRow, TenantOptions>(
      (query, options) =>
        json(listCall, { method: 'GET', path, query: { ...query, ...tenantOf(options) } }, options),
      (rows) => rows,
    ),
    revoke: (userId, options) => change(revokeCall, 'DELETE', userId, '', options),
    restore: (userId, options) => change(restoreCall, 'POST', userId, '/restore', options),
    setRole: (userId, role, options) => change(setRoleCall, 'PATCH', userId, '/role', options, { role }),
    resetMfa: (userId, options) => change(resetMfaCall, 'POST', userId, '/mfa/reset', options),
    createPasswordResetLink: (userId, options) =>
      change(linkCall, 'POST', userId, '/password-reset-link', options),
  };
}
