import { beforeEach, expect, test } from 'vitest';
import type { Fields } from '#test/factories.ts';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { setsOf } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';
import { openDocuments } from './workspace.ts';

const fake = await useFakeOpenAi();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: liveEngine(fake) });

const straight = "Don't stop the pump - it's hot...";
const typographic = 'Don’t stop the pump\u{a0}– it’s hot…';
const translations: Record<string, string> = {
  [straight]: "N'arrêtez pas la pompe - c'est chaud...",
  "Don't stop <1>the engine</1> - it's hot": "N'arrêtez pas l'<1>engin</1> - c'est chaud",
  'Another text': 'Un autre texte',
};

let mine: Awaited<ReturnType<typeof openDocuments>>;
beforeEach(async () => {
  fake.otherwise(translatingReply({ translate: (text) => translations[text] ?? `fr: ${text}` }));
  mine = await openDocuments(app);
  fake.requests.length = 0;
});

const asked = (role: string, field: string) =>
  fake.requests
    .map(askedOf)
    .filter((one) => one.role === role)
    .flatMap(({ data }) => data.segments.map((segment) => (segment as unknown as Fields)[field]));
const translated = () => asked('translation', 'text');

async function send(paragraphs: readonly string[], form: Fields = {}) {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('');
  const page = new File([`<!doctype html><html><body>${body}</body></html>`], 'page.html');
  const fields = { target_lang: 'fr', wait: 'true', source_document: page, ...form };
  const { status, body: answer } = await mine.send(fields);
  expect([status, answer.detail]).toEqual([200, undefined]);
  return answer;
}

test('texts of a document that differ in typography only are translated once, each in its typography, and judged', async () => {
  const { id } = await send([straight, typographic, 'Another text', straight]);
  const respelled = 'N’arrêtez pas la pompe – c’est chaud…';
  expect(await mine.targets(id)).toEqual([
    translations[straight],
    respelled,
    'Un autre texte',
    translations[straight],
  ]);
  expect(translated()).toEqual([straight, 'Another text']);
  expect(asked('segment_assessment', 'translation')).toEqual([
    translations[straight],
    'Un autre texte',
    respelled,
  ]);
  const { segments } = await mine.segments(id);
  expect(segments[1]).toMatchObject({
    quality: { score: 95, needs_review: false },
    provenance: { engine: null, repetition: 'typography' },
  });
});

test('a repetition in other typography keeps its own tags, and one with other tags is translated', async () => {
  const linked = (page: string) => `Don’t stop <a href="${page}">the engine</a> – it’s hot`;
  const { id } = await send([
    linked('/first').replace(/’/g, "'").replace('–', '-'),
    linked('/second'),
    'Don’t stop the engine – it’s hot',
    'Don’t stop <b>the engine</b> – it’s hot',
  ]);
  expect(translated()).toEqual([
    "Don't stop <1>the engine</1> - it's hot",
    'Don’t stop the engine – it’s hot',
    'Don’t stop <1>the engine</1> – it’s hot',
  ]);
  const html = await (await mine.download(id)).text();
  expect(html).toContain("<p>N'arrêtez pas l'<a href=\"/first\">engin</a> - c'est chaud</p>");
  expect(html).toContain('<p>N’arrêtez pas l’<a href="/second">engin</a> – c’est chaud</p>');
});

test('an equal text of the memory comes before a repetition, which has the same line breaks', async () => {
  const sets = setsOf(app, mine.headers);
  await sets.memory([[typographic, 'De la mémoire']], { target_lang: 'fr' });
  const { id } = await send([straight, typographic, 'Wait...<br>now', 'Wait… now', 'Wait…<br>now']);
  const { segments } = await mine.segments(id);
  expect(segments[1]).toMatchObject({ fast_path: 'tm_exact', target_text: 'De la mémoire' });
  // The straight text is made of the memory in its turn. Only the last text repeats another one.
  expect(translated()).toEqual(['Wait...<1/>now', 'Wait… now']);
  expect(segments[4].provenance).toEqual({ engine: null, repetition: 'typography' });
});

test('a text of a new version gets the translation that another text keeps', async () => {
  const { id } = await send(['Another text', straight]);
  fake.requests.length = 0;
  const next = await send([typographic, 'Another text', straight], { update_of: id });
  expect(await mine.targets(next.id)).toEqual([
    'N’arrêtez pas la pompe – c’est chaud…',
    'Un autre texte',
    translations[straight],
  ]);
  expect(translated()).toEqual([]);
});

test('an estimate counts the repetitions in other typography as such', async () => {
  const counts = await send([straight, typographic, straight], { dry_run: 'true', wait: undefined });
  const one = { segments: 1, characters: typographic.length };
  expect(counts).toMatchObject({
    sentence_matches: one,
    typography_matches: one,
    repetitions: { segments: 1 },
    no_match: { segments: 1 },
  });
});
