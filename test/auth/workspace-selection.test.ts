import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';
import { expectRefused, expectTokens, sessionCookie, signIn } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let addresses = 0;
/** Creates one address's accounts in sequence, each with its password of the list. */
async function accounts(...passwords: string[]): Promise<Person[]> {
  addresses += 1;
  const email = `many${addresses}@example.org`;
  const people = [];
  for (const password of passwords) people.push(await found(app, { email, password }));
  return people;
}

const first = 'the first of the passphrases';
const second = 'the second of the passphrases';
const wrong = 'none of the passphrases';

const setActive = (userId: string, active: boolean) =>
  openSuperuser(app.superuserUrl)`update users set active = ${active} where user_id = ${userId}`;

async function countCapped(): Promise<number> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as capped from audit_log where action = 'login_candidates_capped'`;
  return row?.['capped'];
}

describe('A 4.3 rule 3: one password in several workspaces', () => {
  let people: Person[];
  let one: Person;
  let other: Person;
  let apart: Person;
  beforeAll(async () => {
    people = await accounts(first, second, first);
    [one, apart, other] = people as [Person, Person, Person];
  });

  test('A 2.4: 200 with those workspaces, by id and name, and where to send the choice', async () => {
    const { status, body } = await signIn(app, one);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tenant_selection_required: true,
      next: { oauth2_token: '/api/oauth2/token' },
    });
    const byId = (a: { tenant_id: string }, b: { tenant_id: string }) => (a.tenant_id < b.tenant_id ? -1 : 1);
    expect(body.tenants.toSorted(byId)).toEqual(
      [one, other]
        .map(({ tenantId, tenantName }) => ({ tenant_id: tenantId, tenant_name: tenantName }))
        .toSorted(byId),
    );
  });

  test('no tokens, no challenge, no cookie, and nothing of them stored', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const before = await countRows(sql, ['tokens', 'mfa_challenges', 'credential_directory']);
    const answer = await signIn(app, one);
    expect(answer.body.tenant_selection_required).toBe(true);
    for (const key of ['access_token', 'refresh_token', 'token', 'user', 'mfa_challenge', 'mfa_required'])
      expect(answer.body).not.toHaveProperty(key);
    expect(sessionCookie(answer)).toBeUndefined();
    expect(await countRows(sql, ['tokens', 'mfa_challenges', 'credential_directory'])).toEqual(before);
  });

  test('with a pinned workspace, each of them gives its own tokens', async () => {
    for (const person of [one, other]) {
      const answer = await signIn(app, person, { tenant_id: person.tenantId });
      expectTokens(answer, person);
      expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.access_token);
    }
  });

  test('a password that fits only one of them needs no choice', async () => {
    expectTokens(await signIn(app, apart), apart);
  });

  test('a pinned grant checks that one account: the password of another does not fit', async () => {
    expectRefused(await signIn(app, one, { tenant_id: apart.tenantId }), 401);
    expectRefused(await signIn(app, apart, { tenant_id: one.tenantId }), 401);
  });

  test('a revoked account is no candidate', async () => {
    const [left, right] = await accounts(first, first);
    await setActive(left!.userId, false);
    expectTokens(await signIn(app, right!), right!);
    expectRefused(await signIn(app, left!, { tenant_id: left!.tenantId }), 401);
  });

  test('workspaces that demand a code are chosen first, and demand it then', async () => {
    const [left, right] = await accounts(first, first);
    for (const { accessToken } of [left!, right!]) {
      const { status } = await app.json('PATCH', '/api/tenants/security', {
        headers: bearer(accessToken),
        body: { mfa_required: true },
      });
      expect(status).toBe(200);
    }
    const choice = await signIn(app, left!);
    expect(choice.body).toMatchObject({ tenant_selection_required: true });
    expect(choice.body).not.toHaveProperty('mfa_challenge');
    const chosen = await signIn(app, left!, { tenant_id: left!.tenantId });
    expect(chosen.body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp_enroll' } });
  });
});

describe('A 4.3 rule 4: the ten oldest accounts of an address', () => {
  let eleven: Person[];
  let newest: Person;
  beforeAll(async () => {
    eleven = await accounts(...Array<string>(10).fill(first), second);
    newest = eleven[10]!;
  }, 60_000);

  test('an eleventh is not checked: 401 workspace_id_required:', async () => {
    const before = await countCapped();
    const answer = await signIn(app, newest);
    expectRefused(answer, 401);
    expect(answer.body.detail).toMatch(/^workspace_id_required:/);
    expect(await countCapped()).toBe(before + 1);
  });

  test('a password that fits none of the ten gets the same response', async () => {
    const unseen = await signIn(app, newest);
    const none = await signIn(app, { ...newest, password: wrong });
    expect([none.status, none.body]).toEqual([unseen.status, unseen.body]);
  });

  test('with its workspace pinned, the eleventh signs in, and no cap is recorded', async () => {
    const before = await countCapped();
    expectTokens(await signIn(app, newest, { tenant_id: newest.tenantId }), newest);
    expectRefused(await signIn(app, { ...newest, password: wrong }, { tenant_id: newest.tenantId }), 401);
    expect(await countCapped()).toBe(before);
  });

  test('a grant that matches one of the ten is audited too, without the password', async () => {
    const before = await countCapped();
    const { status, body } = await signIn(app, eleven[0]!);
    expect(status).toBe(200);
    expect(body.tenants).toHaveLength(10);
    expect(await countCapped()).toBe(before + 1);
    const rows = await openSuperuser(app.superuserUrl)`select t::text as row from audit_log t`;
    for (const { row } of rows) {
      expect(row).not.toContain(first);
      expect(row).not.toContain(second);
    }
  });

  test('with ten accounts the cap is not reached', async () => {
    const ten = await accounts(...Array<string>(9).fill(first), second);
    const before = await countCapped();
    expectTokens(await signIn(app, ten[9]!), ten[9]!);
    const refused = await signIn(app, { ...ten[0]!, password: wrong });
    expectRefused(refused, 401);
    expect(refused.body.detail).not.toMatch(/^workspace_id_required/);
    expect(await countCapped()).toBe(before);
  });

  test('only active password accounts count', async () => {
    const people = await accounts(...Array<string>(11).fill(first), second);
    await setActive(people[0]!.userId, false);
    await openSuperuser(app.superuserUrl)`
      update users set provider = 'oidc', password_hash = null where user_id = ${people[1]!.userId}`;
    const before = await countCapped();
    expectTokens(await signIn(app, people[11]!), people[11]!);
    expect(await countCapped()).toBe(before);
  });

  test('the oldest are searched, whatever order the query returns', async () => {
    const people = await accounts(...Array<string>(10).fill(first), second);
    await openSuperuser(app.superuserUrl)`
      update users set created_at = created_at - interval '1 day' where user_id = ${people[10]!.userId}`;
    expectTokens(await signIn(app, people[10]!), people[10]!);
    // So the newest of the others is left out.
    const { body } = await signIn(app, people[0]!);
    const listed = body.tenants.map(({ tenant_id }: { tenant_id: string }) => tenant_id).toSorted();
    expect(listed).toEqual(
      people
        .slice(0, 9)
        .map(({ tenantId }) => tenantId)
        .toSorted(),
    );
  });
});
