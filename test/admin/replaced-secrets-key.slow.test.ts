import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshCode, verify } from '#test/auth/mfa.ts';
import { passwordGrant } from '#test/auth/sign-in.ts';
import { type Enrolled, foundEnrolled } from '#test/factories.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { type Bound, openBound } from '#test/storage/bound-workspace.ts';
import { startAccount } from '#test/storage/data-lake-account.ts';
import { env, operate } from './command.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

const [oldKey, newKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const settings = { ...env, STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url };

/** The service before its key is replaced. */
const app = useTestApp({ env: { ...settings, SECRETS_KEY: oldKey } });

/** Two processes on the same database that have the new key: `both` also has the old key, `alone` does not. */
type Process = ReturnType<typeof connect>;
let [both, alone]: Process[] = [];
const started: RunningService[] = [];
const bothKeys = { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: oldKey };

async function start(keys: Record<string, string>): Promise<Process> {
  const { DATA_DIR } = app.services.settings;
  const service = await startService(
    { ...settings, LOG_LEVEL: 'silent', DATABASE_URL: app.databaseUrl, DATA_DIR, ...keys },
    'server/main.ts',
    ['--api-only'],
  );
  started.push(service);
  return connect(service.address);
}

let members: [Enrolled, Enrolled];
let mine: Bound;
beforeAll(async () => {
  members = [await foundEnrolled(app), await foundEnrolled(app)];
  mine = await openBound(app, account);
  await mine.connect();
  [both, alone] = await Promise.all([
    start(bothKeys),
    start({ SECRETS_KEY: newKey, ALLOW_UNREADABLE_SECRETS: 'true' }),
  ]);
});
afterAll(async () => {
  await Promise.all(started.map((service) => service.stop('SIGKILL')));
});

/** The status of the second step of a sign-in with this code. */
async function signIn(at: Process, member: Enrolled, code: string): Promise<number> {
  const { body } = await passwordGrant(at, member);
  return (await verify(at, body.mfa_challenge.challenge_id, code)).status;
}

const withAuthenticator = async (at: Process, member: Enrolled) =>
  signIn(at, member, await freshCode(app, member, member.secret));

/** The status of a request that translates a text; its record is written to the connected storage account. */
async function publish(at: Process): Promise<number> {
  const body = { source_text: `Hello ${randomBytes(4).toString('hex')}`, target_lang: 'fr' };
  const stored = mine.stored().length;
  const { status } = await at.json('POST', '/api/translations', { headers: mine.headers, body });
  if (status < 300) expect(mine.stored().length).toBeGreaterThan(stored);
  return status;
}

/** Returns a recovery code of the member. Each code is returned only once. */
const recoveryCode = ({ recoveryCodes }: Enrolled) => recoveryCodes.pop() as string;

const reseal = (keys: Record<string, string>) => operate(app, ['reseal-secrets', '--json'], keys);

// The tests are the steps of one replacement, so they run in this order.
describe('an operator replaces SECRETS_KEY', () => {
  test('what the old key sealed or hashed is read while it is the previous one, and not without', async () => {
    const [member] = members;
    expect(await withAuthenticator(both!, member)).toBe(200);
    expect(await signIn(both!, member, recoveryCode(member))).toBe(200);
    expect(await publish(both!)).toBe(200);
    expect(await withAuthenticator(alone!, member)).toBe(503);
    expect(await signIn(alone!, member, recoveryCode(member))).toBe(401);
    expect(await publish(alone!)).toBe(409);
  });

  test('what is written is by the new key: it can be read without the old one', async () => {
    const other = await openBound(app, account);
    const bound = {
      account_url: account.address.accountUrl,
      filesystem: other.filesystem,
      auth_mode: 'sas',
      secret: account.sas,
    };
    const headers = other.headers;
    expect((await both!.json('PUT', '/api/storage/binding', { headers, body: bound })).status).toBe(200);
    const verified = await alone!.json('POST', '/api/storage/binding/verify', { headers });
    expect(verified.body).toMatchObject({ status: 'verified' });
    const regenerated = await both!.json('POST', '/api/auth/mfa/recovery/regenerate', {
      headers: members[1].cookie,
    });
    members[1].recoveryCodes = regenerated.body.recovery_codes;
    expect(await signIn(alone!, members[1], recoveryCode(members[1]))).toBe(200);
  });

  test('the command encrypts the rest anew, counts recovery codes, and prints nothing secret', async () => {
    const before = await storedBinding();
    const lines = await reseal(bothKeys);
    expect(JSON.parse(lines.join(''))).toEqual({
      cannot_decrypt: [],
      secrets: [
        { secrets: 'authenticators', resealed: 2, current: 0, unreadable: 0 },
        { secrets: 'storage_secrets', resealed: 1, current: 1, unreadable: 0 },
        { secrets: 'engine_keys', resealed: 0, current: 0, unreadable: 0 },
      ],
      recovery_codes: [
        { hashed_with: 'current_key', codes: 9, members: 1 },
        { hashed_with: 'previous_key', codes: 9, members: 1 },
        { hashed_with: 'unrecorded_key', codes: 0, members: 0 },
        { hashed_with: 'unknown_key', codes: 0, members: 0 },
      ],
    });
    expect(await storedBinding()).toEqual(before);
    const [event] = await openSuperuser(app.superuserUrl)`
      select tenant_id, actor_kind, details from audit_log where action = 'secrets_resealed'`;
    expect(event).toEqual({
      tenant_id: '',
      actor_kind: 'server',
      details: {
        authenticators: 2,
        storage_secrets: 1,
        engine_keys: 0,
        key_id: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
    });
    const signature = new URLSearchParams(account.sas).get('sig') as string;
    for (const secret of [oldKey, newKey, signature, ...members.map((member) => member.secret)])
      for (const form of [secret, Buffer.from(secret, 'base64').toString('hex')])
        expect(lines.join('\n') + JSON.stringify(event)).not.toContain(form);
  });

  /** The stored binding without its secret. */
  async function storedBinding() {
    const [binding] = await openSuperuser(app.superuserUrl)`
      select status, revision, updated_at, created_at, updated_by, last_verified_at from storage_bindings
      where tenant_id = ${mine.tenantId}`;
    return binding;
  }

  test('then authenticators and storage need the new key only, recovery codes still both', async () => {
    const [member, other] = members;
    expect(await withAuthenticator(alone!, member)).toBe(200);
    expect(await withAuthenticator(alone!, other)).toBe(200);
    expect(await publish(alone!)).toBe(200);
    expect(await signIn(alone!, member, recoveryCode(member))).toBe(401);
    expect(await signIn(both!, member, recoveryCode(member))).toBe(200);
  });
});
