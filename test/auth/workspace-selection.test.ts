import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, env, found, freshEmail, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { expectRefused, expectTokens, sessionCookie, signIn } from './sign-in.ts';

const app = useTestApp({ env });

/** Creates workspaces one after the other, all for one email address, each with the next password of the list. */
async function accounts(...passwords: string[]): Promise<Person[]> {
  const email = freshEmail();
  const people = [];
  for (const password of passwords) people.push(await found(app, { email, password }));
  return people;
}

const first = 'the first of the passphrases';
const second = 'the second of the passphrases';
const wrong = 'none of the passphrases';

const deactivate = (table: 'users' | 'tenants', { tenantId }: Person) => {
  const sql = openSuperuser(app.superuserUrl);
  return sql`update ${sql(table)} set active = false where tenant_id = ${tenantId}`;
};
const countCapped = async () => (await eventsOf(app, '', 'login_candidates_capped')).length;
const idsOf = ({ body }: { body: { tenants: { tenant_id: string }[] } }) =>
  body.tenants.map(({ tenant_id }) => tenant_id).toSorted();

describe('one password in several workspaces (A 4.3 rule 3)', () => {
  let one: Person;
  let other: Person;
  /** A workspace of the same email address with another password. */
  let apart: Person;
  beforeAll(async () => {
    [one, apart, other] = (await accounts(first, second, first)) as [Person, Person, Person];
  });

  test('the response is those workspaces, and where to send the choice: no token, challenge or cookie', async () => {
    const before = await contentsOf(app);
    const answer = await signIn(app, one);
    const byId = (a: { tenant_id: string }, b: { tenant_id: string }) => (a.tenant_id < b.tenant_id ? -1 : 1);
    const { tenants, ...rest } = answer.body;
    expect([answer.status, rest]).toEqual([
      200,
      { tenant_selection_required: true, next: { oauth2_token: '/api/oauth2/token' } },
    ]);
    expect(tenants.toSorted(byId)).toEqual(
      [one, other]
        .map(({ tenantId, tenantName }) => ({ tenant_id: tenantId, tenant_name: tenantName }))
        .toSorted(byId),
    );
    expect(sessionCookie(answer)).toBeUndefined();
    expect(await contentsOf(app)).toBe(before);
  });

  test('with a named workspace the grant checks that one account', async () => {
    for (const person of [one, other])
      expectTokens(await signIn(app, person, { tenant_id: person.tenantId }), person);
    expectRefused(await signIn(app, one, { tenant_id: apart.tenantId }), 401);
    expectRefused(await signIn(app, apart, { tenant_id: one.tenantId }), 401);
  });

  test('workspaces that require a code are chosen first, and require it then', async () => {
    const [left, right] = (await accounts(first, first)) as [Person, Person];
    for (const { accessToken } of [left, right])
      await app.json('PATCH', '/api/tenants/security', {
        headers: bearer(accessToken),
        body: { mfa_required: true },
      });
    const choice = await signIn(app, left);
    expect(choice.body).not.toHaveProperty('mfa_challenge');
    expect(idsOf(choice)).toEqual([left.tenantId, right.tenantId].toSorted());
    const chosen = await signIn(app, left, { tenant_id: left.tenantId });
    expect(chosen.body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp_enroll' } });
  });
});

describe('the ten oldest accounts of an address (A 4.3 rule 4)', () => {
  let eleven: Person[];
  let newest: Person;
  beforeAll(async () => {
    eleven = await accounts(...Array<string>(10).fill(first), second);
    newest = eleven[10]!;
  });

  test('an eleventh is not checked: 401 workspace_id_required, as for a password that fits none', async () => {
    const before = await countCapped();
    for (const password of [second, wrong]) {
      const answer = await signIn(app, { ...newest, password });
      expectRefused(answer, 401);
      expect(answer.body.detail).toMatch(/^workspace_id_required:/);
    }
    expect(await countCapped()).toBe(before + 2);
  });

  test('with its workspace named, the eleventh signs in, and no cap is recorded', async () => {
    const before = await countCapped();
    expectTokens(await signIn(app, newest, { tenant_id: newest.tenantId }), newest);
    expectRefused(await signIn(app, { ...newest, password: wrong }, { tenant_id: newest.tenantId }), 401);
    expect(await countCapped()).toBe(before);
  });

  test('a grant that matches one of the ten is audited too, without the password', async () => {
    const before = await countCapped();
    expect(idsOf(await signIn(app, eleven[0]!))).toHaveLength(10);
    expect(await countCapped()).toBe(before + 1);
    const rows = await openSuperuser(app.superuserUrl)`select t::text as row from audit_log t`;
    for (const { row } of rows) expect(row).not.toMatch(new RegExp(`${first}|${second}`));
  });

  test('only active password accounts count, and ten of them are no more than the cap', async () => {
    const people = await accounts(...Array<string>(11).fill(first), second);
    await deactivate('users', people[0]!);
    await openSuperuser(app.superuserUrl)`
      update users set provider = 'oidc', password_hash = null where user_id = ${people[1]!.userId}`;
    const before = await countCapped();
    expectTokens(await signIn(app, people[11]!), people[11]!);
    const refused = await signIn(app, { ...people[11]!, password: wrong });
    expectRefused(refused, 401, 'invalid email or password');
    expect(await countCapped()).toBe(before);
  });

  test('the oldest are searched, in whatever order they are stored', async () => {
    const people = await accounts(...Array<string>(10).fill(first), second);
    await openSuperuser(app.superuserUrl)`
      update users set created_at = created_at - interval '1 day' where user_id = ${people[10]!.userId}`;
    expectTokens(await signIn(app, people[10]!), people[10]!);
    // Ten workspaces are searched, so the newest of the others is not among them.
    expect(idsOf(await signIn(app, people[0]!))).toEqual(
      people
        .slice(0, 9)
        .map(({ tenantId }) => tenantId)
        .toSorted(),
    );
  });
});
