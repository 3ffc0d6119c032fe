import { beforeAll, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { addSegmentation, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
});

const steps: [string, string][] = [
  [
    'Switch off the pump before you open the housing.',
    'Schalten Sie die Pumpe aus, bevor Sie das Gehäuse öffnen.',
  ],
  ['Wait 30 minutes.', 'Warten Sie 30 Minuten.'],
  ['Remove the 4 screws on the back.', 'Entfernen Sie die 4 Schrauben auf der Rückseite.'],
  [
    'Lift the cover carefully, because the seal below it tears easily.',
    'Heben Sie den Deckel vorsichtig an, denn die Dichtung darunter reißt leicht.',
  ],
  ['Clean the filter with water at 40 °C.', 'Reinigen Sie den Filter mit Wasser von 40 °C.'],
  [
    'Order part DX-770 if the filter is damaged.',
    'Bestellen Sie Teil DX-770, wenn der Filter beschädigt ist.',
  ],
  ['Close the housing.', 'Schließen Sie das Gehäuse.'],
  ['Start the pump with the key F2.', 'Starten Sie die Pumpe mit der Taste F2.'],
];
const page = (side: 0 | 1) =>
  `<h1>${side === 0 ? 'Maintenance' : 'Wartung'}</h1>${[steps.slice(0, 4), steps.slice(4)]
    .map((part) => `<p>${part.map((pair) => pair[side]).join(' ')}</p>`)
    .join('')}`;
const markdown = (side: 0 | 1) => `# Wartung\n\n${steps.map((pair) => pair[side]).join(' ')}\n`;

const call = (name: 'align' | 'importPairs' | 'addPairs', input: Fields, headers = mine.headers) =>
  viaRpc(
    app,
    { path: `memory.${name}`, type: 'mutation' },
    { input: { source_lang: 'en', target_lang: 'de', ...input }, headers },
  );
const file = (file_name: string, text: string) => ({
  file_name,
  content: Buffer.from(text).toString('base64'),
});

