import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { enrol, verify } from '#test/auth/mfa.ts';
import { signIn } from '#test/auth/sign-in.ts';
import { connect } from '#test/setup/app.ts';
import { startService } from '#test/setup/service.ts';
import { runCommand } from './command.ts';

test('on the embedded default: beside the service, and alone, which leaves no database running', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'lingualoop-admin-'));
  const service = await startService({ DATA_DIR, LOG_LEVEL: 'silent' });
  onTestFinished(async () => {
    await service.stop('SIGKILL');
    const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
    await (await joinEmbeddedPostgres(DATA_DIR)).leave();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
  const app = connect(service.address);
  const { tenantId, headers } = await app.signUp();
  const status = async (given: Record<string, string>) =>
    (await app.json('GET', '/api/translations', { headers: given })).status;

  const rotated = await runCommand({ DATA_DIR }, ['rotate-key', tenantId]);
  expect([rotated.code, rotated.stderr]).toEqual([0, '']);
  const key = rotated.stdout.trimEnd().split('\n').at(-1) as string;
  expect([await status(headers), await status({ 'x-api-key': key })]).toEqual([401, 200]);

  expect(await service.stop()).toBe(0);
  const audit = await runCommand({ DATA_DIR }, ['audit', '--action', 'api_key_rotated', '--json']);
  expect(audit.code).toBe(0);
  expect(JSON.parse(audit.stdout)).toMatchObject({ tenant_id: tenantId, actor_kind: 'server' });
  await expect(readFile(join(DATA_DIR, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT');
}, 90_000);

test('secrets.key is replaced: moved aside and named as the previous key, until reseal-secrets has run', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'lingualoop-admin-'));
  const settings = { DATA_DIR, LOG_LEVEL: 'silent', AUTH_RATE_LIMIT_ENABLED: 'false' };
  const start = (keys: Record<string, string> = {}) => startService({ ...settings, ...keys });
  let service = await start();
  onTestFinished(async () => {
    await service.stop('SIGKILL');
    const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
    await (await joinEmbeddedPostgres(DATA_DIR)).leave();
    await rm(DATA_DIR, { recursive: true, force: true });
  });
  const person = { email: 'ada@example.org', password: 'a long enough passphrase' };
  const { accessToken } = await connect(service.address).signUp(person);
  const { recoveryCodes } = await enrol(connect(service.address), { accessToken });
  expect(await service.stop()).toBe(0);

  const key = join(DATA_DIR, 'secrets.key');
  await rename(key, `${key}.old`);
  const previous = { SECRETS_KEY_PREVIOUS: (await readFile(`${key}.old`, 'utf8')).trim() };
  service = await start(previous);
  const app = connect(service.address);
  const { body } = await signIn(app, person);
  const redeemed = await verify(app, body.mfa_challenge.challenge_id, recoveryCodes[0] as string);
  expect(redeemed.status).toBe(200);
  const { code, stdout } = await runCommand({ DATA_DIR, ...previous }, ['reseal-secrets']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Authenticators: 1 now encrypted with the current/),
  ]);
  const alone = await runCommand({ DATA_DIR }, ['reseal-secrets']);
  expect(alone.stdout).toMatch(/^Authenticators: 0 now encrypted with the current key, 1 already were, 0 /);

  // As where the service has its key in its environment and the operator's shell does not.
  await rename(key, `${key}.elsewhere`);
  const without = await runCommand({ DATA_DIR, ...previous }, ['reseal-secrets']);
  expect(without).toMatchObject({ code: 1, stdout: '' });
  expect(without.stderr).toMatch(/^lingualoop: SECRETS_KEY: is not set, and there is no [^\n]+\n$/);
  await expect(readFile(key)).rejects.toThrow('ENOENT');
}, 90_000);
