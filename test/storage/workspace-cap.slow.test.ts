import { beforeEach, describe, expect, test } from 'vitest';
import { byTheServer, operate, operateHere } from '#test/admin/command.ts';
import { type Documents, openDocuments } from '#test/documents/workspace.ts';
import { workbook, workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

/** The size of each upload in these tests, in bytes. */
const size = workbook('Hello').length;

const byDefault = useTestApp({ env });
const small = useTestApp({ env: { ...env, WORKSPACE_LIMITS: `{"storage_bytes":${2 * size}}` } });
const forDeployment = useTestApp({
  env: {
    ...env,
    WORKSPACE_LIMITS: `{"storage_bytes":${2 * size}}`,
    PLATFORM_STORAGE_CAP_BYTES: String(5 * size),
  },
});
const unlimited = useTestApp({ env: { ...env, WORKSPACE_LIMITS: '{"storage_bytes":0}' } });

const allowed = async (app: typeof small, { headers }: Pick<Documents, 'headers'>) =>
  (await app.json('GET', '/api/storage/usage', { headers })).body.bytes_allowed;
const upload = async (at: Documents) => (await at.send({ source_document: workbookFile(['Hello']) })).status;

describe('the storage cap of a workspace', () => {
  test('is 10 GB unless an operator sets another one for the deployment', async () => {
    expect(await allowed(byDefault, await byDefault.signUp())).toBe(10_000_000_000);
    expect(await allowed(small, await small.signUp())).toBe(2 * size);
    expect(await allowed(forDeployment, await forDeployment.signUp())).toBe(5 * size);
    expect(await allowed(unlimited, await unlimited.signUp())).toBeNull();
  });

  test('rejects the upload that does not fit, and holds no other workspace back', async () => {
    const [mine, other] = [await openDocuments(small), await openDocuments(small)];
    expect([await upload(mine), await upload(mine), await upload(mine)]).toEqual([202, 202, 507]);
    expect(await upload(other)).toBe(202);
    expect((await mine.listDocuments()).body).toHaveLength(2);
  });
});

describe('npm run admin -- set-storage-cap', () => {
  let mine: Documents;
  beforeEach(async () => {
    mine = await openDocuments(small);
  });
  const set = (bytes: string) => operateHere(small, ['set-storage-cap', mine.tenantId, bytes]);

  test('counts at the next upload, for this workspace only; each change is in the audit log', async () => {
    await operate(small, ['set-storage-cap', mine.tenantId, String(3 * size)]);
    expect([await upload(mine), await upload(mine), await upload(mine), await upload(mine)]).toEqual([
      202, 202, 202, 507,
    ]);
    expect(await allowed(small, await small.signUp())).toBe(2 * size);
    await set('none');
    expect([await upload(mine), await allowed(small, mine)]).toEqual([202, null]);
    await set('none');
    await set('default');
    expect([await upload(mine), await allowed(small, mine)]).toEqual([507, 2 * size]);
    expect(await eventsOf(small, mine.tenantId, 'storage_cap_changed')).toEqual([
      byTheServer(mine.tenantId, { from: null, to: 3 * size }),
      byTheServer(mine.tenantId, { from: 3 * size, to: 0 }),
      byTheServer(mine.tenantId, { from: 0, to: null }),
    ]);
  });

  test('rejects an unknown workspace and a value that is no number of bytes', async () => {
    await expect(operateHere(small, ['set-storage-cap', 'f'.repeat(32), '5'])).rejects.toThrow(
      `unknown tenant: ${'f'.repeat(32)}`,
    );
    for (const bytes of ['0', '1.5', '10GB', '', '9'.repeat(16)])
      await expect(set(bytes), bytes).rejects.toThrow(
        '<bytes> must be a number of bytes above 0, "none" or "default"',
      );
  });
});
