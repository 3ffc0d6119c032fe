import { expect, test } from 'vitest';
import { registerWithOrganization } from '#server/identity/auth/sso/tenant-choice.ts';
import { holdEvents, waitingOr } from '#test/access/held-transactions.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const dance = dancing(app, provider);

/** Two concurrent callbacks: neither commits before the other waits for it. */
async function bothAtOnce(one: string, other: string) {
  const brought = [await dance.bring(one), await dance.bring(other)];
  const release = await holdEvents(app, 'tenant_founded');
  const answers = Promise.all(brought.map((each) => dance.callback(each)));
  await waitingOr(app, 2, answers);
  await release();
  return (await answers).toSorted((a, b) => a.status - b.status);
}

const tenantCount = async () => (await openSuperuser(app.superuserUrl)`select from tenants`).length;

test('C 2 rules 3 and 4: two people of one organization at once found one workspace; the other needs an invite', async () => {
  const org_id = 'an organization of two';
  const before = await tenantCount();
  const [founded, refused] = await bothAtOnce(account({ org_id }).sub, account({ org_id }).sub);
  expect([founded?.status, founded?.body.tenant_api_key]).toEqual([200, expect.any(String)]);
  expect([refused?.status, refused?.body]).toEqual([403, { detail: 'invitation required' }]);
  expect(refused?.headers.getSetCookie()).toEqual([]);
  expect(await tenantCount()).toBe(before + 1);
  const kept = await openSuperuser(app.superuserUrl)`
    select tenant_id from tenants where metadata ->> 'oidc_org_id' = ${org_id}`;
  expect(kept.map((row) => row['tenant_id'])).toEqual([founded?.body.user.tenant_id]);
});

test('C 2 rule 4: two concurrent sign-ons of one person found one workspace', async () => {
  const { sub } = account();
  const before = await tenantCount();
  const [founded, later] = await bothAtOnce(sub, sub);
  expect(founded?.status).toBe(200);
  expect(later?.status).toBe(409);
  expect(await tenantCount()).toBe(before + 1);
});

test('C 2 rule 4: even if the provider names another organization each time', async () => {
  const origin = { requestId: 'both', clientAddress: null };
  const person = { subject: 'issuer somebody', email: 'somebody@example.org' };
  const before = await tenantCount();
  const release = await holdEvents(app, 'tenant_founded');
  const both = Promise.allSettled(
    ['this one', 'that one'].map((organization) =>
      registerWithOrganization(app.services, origin, { ...person, organization }),
    ),
  );
  await waitingOr(app, 2, both);
  await release();
  expect((await both).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await tenantCount()).toBe(before + 1);
});
