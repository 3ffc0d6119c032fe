import { describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { doubtingEngine, openDocuments, useDocuments, withBrokenMemory } from './workspace.ts';

const engine = doubtingEngine();
const app = useTestApp({ env, engine });
const small = useTestApp({ env: { ...env, MAX_TM_SEGMENTS: '2' }, engine });

const mine = useDocuments(app, engine);

const nothing = { fast_path: 0, needs_review: 0, duplicates: 0, empty: 0 };

describe('an approval (B 4.3)', () => {
  test('stamps the document and feeds what no review has fed', async () => {
    const { id } = await mine.translate(['Hello', 'World', 'World']);
    await mine.correct(id, { A1: 'Bonjour' });
    const { status, body } = await mine.approve(id, { notes: 'Good', reviewer: 'Rev' });
    expect([status, body.approval_result]).toEqual([
      200,
      {
        approved: true,
        already_approved: false,
        reviewer: 'Rev',
        fed_pairs: 1,
        skipped: nothing,
        feed_error: null,
      },
    ]);
    expect(body.job).toMatchObject({
      id,
      status: 'translated',
      approved_by: 'Rev',
      approved_at: expect.any(String),
      feed_manifest: {
        fed_pairs: [
          { source_text: 'Hello', target_text: 'Bonjour', corrected: true, stage: 'review' },
          { source_text: 'World', target_text: 'fr of World', corrected: false, stage: 'approve' },
        ],
        skipped: nothing,
        last_feed_error: null,
      },
    });
    expect(await mine.read(id)).toEqual(body.job);
    const job = await mine.job({ source_text: 'World' });
    expect(job.request.metadata.provenance.fast_path).toBe('tm_exact');
  });

  test('skips what came from memory, what needs a review, what is blank, and what the set holds', async () => {
    const sets = setsOf(app, mine.headers);
    await sets.memory([['Known', 'Connu']]);
    engine.reply = ({ segments }) =>
      segments.map((text) => (text === 'Blank' ? '' : text === 'Same' ? 'Same' : `fr ${text}`));
    const cells = ['Known', 'a doubtful one', 'Blank', 'Same', 'New'];
    const [one, two] = [await mine.translate(cells), await mine.translate(cells)];
    expect((await mine.approve(one.id)).body.approval_result).toMatchObject({
      fed_pairs: 1,
      skipped: { fast_path: 1, needs_review: 1, duplicates: 0, empty: 1 },
    });
    const second = (await mine.approve(two.id)).body;
    expect(second.approval_result).toMatchObject({
      fed_pairs: 0,
      skipped: { fast_path: 1, needs_review: 1, duplicates: 1, empty: 1 },
    });
    expect(second.job.feed_manifest).toMatchObject({
      fed_pairs: [],
      skipped: second.approval_result.skipped,
    });
  });

  test('an unedited text is skipped if the set has ever held it, a correction is not', async () => {
    const [one, two] = [await mine.translate(['Hello']), await mine.translate(['Hello'])];
    const three = await mine.translate(['Hello']);
    await mine.approve(one.id);
    await mine.correct(two.id, { A1: 'Bonjour' });
    // Before 'Bonjour', the set contained 'fr of Hello'.
    expect((await mine.approve(three.id)).body.approval_result).toMatchObject({
      fed_pairs: 0,
      skipped: { duplicates: 1 },
    });
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('Bonjour');
    await mine.correct(three.id, { A1: 'fr of Hello' });
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('fr of Hello');
  });

  test('leaves a correction alone that another document has replaced since', async () => {
    const [one, two] = [await mine.translate(['Hello']), await mine.translate(['Hello'])];
    await mine.correct(one.id, { A1: 'Bonjour' });
    await mine.correct(two.id, { A1: 'Salut' });
    expect((await mine.approve(one.id)).body.approval_result).toMatchObject({
      fed_pairs: 0,
      skipped: nothing,
    });
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('Salut');
  });

  test.each([
    ['the same text', 'Hello you', 'Hello you'],
    ['other white space', 'Hello you', 'Hello  you'],
    ['another composition', 'Café', 'Cafe\u0301'],
  ])(
    'a correction is served, not the unedited translation of %s in another place',
    async (_, unedited, corrected) => {
      const { id } = await mine.translate([unedited, corrected]);
      await mine.correct(id, { A2: 'Bonjour' });
      expect((await mine.approve(id)).body.approval_result).toMatchObject({
        fed_pairs: 0,
        skipped: { ...nothing, duplicates: 1 },
      });
      expect((await mine.job({ source_text: unedited })).final_translation).toBe('Bonjour');
    },
  );

  test.each(['source', 'translated'])('400 while the %s file is missing or damaged', async (kind) => {
    const { id, artifacts } = await mine.translate(['Hello']);
    const { storage } = app.services;
    const artifact = artifacts.find((one: { kind: string }) => one.kind === kind);
    const path = `${mine.tenantId}/documents/${id}.${artifact.id}`;
    const content = (await storage.read(path, 0, artifact.size_bytes))!;
    const damaged = Uint8Array.from(content);
    damaged[50]! ^= 1;
    const refused = {
      status: 400,
      body: { detail: 'document layout is unavailable', error_code: 'validation_error' },
    };
    await storage.put(path, damaged);
    expect(await mine.approve(id)).toMatchObject(refused);
    await storage.remove(path);
    expect(await mine.approve(id)).toMatchObject(refused);
    expect(await mine.read(id)).toMatchObject({ approved_at: null, feed_manifest: { fed_pairs: [] } });
    await storage.put(path, content);
    expect((await mine.approve(id)).status).toBe(200);
    // An approved document stays approved even if its file is lost.
    await storage.remove(path);
    expect((await mine.approve(id)).body.approval_result).toMatchObject({ already_approved: true });
  });

  test('needs the name of a reviewer', async () => {
    const { id } = await mine.translate();
    for (const body of [{}, { reviewer: null }, { reviewer: ' ' }])
      expect(await mine.approve(id, body)).toMatchObject({
        status: 400,
        body: { detail: 'reviewer could not be determined: sign in or supply a reviewer' },
      });
    expect((await mine.read(id)).approved_at).toBeNull();
  });

  test('a memory that cannot be written fails no approval', async () => {
    const { id } = await mine.translate(['Hello']);
    const { status, body } = await withBrokenMemory(app, () => mine.approve(id));
    expect([status, body.approval_result.fed_pairs, body.approval_result.feed_error]).toEqual([
      200,
      0,
      expect.any(String),
    ]);
    expect(body.job.feed_manifest.last_feed_error).toBe(body.approval_result.feed_error);
    expect(body.job.approved_by).toBe('Rev');
    // The next approval adds the translations to the TM.
    const again = (await mine.approve(id)).body;
    expect(again.approval_result).toMatchObject({ already_approved: true, fed_pairs: 0, feed_error: null });
    expect(again.job.feed_manifest).toMatchObject({
      fed_pairs: [{ source_text: 'Hello' }],
      last_feed_error: null,
    });
  });
});

describe('at a full memory (B 8 "Golden set growth")', () => {
  test('new sources are skipped and counted, corrections to held ones are admitted', async () => {
    const theirs = await openDocuments(small);
    const { id } = await theirs.translate(['One', 'Two', 'Three', 'Four', 'Five']);
    const other = await theirs.translate(['One', 'Six']);
    const { body } = await theirs.approve(id);
    expect(body.approval_result).toMatchObject({ approved: true, fed_pairs: 2, feed_error: null });
    expect(body.job.feed_manifest).toMatchObject({ golden_skipped_at_cap: 3 });
    const held = body.job.feed_manifest.fed_pairs.map(
      ({ source_text }: { source_text: string }) => source_text,
    );

    const at = ['One', 'Two', 'Three', 'Four', 'Five'];
    const cellOf = (text: string) => `A${at.indexOf(text) + 1}`;
    const skipped = at.find((text) => !held.includes(text))!;
    const { body: job } = await theirs.correct(id, {
      [cellOf(held[0])]: 'corrected',
      [cellOf(skipped)]: 'too many',
    });
    expect(job.feed_manifest).toMatchObject({ golden_skipped_at_cap: 4 });
    expect(job.feed_manifest.fed_pairs).toHaveLength(3);
    expect((await theirs.job({ source_text: held[0] })).final_translation).toBe('corrected');
    expect((await theirs.approve(other.id)).body.approval_result.approved).toBe(true);
  });
});