test('a file and its translation in another format become sentence pairs, and these a memory', async () => {
  const { status, body } = await call('align', {
    source_file: file('manual.html', page(0)),
    target_file: file('wartung.md', markdown(1)),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const pairs = body.links.filter(({ source, target }: Fields) => source && target);
  expect(pairs.map(({ source, target }: Fields) => [source, target])).toEqual([
    ['Maintenance', 'Wartung'],
    ...steps,
  ]);
  const stored = await call('importPairs', {
    name: 'Manuals',
    pairs: pairs.map(({ source, target }: Fields) => ({ source, target })),
  });
  expect(stored.body).toMatchObject({ name: 'Manuals', entry_count: 9, origin: 'tmx_import' });
  expect((await mine.job({ source_text: steps[5]![0], target_lang: 'de' })).final_translation).toBe(
    steps[5]![1],
  );
});

test('files that do not belong together are refused', async () => {
  const other = steps.map((_, index) => `Das Kapitel ${index + 50} handelt vom Garten.`).join(' ');
  const { status, body } = await call('align', {
    source_file: file('manual.html', page(0)),
    target_file: file('garten.txt', other),
  });
  expect([status, body.detail ?? body.message]).toEqual([
    400,
    'target_file does not seem to be a translation of source_file: their sentences have too little in common',
  ]);
});

test('a file that is not translated is refused, and a sentence that is not is never certain', async () => {
  const same = await call('align', {
    source_file: file('a.html', page(0)),
    target_file: file('b.html', page(0)),
  });
  expect(refusal(same)).toEqual([
    400,
    'target_file is not translated: most of its sentences are those of source_file',
  ]);
  const { body } = await call('align', {
    source_file: file('a.html', page(0)),
    target_file: file('b.html', page(1).replace(steps[5]![1], steps[5]![0])),
  });
  const copied = body.links.find(({ source }: Fields) => source === steps[5]![0]);
  expect([copied.target, copied.confidence]).toEqual([steps[5]![0], 0.5]);
});

test.each([
  ['source_file has an unsupported type', 415, { source_file: file('a.exe', 'x') }],
  ['source_file is empty', 400, { source_file: file('a.txt', '') }],
  ['target_file: ', 400, { target_file: file('a.docx', 'not a zip') }],
  ['target_file has no text', 400, { target_file: file('a.html', '<p></p>') }],
  ['source_lang and target_lang are the same language', 400, { target_lang: 'en-US' }],
  ['unsupported target_lang', 422, { target_lang: 'tlh' }],
])('%s', async (message, expected, input) => {
  const { status, body } = await call('align', {
    source_file: file('a.html', page(0)),
    target_file: file('b.html', page(1)),
    ...input,
  });
  expect(status, JSON.stringify(body)).toBe(expected);
  expect(body.detail ?? body.message).toContain(message);
});

test('the segmentation rules of the workspace divide the files', async () => {
  const other = await openSets(app);
  await addSegmentation(app, { bearer: other.headers });
  const { body } = await call(
    'align',
    {
      source_file: file('a.txt', 'Press F2; wait 30 s. Press F3; wait 40 s.'),
      target_file: file('b.txt', 'F2 drücken; 30 s warten. F3 drücken; 40 s warten.'),
    },
    other.headers,
  );
  expect(body.links.map(({ source, target }: Fields) => [source, target])).toEqual([
    ['Press F2;', 'F2 drücken;'],
    ['wait 30 s. Press F3;', '30 s warten. F3 drücken;'],
    ['wait 40 s.', '40 s warten.'],
  ]);
});

test('a link names its sentences, and joins those of an unspaced language without a space', async () => {
  const { body } = await call('align', {
    target_lang: 'ja',
    source_file: file('a.txt', 'Wait 30 minutes. Open part DX-770 with key F2, and then clean it at 40 °C.'),
    target_file: file('b.txt', '30分待ちます。DX-770をキーF2で開きます。それから40°Cで洗浄します。'),
  });
  expect(body.links[1]).toMatchObject({
    source_sentences: ['Open part DX-770 with key F2, and then clean it at 40 °C.'],
    target_sentences: ['DX-770をキーF2で開きます。', 'それから40°Cで洗浄します。'],
    target: 'DX-770をキーF2で開きます。それから40°Cで洗浄します。',
  });
});

const pairsOf = (texts: [string, string][]) => texts.map(([source, target]) => ({ source, target }));

test('pairs are added to a memory, except those whose source it has', async () => {
  const set = await mine.memory([['Open the lid.', 'Öffnen Sie den Deckel.']], {
    name: 'Old notices',
    target_lang: 'de',
  });
  const input = {
    set_id: set.id,
    pairs: pairsOf([
      ['Open  the lid.', 'Deckel öffnen.'],
      ['Close the lid.', 'Schließen Sie den Deckel.'],
      ['Close the lid.', 'Deckel schließen.'],
    ]),
  };
  const counts = { added: 1, already_there: 2 };
  expect((await call('addPairs', { ...input, is_preview: true })).body).toEqual(counts);
  // Two requests at the same time add a pair once.
  const both = await Promise.all([call('addPairs', input), call('addPairs', input)]);
  expect(both.map(({ body }) => body.added).sort()).toEqual([0, 1]);
  const stored = (await mine.memories()).find(({ id }: { id: string }) => id === set.id);
  expect(stored).toMatchObject({ entry_count: 2, origin: 'tmx_import' });
  expect(await mine.job({ source_text: 'Close the lid.', target_lang: 'de' })).toMatchObject({
    final_translation: 'Deckel schließen.',
  });
  expect(await mine.job({ source_text: 'Open the lid.', target_lang: 'de' })).toMatchObject({
    final_translation: 'Öffnen Sie den Deckel.',
  });
});

test('pairs are refused for a set of another workspace or language, and with an empty text', async () => {
  const set = await mine.memory([['One.', 'Eins.']], { name: 'Numbers', target_lang: 'de' });
  const pairs = pairsOf([['Two.', 'Zwei.']]);
  const other = await openSets(app);
  expect(refusal(await call('addPairs', { set_id: set.id, pairs }, other.headers))).toEqual([
    404,
    'translation memory set not found',
  ]);
  expect(refusal(await call('addPairs', { set_id: set.id, pairs, target_lang: 'fr' }))).toEqual([
    422,
    'the translation memory is from en to de',
  ]);
  expect(refusal(await call('addPairs', { set_id: set.id, pairs: pairsOf([['Two.', ' \n']]) }))).toEqual([
    422,
    'a segment needs a source text and a translation',
  ]);
  const control = await call('addPairs', {
    set_id: set.id,
    pairs: pairsOf([['T\0wo.\u0001', 'Zwei.\ud800']]),
  });
  expect(control.status, JSON.stringify(control.body)).toBeLessThan(500);
});

test('a sentence that is too long for a segment is a 400', async () => {
  const file = (text: string) => ({ file_name: 'a.txt', content: Buffer.from(text).toString('base64') });
  const [source_file, target_file] = [file('a '.repeat(10_001)), file('b '.repeat(10_001))];
  expect(refusal(await call('align', { source_file, target_file }))).toEqual([
    400,
    'a file has a sentence of 20001 characters; at most 20000 can be aligned',
  ]);
});
