import type { GuardName } from '#server/context.ts';
import { carriesFiles } from '#server/trpc.ts';
import type { Headers } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type Answer, viaRest, viaRpc } from '../call.ts';
import type { Procedure } from '../procedures.ts';
import type { GuardFixture } from './guard-fixture.ts';
import type { Probe } from './probes.ts';

/** The kinds of callers that guards distinguish. */
export type Kind =
  | 'nothing'
  | 'junk bearer'
  | 'junk key'
  | 'member'
  | 'administrator'
  | 'foreign administrator'
  | 'tenant key'
  | 'tenant key as bearer'
  | 'operator key'
  | 'operator key as bearer'
  | 'operator session'
  | 'unenrolled operator'
  | 'operator key beside a member'
  | 'operator key beside a foreign administrator'
  | 'session that is over'
  | 'session of an inactive tenant'
  | 'member’s cookie'
  | 'administrator’s cookie'
  | 'foreign administrator’s cookie'
  | 'cookie of no session'
  | 'junk bearer beside a cookie'
  | 'no bearer beside a cookie';

export interface Caller {
  name: string;
  kind: Kind;
  headers: (fixture: GuardFixture) => Headers;
  /** The caller's kind on /trpc, where the cookie is ignored. */
  withoutCookie?: Kind;
}

