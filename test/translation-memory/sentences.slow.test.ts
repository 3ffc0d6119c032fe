import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { sentencePairs } from '#server/language/translation-memory/sentence-pairs.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addSegmentation, type Fields } from '#test/factories.ts';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';
import { expectServed, fastPathOf, outcomesOf } from './fast-path-jobs.ts';
import { setsOf } from './sets.ts';

const fake = await useFakeOpenAi();
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

test('a text that was made of sentences is not served once these are deleted', async () => {
  const text = `${stop[0]} ${valve[0]}`;
  expect((await job(text)).final_translation).toBe(`${stop[1]} ${valve[1]}`);
  const imported = (await mine.memories()).filter(({ origin }: Fields) => origin === 'tmx_import');
  expect(imported).toHaveLength(1);
  await app.request(`/api/tm/${imported[0].id}`, { method: 'DELETE', headers: mine.admin });
  const made = await job(text);
  expect([made.final_translation, fastPathOf(made)]).toEqual(['Ein anderer Satz des Modells.', undefined]);
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

test('two sentences that the memory has as one segment are one part', async () => {
  await mine.memory([[`${stop[0]} Then drain it.`, 'Pumpe anhalten und entleeren.']], {
    name: 'Joined',
    target_lang: 'de',
  });
  const made = await job(`${valve[0]} ${stop[0]}  Then drain it. ${wait[0]}`);
  expect(made).toMatchObject({
    status: 'published',
    final_translation: `${valve[1]} Pumpe anhalten und entleeren. ${wait[1]}`,
  });
  expect(made.request.metadata.provenance.tm_sentences).toHaveLength(3);
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

test('a sentence that misses a term of the glossary is not used', async () => {
  await mine.glossary(['source,target', 'pump,Kreiselpumpe'], { source_lang: 'en', target_lang: 'de' });
  fake.otherwise(
    translatingReply({
      translate: () => `Halten Sie die Kreiselpumpe an. Rufen Sie den Vorarbeiter. ${valve[1]}`,
    }),
  );
  const made = await job(`${stop[0]} Call the foreman. ${valve[0]}`);
  expect(made.quality_assessment.issues).toEqual([]);
  fake.otherwise(translatingReply({ translate: () => `Halten Sie die Kreiselpumpe an. ${valve[1]}` }));
  const whole = await job(`${stop[0]} ${valve[0]}`);
  expect(whole).toMatchObject({
    status: 'published',
    final_translation: `Halten Sie die Kreiselpumpe an. ${valve[1]}`,
  });
  expect(whole.request.metadata.provenance).toBeUndefined();
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

test('inline code is text in the memory, and keeps its place in the file', async () => {
  const run: [string, string] = ['Run pump --stop.', 'Führen Sie pump --stop aus.'];
  const copy: [string, string] = ['Copy left.txt to right.txt.', 'Nach right.txt wird left.txt kopiert.'];
  const old: [string, string] = ['Delete c.txt now.', 'Löschen Sie die Datei.'];
  await mine.memory([run, copy, old, stop], { name: 'Code', target_lang: 'de' });
  const page =
    '<p>Run <code>pump --stop</code>.</p><p>Copy <code>left.txt</code> to <code>right.txt</code>. Stop the pump.</p>';
  const sent = async (html: string) => {
    const fields = { source_document: new File([html], 'code.html'), target_lang: 'de', wait: 'true' };
    const { body } = await mine.send(fields);
    return (await mine.download(body.id)).text();
  };
  expect(await sent(page)).toContain(
    '<p>Führen Sie <code>pump --stop</code> aus.</p><p>Nach <code>right.txt</code> wird <code>left.txt</code> kopiert. Halten Sie die Pumpe an.</p>',
  );
  expect(asked('translation')).toEqual([]);
  // The translation lacks the code, so its place is unknown.
  fake.otherwise(translatingReply({ translate: () => 'Löschen Sie jetzt <1/>.' }));
  expect(await sent('<p>Delete <code>c.txt</code> now.</p>')).toContain(
    '<p>Löschen Sie jetzt <code>c.txt</code>.</p>',
  );
});

test('a link that the memory lacks is at a certain place, or the segment is flagged', async () => {
  const [page, name, end] = ['See the page now.', 'Ask LinguaLoop now.', 'Read this here'];
  await mine.memory(
    [
      [page, 'Jetzt die Seite ansehen.'],
      [name, 'Jetzt LinguaLoop fragen.'],
      [end, 'Hier lesen'],
    ],
    { name: 'Links', target_lang: 'de' },
  );
  const html = `<p>See <a href="/a">the page</a> now.</p><p>Ask <a href="/b">LinguaLoop</a> now.</p>
    <p>See <a href="/a">the page</a> now. Stop the pump.</p><p>Read <b>this</b> here</p>`;
  const mended = 'Jetzt <1>die Seite</1> ansehen. Halten Sie die Pumpe an.';
  fake.otherwise(translatingReply({ repair: () => mended }));
  const fields = { source_document: new File([html], 'links.html'), target_lang: 'de', wait: 'true' };
  const { body } = await mine.send(fields);
  const { segments } = await mine.segments(body.id);
  const guessed = expect.objectContaining({ severity: 'major', category: 'style' });
  expect(
    segments.map(({ quality }: { quality: Fields }) => [quality['needs_review'], quality['issues']]),
  ).toEqual([
    [true, [guessed]],
    [false, []],
    // A model sees a text that is made of sentences, and puts the link around its words.
    [false, []],
    [false, [expect.objectContaining({ severity: 'minor', category: 'style' })]],
  ]);
  const file = await (await mine.download(body.id)).text();
  expect(file).toContain('Jetzt <a href="/b">LinguaLoop</a> fragen.');
  expect(file).toContain('Jetzt <a href="/a">die Seite</a> ansehen. Halten');
});

test('an approved document teaches its code, in HTML and in Markdown', async () => {
  fake.otherwise(translatingReply({ translate: () => 'Lesen Sie <1/>.' }));
  const files = [
    new File(['<p>Read <code>a.log</code>.</p>'], 'a.html'),
    new File(['Read `b.log`.\n'], 'b.md'),
  ];
  for (const source_document of files) {
    const { body } = await mine.send({ source_document, target_lang: 'de', wait: 'true' });
    await mine.approve(body.id);
  }
  expectServed(await job('Read a.log.'), 'tm_exact', 'Lesen Sie a.log.');
  expectServed(await job('Read b.log.'), 'tm_exact', 'Lesen Sie b.log.');
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
  expect(body.sentence_matches).toEqual({ segments: 1, words: 6, characters: 29 });
  const close = await app.json('POST', '/api/translations', {
    headers: mine.headers,
    body: {
      source_text: `${wait[0]} ${stop[0]} ${valve[0]} Go.`,
      target_lang: 'de',
      dry_run: true,
    },
  });
  expect(close.body.fuzzy_matches).toMatchObject({ segments: 1 });
  expect(close.body.fuzzy_matches.by_similarity[0]).toEqual({
    from: 95,
    segments: 0,
    words: 0,
    characters: 0,
  });
  expect(close.body.fuzzy_matches.by_similarity[1]).toMatchObject({ from: 85, segments: 1 });
});

/** Publishes a translation by a reviewer. */
async function approve(source: string, target: string): Promise<string> {
  const held = await job(source, { metadata: { requires_human_review: true } });
  const { status } = await mine.review(held.id, { action: 'modify', final_translation: target });
  expect(status).toBe(200);
  return held.id;
}

test('an approved text teaches its sentences, which later texts are made of', async () => {
  const id = await approve('Lift the cover. Press 3 keys.', 'Heben Sie den Deckel an. Drücken Sie 3 Tasten.');
  const made = await job(`Press 3 keys. ${stop[0]}`);
  expect(made).toMatchObject({ final_translation: `Drücken Sie 3 Tasten. ${stop[1]}`, status: 'published' });
  expect(made.request.metadata.provenance.tm_sentences[0]).toMatchObject({
    set_name: 'golden-approved-en-de',
    origin: 'golden_approved',
  });
  // A whole text is not served from a sentence: it is judged.
  const alone = await job('Lift the cover.');
  expect(alone).toMatchObject({
    final_translation: 'Heben Sie den Deckel an.',
    quality_assessment: { score: 95 },
  });
  expect(fastPathOf(alone)).toBeUndefined();

  const golden = (await mine.memories()).filter(
    ({ origin }: { origin: string }) => origin === 'golden_approved',
  );
  expect(golden).toMatchObject([{ name: 'golden-approved-en-de', entry_count: 1 }]);
  expect(golden[0].id).toBe(made.request.metadata.provenance.tm_sentences[0].set_id);
  expect((await mine.exportMemory(golden[0].id)).text).not.toContain('<seg>Press 3 keys.</seg>');

  // They go with their text.
  await app.json('DELETE', `/api/translations/${id}`, { headers: mine.admin });
  expect((await job(`Press 3 keys. ${valve[0]}`)).final_translation).toBe('Ein anderer Satz des Modells.');
});

test('a correction of a paragraph wins over the sentence of an imported file', async () => {
  await approve(`${stop[0]} ${wait[0]}`, 'Stoppen Sie die Pumpe. Warten Sie auf das grüne Licht.');
  expect((await job(`${valve[0]} ${stop[0]}`)).final_translation).toBe(`${valve[1]} Stoppen Sie die Pumpe.`);
  expectServed(await job(stop[0]), 'tm_exact', stop[1]);
});

test('an edited or deleted segment takes its sentences with it, and an undo brings them back', async () => {
  await approve('Lift the cover. Press 3 keys.', 'Heben Sie den Deckel an. Drücken Sie 3 Tasten.');
  const [golden] = (await mine.memories()).filter(
    ({ origin }: { origin: string }) => origin === 'golden_approved',
  );
  const call = async (name: string, input: Fields, type: 'query' | 'mutation' = 'mutation') => {
    const { status, body } = await viaRpc(
      app,
      { path: `memory.${name}`, type },
      { input, headers: mine.headers },
    );
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const made = async ([source]: [string, string]) => (await job(`Press 3 keys. ${source}`)).final_translation;
  const unit = async () => (await call('browse', { set_id: golden.id }, 'query')).units[0];
  const { unit_no, source_text, target_text } = await unit();
  const seen = { source_text, target_text };
  const edit = await call('updateUnit', {
    ...{ set_id: golden.id, unit_no, replaces: seen, source_text },
    target_text: 'Deckel anheben. 3 Tasten betätigen.',
  });
  expect(await made(stop)).toBe(`3 Tasten betätigen. ${stop[1]}`);
  await call('undo', { change_id: edit.change_id });
  expect(await made(valve)).toBe(`Drücken Sie 3 Tasten. ${valve[1]}`);
  const removal = await call('deleteUnits', { set_id: golden.id, units: [{ unit_no, ...seen }] });
  expect(await made(wait)).toBe('Ein anderer Satz des Modells.');
  await call('undo', { change_id: removal.change_id });
  expect(await made([`${wait[0]} ${valve[0]}`, ''])).toBe(`Drücken Sie 3 Tasten. ${wait[1]} ${valve[1]}`);
});

test('the deletion of the approved translations deletes their sentences', async () => {
  await approve('Lift the cover. Press 3 keys.', 'Heben Sie den Deckel an. Drücken Sie 3 Tasten.');
  const [golden] = (await mine.memories()).filter(
    ({ origin }: { origin: string }) => origin === 'golden_approved',
  );
  expect((await mine.removeMemory(golden.id, mine.admin)).status).toBe(204);
  expect((await job('Press 3 keys. Lift the cover.')).final_translation).toBe(
    'Ein anderer Satz des Modells.',
  );
  const rows = await app.database.inTenant(mine.tenantId, (tx) =>
    tx.execute(sql`select from memory_segments where part_of is not null`),
  );
  expect(rows).toHaveLength(0);
});

test('sentences of an approved document are learned too, and forgotten with a withdrawn segment', async () => {
  fake.otherwise(
    translatingReply({
      translate: (text) => (text.startsWith('Lift') ? 'Deckel anheben. 3 Tasten drücken.' : 'Ende.'),
    }),
  );
  const { body } = await mine.send({
    source_document: new File(['<p>Lift the cover. Press 3 keys.</p><p>The end.</p>'], 'a.html'),
    target_lang: 'de',
    wait: 'true',
  });
  await mine.approve(body.id);
  expect((await mine.read(body.id)).feed_manifest.fed_pairs).toHaveLength(2);
  expect((await job('Press 3 keys. Lift the cover.')).final_translation).toBe(
    '3 Tasten drücken. Deckel anheben.',
  );
  const { body: removed } = await mine.removeDocument(body.id);
  expect(removed.tm_pairs_removed).toBe(2);
  fake.otherwise(translatingReply({ translate: () => 'Ein anderer Satz des Modells.' }));
  expect((await job('Press 3 keys. Now lift the cover.')).final_translation).toBe(
    'Ein anderer Satz des Modells.',
  );
});

const german = { pairSource: 'en', pairTarget: 'de' };
test.each([
  ['another number of sentences', 'One pump. Two pumps.', 'Eine Pumpe und zwei Pumpen.'],
  ['another number in a sentence', 'Turn valve 7. Wait 20 s.', 'Warten Sie 20 s. Drehen Sie Ventil 7.'],
  [
    'lengths that do not fit',
    'No. The long story of the pump continues.',
    `${'Eine sehr lange Geschichte von der Pumpe geht weiter'} und weiter. So.`,
  ],
])('a text is not divided with %s', (_, sourceText, targetText) => {
  expect(sentencePairs({ sourceText, targetText }, german)).toEqual([]);
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

test('the segmentation rules of the workspace divide its texts', async () => {
  const text = `${stop[0].slice(0, -1)}; ${valve[0].slice(0, -1)}`;
  await mine.memory(
    [
      [`${stop[0].slice(0, -1)};`, 'Pumpe aus;'],
      [valve[0].slice(0, -1), 'Ventil 7 zu'],
    ],
    { name: 'Parts', target_lang: 'de' },
  );
  expect((await job(text)).final_translation).toBe('Ein anderer Satz des Modells.');
  await addSegmentation(app, { bearer: mine.admin });
  expect((await job(text)).final_translation).toBe('Pumpe aus; Ventil 7 zu');
});

test('another workspace’s sentences are not used', async () => {
  const workspace = await openDocuments(app);
  const made = await workspace.job({ source_text: `${stop[0]} ${valve[0]}`, target_lang: 'de' });
  expect(made.final_translation).toBe('Ein anderer Satz des Modells.');
});
