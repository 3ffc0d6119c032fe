import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { introspect, meOf, refresh, revoke, signIn } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

/** A sign-in of the member's that was refreshed once: all of its four tokens are valid except the first refresh token. */
async function openFamily() {
  const { body: first } = await signIn(app, member);
  const { body: second } = await refresh(app, first.refresh_token);
  return {
    usedUp: String(first.refresh_token),
    refreshToken: String(second.refresh_token),
    earlierAccess: String(first.access_token),
    access: String(second.access_token),
  };
}

type Family = Awaited<ReturnType<typeof openFamily>>;

/** Which tokens of a family are valid: by introspection and, for access tokens, by using them. */
async function goodOf({ earlierAccess, access, refreshToken }: Family) {
  const isAccepted = async (token: string) => (await meOf(app, token)).status === 200;
  const active = async (token: string): Promise<boolean> =>
    (await introspect(app, token, bearer(admin.accessToken))).body.active;
  expect(await active(earlierAccess)).toBe(await isAccepted(earlierAccess));
  expect(await active(access)).toBe(await isAccepted(access));
  return {
    earlierAccess: await isAccepted(earlierAccess),
    access: await isAccepted(access),
    refreshToken: await active(refreshToken),
  };
}

const all = { earlierAccess: true, access: true, refreshToken: true };
const none = { earlierAccess: false, access: false, refreshToken: false };

const ways: [string, (token: string) => ReturnType<typeof revoke>][] = [
  ['revocation', (token) => revoke(app, token, bearer(admin.accessToken))],
  ['a sign-out', (token) => app.json('POST', '/api/auth/signout', { body: { refresh_token: token } })],
];

describe.each(ways)('A 4.1, RFC 7009 2.1: %s', (_, end) => {
  test.each(['refreshToken', 'usedUp'] as const)(
    'by a refresh token (%s) ends the whole family, an earlier rotation’s access token too, and no other',
    async (which) => {
      const [family, apart] = [await openFamily(), await openFamily()];
      expect(await goodOf(family)).toEqual(all);
      expect((await end(family[which])).status).toBe(200);
      expect(await goodOf(family)).toEqual(none);
      expect((await refresh(app, family.refreshToken)).status).toBe(401);
      expect(await goodOf(apart)).toEqual(all);
      // The session of the member's joining is one more.
      expect((await meOf(app, member.accessToken)).status).toBe(200);
      expect((await refresh(app, apart.refreshToken)).status).toBe(200);
    },
  );
});

describe('A 4.1: by an access token', () => {
  const byAccessToken: [string, (token: string) => ReturnType<typeof revoke>][] = [
    ['revocation', (token) => revoke(app, token, bearer(admin.accessToken))],
    ['a sign-out', (token) => app.json('POST', '/api/auth/signout', { headers: cookie(token) })],
  ];

  test.each(byAccessToken)('%s ends that token, and nothing else of its family', async (_, end) => {
    const family = await openFamily();
    expect((await end(family.earlierAccess)).status).toBe(200);
    expect(await goodOf(family)).toEqual({ ...all, earlierAccess: false });
    expect((await end(family.access)).status).toBe(200);
    expect(await goodOf(family)).toEqual({ ...none, refreshToken: true });
    expect((await refresh(app, family.refreshToken)).status).toBe(200);
  });
});
