import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { totpCode } from '#test/setup/totp.ts';

/** Two processes over one database: what must happen only once is requested of both, 50 times at the same moment. */
const parallel = 50;
const password = 'a long enough passphrase';
const mfaGrant = 'urn:ietf:params:oauth:grant-type:mfa-otp';

let database: TestDatabase;
let dataDir: string;
let services: [RunningService, RunningService];
const processes: ReturnType<typeof connect>[] = [];

async function startPair(env: Record<string, string>): Promise<[RunningService, RunningService]> {
  const settings = {
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...env,
  };
  const start = () => startService(settings, 'server/main.ts', ['--api-only']);
  return Promise.all([start(), start()]);
}

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-identity-'));
  services = await startPair({ AUTH_RATE_LIMIT_ENABLED: 'false' });
  processes.push(...services.map(({ address }) => connect(address)));
});
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.stop('SIGKILL')));
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Calls `ask` 50 times at once, alternately of the two processes. */
function fifty<T>(ask: (app: ReturnType<typeof connect>, n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: parallel }, (_, n) => ask(processes[n % 2]!, n)));
}

async function form(app: ReturnType<typeof connect>, path: string, fields: Record<string, string>) {
  const answer = await app.request(path, { method: 'POST', body: new URLSearchParams(fields) });
  // The parsed body of any route: the tests look into it freely.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: answer.status, body: (await answer.json()) as Record<string, any> };
}

const grant = (app: ReturnType<typeof connect>, username: string) =>
  form(app, '/api/oauth2/token', { grant_type: 'password', username, password });

