import { beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { rotateRefreshToken } from '#server/identity/access/refresh-token-rotation.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { holdEvents, holdOpen, waitingOr } from './held-transactions.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

type Answer = Awaited<ReturnType<typeof app.json>>;

/** Open transactions that issue tokens to the member. */
interface Issuer {
  /** The number of transactions that currently wait for a lock. */
  waiting: number;
  /** Commits the transaction, and returns the access token that it issued. */
  letGo(): Promise<string | undefined>;
}

const issuers: [string, () => Promise<Issuer>][] = [
  [
    'a refresh',
    async () => {
      const { tenantId, refreshToken } = member;
      const { letGo } = await holdOpen(app, tenantId, (tx) =>
        rotateRefreshToken(tx, tenantId, hashSecret(refreshToken), app.services.settings, {
          scope: undefined,
          origin: undefined,
          retryKeyHash: null,
          disconnected: new AbortController().signal,
          requiresSecondFactor: () => false,
        }),
      );
      return {
        waiting: 0,
        async letGo() {
          const rotation = await letGo();
          return rotation.kind === 'rotated' ? rotation.tokens.accessToken : undefined;
        },
      };
    },
  ],
  [
    'a password grant',
    async () => {
      const release = await holdEvents(app, 'signed_in');
      const answer = passwordGrant(app, member);
      await waitingOr(app, 1, answer);
      return {
        waiting: 1,
        async letGo() {
          await release();
          return (await answer).body.access_token;
        },
      };
    },
  ],
  [
    'whoever holds the member’s lock',
    async () => {
      const { tenantId, userId } = member;
      const { letGo } = await holdOpen(app, tenantId, (tx) => lockMember(tx, tenantId, userId));
      return {
        waiting: 0,
        async letGo() {
          await letGo();
          return undefined;
        },
      };
    },
  ],
];

/** Requests for tokens that arrive after the revocation, with credentials that were valid before it. */
const latecomers: [string, (session: Person) => Promise<Answer>][] = [
  ['a refresh', (session) => refresh(app, session.refreshToken)],
  ['a password grant', (session) => passwordGrant(app, session)],
];

describe.each(issuers)('a revocation that waits for %s (A 3.2)', (_, hold) => {
  test.each(latecomers)('runs before %s that came after it', async (_, ask) => {
    const { body } = await passwordGrant(app, member);
    const elsewhere = { ...member, refreshToken: body.refresh_token as string };

    const issuer = await hold();
    const path = `/api/auth/users/${member.userId}`;
    const revocation = app.json('DELETE', path, { headers: admin.bearer });
    await waitingOr(app, issuer.waiting + 1, revocation);
    const late = ask(elsewhere);
    await waitingOr(app, issuer.waiting + 2, late);
    const accessToken = await issuer.letGo();

    const statuses = [(await revocation).status, (await late).status];
    expect(statuses).toEqual([200, 401]);
    // Tokens that were issued during the revocation have ended, too.
    if (accessToken !== undefined)
      expect(
        await sessionStatus(app, { ...member, bearer: { authorization: `Bearer ${accessToken}` } }),
      ).toBe(401);
    expect((await refresh(app, elsewhere.refreshToken)).status).toBe(401);
  });
});
