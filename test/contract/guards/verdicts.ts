import type { GuardName } from '#server/context.ts';
import type { Kind } from './callers.ts';

/**
 * What a guard decides about a caller: the exact refusal; or access to its own tenant's data (`in`), or to another's: as an
 * administrator of another tenant (`abroad`), or as a platform operator's session, whose own tenant is also another
 * (`operator`).
 */
export type Verdict = 'in' | 'abroad' | 'operator' | `401 ${string}` | `403 ${string}`;

/** `otherwise` is for every kind without a line. */
type Verdicts = Partial<Record<Kind, Verdict>> & { otherwise: Verdict };

const notAdministrator = '403 admin role required';
const operatorOnly = '403 tenant provisioning is operator-only';
const badBearer = '401 invalid or expired bearer token';

/** B 5: a tenant's key or a member's token; C 7: a token decides, whatever key is beside it. */
const tenantIdentity: Verdicts = {
  otherwise: '401 missing or invalid tenant credentials',
  member: 'in',
  administrator: 'in',
  'tenant key': 'in',
  'tenant key as bearer': 'in',
  'foreign administrator': 'abroad',
  'operator session': 'abroad',
  'unenrolled operator': 'abroad',
  'operator key beside a member': 'in',
  'operator key beside a foreign administrator': 'abroad',
};

/** A 4.1: neither the bearer nor a key counts, so invalid ones do no harm. */
const byCookie: Verdicts = {
  otherwise: '401 authentication required',
  'member’s cookie': 'in',
  'administrator’s cookie': 'in',
  'foreign administrator’s cookie': 'abroad',
  'junk bearer beside a cookie': 'in',
  'no bearer beside a cookie': 'in',
};

/** A 5.2, one row per guard; C 7 says where the cookie is accepted. */
export const verdicts: Readonly<Record<GuardName, Verdicts>> = {
  public: { otherwise: 'in' },
  tenant_identity: tenantIdentity,
  // B 5: a presented but invalid credential is refused, not ignored.
  tenant_identity_or_cookie: {
    ...tenantIdentity,
    'member’s cookie': 'in',
    'administrator’s cookie': 'in',
    'foreign administrator’s cookie': 'abroad',
  },
  tenant_admin: {
    otherwise: '401 missing or invalid tenant credentials',
    administrator: 'in',
    'tenant key': 'in',
    'tenant key as bearer': 'in',
    'foreign administrator': 'abroad',
    'operator session': 'abroad',
    'unenrolled operator': 'abroad',
    'operator key beside a foreign administrator': 'abroad',
    member: notAdministrator,
    'operator key beside a member': notAdministrator,
    'administrator’s cookie': 'in',
    'foreign administrator’s cookie': 'abroad',
    'member’s cookie': notAdministrator,
  },
  admin: {
    otherwise: '401 admin credentials required',
    administrator: 'in',
    'foreign administrator': 'abroad',
    // Without an authenticator it is no operator (A 5.1 rule 8), and is an administrator elsewhere.
    'unenrolled operator': 'abroad',
    'operator session': 'operator',
    'operator key': 'in',
    'operator key as bearer': 'in',
    'operator key beside a member': 'in',
    'operator key beside a foreign administrator': 'in',
    member: notAdministrator,
    'administrator’s cookie': 'in',
    'foreign administrator’s cookie': 'abroad',
    'member’s cookie': notAdministrator,
  },
  platform_operator: {
    otherwise: '401 admin credentials required',
    administrator: operatorOnly,
    'foreign administrator': operatorOnly,
    'unenrolled operator': operatorOnly,
    'operator session': 'operator',
    'operator key': 'in',
    'operator key as bearer': 'in',
    'operator key beside a member': 'in',
    'operator key beside a foreign administrator': 'in',
    member: notAdministrator,
    'administrator’s cookie': operatorOnly,
    'foreign administrator’s cookie': operatorOnly,
    'member’s cookie': notAdministrator,
  },
  bearer: {
    otherwise: '401 missing bearer token',
    member: 'in',
    administrator: 'in',
    'foreign administrator': 'abroad',
    'operator session': 'abroad',
    'unenrolled operator': 'abroad',
    'operator key beside a member': 'in',
    'operator key beside a foreign administrator': 'abroad',
    'junk bearer': badBearer,
    'tenant key as bearer': badBearer,
    'operator key as bearer': badBearer,
    'session that is over': badBearer,
    'junk bearer beside a cookie': badBearer,
    'session of an inactive tenant': '401 tenant not found for bearer token',
  },
  challenge_or_cookie: byCookie,
  session_cookie: byCookie,
};
