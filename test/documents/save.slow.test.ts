import { describe, expect, test, vi } from 'vitest';
import { env, inviting } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { criticalEngine, type Saved, savingIn } from './saving.ts';
import { useDocuments } from './workspace.ts';

const engine = criticalEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);
const { save, history, rows, edits, queued, learned } = savingIn(app, mine);

const reason = { code: 'client_wants_it', note: 'The client insists on it.' };

describe('saving segments', () => {
  test('stores texts and confirmations without the engine and without rendering', async () => {
    const { id } = await mine.translate(['Hello', 'a doubtful one', 'World']);
    engine.asked.length = 0;
    const render = vi.spyOn(app.services.fileWork, 'run');
    const { status, body } = await save(id, [
      [1, 'fr of a doubtful one', 'certain', true],
      [0, 'fr of Hello', 'Bonjour'],
      [2, 'fr of World', 'fr of World', true],
    ]);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(render).not.toHaveBeenCalled();
    render.mockRestore();
    expect(engine.asked).toEqual([]);
    const reviewer = expect.stringMatching(/@example\.org$/);
    expect(body).toMatchObject({
      change_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      segments: [
        { position: 0, target_text: 'Bonjour', corrected: true, confirmed_by: null, status: 'draft' },
        {
          position: 1,
          target_text: 'certain',
          quality: { score: null, needs_review: true, issues: [{ status: 'not_rechecked' }] },
          provenance: { engine: 'reviewer' },
          pipeline_text: 'fr of a doubtful one',
          confirmed_by: reviewer,
          status: 'confirmed',
        },
        { position: 2, corrected: false, quality: { score: 92 }, confirmed_by: reviewer },
      ],
      repeated: [],
    });
    const job = await mine.read(id);
    expect(job).toMatchObject({ updated_at: body.updated_at, review_history: [] });
    expect(job.artifacts).toHaveLength(2);
    expect(job.quality_report.metadata.human_review).toEqual({ confirmed_units: 2, unresolved_units: 0 });
    // Only two segments have another text.
    expect(await edits(id)).toEqual([2, 0]);
  });

  test('records who changed what, and a resend changes nothing and returns the same change', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const sent: Saved[] = [
      [0, 'fr of Hello', 'Bonjour', true],
      [1, 'fr of World', 'Monde'],
    ];
    const first = await save(id, sent);
    const before = [await rows(id), await mine.read(id), await history(id)];
    expect(await save(id, sent)).toEqual(first);
    expect([await rows(id), await mine.read(id), await history(id)]).toEqual(before);
    const [event, ...others] = await history(id);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      change_id: first.body.change_id,
      kind: 'confirmed',
      by: expect.stringMatching(/@example\.org$/),
      user_id: expect.any(String),
      previous_text: 'fr of Hello',
      target_text: 'Bonjour',
      reason: null,
      undone_at: null,
    });
    expect(await history(id, 1)).toMatchObject([{ kind: 'edited', target_text: 'Monde' }]);
  });

  test('without `confirmed`, a new text ends a confirmation, and `false` withdraws one', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await save(id, [
      [0, 'fr of Hello', 'fr of Hello', true],
      [1, 'fr of World', 'fr of World', true],
    ]);
    const { body } = await save(id, [
      [0, 'fr of Hello', 'Bonjour'],
      [1, 'fr of World', 'fr of World', false],
    ]);
    expect(body.segments).toMatchObject([{ confirmed_at: null }, { confirmed_at: null }]);
    expect((await history(id, 1)).map(({ kind }: { kind: string }) => kind)).toEqual([
      'unconfirmed',
      'confirmed',
    ]);
  });

  test('rejects the whole request if one text has changed since it was read', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    await save(id, [[0, 'fr of Hello', 'Bonjour']]);
    const before = await rows(id);
    const { status, body } = await save(id, [
      [1, 'fr of World', 'Monde'],
      [0, 'fr of Hello', 'Salut'],
    ]);
    expect([status, body.error_code]).toEqual([409, 'conflict']);
    expect(body.present).toMatchObject([{ index: 1, position: 0, target_text: 'Bonjour', corrected: true }]);
    expect(await rows(id)).toEqual(before);
  });

  test('by two reviewers at once: one of the same segment wins, and none of others is lost', async () => {
    const { id } = await mine.translate(['One', 'Two', 'Three']);
    const other = (await inviting(app, mine.admin).join()).bearer;
    const answers = await Promise.all([
      save(id, [[0, 'fr of One', 'a', true]]),
      save(id, [[0, 'fr of One', 'b', true]], {}, other),
      save(id, [[1, 'fr of Two', 'deux', true]]),
      save(id, [[2, 'fr of Three', 'trois', true]], {}, other),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect([statuses.slice(0, 2).sort(), statuses.slice(2)]).toEqual([
      [200, 409],
      [200, 200],
    ]);
    expect(await mine.targets(id)).toEqual([statuses[0] === 200 ? 'a' : 'b', 'deux', 'trois']);
    expect(await edits(id)).toEqual([3, 0]);
  });

  test('rejects an unknown position, a document in progress and a caller without a name', async () => {
    const { id } = await mine.translate(['Hello']);
    const text: Saved = [0, 'fr of Hello', 'Bonjour', true];
    expect((await save(id, [[7, null, 'x']])).status).toBe(422);
    expect((await save(id, [text, text])).status).toBe(422);
    expect((await save(await mine.queue(), [text])).status).toBe(400);
    expect(await save(id, [text], {}, mine.headers)).toMatchObject({
      status: 400,
      body: { detail: 'reviewer could not be determined: sign in or supply a reviewer' },
    });
    expect(await mine.targets(id)).toEqual(['fr of Hello']);
    const named = await save(id, [text], { reviewer: 'Rev' }, mine.headers);
    expect(named.body.segments).toMatchObject([{ confirmed_by: 'Rev' }]);
    expect(await history(id)).toMatchObject([{ by: 'Rev', user_id: null }]);
  });

  test('places the tags of the former translation in the new text', async () => {
    engine.reply = () => ['Voir <1>la page</1> maintenant'];
    const word = wordFile(paragraph(run('See '), link(run('the page')), run(' now')));
    const file = new File([new Uint8Array(word)], 'Letter.docx');
    const { id } = await mine.translate([], { source_document: file });
    await save(id, [[0, 'Voir la page maintenant', 'Voir la page tout de suite']]);
    const [{ target }] = (await rows(id)) as unknown as [{ target: unknown[] }];
    expect(target.filter((item) => typeof item === 'string')).toEqual(['Voir ', 'la page', ' tout de suite']);
  });

  test('stores the tags that a reviewer has moved, and finds those that are missing', async () => {
    engine.reply = () => ['Voir <1>la page</1> <2>maintenant</2>'];
    const word = wordFile(paragraph(run('See '), link(run('the page')), run(' '), run('now', '<w:b/>')));
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(word)], 'Letter.docx'),
    });
    const open = (tag: number) => ({ tag, type: 'open' });
    const close = (tag: number) => ({ tag, type: 'close' });
    const replaces = 'Voir la page maintenant';
    const saved = async (target_content: unknown[], fields = {}) =>
      mine.mutate('save', {
        document_id: id,
        segments: [{ position: 0, replaces, target_text: replaces, target_content, ...fields }],
      });
    const [[tag]] = [(await mine.query('search', { document_id: id })).body.segments].map(
      ([{ source_content: content }]) => content.filter((item: unknown) => typeof item !== 'string'),
    );
    expect(tag).toEqual(open(1));
    // The text is the same, only the link is around other words; an unknown tag and a second copy are left out.
    const moved = [
      open(1),
      open(9),
      'Voir la page',
      close(1),
      ' ',
      open(2),
      'maintenant',
      close(2),
      close(2),
    ];
    const { body } = await saved(moved);
    expect(body.segments).toMatchObject([
      { target_text: replaces, corrected: true, quality: { issues: [] }, status: 'draft' },
    ]);
    expect(body.segments[0].target_content).toEqual([
      open(1),
      'Voir la page',
      close(1),
      ' ',
      { ...open(2), format: 'bold' },
      'maintenant',
      { ...close(2), format: 'bold' },
    ]);
    expect((await saved(moved)).body.change_id).toBe(body.change_id);
    const bare = await saved(['Voir ', open(2), 'la page', close(2), ' maintenant']);
    expect(bare.body.segments[0].quality.issues).toMatchObject([
      { severity: 'major', explanation: 'The tag <1>…</1> of the source is missing.' },
    ]);
    const plain = await saved([open(1), 'Voir la page maintenant', close(1)]);
    expect(plain.body.segments[0].quality.issues).toMatchObject([
      { severity: 'minor', explanation: 'The tag <2>…</2> (bold) of the source is missing.' },
    ]);
    const crossed = [open(1), 'Voir ', open(2), 'la page', close(1), ' maintenant', close(2)];
    const checked = await mine.mutate('check', {
      document_id: id,
      position: 0,
      text: replaces,
      content: crossed,
    });
    expect(checked.body.issues).toMatchObject([{ explanation: 'The tag <1>…</1> overlaps another tag.' }]);
    // The elements of a file cannot overlap.
    const nested = await saved(crossed);
    expect(
      nested.body.segments[0].target_content.map((item: { type?: string }) => item.type ?? item),
    ).toEqual([...['open', 'Voir ', 'open', 'la page', 'close', 'close', ' maintenant']]);
  });
});

