import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets } from './sets.ts';
import { tmx } from './tmx.ts';

/** All imports run in the background. No worker runs: the tests run the jobs. */
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', TM_ASYNC_THRESHOLD: '0', RUN_WORKERS: 'false' };
const app = useTestApp({ env });

type Mine = Awaited<ReturnType<typeof openSets>>;

/** Sends a file as a set called Valves. Returns the ID of the import, and a function that tries to run it. */
async function send(mine: Mine, pair: [string, string]) {
  const { status, body } = await mine.importFile(tmx([pair]), { name: 'Valves' });
  expect(status).toBe(202);
  const { id } = body.job;
  return { id, run: () => runImport(app.services, mine.tenantId, id) };
}

const final = async (mine: Mine, source_text: string) => (await mine.job({ source_text })).final_translation;

test('an import that fails each time ends failed, with advice; the set stays as it was', async () => {
  const mine = await openSets(app);
  await (await send(mine, ['Open the valve.', 'Ouvrez la vanne.'])).run();
  const before = await mine.memories();
  const { id, run } = await send(mine, ['Shut it.', 'Fermez.']);
  const owner = openSuperuser(app.superuserUrl);
  await owner`alter table memory_sets add constraint spoiled check (false) not valid`;
  try {
    for (let attempt = 1; attempt < 5; attempt++) {
      await expect(run()).rejects.toThrow();
      expect((await mine.importOf(id)).body.job).toMatchObject({ status: 'running', error: null });
    }
    await run();
  } finally {
    await owner`alter table memory_sets drop constraint spoiled`;
  }
  expect((await mine.importOf(id)).body.job).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/nothing was imported, send the file again/),
    result: null,
  });
  expect(await mine.memories()).toEqual(before);
  expect(await final(mine, 'Open the valve.')).toBe('Ouvrez la vanne.');
  // The incomplete version was removed, and another file can have its name.
  const left = await app.database.inTenant(mine.tenantId, (tx) =>
    tx.execute(
      sql`select source_text from memory_segments join memory_contents using (tenant_id, content_id)`,
    ),
  );
  expect(left).toMatchObject([{ source_text: 'Open the valve.' }]);
  await send(mine, ['Shut it.', 'Fermez.']);
});

test('segments of a running import are not found: exactly, nearly, in lists', async () => {
  const mine = await openSets(app);
  const { run } = await send(mine, ['Open the valve.', 'Ouvrez la vanne.']);
  const pair = { pairSource: 'en', pairTarget: 'fr' };
  const close = async () =>
    (await findClose(app.database, mine.tenantId, pair, 'Open the valves.')).close.length;
  expect(await final(mine, 'Open the valve.')).toBe('[fr] Open the valve.');
  expect([await close(), await mine.memories()]).toEqual([0, []]);
  await run();
  expect([await close(), await final(mine, ' Open the  valve.')]).toEqual([1, 'Ouvrez la vanne.']);
});
