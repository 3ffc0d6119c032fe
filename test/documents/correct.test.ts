import { describe, expect, test, vi } from 'vitest';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { doubtingEngine, useDocuments } from './workspace.ts';

const engine = doubtingEngine();
const app = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10000000' }, engine });

const mine = useDocuments(app, engine);

/** Corrects cells of the first sheet. For each reference: the translation that is replaced, and the new text. */
async function correct(id: string, cells: Record<string, [string | null, string]>, fields: Fields = {}) {
  const { region_id } = (await mine.segments(id)).segments[0];
  const corrections = Object.entries(cells).map(([cell_id, [replaces, target_text]]) => ({
    region_id,
    cell_id,
    replaces,
    target_text,
  }));
  return mine.mutate('correct', { document_id: id, corrections, ...fields }, mine.admin);
}

describe('corrections that say what they replace', () => {
  test('are applied with one rendering, and the response has the segments as they are now', async () => {
    const { id } = await mine.translate(['Hello', 'World', 'a doubtful one']);
    engine.asked.length = 0;
    const { status, body } = await correct(
      id,
      { A3: ['fr of a doubtful one', 'certain'], A1: ['fr of Hello', 'Bonjour'] },
      { notes: 'Two of them' },
    );
    expect(status).toBe(200);
    const job = await mine.read(id);
    expect(body).toEqual({
      applied: 2,
      segments: [
        expect.objectContaining({ position: 0, cell_id: 'A1', target_text: 'Bonjour', corrected: true }),
        expect.objectContaining({
          position: 2,
          cell_id: 'A3',
          target_text: 'certain',
          quality: { score: null, needs_review: false, issues: [] },
        }),
      ],
      artifact: job.artifacts[2],
      updated_at: job.updated_at,
    });
    expect(job.artifacts).toHaveLength(3);
    expect(job.review_history).toMatchObject([
      { corrections: 2, notes: 'Two of them', reviewer: expect.stringMatching(/@example\.org$/) },
    ]);
    expect(await mine.targets(id)).toEqual(['Bonjour', 'fr of World', 'certain']);
    expect(engine.asked).toEqual([]);
    expect(job.feed_manifest.fed_pairs).toHaveLength(2);
  });

  test('are all rejected if one segment has changed since, with the current texts', async () => {
    const { id } = await mine.translate(['Hello', 'World', 'Again', 'Same']);
    await mine.correct(id, { A1: 'Bonjour', A3: 'Encore', A4: 'Pareil' });
    const before = await mine.read(id);
    const { status, body } = await correct(id, {
      A1: ['fr of Hello', 'Salut'],
      A2: ['fr of World', 'Monde'],
      A3: ['fr of Again', 'De nouveau'],
      // Both reviewers have entered the same text.
      A4: ['fr of Same', 'Pareil'],
    });
    const { region_id } = (await mine.segments(id)).segments[0];
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({
        httpStatus: 409,
        error_code: 'conflict',
        detail: 'translations have changed since they were read (2); nothing was corrected',
        present: [
          { index: 0, position: 0, region_id, cell_id: 'A1', target_text: 'Bonjour', corrected: true },
          { index: 2, position: 2, region_id, cell_id: 'A3', target_text: 'Encore', corrected: true },
        ],
      }),
    ]);
    expect(await mine.read(id)).toEqual(before);
    expect(await mine.targets(id)).toEqual(['Bonjour', 'fr of World', 'Encore', 'Pareil']);
    // The reviewer has now seen the current texts and replaces them.
    const chosen = { A1: ['Bonjour', 'Salut'], A2: ['fr of World', 'Monde'] } as const;
    expect(await correct(id, { A1: [...chosen.A1], A2: [...chosen.A2] })).toMatchObject({
      status: 200,
      body: { applied: 2 },
    });
    expect(await mine.targets(id)).toEqual(['Salut', 'Monde', 'Encore', 'Pareil']);
  });

  test('that are sent again are done already: nothing is rendered, fed or noted twice', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const sent = { A1: ['fr of Hello', 'Bonjour'] } satisfies Record<string, [string, string]>;
    const first = await correct(id, sent);
    const before = await mine.read(id);
    const render = vi.spyOn(app.services.storage, 'put');
    const again = await correct(id, sent);
    expect(render).not.toHaveBeenCalled();
    render.mockRestore();
    expect(again).toEqual({ status: 200, body: { ...first.body, applied: 0 } });
    expect(await mine.read(id)).toEqual(before);
    // With an additional correction, only the new one counts as applied.
    const more = await correct(id, { ...sent, A2: ['fr of World', 'Monde'] });
    expect(more.body).toMatchObject({ applied: 1, segments: [{ cell_id: 'A1' }, { cell_id: 'A2' }] });
    expect((await mine.read(id)).review_history).toMatchObject([{ corrections: 1 }, { corrections: 1 }]);
  });

  test('keep what the pipeline had translated, however often they are corrected', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await correct(id, { A1: ['fr of Hello', 'Bonjour'] });
    await mine.correct(id, { A1: 'Salut', A2: 'Monde' });
    const { body } = await correct(id, { A1: ['Salut', 'Allô'], A2: ['Monde', 'fr of World'] });
    expect(body.segments).toMatchObject([
      { target_text: 'Allô', pipeline_text: 'fr of Hello' },
      { target_text: 'fr of World', pipeline_text: 'fr of World' },
    ]);
  });

  test('compare texts exactly: spaces, letter case and composed characters', async () => {
    engine.reply = () => ['déjà vu'];
    const { id } = await mine.translate(['Hello']);
    for (const seen of ['déjà vu '.normalize('NFC'), 'Déjà vu', 'déjà vu'.normalize('NFD'), '', null])
      expect(await correct(id, { A1: [seen, 'x'] })).toMatchObject({
        status: 409,
        body: { present: [{ target_text: 'déjà vu' }] },
      });
    expect((await correct(id, { A1: ['déjà vu', 'x'] })).status).toBe(200);
  });

  test('of several reviewers at once: of one segment one wins, and of others none is lost', async () => {
    const { id } = await mine.translate(['One', 'Two', 'Three']);
    const answers = await Promise.all([
      ...['a', 'b', 'c'].map((text) => correct(id, { A1: ['fr of One', text] })),
      correct(id, { A2: ['fr of Two', 'deux'] }),
      correct(id, { A3: ['fr of Three', 'trois'] }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect([statuses.slice(0, 3).sort(), statuses.slice(3)]).toEqual([
      [200, 409, 409],
      [200, 200],
    ]);
    const winner = ['a', 'b', 'c'][statuses.indexOf(200)];
    expect(await mine.targets(id)).toEqual([winner, 'deux', 'trois']);
    for (const { status, body } of answers)
      if (status === 409) expect(body.present).toMatchObject([{ target_text: winner, corrected: true }]);
  });

  test('a segment twice, a missing base, an unknown cell or a document in progress is rejected, and nothing is applied', async () => {
    const { id } = await mine.translate(['Hello']);
    const { region_id } = (await mine.segments(id)).segments[0];
    const one = { region_id, cell_id: 'A1', replaces: 'fr of Hello', target_text: 'Bonjour' };
    const { replaces: _, ...withoutBase } = one;
    for (const corrections of [
      [one, { ...one, target_text: 'Salut' }],
      [withoutBase],
      [],
      [one, { ...one, cell_id: 'Z9' }],
    ])
      expect((await mine.mutate('correct', { document_id: id, corrections })).status).toBe(422);
    const queued = await mine.queue();
    expect((await mine.mutate('correct', { document_id: queued, corrections: [one] })).status).toBe(400);
    expect(await mine.targets(id)).toEqual(['fr of Hello']);
    // The API's review, which names no replaced translation, replaces any text.
    await mine.correct(id, { A1: 'Bonjour' });
    expect((await mine.correct(id, { A1: 'Bonjour' })).body.artifacts).toHaveLength(4);
  });

  test('are not applied if the file cannot be rendered', async () => {
    const { id } = await mine.translate(['Hello']);
    const rebuild = vi.spyOn(app.services.fileWork, 'run').mockRejectedValue(new Error('out of order'));
    const { status } = await correct(id, { A1: ['fr of Hello', 'Bonjour'] });
    rebuild.mockRestore();
    expect(status).toBe(500);
    expect(await mine.targets(id)).toEqual(['fr of Hello']);
    expect((await correct(id, { A1: ['fr of Hello', 'Bonjour'] })).body).toMatchObject({ applied: 1 });
  });
});
