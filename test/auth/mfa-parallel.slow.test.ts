import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { type Enrolled, signUpFounder, withAuthenticator } from '#test/factories.ts';
import { connect, type TestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, failuresOf, freshCode, regenerate, verify } from './mfa.ts';

/** Two processes of the service, on one database. */
const services: RunningService[] = [];
const clients: Pick<TestApp, 'json'>[] = [];
let stored: TestDatabase;
let database: Database;
let dataDir: string;

beforeAll(async () => {
  stored = await createTestDatabase();
  database = openDatabase(stored.url, { size: 2 });
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-mfa-'));
  const env = {
    LOG_LEVEL: 'silent',
    DATABASE_URL: stored.url,
    DATA_DIR: dataDir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    AUTH_RATE_LIMIT_ENABLED: 'false',
  };
  for (let process = 0; process < 2; process += 1) {
    const service = await startService(env, 'server/main.ts', ['--api-only']);
    services.push(service);
    clients.push(connect(service.address));
  }
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await database?.close();
  await stored?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const clientOf = (index = 0) => clients[index % 2] as Pick<TestApp, 'json'>;

/** Submits 50 codes at a time, alternately to the two processes; returns how often each response came. */
async function submit(challenges: string[], code: string): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      verify(clientOf(index), challenges[index % challenges.length] as string, code),
    ),
  );
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.detail}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const foundMember = async () => withAuthenticator(clientOf(), await signUpFounder(clientOf()));

function challengesFor(member: Enrolled, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => challengeFor(database, member)));
}

async function countOf(member: Enrolled, action: string): Promise<number> {
  return (await auditOf(stored.superuserUrl, member)).filter((event) => event.action === action).length;
}

const noChallenge = '401 invalid or expired MFA challenge';
const wrongCode = '401 invalid MFA code';
const tooMany = '429 too many MFA attempts';

test('50 submissions of one TOTP code to one challenge: exactly one success', async () => {
  const member = await foundMember();
  const code = await freshCode(stored, member, member.secret);
  expect(await submit(await challengesFor(member, 1), code)).toEqual({ '200': 1, [noChallenge]: 49 });
  expect(await countOf(member, 'signed_in')).toBe(1 + (await signInsAtSignup(member)));
  expect(await failuresOf(stored.superuserUrl, member)).toBe(0);
});

test('50 submissions of one TOTP code to 50 challenges: exactly one success, and ten failures', async () => {
  const member = await foundMember();
  const code = await freshCode(stored, member, member.secret);
  const counts = await submit(await challengesFor(member, 50), code);
  expect(counts).toEqual({ '200': 1, [wrongCode]: 10, [tooMany]: 39 });
  expect(await failuresOf(stored.superuserUrl, member)).toBe(10);
});

test('50 submissions of one recovery code to 50 challenges: exactly one success', async () => {
  const member = await foundMember();
  const [code] = member.recoveryCodes as [string];
  const counts = await submit(await challengesFor(member, 50), code);
  expect(counts).toEqual({ '200': 1, [wrongCode]: 10, [tooMany]: 39 });
});

test('50 wrong codes to one challenge: five are checked, one burns it', async () => {
  const member = await foundMember();
  const counts = await submit(await challengesFor(member, 1), wrongTotpCode(member.secret));
  expect(counts).toEqual({ [wrongCode]: 5, [noChallenge]: 45 });
  expect(await failuresOf(stored.superuserUrl, member)).toBe(5);
  expect(await countOf(member, 'mfa_challenge_burnt')).toBe(1);
});

test('50 wrong codes to ten challenges: ten are checked', async () => {
  const member = await foundMember();
  const counts = await submit(await challengesFor(member, 10), wrongTotpCode(member.secret));
  expect(counts).toEqual({ [wrongCode]: 10, [tooMany]: 40 });
  expect(await failuresOf(stored.superuserUrl, member)).toBe(10);
});

test('10 concurrent requests for new recovery codes: one set is valid', async () => {
  const member = await foundMember();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => regenerate(clientOf(index), member.cookie)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const left = await openSuperuser(stored.superuserUrl)`
    select from recovery_codes where user_id = ${member.userId}`;
  expect(left).toHaveLength(10);
});

test('a code of the next step works in the other process once the present one was used', async () => {
  const member = await foundMember();
  const [one, two, three] = (await challengesFor(member, 3)) as [string, string, string];
  const next = totpCode(member.secret, 1);
  expect((await verify(clientOf(1), one, next)).status).toBe(200);
  expect((await verify(clientOf(0), two, next)).status).toBe(401);
  expect((await verify(clientOf(1), three, totpCode(member.secret))).status).toBe(401);
});

/** A signup without a second factor records a sign-in as well. */
async function signInsAtSignup(member: Enrolled): Promise<number> {
  return (await auditOf(stored.superuserUrl, member)).filter(
    ({ action, details }) => action === 'signed_in' && details.way === 'signup',
  ).length;
}