describe('a critical finding', () => {
  const refused = async (id: string, text: Saved, fields = {}) => {
    const { status, body } = await save(id, [text], fields);
    expect([status, body.error_code]).toEqual([409, 'critical_findings']);
    return body.present.critical_findings;
  };

  test('of a confirmed text needs a confirmation and a reason, else nothing is stored', async () => {
    const { id } = await mine.translate(['a wrong one', 'World']);
    const text: Saved = [0, 'fr of a wrong one', 'fr of a wrong one', true];
    for (const fields of [{}, { confirm_critical: true }, { reason }])
      expect(await refused(id, text, fields)).toMatchObject([{ position: 0, cell_id: 'A1' }]);
    const both: Saved[] = [[1, 'fr of World', 'Monde', true], text];
    expect((await save(id, both)).status).toBe(409);
    expect(await mine.targets(id)).toEqual(['fr of a wrong one', 'fr of World']);
    const { status, body } = await save(id, both, { confirm_critical: true, reason });
    expect(status).toBe(200);
    expect(body.segments).toMatchObject([{ status: 'confirmed' }, { status: 'confirmed' }]);
    expect(await history(id)).toMatchObject([{ kind: 'confirmed', reason }]);
    // The reason belongs to the segment with the finding only.
    expect(await history(id, 1)).toMatchObject([{ reason: null }]);
    const short = { code: 'check_is_wrong', note: '         short' };
    expect((await save(id, both, { confirm_critical: true, reason: short })).status).toBe(422);
  });

  test('of a check is one of the new text: a corrected segment needs no reason, a newly wrong one does', async () => {
    const { id } = await mine.translate(['Pay 1,200 euros', 'Pay 1,200 euros by Friday']);
    await save(id, [[0, 'fr of Pay 1,200 euros', 'Payez 9 900 euros']]);
    expect((await save(id, [[0, 'Payez 9 900 euros', 'Payez 1 200 euros', true]])).status).toBe(200);
    const seen = 'fr of Pay 1,200 euros by Friday';
    await refused(id, [1, seen, 'Payez 9 900 euros avant vendredi', true]);
    // As a draft, it may have findings.
    const draft = await save(id, [[1, seen, 'Payez 9 900 euros avant vendredi']]);
    expect(draft.body.segments).toMatchObject([{ status: 'critical', quality: { needs_review: true } }]);
  });
});

