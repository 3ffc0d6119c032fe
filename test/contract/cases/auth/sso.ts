import { refusalOf } from '#test/setup/app.ts';
import { type ContractFixture, redirectUri } from '../../fixture.ts';
import { asNobody, type Cases, noId } from '../case.ts';

const oidc = { provider: 'oidc' };
const noProvider = { provider: 'elsewhere' };
const noState = { ...oidc, code: 'x', state: 'x' };
const detail = 'identity provider not found';

let subjects = 0;

/** Runs a single sign-on of a new person up to the callback. `cookie` is the cookie of the browser. */
async function dance({ app, accounts, provider }: ContractFixture, claims = {}, headers = {}) {
  subjects += 1;
  const sub = `subject-${subjects}`;
  accounts.push({ sub, email: 'ada@example.org', email_verified: true, ...claims });
  const { headers: answered, body } = await app.json('POST', '/api/oauth2/oidc/authorize', {
    headers,
    body: { redirect_uri: redirectUri },
  });
  const cookie = answered.get('set-cookie')?.split(';')[0] ?? '';
  const { code, state } = await provider.signIn(body.authorization_url, sub);
  return { input: { ...oidc, code, state }, cookie };
}

const danced =
  (claims = {}) =>
  async (fixture: ContractFixture) =>
    (await dance(fixture, claims)).input;

const page = { 'sec-fetch-site': 'same-origin' };

export const ssoCases: Cases = {
  'auth.authorizeSso': [
    { name: 'begins', status: 200, ask: asNobody({ ...oidc, redirect_uri: redirectUri, tenant_id: noId }) },
    {
      name: 'the provider is none',
      status: 404,
      detail,
      ask: asNobody({ ...noProvider, redirect_uri: redirectUri }),
    },
  ],
  'auth.completeSso': [
    { name: 'founds a workspace', status: 200, ask: asNobody(danced()) },
    {
      name: 'in the browser in which it began',
      status: 200,
      ask: async (fixture) => {
        const { input, cookie } = await dance(fixture, {}, page);
        return { input, headers: { ...page, cookie } };
      },
      rpc: {
        status: 401,
        body: refusalOf('invalid or expired sign-in state'),
        because: 'no cookie counts on /trpc, so a browser ends its sign-on over REST',
      },
    },
    {
      name: 'the state is none',
      status: 401,
      detail: 'invalid or expired sign-in state',
      ask: asNobody(noState),
    },
  ],
  'auth.ssoClientConfig': [
    { name: 'tells', status: 200, ask: asNobody(oidc) },
    { name: 'the provider is none', status: 404, detail, ask: asNobody(noProvider) },
  ],
};
