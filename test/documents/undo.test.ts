import { describe, expect, test } from 'vitest';
import { figuresOf } from '#server/documents/segment-figures.ts';
import { env, inviting } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { criticalEngine, savingIn } from './saving.ts';
import { openDocuments, useDocuments } from './workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);
const { save, undo, redo, history, rows, edits, queued, runQueued, learned, downloaded } = savingIn(
  app,
  mine,
);

const served = async (source_text: string) => (await mine.job({ source_text })).final_translation;

describe('undoing a change', () => {
  test('restores all columns of all its segments, and redoing it applies it again', async () => {
    const { id } = await mine.translate(['a doubtful one', 'Total', 'Total', 'World']);
    const before = await rows(id);
    const { body: saved } = await save(id, [
      [0, 'fr of a doubtful one', 'certain', true],
      [1, 'fr of Total', 'Somme', true],
      [3, 'fr of World', 'fr of World', true],
    ]);
    const after = await rows(id);
    const undone = await undo(id, saved.change_id);
    expect(undone).toMatchObject({
      status: 200,
      body: {
        change_id: saved.change_id,
        positions: [0, 1, 2, 3],
        segments: [{ target_text: 'fr of a doubtful one', quality: { score: 40 } }, {}, {}, {}],
      },
    });
    expect(await rows(id)).toEqual(before);
    // Three texts were changed, and then three were changed back.
    expect(await edits(id)).toEqual([6, 0]);
    expect((await mine.read(id)).quality_report.metadata).not.toHaveProperty('human_review');
    expect(await history(id)).toMatchObject([
      { kind: 'undone', target_text: 'fr of a doubtful one', previous_text: 'certain', undone_at: null },
      { kind: 'confirmed', undone_at: expect.any(String) },
    ]);
    expect((await redo(id, saved.change_id)).status).toBe(200);
    expect(await rows(id)).toEqual(after);
    expect(await history(id)).toMatchObject([
      { kind: 'redone', target_text: 'certain' },
      { kind: 'undone' },
      { kind: 'confirmed', undone_at: null },
    ]);
    expect(await queued(id)).toHaveLength(1);
  });

  test('of several changes goes back step by step, and forth again', async () => {
    const { id } = await mine.translate(['Hello']);
    const states = [await rows(id)];
    const changes: string[] = [];
    for (const [replaces, text] of [
      ['fr of Hello', 'un'],
      ['un', 'deux'],
      ['deux', 'trois'],
    ] as const) {
      changes.push((await save(id, [[0, replaces, text, true]])).body.change_id);
      states.push(await rows(id));
    }
    expect((await undo(id, changes[1]!)).status).toBe(409);
    for (const step of [2, 1, 0]) {
      expect((await undo(id, changes[step]!)).status).toBe(200);
      expect(await rows(id)).toEqual(states[step]);
    }
    expect((await redo(id, changes[1]!)).status).toBe(409);
    for (const step of [0, 1, 2]) {
      expect((await redo(id, changes[step]!)).status).toBe(200);
      expect(await rows(id)).toEqual(states[step + 1]);
    }
  });

  test('a second time, or of ten requests at once, changes nothing more', async () => {
    const { id } = await mine.translate(['Hello']);
    const { body } = await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => undo(id, body.change_id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await edits(id)).toEqual([2, 0]);
    expect(await history(id)).toHaveLength(2);
    await redo(id, body.change_id);
    expect((await redo(id, body.change_id)).status).toBe(200);
    expect(await edits(id)).toEqual([3, 0]);
  });

  test('is rejected for all its segments if one was changed later, with the current text', async () => {
    const { id } = await mine.translate(['Total', 'Total']);
    const { body } = await save(id, [[0, 'fr of Total', 'Somme', true]]);
    await save(id, [[1, 'Somme', 'La somme']]);
    const before = await rows(id);
    const refused = await undo(id, body.change_id);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error_code: 'conflict',
        present: [{ index: 1, position: 1, target_text: 'La somme', corrected: true }],
      },
    });
    expect(await rows(id)).toEqual(before);
  });

  test('cannot be redone after the segment was changed, or confirmed, again', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    for (const [position, text, to] of [
      [0, 'fr of Hello', 'Salut'],
      [1, 'fr of World', 'fr of World'],
    ] as const) {
      const { body } = await save(id, [[position, text, 'x']]);
      await undo(id, body.change_id);
      await save(id, [[position, text, to, true]]);
      expect((await redo(id, body.change_id)).status).toBe(409);
    }
    expect(await mine.targets(id)).toEqual(['Salut', 'fr of World']);
  });

  test('is for the member who made it and for administrators; a foreign change does not exist', async () => {
    const { join } = inviting(app, mine.admin);
    const [one, other] = [await join(), await join()];
    const { id } = await mine.translate(['Hello']);
    const { body } = await save(id, [[0, 'fr of Hello', 'Bonjour']], {}, one.bearer);
    for (const as of [other.bearer, mine.headers])
      expect((await undo(id, body.change_id, as)).status).toBe(403);
    expect((await undo(id, body.change_id, one.bearer)).status).toBe(200);
    expect((await redo(id, body.change_id, other.bearer)).status).toBe(403);
    expect((await redo(id, body.change_id)).status).toBe(200);
    expect((await undo(id, body.change_id)).status).toBe(200);
    expect((await history(id))[0]).toMatchObject({
      kind: 'undone',
      by: expect.not.stringContaining(one.email),
    });

    // All API keys are one author, but not a member.
    const byKey = await save(id, [[0, 'fr of Hello', 'Salut']], {}, mine.headers);
    expect((await undo(id, byKey.body.change_id, one.bearer)).status).toBe(403);
    expect((await undo(id, byKey.body.change_id, mine.headers)).status).toBe(200);

    const theirs = await openDocuments(app);
    const elsewhere = await mine.translate(['Hello']);
    for (const [document, change, as] of [
      [id, body.change_id, theirs.admin],
      [elsewhere.id, body.change_id, mine.admin],
      [id, 'f'.repeat(32), mine.admin],
    ])
      expect((await undo(document, change, as)).status).toBe(404);
  });
});

