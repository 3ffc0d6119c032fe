import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SecretsKeys, seal, secretsKeyId, unseal } from '#server/platform/encryption.ts';
import { readSettings } from '#server/settings.ts';
import { type Enrolled, foundEnrolled } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { env, inOwnProcess, outputOf, waitingForLocks } from './command.ts';

const [oldKey, newKey, strangeKey] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const only = (current: Buffer): SecretsKeys => ({ current, previous: null });

const app = useTestApp({ env: { ...env, SECRETS_KEY: oldKey.toString('base64') } });
const sql = () => openSuperuser(app.superuserUrl);

/** Runs the command on the service's database, with the new key and a previous key. */
async function reseal(previous: Buffer = oldKey) {
  const settings = readSettings({
    SECRETS_KEY: newKey.toString('base64'),
    SECRETS_KEY_PREVIOUS: previous.toString('base64'),
  });
  const [report] = await outputOf({ services: { ...app.services, settings } }, ['reseal-secrets']);
  const counts = (kind: string): object =>
    report.secrets.find(({ secrets }: { secrets: string }) => secrets === kind);
  return {
    unreadable: report.cannot_decrypt,
    authenticators: counts('authenticators'),
    storage: counts('storage_secrets'),
    codes: report.recovery_codes,
  };
}

beforeEach(async () => {
  await sql()`truncate tenants cascade`;
});

type Member = Pick<Enrolled, 'tenantId' | 'userId'>;

/** The secrets of a member after decryption with the key, in the order in which an enrollment stores them. */
async function secretsOf({ tenantId, userId }: Member, key: Buffer) {
  const [row] = await sql()`
    select totp_pending_secret as pending, totp_secret as enrolled from users where user_id = ${userId}`;
  const open = (sealed: Buffer | null) =>
    sealed && unseal(only(key), 'authenticator', `${tenantId}/${userId}`, sealed).toString('hex');
  return { pending: open(row?.['pending']), enrolled: open(row?.['enrolled']) };
}

const sealFor = ({ tenantId, userId }: Member, key: Buffer, secret: string) =>
  seal(only(key), 'authenticator', `${tenantId}/${userId}`, Buffer.from(secret, 'hex'));

/** A member who has started to set up an authenticator. The old key has sealed the secret. */
async function pendingMember(): Promise<Member & { secret: string }> {
  const member = await foundEnrolled(app);
  const secret = randomBytes(20).toString('hex');
  await sql()`
    update users set totp_secret = null, totp_pending_secret = ${sealFor(member, oldKey, secret)}
    where user_id = ${member.userId}`;
  return { ...member, secret };
}

/** Runs the command. `change` runs after the command has read the member's row, and before it writes the row. */
async function whileChanged({ userId }: Member, change: (tx: ReturnType<typeof sql>) => Promise<unknown>) {
  const locker = await sql().reserve();
  await locker`begin`;
  await locker`select from users where user_id = ${userId} for no key update`;
  const run = reseal();
  await waitingForLocks(app, 1);
  await change(locker as unknown as ReturnType<typeof sql>);
  await locker`commit`;
  locker.release();
  return run;
}

describe('a change beside the command is not overwritten', () => {
  test('an enrollment that is confirmed meanwhile is encrypted anew where it now is', async () => {
    const member = await pendingMember();
    const { authenticators } = await whileChanged(
      member,
      (tx) => tx`
        update users set totp_secret = totp_pending_secret, totp_pending_secret = null
        where user_id = ${member.userId}`,
    );
    expect(authenticators).toMatchObject({ resealed: 1 });
    expect(await secretsOf(member, newKey)).toEqual({ pending: null, enrolled: member.secret });
  });

  test.each([
    ['the new key', newKey, { resealed: 0, current: 1 }],
    ['the old key, by a process that still has it', oldKey, { resealed: 1 }],
  ])('an enrollment that is begun again meanwhile stays, sealed by %s', async (_by, key, expected) => {
    const member = await pendingMember();
    const again = randomBytes(20).toString('hex');
    const { authenticators } = await whileChanged(
      member,
      (tx) => tx`
        update users set totp_pending_secret = ${sealFor(member, key, again)} where user_id = ${member.userId}`,
    );
    expect(authenticators).toMatchObject(expected);
    expect(await secretsOf(member, newKey)).toEqual({ pending: again, enrolled: null });
  });

  test('an authenticator that is reset meanwhile stays reset', async () => {
    const member = await foundEnrolled(app);
    await whileChanged(
      member,
      (tx) => tx`update users set totp_secret = null where user_id = ${member.userId}`,
    );
    expect(await secretsOf(member, newKey)).toEqual({ pending: null, enrolled: null });
  });

  test('a storage secret that is sent again meanwhile stays, with its key', async () => {
    const { tenantId } = await bind(oldKey, 'the first secret');
    const locker = await sql().reserve();
    await locker`begin`;
    await locker`select from storage_bindings where tenant_id = ${tenantId} for no key update`;
    const run = reseal();
    await waitingForLocks(app, 1);
    const sealed = seal(only(newKey), 'storage', tenantId, Buffer.from('the second secret'));
    await locker`
      update storage_bindings set secret = ${sealed}, secret_key_id = ${secretsKeyId(newKey)}
      where tenant_id = ${tenantId}`;
    await locker`commit`;
    locker.release();
    expect((await run).storage).toMatchObject({ resealed: 0, current: 1 });
    expect(await storageSecret(tenantId, newKey)).toBe('the second secret');
  });
});

