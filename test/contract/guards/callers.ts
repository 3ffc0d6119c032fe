import type { Headers } from '#test/factories.ts';
import type { GuardFixture } from './guard-fixture.ts';

/** How a guard classifies the caller. */
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
  /** The same on a transport that ignores the cookie (C 7: /trpc). */
  withoutCookie?: Kind;
}

const junk = 'nobody-was-ever-issued-this-0123456789-abcd';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (token: string) => ({ cookie: `ll_session=${token}` });
const basic = { authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' };
const keyOf = ({ founder }: GuardFixture) => founder.key['x-api-key'] as string;

/** Every combination of credentials that a request may have. */
export const callers: readonly Caller[] = [
  { name: 'nobody', kind: 'nothing', headers: () => ({}) },
  {
    name: 'a tenant’s id alone',
    kind: 'nothing',
    headers: ({ founder }) => ({ 'x-tenant-id': founder.tenantId }),
  },
  { name: 'an Authorization that is no bearer', kind: 'nothing', headers: () => basic },
  { name: 'a garbage bearer', kind: 'junk bearer', headers: () => bearer(junk) },
  { name: 'a garbage X-API-Key', kind: 'junk key', headers: () => ({ 'x-api-key': junk }) },
  { name: 'a member', kind: 'member', headers: ({ member }) => member.bearer },
  { name: 'an administrator', kind: 'administrator', headers: ({ founder }) => founder.bearer },
  {
    name: 'an administrator who names its tenant',
    kind: 'administrator',
    headers: ({ founder }) => ({ ...founder.bearer, 'x-tenant-id': founder.tenantId }),
  },
  {
    name: 'an administrator beside a garbage X-API-Key',
    kind: 'administrator',
    headers: ({ founder }) => ({ ...founder.bearer, 'x-api-key': junk }),
  },
  {
    name: 'a foreign administrator',
    kind: 'foreign administrator',
    headers: ({ neighbour }) => neighbour.bearer,
  },
  { name: 'the tenant’s key', kind: 'tenant key', headers: ({ founder }) => founder.key },
  {
    name: 'the tenant’s key as a bearer',
    kind: 'tenant key as bearer',
    headers: (fixture) => bearer(keyOf(fixture)),
  },
  { name: 'the operator key', kind: 'operator key', headers: ({ operator }) => operator.key },
  {
    name: 'the operator key as a bearer',
    kind: 'operator key as bearer',
    headers: ({ operator }) => operator.bearer,
  },
  {
    name: 'a platform operator’s session',
    kind: 'operator session',
    headers: ({ operatorToken }) => bearer(operatorToken),
  },
  {
    name: 'a designated operator without an authenticator',
    kind: 'unenrolled operator',
    headers: ({ unenrolledToken }) => bearer(unenrolledToken),
  },
  {
    name: 'a member, with the operator key',
    kind: 'operator key beside a member',
    headers: ({ member, operator }) => ({ ...member.bearer, ...operator.key }),
  },
  {
    name: 'a foreign administrator, with the operator key',
    kind: 'operator key beside a foreign administrator',
    headers: ({ neighbour, operator }) => ({ ...neighbour.bearer, ...operator.key }),
  },
  {
    name: 'a revoked administrator',
    kind: 'session that is over',
    headers: ({ revoked }) => revoked.bearer,
  },
  { name: 'an expired token', kind: 'session that is over', headers: ({ expired }) => expired.bearer },
  {
    name: 'a refresh token',
    kind: 'session that is over',
    headers: ({ founder }) => bearer(founder.refreshToken),
  },
  {
    name: 'an administrator who names a foreign tenant',
    kind: 'session that is over',
    headers: ({ founder, neighbour }) => ({ ...founder.bearer, 'x-tenant-id': neighbour.tenantId }),
  },
  {
    name: 'an administrator of an inactive tenant',
    kind: 'session of an inactive tenant',
    headers: ({ inactive }) => inactive.bearer,
  },
  ...(
    [
      ['a member’s cookie', 'member’s cookie', ({ member }) => member.cookie],
      ['an administrator’s cookie', 'administrator’s cookie', ({ founder }) => founder.cookie],
      [
        'a foreign administrator’s cookie',
        'foreign administrator’s cookie',
        ({ neighbour }) => neighbour.cookie,
      ],
      ['a garbage cookie', 'cookie of no session', () => cookie(junk)],
      ['a key in a cookie', 'cookie of no session', (fixture) => cookie(keyOf(fixture))],
      ['a refresh token in a cookie', 'cookie of no session', ({ founder }) => cookie(founder.refreshToken)],
      ['a revoked administrator’s cookie', 'cookie of no session', ({ revoked }) => revoked.cookie],
      ['an expired cookie', 'cookie of no session', ({ expired }) => expired.cookie],
      ['the cookie of an inactive tenant', 'cookie of no session', ({ inactive }) => inactive.cookie],
      [
        'an Authorization that is no bearer, beside an administrator’s cookie',
        'no bearer beside a cookie',
        ({ founder }) => ({ ...founder.cookie, ...basic }),
      ],
    ] satisfies [string, Kind, Caller['headers']][]
  ).map(([name, kind, headers]): Caller => ({ name, kind, headers, withoutCookie: 'nothing' })),
  {
    name: 'a garbage bearer beside an administrator’s cookie',
    kind: 'junk bearer beside a cookie',
    headers: ({ founder }) => ({ ...founder.cookie, ...bearer(junk) }),
    withoutCookie: 'junk bearer',
  },
];
