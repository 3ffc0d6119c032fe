import { beforeEach, describe, expect, test } from 'vitest';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { holdOpen, waitingOr } from '#test/access/held-transactions.ts';
import { env, found, freshEmail, invite, join, operator, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });
const administrator = 'global_administrator';
const developer = 'agent_id_developer';

let founder: Person;
/** Another administrator, who issues invites and links and is then revoked or demoted. */
let giver: Person;
let member: Person;
beforeEach(async () => {
  founder = await found(app);
  giver = await join(app, founder, administrator);
  member = await join(app, founder);
});

type Headers = Record<string, string>;

const revoke = ({ userId }: Person, headers: Headers = founder.bearer) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const setRole = ({ userId }: Person, role: string, headers: Headers = founder.bearer) =>
  app.json('PATCH', `/api/auth/users/${userId}/role`, { headers, body: { role } });

async function linkFor({ userId }: Person, by: Person): Promise<string> {
  const path = `/api/auth/users/${userId}/password-reset-link`;
  const { status, body } = await app.json('POST', path, { headers: by.bearer });
  expect(status).toBe(200);
  return body.reset_token;
}

const useInvite = async (invite_token: string, email = freshEmail()) => {
  const body = { tenant_name: 'ignored', email, password, invite_token };
  const answer = await app.json('POST', '/api/auth/signup/email', { body });
  return [answer.status, answer.body.detail ?? answer.body.account.id];
};
const useLink = async (reset_token: string) => {
  const body = { reset_token, new_password: 'quite another passphrase' };
  return (await app.json('POST', '/api/auth/password-reset', { body })).status;
};
const goneInvite = [400, 'invalid or expired invite'];

/** The status of each invite of the tenant, oldest first. */
async function statuses(ids: string[]): Promise<string[]> {
  const { body } = await app.json('GET', '/api/tenants/invites', { headers: founder.bearer });
  return ids.map((id) => body.find((record: { invite_id: string }) => record.invite_id === id).status);
}

/** What ends an administrator’s role. */
const endings: [string, () => Promise<{ status: number }>][] = [
  ['revoked', () => revoke(giver)],
  ['revoked by the operator key', () => revoke(giver, operator)],
  ['revoked by itself', () => revoke(giver, giver.bearer)],
  ['demoted', () => setRole(giver, developer)],
  ['demoted by itself', () => setRole(giver, developer, giver.bearer)],
];

