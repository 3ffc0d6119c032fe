import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '#test/setup/app.ts';
import { startService } from '#test/setup/service.ts';
import { runCommand } from './command.ts';

test('commands work with the embedded database, with the service and alone, and create no secrets key', async () => {
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

  // This is the situation in which the service has its key in the environment, and the operator's shell does not.
  const secretsKey = join(DATA_DIR, 'secrets.key');
  await rename(secretsKey, `${secretsKey}.elsewhere`);
  const without = await runCommand({ DATA_DIR }, ['reseal-secrets']);
  expect(without).toMatchObject({ code: 1, stdout: '' });
  expect(without.stderr).toMatch(/^lingualoop: SECRETS_KEY: is not set, and there is no [^\n]+\n$/);
  await expect(readFile(secretsKey)).rejects.toThrow('ENOENT');
});
