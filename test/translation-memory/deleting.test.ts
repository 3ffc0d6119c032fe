import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { isReceiving } from '#server/language/translation-memory/imports/start-import.ts';
import { indexSet } from '#server/language/translation-memory/index-set.ts';
import { appendPairOfJob } from '#server/language/translation-memory/learning.ts';
import { sweepUnusedVersions } from '#server/language/translation-memory/versions.ts';
import { waitingOr } from '#test/access/held-transactions.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { openSets, refusal } from './sets.ts';
import { pairs, tmx } from './tmx.ts';

/** No worker runs: the tests run the background imports themselves. */
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', TM_ASYNC_THRESHOLD: '500', RUN_WORKERS: 'false' };
const app = useTestApp({ env });

/** Takes the lock that a statement needs, and holds it until the returned function is called. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const connection = await openSuperuser(app.superuserUrl).reserve();
  await connection.unsafe(`begin; ${statement}`);
  return async () => {
    await connection.unsafe('commit');
    connection.release();
  };
}

const left = async (tenantId: string) => {
  const [row] = await openSuperuser(app.superuserUrl)`
    select (select count(*)::int from memory_contents where tenant_id = ${tenantId}) as contents,
      (select count(*)::int from memory_segments where tenant_id = ${tenantId}) as segments,
      (select count(*)::int from memory_shards where tenant_id = ${tenantId}) as shards,
      (select count(*)::int from memory_postings where tenant_id = ${tenantId}) as postings`;
  return row;
};
const nothing = { contents: 0, segments: 0, shards: 0, postings: 0 };

describe('a set that is deleted', () => {
  test('during its indexing waits for that, and leaves no version, no segment, no part of the index', async () => {
    const mine = await openSets(app);
    const { body } = await mine.importFile(tmx(pairs(200)));
    const { tenantId } = mine;
    // The indexing waits for a segment in the middle of its transaction. The deletion arrives during this wait.
    const letGo = await hold(
      `select from memory_segments where tenant_id = '${tenantId}' limit 1 for update`,
    );
    const indexed = indexSet(app.services, tenantId, body.id);
    await waitingOr(app, 1, indexed);
    const removed = mine.removeMemory(body.id);
    await waitingOr(app, 2, removed);
    await letGo();
    await indexed;
    expect((await removed).status).toBe(204);
    expect(await left(tenantId)).toEqual(nothing);
  });

  /** Holds the lock on a tenant's TM, or on one set name, like another process that stores an import. */
  const holdTurn = (tenantId: string, name = '') =>
    hold(`select pg_advisory_xact_lock(hashtextextended('memory:${tenantId}${name && `:${name}`}', 0))`);

  test('while an import into it is received is 409, and that import is kept', async () => {
    const mine = await openSets(app);
    const { body: set } = await mine.importFile(tmx(pairs(10)));
    const letGo = await holdTurn(mine.tenantId);
    const importing = mine.importFile(tmx(pairs(20)));
    await poll(async () => isReceiving({ tenantId: mine.tenantId, name: 'A memory' }));
    const removed = await mine.removeMemory(set.id);
    await letGo();
    expect(refusal(removed)).toEqual([409, expect.stringMatching(/^tm_import_in_progress: /)]);
    expect((await importing).status).toBe(200);
    expect(await mine.memories()).toMatchObject([{ id: set.id, entry_count: 20 }]);
  });
});

test('an approval concurrent with the deletion of its golden set leaves no segment without a version', async () => {
  const mine = await openSets(app);
  const { id } = await mine.job({ metadata: { sensitive: true } });
  expect((await mine.review(id, { action: 'modify', final_translation: 'Salut' })).status).toBe(200);
  const [set] = await mine.memories();
  const { tenantId } = mine;
  expect(await left(tenantId)).toMatchObject({ contents: 1, segments: 1 });
  const letGo = await hold(`delete from memory_contents where tenant_id = '${tenantId}'`);
  const learned = {
    pairSource: 'en',
    pairTarget: 'fr',
    hash: '00'.repeat(16),
    sourceText: 'Late',
    targetText: 'Tard',
    offered: true,
  };
  const appended = app.database.inTenant(tenantId, (tx) =>
    appendPairOfJob(tx, tenantId, { jobId: 'late', published: sql`true` }, set.name, learned, 1000),
  );
  await waitingOr(app, 1, appended);
  await letGo();
  await appended;
  expect(await left(tenantId)).toEqual(nothing);
});

test('an inactive version whose process ended before deleting it is deleted by the sweep', async () => {
  const mine = await openSets(app);
  await mine.importFile(tmx(pairs(300)));
  const { tenantId } = mine;
  const waiting = await mine.importFile(tmx(pairs(600)), { name: 'Waiting' });
  expect(waiting.status).toBe(202);
  await app.database.inTenant(tenantId, async (tx) => {
    await tx.execute(sql`insert into memory_contents (tenant_id, content_id) values (${tenantId}, 'left')`);
    await tx.execute(sql`insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text)
      select tenant_id, 'left', source_hash, source_text, target_text from memory_segments`);
  });
  expect(await left(tenantId)).toMatchObject({ contents: 3, segments: 1800 });
  await sweepUnusedVersions(app.services);
  expect(await left(tenantId)).toMatchObject({ contents: 2, segments: 900 });
  await runImport(app.services, tenantId, waiting.body.job.id);
  expect(await mine.memories()).toHaveLength(2);
});