describe('repetitions', () => {
  const targets = async (id: string) => (await rows(id)).map(({ target_text }) => target_text);

  test('get the translation and the confirmation, unless a reviewer has corrected or confirmed them', async () => {
    const { id } = await mine.translate(['Total', 'Total', 'Other', 'Total', 'Total']);
    await save(id, [[3, 'fr of Total', 'Somme']], { repeat: false });
    await save(id, [[4, 'fr of Total', 'fr of Total', true]], { repeat: false });
    const { body } = await save(id, [[0, 'fr of Total', 'Total général', true]]);
    expect(body.repeated).toEqual([1]);
    expect(body.segments).toMatchObject([
      { position: 0, provenance: { engine: 'reviewer' } },
      {
        position: 1,
        target_text: 'Total général',
        corrected: true,
        pipeline_text: 'fr of Total',
        provenance: { engine: 'reviewer', repetition_of: 0 },
        status: 'confirmed',
      },
    ]);
    expect(await targets(id)).toEqual([
      'Total général',
      'Total général',
      'fr of Other',
      'Somme',
      'fr of Total',
    ]);
    expect(await history(id, 1)).toMatchObject([{ kind: 'repeated', change_id: body.change_id }]);
    // One segment was saved before, and two have changed now.
    expect(await edits(id)).toEqual([3, 0]);
  });

  test('are only confirmed if the translation stays, and are left alone without `repeat`', async () => {
    const { id } = await mine.translate(['Total', 'Total', 'Total']);
    expect((await save(id, [[0, 'fr of Total', 'x']], { repeat: false })).body.repeated).toEqual([]);
    const { body } = await save(id, [[1, 'fr of Total', 'fr of Total', true]]);
    expect(body.repeated).toEqual([2]);
    expect(body.segments[1]).toMatchObject({ corrected: false, quality: { score: 92 }, status: 'confirmed' });
    expect(await edits(id)).toEqual([1, 0]);
  });

  test('follow their original until a reviewer takes them out with the former text', async () => {
    const { id } = await mine.translate(['Total', 'Total', 'Total']);
    await save(id, [[0, 'fr of Total', 'Somme']]);
    expect(await targets(id)).toEqual(['Somme', 'Somme', 'Somme']);
    await save(id, [[2, 'Somme', 'fr of Total', true]]);
    const { body } = await save(id, [[0, 'Somme', 'Somme totale', true]]);
    expect(body.repeated).toEqual([1]);
    expect(await targets(id)).toEqual(['Somme totale', 'Somme totale', 'fr of Total']);
    expect((await rows(id))[2]).toMatchObject({
      provenance: { engine: 'reviewer' },
      pipeline_text: 'fr of Total',
    });
    // A reviewer who confirms a repetition decides about it, too.
    await save(id, [[1, 'Somme totale', 'Somme totale', false]], { repeat: false });
    await save(id, [[1, 'Somme totale', 'Somme totale', true]], { repeat: false });
    expect((await save(id, [[0, 'Somme totale', 'La somme', true]])).body.repeated).toEqual([]);
  });

  test('of several named segments stay as they are named', async () => {
    const { id } = await mine.translate(['Total', 'Total', 'Total']);
    const { body } = await save(id, [
      [1, 'fr of Total', 'deux', true],
      [0, 'fr of Total', 'un', true],
    ]);
    expect(body.repeated).toEqual([2]);
    expect(await targets(id)).toEqual(['un', 'deux', 'un']);
  });
});

