import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets } from './sets.ts';
import { tmx } from './tmx.ts';

/** Every import runs in the background. No worker runs: the tests run the jobs. */
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', TM_ASYNC_THRESHOLD: '0', RUN_WORKERS: 'false' };
const app = useTestApp({ env });

type Mine = Awaited<ReturnType<typeof openSets>>;

/** Sends a set called Valves; returns the id of its import. */
async function send(mine: Mine, pair: [string, string]): Promise<string> {
  const { status, body } = await mine.importFile(tmx([pair], 'en', 'fr'), { name: 'Valves' });
  expect(status).toBe(202);
  return body.job.id;
}

async function accepted() {
  const mine = await openSets(app);
  const importId = await send(mine, ['Open the valve.', 'Ouvrez la vanne.']);
  const [row] = await app.database.inPlatform((tx) =>
    tx.execute<{ tenant_id: string }>(
      sql`select tenant_id from memory_imports where import_id = ${importId}`,
    ),
  );
  const job = async () => (await mine.importOf(importId)).body.job;
  return { mine, importId, tenantId: row!.tenant_id, job };
}

/** Makes the database refuse to activate another version of a set, until the test is over. */
async function spoil() {
  const owner = openSuperuser(app.superuserUrl);
  await owner`alter table memory_sets add constraint spoiled check (false) not valid`;
  onTestFinished(async () => void (await owner`alter table memory_sets drop constraint if exists spoiled`));
  return async () => void (await owner`alter table memory_sets drop constraint spoiled`);
}

test('B 3.3: an import that fails each time ends failed, with advice, and imports nothing', async () => {
  const { mine, importId, tenantId, job } = await accepted();
  const mend = await spoil();
  for (let attempt = 1; attempt < 5; attempt++) {
    await expect(runImport(app.services, tenantId, importId)).rejects.toThrow();
    expect(await job()).toMatchObject({ status: 'running', error: null });
  }
  await runImport(app.services, tenantId, importId);
  expect(await job()).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/nothing was imported, send the file again/),
    result: null,
  });
  expect(await mine.memories()).toEqual([]);
  // The name is free again, and the staged version is gone.
  const left = await app.database.inTenant(tenantId, (tx) =>
    tx.execute(sql`select content_id from memory_contents union all select content_id from memory_segments`),
  );
  expect(left).toHaveLength(0);
  await mend();
  await send(mine, ['Shut it.', 'Fermez.']);
});

test('an import whose worker runs twice, or late, is stored once', async () => {
  const { mine, importId, tenantId, job } = await accepted();
  await Promise.all([1, 2, 3].map(() => runImport(app.services, tenantId, importId)));
  await runImport(app.services, tenantId, importId);
  expect(await job()).toMatchObject({ status: 'completed', result: { imported: 1, entry_count: 1 } });
  expect(await mine.memories()).toMatchObject([{ name: 'Valves', entry_count: 1 }]);
});

test('a failed import leaves the set as it was', async () => {
  const first = await accepted();
  await runImport(app.services, first.tenantId, first.importId);
  const id = await send(first.mine, ['New.', 'Nouveau.']);
  await spoil();
  for (let attempt = 1; attempt < 5; attempt++)
    await expect(runImport(app.services, first.tenantId, id)).rejects.toThrow();
  await runImport(app.services, first.tenantId, id);
  const job = await first.mine.job({ source_text: 'Open the valve.', target_lang: 'fr' });
  expect(job.final_translation).toBe('Ouvrez la vanne.');
});

test('segments of a running import are not found: exactly, nearly, in lists or exports', async () => {
  const { mine, importId, tenantId } = await accepted();
  const pair = { pairSource: 'en', pairTarget: 'fr' };
  const close = async () => (await findClose(app.database, tenantId, pair, 'Open the valves.')).close.length;
  expect((await mine.job({ source_text: 'Open the valve.', target_lang: 'fr' })).final_translation).not.toBe(
    'Ouvrez la vanne.',
  );
  expect(await close()).toBe(0);
  expect(await mine.memories()).toEqual([]);
  await runImport(app.services, tenantId, importId);
  expect(await close()).toBe(1);
  expect((await mine.job({ source_text: ' Open the  valve.', target_lang: 'fr' })).final_translation).toBe(
    'Ouvrez la vanne.',
  );
});
