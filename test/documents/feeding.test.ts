import { describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { recordsOf } from '#test/translations/golden-files.ts';
import { tasks } from '#workers/tasks.ts';
import { criticalEngine, savingIn } from './saving.ts';
import { useDocuments, withBrokenMemory } from './workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);
const { save, undo, rows, runQueued, learned } = savingIn(app, mine);

const pending = async (id: string) => (await rows(id)).map((row) => row['feed_pending']);
const fedPairs = async (id: string) => (await mine.read(id)).feed_manifest.fed_pairs;

/** Runs `happen` as soon as `isStored` is true, before `work` adds anything to the TM. */
async function beforeFeed<T>(
  work: () => Promise<T>,
  isStored: () => Promise<boolean>,
  happen: () => Promise<unknown>,
): Promise<T> {
  let result: Promise<T> | undefined;
  await openSuperuser(app.superuserUrl).begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`memory:${mine.tenantId}`}, 0))`;
    result = work();
    await poll(isStored);
    await happen();
  });
  return result!;
}

describe('a draft that is saved after a decision, before the TM learns it,', () => {
  test('is not learned by an approval, unlike the other corrections', async () => {
    const { id } = await mine.translate(['One', 'Two', 'Three']);
    await save(id, [
      [0, 'fr of One', 'Un'],
      [1, 'fr of Two', 'Deux'],
    ]);
    await beforeFeed(
      () => mine.approve(id),
      async () => (await mine.row(id))['approved_at'] !== null,
      () => save(id, [[1, 'Deux', 'Deu']]),
    );
    expect(await learned(id)).toEqual(['Un', 'fr of Three']);
    expect(await pending(id)).toEqual([false, true, false]);
    await save(id, [[1, 'Deu', 'Deux !', true]]);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Un', 'fr of Three', 'Deux !']);
  });

  test('is not learned by a review of the same segment', async () => {
    const { id } = await mine.translate(['One', 'Two']);
    await beforeFeed(
      () => mine.correct(id, { A1: 'Un', A2: 'Deux' }),
      async () => (await mine.read(id)).review_history.length === 1,
      () => save(id, [[0, 'Un', 'U']]),
    );
    expect(await learned(id)).toEqual(['Deux']);
    expect(await pending(id)).toEqual([true, false]);
  });
});

describe('a TM that cannot be written', () => {
  test('makes the queue run the rendering again, which adds each correction once', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    await withBrokenMemory(app, async () => {
      await expect(runQueued(id)).rejects.toThrow('the translation memory could not be updated');
      // A preview needs no TM.
      expect((await mine.mutate('render', { document_id: id }, mine.admin)).status).toBe(200);
    });
    expect((await mine.read(id)).artifacts).toHaveLength(3);
    await runQueued(id);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Bonjour']);
    expect((await mine.read(id)).feed_manifest).toMatchObject({
      fed_pairs: [{ target_text: 'Bonjour' }],
      last_feed_error: null,
    });
  });

  test('makes the queue complete the approval later, with an audit record that counts the segments', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const resume = () => tasks.resume_approval.run(app.services, { tenantId: mine.tenantId, documentId: id });
    const sql = openSuperuser(app.superuserUrl);
    const { body } = await withBrokenMemory(app, () => mine.approve(id));
    expect(body.approval_result).toMatchObject({ approved: true, feed_error: expect.any(String) });
    expect(await sql`select from graphile_worker.jobs where key = ${`resume_approval:${id}`}`).toHaveLength(
      1,
    );
    expect(await recordsOf(app, mine, id)).toEqual([]);
    await resume();
    await resume();
    expect((await learned(id)).toSorted()).toEqual(['fr of Hello', 'fr of World']);
    const [record, ...others] = await recordsOf(app, mine, id);
    expect([JSON.parse(record!.text).counts.fed_pairs, others]).toEqual([2, []]);
  });

  test('does not keep the audit record away: the second attempt writes it and fails, so another follows', async () => {
    const { id } = await mine.translate(['Hello']);
    const resume = () => tasks.resume_approval.run(app.services, { tenantId: mine.tenantId, documentId: id });
    await withBrokenMemory(app, async () => {
      await mine.approve(id);
      await expect(resume()).rejects.toThrow('the translation memory could not be updated');
    });
    expect(await recordsOf(app, mine, id)).toHaveLength(1);
    await resume();
    expect(await learned(id)).toEqual(['fr of Hello']);
  });

  test('does not feed an approval that was withdrawn before the queue ran', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.approve(id, {}, mine.admin);
    await app.json('POST', '/trpc/reviews.reopen', {
      headers: mine.admin,
      body: { json: { kind: 'document', id } },
    });
    await tasks.resume_approval.run(app.services, { tenantId: mine.tenantId, documentId: id });
    expect(await learned(id)).toEqual([]);
  });
});

describe('segments with the same source in normal form', () => {
  const spaced = ['Hello you', 'Hello  you'] as const;

  test('keep the pair of the TM until the last of them is undone', async () => {
    const { id } = await mine.translate([...spaced]);
    const changes: string[] = [];
    for (const [position, source] of spaced.entries())
      changes.push((await save(id, [[position, `fr of ${source}`, 'Bonjour', true]])).body.change_id);
    await runQueued(id);
    expect(await fedPairs(id)).toMatchObject([{ source_text: 'Hello you' }]);
    // The pair has the source of the first segment, but the second one has the same translation.
    await undo(id, changes[0]!);
    expect(await learned(id)).toEqual(['Bonjour']);
    await undo(id, changes[1]!);
    expect([await learned(id), await fedPairs(id)]).toEqual([[], []]);
  });

  test('keep the pair that a review added when an approval that added it again is withdrawn', async () => {
    const { id } = await mine.translate([...spaced, 'Hello   you']);
    // No two corrections in sequence are equal, so the TM learns all three.
    await mine.correct(id, { A1: 'Bonjour' });
    await mine.correct(id, { A2: 'Salut' });
    await save(id, [[2, 'fr of Hello   you', 'Bonjour']]);
    await mine.approve(id, {}, mine.admin);
    expect(await learned(id)).toEqual(['Bonjour', 'Salut', 'Bonjour']);
    await app.json('POST', '/trpc/reviews.reopen', {
      headers: mine.admin,
      body: { json: { kind: 'document', id } },
    });
    expect(await learned(id)).toContain('Bonjour');
    expect((await fedPairs(id)).map(({ target_text }: { target_text: string }) => target_text)).toContain(
      'Bonjour',
    );
  });

  test('are all added again after an approval that added one of them is withdrawn', async () => {
    const { id } = await mine.translate([...spaced]);
    await save(id, [
      [0, 'fr of Hello you', 'Bonjour'],
      [1, 'fr of Hello  you', 'Bonjour'],
    ]);
    await mine.approve(id, {}, mine.admin);
    expect(await pending(id)).toEqual([false, false]);
    await app.json('POST', '/trpc/reviews.reopen', {
      headers: mine.admin,
      body: { json: { kind: 'document', id } },
    });
    expect([await learned(id), await pending(id)]).toEqual([[], [true, true]]);
    await save(id, [[0, 'Bonjour', 'Salut', true]]);
    await save(id, [[1, 'Bonjour', 'Bonjour', true]]);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Salut', 'Bonjour']);
  });
});