describe.each(endings)('invites and reset links of an administrator end when it is %s', (_, end) => {
  test('its pending invites of every kind are withdrawn; closed ones stay as they are', async () => {
    const bound = freshEmail();
    const invites = [
      await invite(app, giver),
      await invite(app, giver, { role: administrator }),
      await invite(app, giver, { email: bound }),
      await invite(app, giver),
      await invite(app, giver),
    ];
    const [open, ofRole, ofAddress, used, expired] = invites;
    await useInvite(used.invite_token);
    await openSuperuser(app.superuserUrl)`
      update invites set expires_at = now() where invite_id = ${expired.invite_id}`;
    expect((await end()).status).toBe(200);

    expect(await useInvite(open.invite_token)).toEqual(goneInvite);
    expect(await useInvite(ofRole.invite_token)).toEqual(goneInvite);
    expect(await useInvite(ofAddress.invite_token, bound)).toEqual(goneInvite);
    expect(await statuses(invites.map(({ invite_id }) => invite_id))).toEqual([
      'withdrawn',
      'withdrawn',
      'withdrawn',
      'redeemed',
      'expired',
    ]);
  });

  test('the tenant’s reset links end, whoever issued them', async () => {
    const links = [await linkFor(member, giver), await linkFor(founder, giver)];
    const another = await join(app, founder);
    links.push(await linkFor(another, founder));
    expect((await end()).status).toBe(200);
    for (const link of links) expect(await useLink(link)).toBe(401);
    // New ones are valid.
    expect(await useLink(await linkFor(member, founder))).toBe(200);
  });

  test('invites of others stay, and so do all of another tenant', async () => {
    const { body: byOperator } = await app.json(
      'POST',
      `/api/tenants/invites?tenant_id=${founder.tenantId}`,
      { headers: operator, body: {} },
    );
    const byFounder = await invite(app, founder);
    // The same address administers another workspace.
    const neighbour = await found(app);
    const elsewhere = await invite(app, neighbour, { role: administrator });
    await openSuperuser(app.superuserUrl)`
      update invites set created_by = ${giver.email} where invite_id = ${elsewhere.invite_id}`;
    const link = await linkFor(neighbour, neighbour);
    expect((await end()).status).toBe(200);

    for (const { invite_token } of [byOperator, byFounder])
      expect(await useInvite(invite_token)).toEqual([200, founder.tenantId]);
    expect(await useInvite(elsewhere.invite_token)).toEqual([200, neighbour.tenantId]);
    expect(await useLink(link)).toBe(200);
  });

  test('invites and links that it issues meanwhile end, too', async () => {
    const { tenantId } = founder;
    const held = await holdOpen(app, tenantId, (tx) => lockTenant(tx, tenantId));
    const ended = end();
    await waitingOr(app, 1, ended);
    // Sent while it was still an administrator; waits for the request that revokes the role.
    const invited = app.json('POST', '/api/tenants/invites', { headers: giver.bearer, body: {} });
    await waitingOr(app, 2, invited);
    const path = `/api/auth/users/${member.userId}/password-reset-link`;
    const linked = app.json('POST', path, { headers: giver.bearer });
    await waitingOr(app, 3, linked);
    await held.letGo();

    expect((await ended).status).toBe(200);
    const [{ body: given }, { body: link }] = [await invited, await linked];
    expect(await useInvite(given.invite_token ?? 'none')).toEqual(goneInvite);
    expect(await useLink(link.reset_token ?? 'none')).toBe(401);
  });
});

describe('changes that withdraw no other invites or links', () => {
  let given: { invite_id: string; invite_token: string };
  let link: string;
  beforeEach(async () => {
    given = await invite(app, giver);
    link = await linkFor(founder, giver);
  });

  const expectKept = async () => {
    expect(await statuses([given.invite_id])).toEqual(['pending']);
    expect(await useLink(link)).toBe(200);
    expect(await useInvite(given.invite_token)).toEqual([200, founder.tenantId]);
  };

  test('the revocation of a plain member, which ends only its own link', async () => {
    const own = await linkFor(member, giver);
    expect((await revoke(member)).status).toBe(200);
    expect(await useLink(own)).toBe(401);
    await expectKept();
  });

  test('a promotion, and a role that stays as it is', async () => {
    expect((await setRole(member, administrator)).status).toBe(200);
    expect((await setRole(giver, administrator)).status).toBe(200);
    await expectKept();
  });

  test('the revocation of another administrator, which withdraws only its own invites', async () => {
    const third = await join(app, founder, administrator);
    expect((await revoke(third)).status).toBe(200);
    expect(await statuses([given.invite_id])).toEqual(['pending']);
    expect(await useInvite(given.invite_token)).toEqual([200, founder.tenantId]);
  });

  test('a refused attempt: the last administrator stays, and so do its invites and links', async () => {
    const alone = await found(app);
    const kept = await invite(app, alone);
    const ownLink = await linkFor(alone, alone);
    expect((await revoke(alone, alone.bearer)).status).toBe(409);
    expect((await setRole(alone, developer, alone.bearer)).status).toBe(409);
    expect((await revoke(giver, alone.bearer)).status).toBe(404);
    expect(await useInvite(kept.invite_token)).toEqual([200, alone.tenantId]);
    expect(await useLink(ownLink)).toBe(200);
    await expectKept();
  });
});
