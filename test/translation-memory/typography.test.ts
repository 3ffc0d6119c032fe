import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openDocuments } from '../documents/workspace.ts';
import { liveEngine } from '../translations/live.ts';
import { expectServed, fastPathOf, outcomesOf } from './fast-path-jobs.ts';
import { setsOf } from './sets.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const stop: [string, string] = ["Don't stop the pump - it's hot.", "N'arrêtez pas la pompe - c'est chaud."];
const press: [string, string] = ['Press "Start" and wait...', 'Appuyez sur "Marche" et attendez...'];

let mine: Awaited<ReturnType<typeof openWorkspaceWithSets>>;
async function openWorkspaceWithSets() {
  const workspace = await openDocuments(app);
  return { ...workspace, ...setsOf(app, workspace.headers) };
}
beforeEach(async () => {
  fake.otherwise(translatingReply({ translate: () => 'Une phrase du modèle.' }));
  mine = await openWorkspaceWithSets();
  await mine.memory([stop, press], { target_lang: 'fr' });
  fake.requests.length = 0;
});

const job = (source_text: string) => mine.job({ source_text, target_lang: 'fr' });
const asked = (role: string) => fake.requests.map(askedOf).filter((one) => one.role === role);

test('a text that differs from the memory in typography only is made of it in the typography of the source, and judged', async () => {
  const made = await job('Don’t stop the pump – it’s hot.');
  expect(made).toMatchObject({
    status: 'published',
    final_translation: 'N’arrêtez pas la pompe – c’est chaud.',
    quality_assessment: { score: 95 },
  });
  expect([asked('translation'), asked('assessment').length, fastPathOf(made)]).toEqual([[], 1, undefined]);
  expect(made.request.metadata.provenance.tm_sentences).toMatchObject([
    { set_name: 'A memory', origin: 'tmx_import', typography: true },
  ]);
  expect(outcomesOf(made).some((one: string) => one.startsWith("“Don't stop the pump"))).toBe(true);
});

test('sentences of a text may differ in typography, with the quotation marks of the target language', async () => {
  const made = await job(`${stop[0]} Press “Start” and wait…`);
  expect(made.final_translation).toBe(`${stop[1]} Appuyez sur «\u{a0}Marche\u{a0}» et attendez…`);
  expect(asked('translation')).toEqual([]);
});

test('an equal text is served as before, and a text with other words is translated', async () => {
  expectServed(await job(stop[0]), 'tm_exact', stop[1]);
  expect((await job('Don’t stop the pumps – it’s hot.')).final_translation).toBe('Une phrase du modèle.');
});

test('an item of a batch is made of an earlier one in other typography, also without a memory before', async () => {
  const workspace = await openDocuments(app);
  fake.otherwise(translatingReply({ translate: (text) => (text.includes('hot') ? stop[1] : 'Une phrase.') }));
  const sources = ['Another text', stop[0], 'Don’t stop the pump – it’s hot.', 'Pump', 'Pu\u{ad}mp'];
  const answer = await app.json('POST', '/api/translations', {
    headers: workspace.headers,
    body: { inputs: sources.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })) },
  });
  expect(answer.body.map((job: { final_translation: string }) => job.final_translation)).toEqual([
    'Une phrase.',
    stop[1],
    'N’arrêtez pas la pompe – c’est chaud.',
    'Une phrase.',
    'Une phrase.',
  ]);
  const texts = asked('translation').flatMap(({ data }) => data.segments.map(({ text }) => text));
  expect(new Set(texts)).toEqual(new Set(['Another text', stop[0], 'Pump']));
  expect(texts).toHaveLength(3);
});

test('a match in other typography is shown as such among the matches and in an estimate', async () => {
  const source_text = 'Don’t stop the pump – it’s hot.';
  const languages = { source_lang: 'en', target_lang: 'fr' };
  const path = { path: 'memory.matches', type: 'mutation' } as const;
  const { body } = await viaRpc(app, path, { input: { ...languages, source_text }, headers: mine.headers });
  expect(body.matches).toMatchObject([
    { kind: 'close', score: 99, typography: true, target_text: 'N’arrêtez pas la pompe – c’est chaud.' },
  ]);
  const answer = await app.json('POST', '/api/translations', {
    headers: mine.headers,
    body: { source_text, target_lang: 'fr', dry_run: true },
  });
  const one = { segments: 1, characters: 31 };
  expect(answer.body).toMatchObject({ sentence_matches: one, typography_matches: one });
});

test('a heading in capitals is a close match, with its translation in capitals', async () => {
  await mine.memory([['Before {count} first uses', 'Avant {count} premières utilisations']], {
    name: 'Headings',
    target_lang: 'fr',
  });
  const path = { path: 'memory.matches', type: 'mutation' } as const;
  const matchesOf = async (source_text: string) => {
    const input = { source_lang: 'en', target_lang: 'fr', source_text };
    return (await viaRpc(app, path, { input, headers: mine.headers })).body.matches;
  };
  expect(await matchesOf('BEFORE {count} FIRST USES')).toMatchObject([
    { kind: 'close', score: 98, target_text: 'AVANT {count} PREMIÈRES UTILISATIONS' },
  ]);
  expect(await matchesOf('Before {count} First Uses')).toMatchObject([
    { kind: 'close', target_text: 'Avant {count} premières utilisations' },
  ]);
});