const junk = 'nobody-was-ever-issued-this-0123456789-abcd';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (token: string) => ({ cookie: `ll_session=${token}` });
const basic = { authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' };
const keyOf = ({ founder }: GuardFixture) => founder.key['x-api-key'] as string;

const over = 'session that is over';
const noSession = 'cookie of no session';

/** Each combination of credentials that a request may have: the name of the caller, its kind, and its headers. */
const withoutCookie: [string, Kind, Caller['headers']][] = [
  ['nobody', 'nothing', () => ({})],
  ['a tenant’s ID alone', 'nothing', ({ founder }) => ({ 'x-tenant-id': founder.tenantId })],
  ['an Authorization that is no bearer', 'nothing', () => basic],
  ['a garbage bearer', 'junk bearer', () => bearer(junk)],
  ['a garbage X-API-Key', 'junk key', () => ({ 'x-api-key': junk })],
  ['a member', 'member', ({ member }) => member.bearer],
  ['an administrator', 'administrator', ({ founder }) => founder.bearer],
  [
    'an administrator who names its tenant',
    'administrator',
    ({ founder }) => ({ ...founder.bearer, 'x-tenant-id': founder.tenantId }),
  ],
  [
    'an administrator with a garbage X-API-Key',
    'administrator',
    ({ founder }) => ({ ...founder.bearer, 'x-api-key': junk }),
  ],
  ['a foreign administrator', 'foreign administrator', ({ neighbour }) => neighbour.bearer],
  ['the tenant’s key', 'tenant key', ({ founder }) => founder.key],
  ['the tenant’s key as a bearer', 'tenant key as bearer', (fixture) => bearer(keyOf(fixture))],
  ['the operator key', 'operator key', ({ operator }) => operator.key],
  ['the operator key as a bearer', 'operator key as bearer', ({ operator }) => operator.bearer],
  ['a platform operator’s session', 'operator session', ({ operatorToken }) => bearer(operatorToken)],
  ['an operator without an authenticator', 'unenrolled operator', (at) => bearer(at.unenrolledToken)],
  [
    'a member with the operator key',
    'operator key beside a member',
    ({ member, operator }) => ({ ...member.bearer, ...operator.key }),
  ],
  [
    'a foreign administrator with the operator key',
    'operator key beside a foreign administrator',
    ({ neighbour, operator }) => ({ ...neighbour.bearer, ...operator.key }),
  ],
  ['a revoked administrator', over, ({ revoked }) => revoked.bearer],
  ['an expired token', over, ({ expired }) => expired.bearer],
  ['a refresh token', over, ({ founder }) => bearer(founder.refreshToken)],
  [
    'an administrator who names a foreign tenant',
    over,
    ({ founder, neighbour }) => ({ ...founder.bearer, 'x-tenant-id': neighbour.tenantId }),
  ],
  [
    'a member who names a foreign tenant',
    over,
    ({ member, neighbour }) => ({ ...member.bearer, 'x-tenant-id': neighbour.tenantId }),
  ],
  [
    'the tenant’s key that names a foreign tenant',
    'junk key',
    ({ founder, neighbour }) => ({ ...founder.key, 'x-tenant-id': neighbour.tenantId }),
  ],
  [
    'the tenant’s key as a bearer that names a foreign tenant',
    'junk bearer',
    ({ founder, neighbour }) => ({ ...bearer(founder.apiKey), 'x-tenant-id': neighbour.tenantId }),
  ],
  ['an administrator of an inactive tenant', 'session of an inactive tenant', (at) => at.inactive.bearer],
];

const withCookie: [string, Kind, Caller['headers']][] = [
  ['a member’s cookie', 'member’s cookie', ({ member }) => member.cookie],
  ['an administrator’s cookie', 'administrator’s cookie', ({ founder }) => founder.cookie],
  ['a foreign administrator’s cookie', 'foreign administrator’s cookie', (at) => at.neighbour.cookie],
  ['a garbage cookie', noSession, () => cookie(junk)],
  ['a key in a cookie', noSession, (fixture) => cookie(keyOf(fixture))],
  ['a refresh token in a cookie', noSession, ({ founder }) => cookie(founder.refreshToken)],
  ['a revoked administrator’s cookie', noSession, ({ revoked }) => revoked.cookie],
  ['an expired cookie', noSession, ({ expired }) => expired.cookie],
  ['the cookie of an inactive tenant', noSession, ({ inactive }) => inactive.cookie],
  [
    'an Authorization that is no bearer, with an administrator’s cookie',
    'no bearer beside a cookie',
    ({ founder }) => ({ ...founder.cookie, ...basic }),
  ],
];

export const callers: readonly Caller[] = [
  ...withoutCookie.map(([name, kind, headers]) => ({ name, kind, headers })),
  ...withCookie.map(([name, kind, headers]): Caller => ({ name, kind, headers, withoutCookie: 'nothing' })),
  {
    name: 'a garbage bearer with an administrator’s cookie',
    kind: 'junk bearer beside a cookie',
    headers: ({ founder }) => ({ ...founder.cookie, ...bearer(junk) }),
    withoutCookie: 'junk bearer',
  },
];

/**
 * The decision of a guard about a kind of caller: the exact error; `in`: access to the founder's tenant; `abroad`:
 * access to another tenant, as its administrator; `operator`: access as a platform operator, who belongs to another
 * tenant.
 */
type Verdict = 'in' | 'abroad' | 'operator' | `401 ${string}` | `403 ${string}`;

/** `otherwise` is the verdict on all kinds that are not listed. */
type Verdicts = Partial<Record<Kind, Verdict>> & { otherwise: Verdict };

const notAdministrator = '403 admin role required';
const operatorOnly = '403 tenant provisioning is operator-only';
const badBearer = '401 invalid or expired bearer token';

/**
 * B 5: a tenant's key or a member's token is required. C 7: if a request has a token, the token decides, even if it
 * also has a key.
 */
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

/** A 4.1: only the cookie counts. Bearer tokens and keys are ignored, even if they are invalid. */
const byCookie: Verdicts = {
  otherwise: '401 authentication required',
  'member’s cookie': 'in',
  'administrator’s cookie': 'in',
  'foreign administrator’s cookie': 'abroad',
  'junk bearer beside a cookie': 'in',
  'no bearer beside a cookie': 'in',
};

/** A 5.2 "Bearer only": keys and cookies are not accepted. */
const bearerOnly: Verdicts = {
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
};

/** The table of A 5.2, with a row for each guard. C 7 defines which guards accept the cookie. */
const verdicts: Readonly<Record<GuardName, Verdicts>> = {
  public: { otherwise: 'in' },
  tenant_identity: tenantIdentity,
  // B 5: an invalid credential is an error. It is not ignored.
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
    // An operator without an authenticator is not an operator (A 5.1 rule 8), but an administrator of another tenant.
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
  bearer: bearerOnly,
  administrator_session: {
    ...bearerOnly,
    member: notAdministrator,
    'operator key beside a member': notAdministrator,
    // The members of the operators' workspace are administrators, but have no password in these tests.
    'operator session': 'operator',
    'unenrolled operator': 'operator',
  },
  challenge_or_cookie: byCookie,
  session_cookie: byCookie,
};

/** The decision of a guard about a kind of caller. */
export function verdictOf(guard: GuardName, kind: Kind): Verdict {
  return verdicts[guard][kind] ?? verdicts[guard].otherwise;
}

export type Transport = 'REST' | '/trpc';

/**
 * The transports that serve a procedure. Procedures with files are only served over REST, and procedures without a
 * route only over /trpc.
 */
export function transportsOf({ route }: Procedure): readonly Transport[] {
  if (!route) return ['/trpc'];
  return carriesFiles(route) ? ['REST'] : ['REST', '/trpc'];
}

/** The response to each caller, by the caller's name. */
type Responses = Record<string, string>;

/** The verdict of a guard on a caller, over this transport. */
export function verdictOn({ kind, withoutCookie }: Caller, guard: GuardName, transport: Transport): Verdict {
  return verdictOf(guard, transport === '/trpc' ? (withoutCookie ?? kind) : kind);
}

/** Whether a guard rejects a caller. */
export const isRefusal = (verdict: Verdict): boolean => /^4/.test(verdict);

/** The expected response to a caller of a procedure with this guard. */
export function expectedBy(caller: Caller, guard: GuardName, probe: Probe, transport: Transport): string {
  const verdict = verdictOn(caller, guard, transport);
  const { in: inside = '200', abroad = inside, operator = abroad, operatorOnly: refusal } = probe;
  const refused = verdict === operatorOnly ? (refusal ?? verdict) : verdict;
  const expected = { in: inside, abroad, operator }[verdict as 'in'] ?? refused;
  // tRPC responds to each success with 200.
  return transport === '/trpc' && expected === '204' ? '200' : expected;
}

/** The expected response to each caller. */
export function expectedOf(guard: GuardName, probe: Probe, transport: Transport): Responses {
  return Object.fromEntries(
    callers.map((caller) => [caller.name, expectedBy(caller, guard, probe, transport)]),
  );
}

/** Calls a procedure once for each caller, one after the other. */
export async function callAsEverybody(
  at: Pick<TestApp, 'request'>,
  fixture: GuardFixture,
  procedure: Procedure,
  probe: Probe,
  transport: Transport,
): Promise<Responses> {
  const call = callOver[transport];
  const responses: Responses = {};
  for (const { name, headers } of callers) {
    const input = (await probe.input?.(fixture)) ?? {};
    responses[name] = inShort(await call(at, procedure, { input, headers: headers(fixture) }));
    await probe.restore?.(fixture);
  }
  return responses;
}

/** The function that calls a procedure over a transport. */
export const callOver = { REST: viaRest, '/trpc': viaRpc } as const;

export function inShort({ status, body }: Answer): string {
  return status < 300 ? `${status}` : `${status} ${body?.detail}`;
}