function statuses(answers: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('A 3.5: of 50 redemptions of one invite, each by a different address, one creates a member', async () => {
  const { tenantId, accessToken } = await processes[0]!.signUp();
  const admin = { authorization: `Bearer ${accessToken}` };
  const { body: invite } = await processes[0]!.json('POST', '/api/tenants/invites', {
    headers: admin,
    body: {},
  });
  const answers = await fifty((app, n) =>
    app.json('POST', '/api/auth/signup/email', {
      body: {
        tenant_name: 'x',
        email: `joiner${n}@example.org`,
        password,
        invite_token: invite.invite_token,
      },
    }),
  );
  expect(statuses(answers)).toEqual({ 200: 1, 400: parallel - 1 });
  for (const { status, body } of answers)
    if (status === 400) expect(body).toEqual({ detail: 'invalid or expired invite' });
  const { body: users } = await processes[1]!.json('GET', '/api/auth/users?include_revoked=true', {
    headers: admin,
  });
  expect(users).toHaveLength(2);
  const joined = answers.find(({ status }) => status === 200)!.body;
  expect(joined.account.id).toBe(tenantId);
  expect(users.map((user: { user_id: string }) => user.user_id)).toContain(joined.token.user.user_id);
  const [{ count }] = (await openSuperuser(database.superuserUrl)`
    select count(*)::int as count from users where email like 'joiner%'`) as unknown as [{ count: number }];
  expect(count).toBe(1);
});

test('A 3.3: of 50 uses of one refresh token one gets a new pair, and the others end nothing', async () => {
  const email = 'refresher@example.org';
  await processes[0]!.signUp({ email });
  const { body: first } = await grant(processes[0]!, email);
  const answers = await fifty((app) =>
    form(app, '/api/oauth2/token', { grant_type: 'refresh_token', refresh_token: first['refresh_token'] }),
  );
  expect(statuses(answers)).toEqual({ 200: 1, 401: parallel - 1 });
  for (const { status, body } of answers)
    if (status === 401) expect(body).toEqual({ detail: 'invalid or expired refresh token' });
  const { access_token } = answers.find(({ status }) => status === 200)!.body as { access_token: string };
  const me = await processes[1]!.json('GET', '/api/auth/me', {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(me.status).toBe(200);
  const rows = await openSuperuser(database.superuserUrl)`
    select kind, consumed_at is not null as consumed from tokens t join users u using (tenant_id, user_id)
    where u.email = ${email} and family_id =
      (select family_id from tokens where consumed_at is not null and user_id = u.user_id limit 1)`;
  expect(rows.map(({ kind, consumed }) => `${kind} ${consumed}`).toSorted()).toEqual([
    'access_token false',
    'access_token false',
    'refresh_token false',
    'refresh_token true',
  ]);
});

test('C 2: of 50 submissions of one code one signs in, for one challenge as for 50 of them', async () => {
  const email = 'codes@example.org';
  await processes[0]!.signUp({ email });
  const { body: session } = await grant(processes[0]!, email);
  const cookie = { cookie: `ll_session=${session['access_token']}` };
  const { body: enrollment } = await processes[0]!.json('POST', '/api/auth/mfa/enroll', {
    headers: cookie,
    body: {},
  });
  const confirmed = await processes[0]!.json('POST', '/api/auth/mfa/confirm', {
    headers: cookie,
    body: { mfa_code: totpCode(enrollment.secret) },
  });
  expect(confirmed.status).toBe(200);

  const challengeOf = async (app: ReturnType<typeof connect>) =>
    (await grant(app, email)).body['mfa_challenge'].challenge_id as string;
  const challenges = await fifty((app) => challengeOf(app));
  await forgetLastStep();
  const code = totpCode(enrollment.secret);
  const one = await challengeOf(processes[0]!);
  const ofOne = await fifty((app) =>
    form(app, '/api/oauth2/token', { grant_type: mfaGrant, challenge_id: one, mfa_code: code }),
  );
  expect(statuses(ofOne)).toEqual({ 200: 1, 401: parallel - 1 });

  await forgetLastStep();
  const next = totpCode(enrollment.secret);
  const ofMany = await fifty((app, n) =>
    app.json('POST', '/api/auth/mfa/verify', {
      body: { challenge_id: challenges[n], mfa_code: next },
    }),
  );
  // A code that was used already is a failed one: past ten of those the member has to wait (A 5.3 rule 4).
  expect(statuses(ofMany)).toEqual({ 200: 1, 401: 10, 429: parallel - 11 });
});

/** Moves the step of the last code into the past, so that the test does not wait for the next one. */
const forgetLastStep = () => openSuperuser(database.superuserUrl)`update users set totp_last_step = null`;

test('A 5.1: a member or tenant status that one process changes applies in the other on the next request', async () => {
  const { accessToken } = await processes[0]!.signUp();
  const admin = { authorization: `Bearer ${accessToken}` };
  const { body: invite } = await processes[0]!.json('POST', '/api/tenants/invites', {
    headers: admin,
    body: {},
  });
  const { body: joined } = await processes[1]!.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'x', email: 'seen@example.org', password, invite_token: invite.invite_token },
  });
  const member = { authorization: `Bearer ${joined.token.access_token}` };
  const roleChange = `/api/auth/users/${joined.token.user.user_id}/role`;
  expect((await processes[1]!.json('GET', '/api/auth/users', { headers: member })).status).toBe(403);
  await processes[0]!.json('PATCH', roleChange, { headers: admin, body: { role: 'global_administrator' } });
  expect((await processes[1]!.json('GET', '/api/auth/users', { headers: member })).status).toBe(200);
  await processes[0]!.json('DELETE', `/api/auth/users/${joined.token.user.user_id}`, { headers: admin });
  expect((await processes[1]!.json('GET', '/api/auth/users', { headers: member })).status).toBe(401);
});

test('A 5.4: 30 attempts in 60 seconds are counted over all processes', async () => {
  const limited = await startPair({ AUTH_RATE_LIMIT_ENABLED: 'true' });
  try {
    const apps = limited.map(({ address }) => connect(address));
    const preview = (n: number) =>
      apps[n % 2]!.json('POST', '/api/auth/invites/preview', { body: { invite_token: `x.${n}` } });
    const first = await Promise.all(Array.from({ length: 30 }, (_, n) => preview(n)));
    expect(statuses(first)).toEqual({ 200: 30 });
    for (const n of [0, 1]) {
      const refused = await preview(n);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  } finally {
    await Promise.all(limited.map((service) => service.stop('SIGKILL')));
  }
});
