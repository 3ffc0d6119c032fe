import { beforeEach, describe, expect, test } from 'vitest';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { holdOpen, waitingOr } from '#test/access/held-transactions.ts';
import { signUp } from '#test/auth/sign-in.ts';
import {
  administrator,
  developer,
  env,
  found,
  founding,
  freshEmail,
  type Headers,
  invite,
  inviting,
  join,
  operator,
  type Person,
  resetToken,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let founder: Person;
/** An administrator who creates invites and reset links, and is then revoked or demoted. */
let giver: Person;
let member: Person;
beforeEach(async () => {
  founder = await found(app);
  giver = await join(app, founder, administrator);
  member = await join(app, founder);
});

const revoke = ({ userId }: Person, headers: Headers = founder.bearer) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const setRole = ({ userId }: Person, role: string, headers: Headers = founder.bearer) =>
  app.json('PATCH', `/api/auth/users/${userId}/role`, { headers, body: { role } });
const linkFor = (of: Person, { bearer }: Person) => resetToken(app, { ...of, bearer });

const useInvite = async (invite_token: string, email = freshEmail()) => {
  const { status, body } = await signUp(app, founding({ invite_token, email }));
  return [status, body.detail ?? body.account.id];
};
const useLink = async (reset_token: string) => {
  const body = { reset_token, new_password: 'quite another passphrase' };
  return (await app.json('POST', '/api/auth/password-reset', { body })).status;
};
const goneInvite = [400, 'invalid or expired invite'];

/** The status of each of these invites, in the order of the IDs. */
async function statuses(ids: string[]): Promise<string[]> {
  const { body } = await app.json('GET', '/api/tenants/invites', { headers: founder.bearer });
  return ids.map((id) => body.find((record: { invite_id: string }) => record.invite_id === id).status);
}

/** The requests that end an administrator's role. */
const endings: [string, () => Promise<{ status: number }>][] = [
  ['revoked', () => revoke(giver)],
  ['demoted by itself', () => setRole(giver, developer, giver.bearer)],
];

describe.each(endings)('when an administrator is %s', (_, end) => {
  test('its pending invites are withdrawn; closed ones and those of others stay as they are', async () => {
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
    const sql = openSuperuser(app.superuserUrl);
    await sql`update invites set expires_at = now() where invite_id = ${expired.invite_id}`;
    const byOperator = await inviting(app, operator, `?tenant_id=${founder.tenantId}`).invite();
    const byFounder = await invite(app, founder);
    // A person with the same email address is an administrator of another workspace.
    const neighbor = await found(app);
    const elsewhere = await invite(app, neighbor);
    await sql`update invites set created_by = ${giver.email} where invite_id = ${elsewhere.invite_id}`;
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
    for (const { invite_token } of [byOperator, byFounder])
      expect(await useInvite(invite_token)).toEqual([200, founder.tenantId]);
    expect(await useInvite(elsewhere.invite_token)).toEqual([200, neighbor.tenantId]);
  });

  test('the reset links of its workspace end, whoever issued them; of no other', async () => {
    const links = [await linkFor(member, giver), await linkFor(founder, giver)];
    links.push(await linkFor(await join(app, founder), founder));
    const neighbor = await found(app);
    const elsewhere = await linkFor(neighbor, neighbor);
    expect((await end()).status).toBe(200);
    for (const link of links) expect(await useLink(link)).toBe(401);
    expect(await useLink(elsewhere)).toBe(200);
    // A reset link that is created afterwards is valid.
    expect(await useLink(await linkFor(member, founder))).toBe(200);
  });

  test('what it issues at the same time ends too', async () => {
    const { tenantId } = founder;
    const held = await holdOpen(app, tenantId, (tx) => lockTenant(tx, tenantId));
    const ended = end();
    await waitingOr(app, 1, ended);
    // Sent while the caller is still an administrator. The request then waits for the one that ends the role.
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

test('other changes withdraw no invites or links', async () => {
  const given = await invite(app, giver);
  const link = await linkFor(await join(app, founder), giver);
  const own = await linkFor(member, giver);
  // Revoking a member who is not an administrator ends only the reset link of this member.
  expect((await revoke(member)).status).toBe(200);
  expect(await useLink(own)).toBe(401);
  // A promotion, a change to the same role, and requests that fail end no invites or reset links.
  const another = await join(app, founder);
  expect((await setRole(another, administrator)).status).toBe(200);
  expect((await setRole(giver, administrator)).status).toBe(200);
  const alone = await found(app);
  const [kept, keptLink] = [await invite(app, alone), await linkFor(alone, alone)];
  expect((await revoke(alone, alone.bearer)).status).toBe(409);
  expect((await setRole(alone, developer, alone.bearer)).status).toBe(409);
  expect((await revoke(giver, alone.bearer)).status).toBe(404);
  expect(await useInvite(kept.invite_token)).toEqual([200, alone.tenantId]);
  expect(await useLink(keptLink)).toBe(200);
  expect(await useLink(link)).toBe(200);
  // Revoking another administrator withdraws only the invites that this administrator created.
  expect((await revoke(another)).status).toBe(200);
  expect(await statuses([given.invite_id])).toEqual(['pending']);
  expect(await useInvite(given.invite_token)).toEqual([200, founder.tenantId]);
});