test('the figures of a document follow each change of its segments, which alone are counted', async () => {
  const { id } = await mine.translate(['a wrong one', 'a doubtful one', 'Total', 'Total', 'World']);
  const stored = async () => (await mine.row(id))['report_figures'];
  const counted = () =>
    app.services.database.inTenant(mine.tenantId, (tx) => figuresOf(tx, mine.tenantId, id));
  const steps: (() => Promise<unknown>)[] = [
    () => save(id, [[0, 'fr of a wrong one', 'un bon']]),
    () => save(id, [[2, 'fr of Total', 'Somme']]),
    () => mine.mutate('confirmAll', { document_id: id, statuses: ['draft', 'warning'] }, mine.admin),
    () => save(id, [[3, 'Somme', 'La somme']]),
    async () => undo(id, (await history(id, 0))[0].change_id),
    async () => redo(id, (await history(id, 0))[0].change_id),
    () =>
      mine.mutate(
        'confirm',
        { document_id: id, segments: [{ position: 4, target_text: 'fr of World' }] },
        mine.admin,
      ),
  ];
  for (const step of steps) {
    const before = await stored();
    await step();
    expect(await stored()).not.toEqual(before);
    expect(await stored()).toEqual(await counted());
  }
  // A segment that another statement has changed is not counted again.
  await openSuperuser(app.superuserUrl)`
    update document_segments set needs_review = true where document_id = ${id} and position = 4`;
  await save(id, [[2, 'Somme', 'Le total']]);
  expect(await stored()).not.toEqual(await counted());
  await runQueued(id);
  expect(await stored()).toEqual(await counted());
});

describe('the memory', () => {
  test('forgets what an undone change had added, and learns it again when it is redone', async () => {
    const { id } = await mine.translate(['Hello', 'Hello']);
    const first = await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    await runQueued(id);
    const second = await save(id, [[0, 'Bonjour', 'Salut', true]]);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Bonjour', 'Salut']);
    await undo(id, second.body.change_id);
    expect(await served('Hello')).toBe('Bonjour');
    await undo(id, first.body.change_id);
    expect(await learned(id)).toEqual([]);
    expect((await mine.read(id)).feed_manifest.fed_pairs).toEqual([]);
    await redo(id, first.body.change_id);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Bonjour']);
    expect(await downloaded(id)).toEqual(['Bonjour', 'Bonjour']);
  });

  test('learns a restored translation again whose pair another undo had removed', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]]);
    await runQueued(id);
    const second = await save(id, [[0, 'Bonjour', 'Salut', true]]);
    await runQueued(id);
    const third = await save(id, [[0, 'Salut', 'Bonjour', true]]);
    await runQueued(id);
    // This removes the pair with Bonjour, although the first change had added it, too.
    await undo(id, third.body.change_id);
    await undo(id, second.body.change_id);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Bonjour']);
    expect(await served('Hello')).toBe('Bonjour');
  });

  test('keeps a pair that another segment of the document still has', async () => {
    const { id } = await mine.translate(['Hello', 'Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour', true]], { repeat: false });
    const { body } = await save(id, [[1, 'fr of Hello', 'Bonjour', true]], { repeat: false });
    await runQueued(id);
    await undo(id, body.change_id);
    expect(await learned(id)).toEqual(['Bonjour']);
  });

  test('does not learn drafts before someone confirms them, or approves the document', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await save(id, [
      [0, 'fr of Hello', 'Bon'],
      [1, 'fr of World', 'Monde'],
    ]);
    await runQueued(id);
    expect([await learned(id), await edits(id)]).toEqual([[], [2, 2]]);
    const { body } = await save(id, [[0, 'Bon', 'Bon', true]]);
    await runQueued(id);
    expect(await learned(id)).toEqual(['Bon']);
    await undo(id, body.change_id);
    expect(await learned(id)).toEqual([]);
    await mine.approve(id);
    expect((await learned(id)).toSorted()).toEqual(['Bon', 'Monde']);
  });
});
