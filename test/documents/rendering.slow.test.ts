import { describe, expect, test, vi } from 'vitest';
import { removeUnreferencedFiles } from '#server/documents/unreferenced-files.ts';
import { env, inviting } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { tasks } from '#workers/tasks.ts';
import { criticalEngine, type Saved, savingIn } from './saving.ts';
import { openDocuments, useDocuments } from './workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);
const { save, undo, rows, edits, queued, runQueued, downloaded, learned, duringRendering } = savingIn(
  app,
  mine,
);

describe('after segments were saved', () => {
  test('a queued job renders the file once, with all changes, and adds the confirmed ones to the TM', async () => {
    const { id } = await mine.translate(['Hello', 'World', 'World']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    await save(id, [[1, 'fr of World', 'Monde', true]]);
    // The process may die here: the job was queued in the transactions that stored the texts.
    expect(await queued(id)).toHaveLength(1);
    await runQueued(id);
    expect(await edits(id)).toEqual([3, 3]);
    const job = await mine.read(id);
    const [, , output] = job.artifacts;
    expect(job.artifacts).toHaveLength(3);
    expect(job.review_history).toEqual([
      expect.objectContaining({
        reviewer: expect.stringMatching(/@example\.org$/),
        corrections: 3,
        notes: null,
        artifact_id: output.id,
      }),
    ]);
    expect(await learned(id)).toEqual(['Bonjour', 'Monde']);
    expect(await downloaded(id)).toEqual(['Bonjour', 'Monde', 'Monde']);
    await runQueued(id);
    expect(await mine.read(id)).toEqual(job);
  });

  test('the job is postponed by each further change, but not beyond 30 seconds after the first one', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'a']]);
    const [first] = await queued(id);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThanOrEqual(5);
    const sql = openSuperuser(app.superuserUrl);
    const key = `render_document:${id}`;
    const makeOlder = (seconds: number) =>
      sql`update graphile_worker._private_jobs set created_at = now() - make_interval(secs => ${seconds}),
        run_at = now() - interval '1 minute' where key = ${key}`;
    await makeOlder(10);
    await save(id, [[0, 'a', 'b']]);
    expect((await queued(id))[0]).toBeGreaterThan(0);
    await makeOlder(28);
    await save(id, [[0, 'b', 'c']]);
    expect((await queued(id))[0]).toBeLessThanOrEqual(2);
    // A job that already runs has read the translations: a new one follows.
    await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where key = ${key}`;
    await save(id, [[0, 'c', 'd']]);
    expect(await queued(id)).toHaveLength(1);
  });

  test('`render` renders at once and returns the file; a second call returns the same one', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour']]);
    const { status, body } = await mine.mutate('render', { document_id: id }, mine.admin);
    expect([status, body.artifact.revision]).toEqual([200, 2]);
    expect(await mine.mutate('render', { document_id: id }, mine.admin)).toEqual({ status, body });
    const theirs = await openDocuments(app);
    expect((await theirs.mutate('render', { document_id: id })).status).toBe(404);
  });

  test('a download renders first, so its file has the changes', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const { body } = await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    expect(await downloaded(id)).toEqual(['Bonjour', 'fr of World']);
    await undo(id, body.change_id);
    expect(await downloaded(id)).toEqual(['fr of Hello', 'fr of World']);
    await save(id, [[1, 'fr of World', 'Monde', true]]);
    const rebuild = vi.spyOn(app.services.fileWork, 'run').mockRejectedValue(new Error('out of order'));
    const { status } = await mine.download(id);
    rebuild.mockRestore();
    expect(status).toBe(500);
    expect(await downloaded(id)).toEqual(['fr of Hello', 'Monde']);
  });

  test('an approval renders first, and its file has what is saved during the rendering', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    let saves = 0;
    const { status, body } = await duringRendering(
      async () => {
        if (saves++ === 0) await save(id, [[1, 'fr of World', 'Monde', true]]);
      },
      () => mine.approve(id),
    );
    expect([status, body.approval_result]).toEqual([200, expect.objectContaining({ fed_pairs: 2 })]);
    expect(await edits(id)).toEqual([2, 2]);
    const artifacts = (await mine.artifacts(id)).length;
    expect(await downloaded(id)).toEqual(['Bonjour', 'Monde']);
    expect(await mine.artifacts(id)).toHaveLength(artifacts);
  });

  test('an approval on /trpc rejects a critical finding that is saved during its rendering', async () => {
    const { id } = await mine.translate(['Pay 1,200 euros by Friday', 'World']);
    const seen = 'fr of Pay 1,200 euros by Friday';
    await save(id, [[1, 'fr of World', 'Monde', true]]);
    const { status, body } = await duringRendering(
      () => save(id, [[0, seen, 'Payez 9 900 euros avant vendredi']]),
      () => mine.mutate('approve', { document_id: id }, mine.admin),
    );
    expect([status, body.error_code]).toEqual([409, 'critical_findings']);
    expect(await mine.read(id)).toMatchObject({ approved_at: null });
  });
});

describe('the files of saved segments', () => {
  const removeReplaced = async (id: string) => {
    const payload = { tenantId: mine.tenantId, documentId: id };
    const replaced = await openSuperuser(app.superuserUrl)`
      select artifact_id from document_artifacts where document_id = ${id} and state = 'superseded'`;
    for (const { artifact_id: artifactId } of replaced)
      await tasks.remove_superseded_file.run(app.services, { ...payload, artifactId });
    return replaced.map(({ artifact_id }) => artifact_id);
  };
  const stored = async () => (await app.services.storage.list(`${mine.tenantId}/documents`)).length;

  test('replace each other, and their records become one', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const other = (await inviting(app, mine.admin).join()).bearer;
    const steps: [Saved, typeof other | undefined][] = [
      [[0, 'fr of Hello', 'Bon'], undefined],
      [[0, 'Bon', 'Bonjour', true], undefined],
      [[1, 'fr of World', 'Monde', true], other],
    ];
    const reviewers: unknown[] = [];
    for (const [text, as] of steps) {
      await save(id, [text], {}, as);
      await runQueued(id);
      reviewers.push((await mine.read(id)).review_history[0].reviewer);
    }
    const job = await mine.read(id);
    const latest = job.artifacts.at(-1).id;
    expect(reviewers).toEqual([expect.any(String), reviewers[0], null]);
    expect(job.review_history).toMatchObject([{ corrections: 3, notes: null, artifact_id: latest }]);
    // A download that began before the next rendering can end.
    const [first] = job.artifacts.slice(2);
    const queue = await openSuperuser(app.superuserUrl)`
      select extract(epoch from run_at - now())::float8 as seconds from graphile_worker.jobs
      where task_identifier = 'remove_superseded_file' and key like ${`%${first.id}`}`;
    expect(queue[0]?.['seconds']).toBeGreaterThan(500);
    expect(await stored()).toBe(5);
    expect(await removeReplaced(id)).toHaveLength(2);
    await tasks.remove_superseded_file.run(app.services, {
      tenantId: mine.tenantId,
      documentId: id,
      artifactId: first.id,
    });
    expect((await mine.read(id)).artifacts.map((one: { id: string }) => one.id)).toEqual([
      ...job.artifacts.slice(0, 2).map((one: { id: string }) => one.id),
      latest,
    ]);
    expect([await stored(), await downloaded(id)]).toEqual([3, ['Bonjour', 'Monde']]);
  });

  test('stay if they were approved, or if a review follows them', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bon']]);
    await mine.approve(id);
    await save(id, [[0, 'Bon', 'Bonjour']]);
    await runQueued(id);
    await mine.correct(id, { A1: 'Salut' });
    await save(id, [[0, 'Salut', 'Hello']]);
    await runQueued(id);
    expect(await removeReplaced(id)).toEqual([]);
    const { artifacts, review_history } = await mine.read(id);
    expect(artifacts).toHaveLength(6);
    expect(review_history.map(({ artifact_id }: { artifact_id: string }) => artifact_id)).toEqual(
      artifacts.slice(2).map((one: { id: string }) => one.id),
    );
  });

  test('that a stopped process has left without a row are removed by the sweep', async () => {
    const { id } = await mine.translate(['Hello']);
    for (const [replaces, text] of [
      ['fr of Hello', 'Bon'],
      ['Bon', 'Bonjour'],
    ] as const) {
      await save(id, [[0, replaces, text]]);
      await runQueued(id);
    }
    const { storage } = app.services;
    const remove = vi.spyOn(storage, 'remove').mockRejectedValueOnce(new Error('out of order'));
    await expect(removeReplaced(id)).rejects.toThrow('out of order');
    remove.mockRestore();
    expect([(await mine.artifacts(id)).length, await stored()]).toEqual([3, 4]);
    const lastWritten = vi.spyOn(storage, 'lastWritten').mockResolvedValue(new Date(0));
    expect(await removeUnreferencedFiles(app.services)).toBeGreaterThan(0);
    lastWritten.mockRestore();
    expect(await stored()).toBe(3);
  });
});

describe('a save during a rendering', () => {
  test('is not lost: the next file has it', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    let saves = 0;
    await duringRendering(
      async () => {
        if (saves++ === 0) await save(id, [[1, 'fr of World', 'Monde', true]]);
      },
      () => runQueued(id),
    );
    expect(await edits(id)).toEqual([2, 1]);
    expect(await queued(id)).toHaveLength(1);
    expect(await downloaded(id)).toEqual(['Bonjour', 'Monde']);
  });

  test('of a correction of another segment is in a later file', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const answer = await duringRendering(
      () => save(id, [[1, 'fr of World', 'Monde', true]]),
      () => mine.correct(id, { A1: 'Bonjour' }),
    );
    expect(answer.status).toBe(200);
    expect(await edits(id)).toEqual([2, 1]);
    expect(await downloaded(id)).toEqual(['Bonjour', 'Monde']);
    expect((await mine.read(id)).review_history).toMatchObject([{ corrections: 1 }, { corrections: 1 }]);
  });

  test('of a correction of the same segment wins: the correction is rejected with the saved text', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const { region_id } = (await mine.segments(id)).segments[0];
    const corrections = [
      { region_id, cell_id: 'A2', replaces: 'fr of World', target_text: 'Monde' },
      { region_id, cell_id: 'A1', replaces: 'fr of Hello', target_text: 'Bonjour' },
    ];
    const { status, body } = await duringRendering(
      () => save(id, [[0, 'fr of Hello', 'Salut', true]]),
      () => mine.mutate('correct', { document_id: id, corrections }, mine.admin),
    );
    expect([status, body.present]).toEqual([409, [expect.objectContaining({ target_text: 'Salut' })]]);
    expect(await mine.targets(id)).toEqual(['Salut', 'fr of World']);
    expect(await mine.artifacts(id)).toHaveLength(2);
  });

  test('of the text that the TM is about to learn: it learns the later text', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    let rendered: unknown;
    await openSuperuser(app.superuserUrl).begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`memory:${mine.tenantId}`}, 0))`;
      rendered = runQueued(id);
      await poll(async () => (await edits(id))[1] === 1);
      await save(id, [[0, 'Bonjour', 'Salut', true]]);
    });
    await rendered;
    expect(await learned(id)).toEqual(['Salut']);
    expect(await rows(id)).toMatchObject([{ target_text: 'Salut', feed_pending: false }]);
  });

  test('a deletion during a rendering leaves no file and no error', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    const sql = openSuperuser(app.superuserUrl);
    await duringRendering(
      () => sql`delete from document_jobs where document_id = ${id}`,
      () => runQueued(id),
    );
    const left = await app.services.storage.list(`${mine.tenantId}/documents`);
    expect(left).toHaveLength(2);
  });
});
