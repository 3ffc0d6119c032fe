import { found } from '../../../factories.ts';
import type { ContractFixture } from '../../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asForeignPageWithCookie,
  asKey,
  asMember,
  asNobody,
  asOperator,
  type Case,
  type Cases,
  crossSite,
  withoutCookie,
} from '../case.ts';

const nothing = { token: 'nothing' };
const accessToken = ({ member }: ContractFixture) => ({ token: member.accessToken });
const refreshToken = ({ member }: ContractFixture) => ({ token: member.refreshToken });
const foreignToken = ({ neighbour }: ContractFixture) => ({ token: neighbour.accessToken });
const ofNewcomer = async ({ app }: ContractFixture) => ({ token: (await found(app)).accessToken });

/** The responses that revocation and introspection have in common. */
const common: Case[] = [
  { name: 'the token is none', status: 200, ask: asAdmin(nothing) },
  { name: 'the token is foreign', status: 200, ask: asAdmin(foreignToken) },
  {
    name: 'by the cookie',
    status: 200,
    ask: asCookie(nothing),
    rpc: withoutCookie('admin credentials required'),
  },
  { name: 'the token is missing', status: 422, ask: asAdmin() },
  {
    name: 'another site’s page sends it with the member’s cookie',
    status: 403,
    detail: crossSite,
    ask: asForeignPageWithCookie(nothing),
  },
  {
    name: 'it is JSON',
    status: 422,
    ask: asAdmin(),
    raw: { contentType: 'application/json', body: '{"token": "x"}' },
  },
  ...adminRefusals(accessToken),
];

export const tokenCases: Cases = {
  'auth.revoke': [
    {
      name: 'revokes its own',
      status: 200,
      ask: async ({ app }) => {
        const { bearer: headers, accessToken: token } = await found(app);
        return { input: { token, token_type_hint: 'refresh_token' }, headers };
      },
    },
    { name: 'the operator revokes anybody’s', status: 200, ask: asOperator(ofNewcomer) },
    ...common,
  ],
  'auth.introspect': [
    { name: 'looks at an access token', status: 200, ask: asAdmin(accessToken) },
    { name: 'looks at a refresh token', status: 200, ask: asAdmin(refreshToken) },
    { name: 'the operator looks at anybody’s', status: 200, ask: asOperator(foreignToken) },
    ...common,
  ],
  'auth.signOut': [
    { name: 'gives up nothing', status: 200, ask: asNobody() },
    {
      name: 'gives up a refresh token',
      status: 200,
      ask: asNobody(async ({ app }) => ({ refresh_token: (await found(app)).refreshToken })),
    },
    { name: 'gives up what is no token', status: 200, ask: asNobody({ refresh_token: 'nothing' }) },
    {
      // At /trpc the cookie's session goes on, and the response says nothing of it: it never does.
      name: 'gives up a cookie',
      status: 200,
      ask: async ({ app }) => ({ headers: (await found(app)).cookie }),
    },
    { name: 'the token is no text', status: 200, ask: asNobody({ refresh_token: 5 }) },
    {
      name: 'another site’s page sends it with the member’s cookie',
      status: 403,
      detail: crossSite,
      ask: asForeignPageWithCookie(),
    },
    {
      name: 'it is a form',
      status: 200,
      raw: { contentType: 'application/x-www-form-urlencoded', body: 'refresh_token=nothing' },
    },
    { name: 'it is no JSON', status: 200, raw: { contentType: 'application/json', body: '{"refresh' } },
  ],
  'auth.draftKeys': [
    { name: 'a member', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail: 'missing bearer token', ask: asNobody() },
    { name: 'a key asks', status: 401, detail: 'missing bearer token', ask: asKey() },
    { name: 'a cookie asks', status: 401, detail: 'missing bearer token', ask: asCookie() },
  ],
  'auth.me': [
    { name: 'an administrator', status: 200, ask: asAdmin() },
    { name: 'a member', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail: 'missing bearer token', ask: asNobody() },
    { name: 'a key asks', status: 401, detail: 'missing bearer token', ask: asKey() },
    { name: 'a cookie asks', status: 401, detail: 'missing bearer token', ask: asCookie() },
    {
      name: 'the bearer is none',
      status: 401,
      detail: 'invalid or expired bearer token',
      ask: () => ({ headers: { authorization: 'Bearer nothing' } }),
    },
  ],
};
