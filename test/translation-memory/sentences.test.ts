import { afterAll, beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';
import { expectServed, fastPathOf, outcomesOf } from './fast-path-jobs.ts';
import { setsOf } from './sets.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const stop: [string, string] = ['Stop the pump.', 'Halten Sie die Pumpe an.'];
const valve: [string, string] = ['Close valve 7.', 'Schließen Sie Ventil 7.'];
const wait: [string, string] = ['Wait for a green light.', 'Warten Sie auf das grüne Licht.'];

let mine: Awaited<ReturnType<typeof openWorkspaceWithSets>>;
async function openWorkspaceWithSets() {
  const workspace = await openDocuments(app);
  return { ...workspace, ...setsOf(app, workspace.headers) };
}
beforeEach(async () => {
  fake.otherwise(translatingReply({ translate: () => 'Ein anderer Satz des Modells.' }));
  mine = await openWorkspaceWithSets();
  await mine.memory([stop, valve, wait], { target_lang: 'de' });
  fake.requests.length = 0;
});

const job = (source_text: string, fields = {}) => mine.job({ source_text, target_lang: 'de', ...fields });
const asked = (role: string) => fake.requests.map(askedOf).filter((one) => one.role === role);

test('a text whose sentences are all in the memory is made of them, with the separators of the source, and judged', async () => {
  const made = await job(`  ${stop[0]}\n\n${valve[0]} \u{a0}${wait[0]}\n`);
  expect(made).toMatchObject({
    status: 'published',
    final_translation: `  ${stop[1]}\n\n${valve[1]} \u{a0}${wait[1]}\n`,
    quality_assessment: { score: 95 },
  });
  expect(asked('translation')).toEqual([]);
  expect(asked('assessment')).toHaveLength(1);
  expect(fastPathOf(made)).toBeUndefined();
  const { provenance } = made.request.metadata;
  expect(provenance.tm_sentences).toHaveLength(3);
  expect(provenance.tm_sentences[0]).toMatchObject({ set_name: 'A memory', origin: 'tmx_import' });
  expect(outcomesOf(made)).toContain('“Close valve 7.” → “Schließen Sie Ventil 7.”');
});

test('a whole text in the memory is still served without a judge (B 8, rule 1)', async () => {
  await mine.memory([[`${stop[0]} ${valve[0]}`, 'Erst die Pumpe, dann Ventil 7.']], {
    name: 'Paragraphs',
    target_lang: 'de',
  });
  expectServed(await job(`${stop[0]} ${valve[0]}`), 'tm_exact', 'Erst die Pumpe, dann Ventil 7.');
  expectServed(await job(stop[0]), 'tm_exact', stop[1]);
  expect(fake.requests).toEqual([]);
});

test('a text made of sentences is repaired, or awaits review, like a translation of the model', async () => {
  fake.otherwise(
    translatingReply({
      repair: () => 'Halten Sie die Pumpe an, und schließen Sie Ventil 7.',
      score: ({ data }) => (data.segments[0]!.translation.includes('und') ? 96 : 40),
    }),
  );
  const repaired = await job(`${stop[0]} ${valve[0]}`);
  expect(repaired.final_translation).toBe('Halten Sie die Pumpe an, und schließen Sie Ventil 7.');
  expect(repaired.request.metadata.provenance).toBeUndefined();
  fake.otherwise(translatingReply({ repair: (translation) => translation, score: 40 }));
  expect(await job(`${stop[0]} ${wait[0]}`)).toMatchObject({
    status: 'awaiting_review',
    final_translation: `${stop[1]} ${wait[1]}`,
  });
});

test('the workspace can demand a review of each text that is made of sentences', async () => {
  const set = (isOn: boolean) =>
    app.json('POST', '/trpc/tenants.setSecurityPolicy', {
      headers: mine.admin,
      body: { json: { review_tm_sentences: isOn } },
    });
  expect((await set(true)).status).toBe(200);
  const held = await job(`${stop[0]} ${valve[0]}`);
  expect(held).toMatchObject({ status: 'awaiting_review', final_translation: `${stop[1]} ${valve[1]}` });
  expect(held.agent_run.quality_gate.triggers).toEqual([{ code: 'policy_required', severity: 'blocking' }]);
  expectServed(await job(stop[0]), 'tm_exact', stop[1]);
  await set(false);
  expect(await job(`${stop[0]} ${wait[0]}`)).toMatchObject({ status: 'published' });
});

test('the model gets the sentences that the memory has, and must use them', async () => {
  const text = `${stop[0]} Call the foreman. ${valve[0]}`;
  const keep = `${stop[1]} Rufen Sie den Vorarbeiter. ${valve[1]}`;
  fake.otherwise(translatingReply({ translate: () => keep }));
  const kept = await job(text);
  expect(asked('translation')[0]!.data['sentences']).toEqual([
    { source: stop[0], target: stop[1] },
    { source: valve[0], target: valve[1] },
  ]);
  expect(kept).toMatchObject({ status: 'published', final_translation: keep });
  expect(kept.quality_assessment.issues).toEqual([]);

  fake.otherwise(
    translatingReply({
      translate: () => `Pumpe aus. Rufen Sie den Vorarbeiter. ${valve[1]}`,
      repair: (translation) => translation,
    }),
  );
  const other = await job(`${text} Now.`);
  expect(other.quality_assessment.issues).toEqual([
    expect.objectContaining({
      severity: 'major',
      category: 'terminology',
      suggestion: `Use “${stop[1]}”.`,
      found_by: 'check',
    }),
  ]);
});

test('a sentence that misses a term of the glossary need not be used', async () => {
  await mine.glossary(['source,target', 'pump,Kreiselpumpe'], { source_lang: 'en', target_lang: 'de' });
  fake.otherwise(
    translatingReply({
      translate: () => `Halten Sie die Kreiselpumpe an. Rufen Sie den Vorarbeiter. ${valve[1]}`,
    }),
  );
  const made = await job(`${stop[0]} Call the foreman. ${valve[0]}`);
  expect(made.quality_assessment.issues).toEqual([]);
  const whole = await job(`${stop[0]} ${valve[0]}`);
  expect(whole.request.metadata.terminology_gate).toMatchObject({ passed: false });
  expect(whole.status).toBe('awaiting_review');
});

test('segments of a document are made of sentences too, with their tags', async () => {
  const source_document = new File(
    [`<p><b>${stop[0]}</b> ${valve[0]}</p><p>${stop[0]} Call the foreman.</p><p>${wait[0]}</p>`],
    'steps.html',
  );
  const { status, body } = await mine.send({ source_document, target_lang: 'de', wait: 'true' });
  expect([status, body.detail]).toEqual([200, undefined]);
  const { segments } = await mine.segments(body.id);
  expect(segments.map((one: { target_text: string }) => one.target_text)).toEqual([
    `${stop[1]} ${valve[1]}`,
    'Ein anderer Satz des Modells.',
    wait[1],
  ]);
  expect(segments.map((one: { fast_path: string | null }) => one.fast_path)).toEqual([
    null,
    null,
    'tm_exact',
  ]);
  expect(segments[0].provenance).toMatchObject({ engine: null, tm_sentences: [{}, {}] });
  expect(segments[1].quality.issues).toEqual([
    expect.objectContaining({ suggestion: `Use “${stop[1]}”.`, category: 'terminology' }),
  ]);
  expect(segments[1].quality.needs_review).toBe(true);
});

test('a space between sentences follows the language', async () => {
  await mine.memory(
    [
      [stop[0], 'ポンプを止めてください。'],
      [valve[0], 'バルブ7を閉めてください。'],
    ],
    { name: 'ja', target_lang: 'ja' },
  );
  await mine.memory(
    [
      ['ポンプを止めてください。', stop[0]],
      ['バルブ7を閉めてください。', valve[0]],
    ],
    { name: 'en', source_lang: 'ja', target_lang: 'en' },
  );
  const joined = 'ポンプを止めてください。バルブ7を閉めてください。';
  expect((await job(`${stop[0]} ${valve[0]}`, { target_lang: 'ja' })).final_translation).toBe(joined);
  expect((await job(joined, { source_lang: 'ja', target_lang: 'en' })).final_translation).toBe(
    `${stop[0]} ${valve[0]}`,
  );
});

test('an estimate tells which texts are made of sentences, and how close the others are', async () => {
  const { body } = await app.json('POST', '/api/translations', {
    headers: mine.headers,
    body: { source_text: `${stop[0]} ${valve[0]}`, target_lang: 'de', dry_run: true },
  });
  expect(body.sentence_matches).toEqual({ segments: 1, characters: 29 });
  const close = await app.json('POST', '/api/translations', {
    headers: mine.headers,
    body: {
      source_text: `${wait[0]} ${stop[0]} ${valve[0]} Go.`,
      target_lang: 'de',
      dry_run: true,
    },
  });
  expect(close.body.fuzzy_matches).toMatchObject({ segments: 1 });
  expect(close.body.fuzzy_matches.by_similarity[0]).toEqual({ from: 95, segments: 0, characters: 0 });
  expect(close.body.fuzzy_matches.by_similarity[1]).toMatchObject({ from: 85, segments: 1 });
});

test('the matches of a text have those of its sentences', async () => {
  const { body } = await viaRpc(
    app,
    { path: 'memory.matches', type: 'mutation' },
    {
      input: {
        source_text: `${stop[0]} Wait for a red light. Call the foreman.`,
        source_lang: 'en',
        target_lang: 'de',
      },
      headers: mine.headers,
    },
  );
  expect(body.matches).toMatchObject([
    { part: stop[0], kind: 'exact', score: 100, target_text: stop[1] },
    { part: 'Wait for a red light.', kind: 'close', score: 86, target_text: wait[1] },
  ]);
});

test('another workspace’s sentences are not used', async () => {
  const workspace = await openDocuments(app);
  const made = await workspace.job({ source_text: `${stop[0]} ${valve[0]}`, target_lang: 'de' });
  expect(made.final_translation).toBe('Ein anderer Satz des Modells.');
});
