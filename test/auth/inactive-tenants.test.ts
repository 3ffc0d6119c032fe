import { beforeEach, describe, expect, test } from 'vitest';
import { found, freshEmail, invite, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { grant } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const dance = dancing(app, provider);

const deactivate = (tenantId: string) =>
  openSuperuser(app.superuserUrl)`update tenants set active = false where tenant_id = ${tenantId}`;

type Signed = { body: { user?: { tenant_id: string }; tenants?: { tenant_id: string }[] } };
const idsOf = ({ body }: Signed) => body.tenants?.map(({ tenant_id }) => tenant_id).toSorted();

describe('A 4.3: a password account of an inactive workspace', () => {
  let email: string;
  let tenants: string[];
  beforeEach(async () => {
    email = freshEmail();
    tenants = [];
    for (let i = 0; i < 3; i += 1) tenants.push((await app.signUp({ email, password })).tenantId);
  });

  const signIn = (fields = {}) =>
    grant(app, { grant_type: 'password', username: email, password, ...fields });

  test('is not offered for choice; a single remaining account is signed in', async () => {
    const [oldest, middle, newest] = tenants as [string, string, string];
    expect(idsOf(await signIn())).toEqual([oldest, middle, newest].toSorted());
    await deactivate(oldest);
    expect(idsOf(await signIn())).toEqual([middle, newest].toSorted());
    await deactivate(newest);
    const { status, body } = await signIn();
    expect([status, body.user?.tenant_id, body.tenants]).toEqual([200, middle, undefined]);
  });

  test('counts as no account: when its workspace is pinned, and when it is the only one', async () => {
    const [only] = tenants as [string];
    await deactivate(only);
    const pinned = await signIn({ tenant_id: only });
    for (const tenantId of tenants) await deactivate(tenantId);
    const none = await signIn();
    for (const { status, body } of [pinned, none])
      expect([status, body]).toEqual([401, { detail: 'invalid email or password' }]);
  });
});

describe('C 2: a membership by single sign-on in an inactive workspace', () => {
  let sub: string;
  let tenants: [string, string];
  beforeEach(async () => {
    ({ sub } = account());
    const own = await dance.signIn(sub);
    const admin = await found(app);
    const { invite_token } = await invite(app, admin);
    const joined = await dance.signIn(sub, { invite_token });
    tenants = [own.body.user.tenant_id, joined.body.user.tenant_id];
  });

  test('with two active ones the person chooses', async () => {
    expect(idsOf(await dance.signIn(sub))).toEqual(tenants.toSorted());
  });

  test.each([
    ['older', 0, 1],
    ['newer', 1, 0],
  ] as const)('the %s one is not offered: the other is signed in', async (_, over, left) => {
    await deactivate(tenants[over]);
    for (const fields of [{}, { tenant_id: tenants[over] }]) {
      const { status, body } = await dance.signIn(sub, fields);
      expect([status, body.user?.tenant_id, body.tenants]).toEqual([200, tenants[left], undefined]);
    }
  });

  test('if none is left the person is refused, and founds no workspace', async () => {
    for (const tenantId of tenants) await deactivate(tenantId);
    const { status, body } = await dance.signIn(sub);
    expect([status, body]).toEqual([403, { detail: 'access to this workspace was revoked' }]);
  });
});
