import { found } from '../../../factories.ts';
import { type ContractFixture, redirectUri } from '../../fixture.ts';
import { asAdmin, asMember, asNobody, type Case, type Cases } from '../case.ts';

const nothing = { token: 'nothing' };
const accessToken = ({ member }: ContractFixture) => ({ token: member.accessToken });

/** The cases that revocation and introspection have in common. */
const common: Case[] = [
  { name: 'the token is none', status: 200, ask: asAdmin(nothing) },
  { name: 'the token is missing', status: 422, ask: asAdmin() },
  {
    name: 'it is JSON',
    status: 422,
    ask: asAdmin(),
    raw: { contentType: 'application/json', body: '{"token": "x"}' },
  },
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
    ...common,
  ],
  'auth.introspect': [
    { name: 'looks at an access token', status: 200, ask: asAdmin(accessToken) },
    ...common,
  ],
  'auth.signOut': [
    { name: 'gives up nothing', status: 200, ask: asNobody() },
    {
      name: 'gives up a refresh token',
      status: 200,
      ask: asNobody(async ({ app }) => ({ refresh_token: (await found(app)).refreshToken })),
    },
    {
      // On /trpc, the cookie is ignored: its session continues. The response is the same as over REST.
      name: 'gives up a cookie',
      status: 200,
      ask: async ({ app }) => ({ headers: (await found(app)).cookie }),
    },
    {
      name: 'it is a form',
      status: 200,
      raw: { contentType: 'application/x-www-form-urlencoded', body: 'refresh_token=nothing' },
    },
    { name: 'it is no JSON', status: 200, raw: { contentType: 'application/json', body: '{"refresh' } },
  ],
  'auth.sessions': [{ name: 'a member', status: 200, ask: asMember() }],
  'auth.endSession': [{ name: 'an unknown one', status: 404, ask: asMember({ session_id: 'unknown' }) }],
  'auth.changePassword': [
    {
      name: 'a wrong password',
      status: 403,
      ask: asMember({
        current_password: 'a wrong passphrase',
        new_password: 'another passphrase of some length',
      }),
    },
  ],
  'auth.proof': [{ name: 'a member', status: 200, ask: asMember() }],
  'auth.prove': [
    { name: 'a wrong password', status: 403, ask: asMember({ password: 'a wrong passphrase' }) },
    { name: 'no proof', status: 422, ask: asMember({}) },
  ],
  'auth.linkSso': [
    { name: 'begins', status: 200, ask: asMember({ provider: 'oidc', redirect_uri: redirectUri }) },
    { name: 'no redirect_uri', status: 422, ask: asMember({ provider: 'oidc' }) },
  ],
  'auth.me': [{ name: 'a member', status: 200, ask: asMember() }],
};
