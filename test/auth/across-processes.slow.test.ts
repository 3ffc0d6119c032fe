import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import {
  type App,
  administrator,
  type Enrolled,
  founding,
  invite,
  type Person,
  personOf,
  signUpFounder,
  withAuthenticator,
} from '#test/factories.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, failuresOf, freshCode, verify } from './mfa.ts';
import { refresh, signUp } from './sign-in.ts';

/** Two processes over one database: what must happen only once is requested of both, 50 times at the same moment. */
const parallel = 50;

let stored: TestDatabase;
let database: Database;
let dataDir: string;
let services: RunningService[] = [];
const clients: Pick<App, 'json'>[] = [];

let counted = 0;
/** An address that has sent no request yet. */
const freshAddress = () => `198.18.${Math.floor(++counted / 250)}.${(counted % 250) + 1}`;

/** Requests to a process, each from another address unless its headers name one. */
function clientOf(address: string): App {
  const { json } = connect(address);
  return {
    json: (method, path, options = {}) =>
      json(method, path, {
        ...options,
        headers: { 'x-forwarded-for': freshAddress(), ...options.headers },
      }),
  };
}

const start = () =>
  startService(
    {
      LOG_LEVEL: 'silent',
      DATABASE_URL: stored.url,
      DATA_DIR: dataDir,
      SECRETS_KEY: secretsKey,
      TRUST_PROXY: '1',
    },
    'server/main.ts',
    ['--api-only'],
  );

beforeAll(async () => {
  stored = await createTestDatabase();
  database = openDatabase(stored.url, { size: 2 });
  dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-identity-'));
  services = await Promise.all([start(), start()]);
  clients.push(...services.map(({ address }) => clientOf(address)));
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  await database?.close();
  await stored?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const at = (n: number) => clients[n % 2] as App;

/** Sends 50 requests at the same time, alternately to the two processes; returns how often each response came. */
async function fifty(ask: (app: App, n: number) => ReturnType<App['json']>) {
  const answers = await Promise.all(Array.from({ length: parallel }, (_, n) => ask(at(n), n)));
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.detail}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { counts, success: answers.find(({ status }) => status === 200)?.body };
}

const meStatus = async (app: App, { bearer: headers }: Pick<Person, 'bearer'>) =>
  (await app.json('GET', '/api/auth/me', { headers })).status;

test('of 50 uses of one refresh token one gets a new pair, and the others end nothing', async () => {
  const person = await signUpFounder(at(0));
  const { counts, success } = await fifty((app) => refresh(app, person.refreshToken));
  expect(counts).toEqual({ '200': 1, '401 invalid or expired refresh token': parallel - 1 });
  for (const session of [person, personOf(success)]) expect(await meStatus(at(1), session)).toBe(200);
});

describe('codes', () => {
  const enroll = async () => withAuthenticator(at(0), await signUpFounder(at(0)));
  const challengesFor = (member: Enrolled, count: number) =>
    Promise.all(Array.from({ length: count }, () => challengeFor(database, member)));
  const submit = async (challenges: string[], code: string) =>
    (await fifty((app, n) => verify(app, challenges[n % challenges.length] as string, code))).counts;
  const countOf = async (member: Enrolled, action: string): Promise<number> =>
    (await auditOf(stored.superuserUrl, member)).filter((event) => event.action === action).length;

  const noChallenge = '401 invalid or expired MFA challenge';
  const wrongCode = '401 invalid MFA code';
  const tooMany = '429 too many MFA attempts';

  test('of 50 submissions of one code one signs in, for one challenge as for 50 of them', async () => {
    const member = await enroll();
    const before = await countOf(member, 'signed_in');
    const code = await freshCode(stored, member, member.secret);
    expect(await submit(await challengesFor(member, 1), code)).toEqual({ '200': 1, [noChallenge]: 49 });
    expect(await failuresOf(stored.superuserUrl, member)).toBe(0);
    const again = await freshCode(stored, member, member.secret);
    // A used code is a wrong one, and of those ten are checked.
    const counts = { '200': 1, [wrongCode]: 10, [tooMany]: 39 };
    expect(await submit(await challengesFor(member, 50), again)).toEqual(counts);
    expect(await countOf(member, 'signed_in')).toBe(before + 2);
  });

  test('of 50 wrong codes to one challenge five are checked and one burns it; to ten challenges, ten', async () => {
    const [member, other] = [await enroll(), await enroll()];
    const wrong = wrongTotpCode(member.secret);
    expect(await submit(await challengesFor(member, 1), wrong)).toEqual({
      [wrongCode]: 5,
      [noChallenge]: 45,
    });
    expect(await failuresOf(stored.superuserUrl, member)).toBe(5);
    expect(await countOf(member, 'mfa_challenge_burnt')).toBe(1);
    const toTen = await submit(await challengesFor(other, 10), wrongTotpCode(other.secret));
    expect(toTen).toEqual({ [wrongCode]: 10, [tooMany]: 40 });
  });
});

test('a role or status that one process changes applies in the other at the next request', async () => {
  const admin = await signUpFounder(at(0));
  const { invite_token } = await invite(at(0), admin);
  const { bearer: headers, userId } = personOf((await signUp(at(1), founding({ invite_token }))).body.token);
  const roster = async () => (await at(1).json('GET', '/api/auth/users', { headers })).status;
  const path = `/api/auth/users/${userId}`;
  expect(await roster()).toBe(403);
  await at(0).json('PATCH', `${path}/role`, { headers: admin.bearer, body: { role: administrator } });
  expect(await roster()).toBe(200);
  await at(0).json('DELETE', path, { headers: admin.bearer });
  expect(await roster()).toBe(401);
});

test('30 attempts of an address in 60 seconds are counted over all processes, until the window ends', async () => {
  const here = { 'x-forwarded-for': freshAddress() };
  const attempt = async (app: App) => (await verify(app, 'nobody', '123456', here)).status;
  const first = await Promise.all(Array.from({ length: 30 }, (_, n) => attempt(at(n))));
  expect(first).toEqual(Array(30).fill(401));
  for (const n of [0, 1]) expect(await attempt(at(n))).toBe(429);
  await openSuperuser(stored.superuserUrl)`update rate_windows set ends_at = now() - interval '1 second'`;
  // A new process, which remembers no refusals. The ones that refused may skip the lookup.
  const third = await start();
  services.push(third);
  const app = clientOf(third.address);
  for (let n = 0; n < 30; n += 1) expect(await attempt(app)).toBe(401);
  expect(await attempt(app)).toBe(429);
});