describe('other reviews', () => {
  test('`correct`, `review` and `confirm` write the history, too, and keep the counts of edits', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    const { region_id } = (await mine.segments(id)).segments[0];
    await mine.correct(id, { A1: 'Bonjour' }, { reviewer: 'Rev' });
    const corrections = [{ region_id, cell_id: 'A1', replaces: 'Bonjour', target_text: 'Salut' }];
    await mine.mutate('correct', { document_id: id, corrections }, mine.admin);
    const segments = [{ position: 0, target_text: 'Salut' }];
    await mine.mutate('confirm', { document_id: id, segments }, mine.admin);
    await mine.mutate('confirm', { document_id: id, segments, confirmed: false }, mine.admin);
    expect(await history(id)).toMatchObject([
      { kind: 'unconfirmed', target_text: 'Salut', previous_text: 'Salut' },
      { kind: 'confirmed', target_text: 'Salut' },
      { kind: 'edited', target_text: 'Salut', previous_text: 'Bonjour' },
      { kind: 'edited', by: 'Rev', user_id: null, previous_text: 'fr of Hello' },
    ]);
    expect(await edits(id)).toEqual([2, 2]);
    expect(await learned(id)).toEqual(['Bonjour', 'Salut']);
  });

  test('the history of a deleted document is deleted with it', async () => {
    const { id } = await mine.translate(['Hello']);
    await save(id, [[0, 'fr of Hello', 'Bonjour']]);
    expect((await mine.removeDocument(id)).status).toBe(200);
    const sql = openSuperuser(app.superuserUrl);
    expect(await sql`select from segment_events where document_id = ${id}`).toHaveLength(0);
    // The queued rendering finds no document, and ends.
    expect(await queued(id)).toHaveLength(1);
    await savingIn(app, mine).runQueued(id);
  });
});