/** Creates a tenant with a storage secret that is sealed with a key. */
async function bind(key: Buffer, secret: string): Promise<Signup> {
  const tenant = await app.signUp();
  const { tenantId } = tenant;
  const sealed = seal(only(key), 'storage', tenantId, Buffer.from(secret));
  await sql()`
    insert into storage_bindings (tenant_id, account_url, filesystem, auth_mode, secret, secret_key_id,
      documents_prefix, golden_prefix, terminology_prefix, status)
    values (${tenantId}, 'https://contoso.dfs.core.windows.net', 'files', 'sas', ${sealed}, ${secretsKeyId(key)},
      'documents/', 'golden/', 'terminology/', 'verified')`;
  return tenant;
}

async function storageSecret(tenantId: string, key: Buffer): Promise<string> {
  const [row] = await sql()`
    select secret, secret_key_id from storage_bindings where tenant_id = ${tenantId}`;
  expect(row?.['secret_key_id']).toBe(secretsKeyId(key));
  return unseal(only(key), 'storage', tenantId, row?.['secret']).toString();
}

describe('what neither key reads', () => {
  test('is named by its ids and left as it is: a wrong previous key can be corrected', async () => {
    const member = await foundEnrolled(app);
    const { tenantId } = await bind(oldKey, 'a secret');
    const before = await contentsOf(app);
    expect(await reseal(strangeKey)).toEqual({
      unreadable: [
        { secrets: 'authenticators', tenant_id: member.tenantId, user_id: member.userId },
        { secrets: 'storage_secrets', tenant_id: tenantId, user_id: null },
      ],
      authenticators: { secrets: 'authenticators', resealed: 0, current: 0, unreadable: 1 },
      storage: { secrets: 'storage_secrets', resealed: 0, current: 0, unreadable: 1 },
      codes: ['current_key', 'previous_key', 'unrecorded_key', 'unknown_key'].map((hashed_with) =>
        expect.objectContaining({ hashed_with, members: expect.any(Number) }),
      ),
    });
    expect(await contentsOf(app)).toBe(before);
    await reseal();
    expect((await secretsOf(member, newKey)).enrolled).toMatch(/^[0-9a-f]{40}$/);
    expect(await storageSecret(tenantId, newKey)).toBe('a secret');
  });

  test('does not stop the rest', async () => {
    const [lost, member] = [await pendingMember(), await pendingMember()];
    await sql()`
      update users set totp_pending_secret = ${sealFor(lost, strangeKey, lost.secret)}
      where user_id = ${lost.userId}`;
    expect(await reseal()).toMatchObject({
      unreadable: [{ secrets: 'authenticators', tenant_id: lost.tenantId, user_id: lost.userId }],
      authenticators: { resealed: 1, current: 0, unreadable: 1 },
    });
    expect((await secretsOf(member, newKey)).pending).toBe(member.secret);
    expect((await secretsOf(lost, strangeKey)).pending).toBe(lost.secret);
  });
});

test('members of many pages are all encrypted anew, those who cannot sign in now too', async () => {
  const { tenantId } = await app.signUp();
  const count = 1203;
  const ids = Array.from({ length: count }, (_, i) => `member${i}`);
  const secrets = ids.map((userId) => sealFor({ tenantId, userId }, oldKey, '00'.repeat(20)).toString('hex'));
  await sql()`
    insert into users (tenant_id, user_id, email, provider, role, active, totp_secret)
    select ${tenantId}, id, id || '@example.org', 'email', 'agent_id_developer', false, decode(secret, 'hex')
    from unnest(${ids}::text[], ${secrets}::text[]) as given(id, secret)`;
  expect((await reseal()).authenticators).toMatchObject({ resealed: count, current: 0, unreadable: 0 });
  expect((await reseal()).authenticators).toMatchObject({ resealed: 0, current: count, unreadable: 0 });
});

test.each([
  ['no key', {}, /^lingualoop: SECRETS_KEY: is required with DATABASE_URL.*\n$/],
  [
    'the same key twice',
    { SECRETS_KEY: newKey.toString('base64'), SECRETS_KEY_PREVIOUS: newKey.toString('base64') },
    /^lingualoop: SECRETS_KEY_PREVIOUS: must differ.*\n$/,
  ],
])(
  'a wrong environment is one line without the key: %s',
  async (_what, keys: Record<string, string>, expected) => {
    const { code, stdout, stderr } = await inOwnProcess(app, ['reseal-secrets'], keys);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(expected);
    for (const key of Object.values(keys)) expect(stderr).not.toContain(key);
  },
);
