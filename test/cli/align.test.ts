import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const english = [
  'Switch off pump P1 before you open the housing.',
  'Wait 30 minutes.',
  'Remove the 4 screws & the cover.',
  'Order part DX-770 if the filter is damaged.',
];
const german = [
  'Schalten Sie Pumpe P1 aus, bevor Sie das Gehäuse öffnen.',
  'Warten Sie 30 Minuten.',
  'Entfernen Sie die 4 Schrauben & den Deckel.',
  'Bestellen Sie Teil DX-770, wenn der Filter beschädigt ist.',
];
const files = {
  'old.html': `<p>${english.join(' ').replace('&', '&amp;')}</p>`,
  'alt.md': `# Wartung\n\n${german.join(' ')}\n`,
  'garten.txt': german.map((_, index) => `Das Kapitel ${index + 50} handelt vom Garten.`).join(' '),
};

test('without a memory, the pairs are written as TMX, which an import reads', async () => {
  const mine = await openProject(app, files);
  const { code, err } = await mine.lingualoop([
    'align',
    'old.html',
    'alt.md',
    '--to',
    'de',
    '-o',
    'pairs.tmx',
  ]);
  expect([code, err]).toEqual([
    0,
    '4 pairs with a confidence from 0.9, 0 below, 1 sentence without a pair.\npairs.tmx written.\n',
  ]);
  const written = await mine.read('pairs.tmx');
  expect(written).toContain('<seg>Remove the 4 screws &#38; the cover.</seg>');
  expect(written.match(/<prop type="confidence">(0\.9\d\d|1\.000)<\/prop>/g)).toHaveLength(4);
  const { out } = await mine.lingualoop(['align', 'old.html', 'alt.md', '--to', 'de']);
  expect(out).toBe(written);
  await mine.lingualoop(['memory', 'import', 'pairs.tmx', '--to', 'de']);
  expect((await mine.lingualoop(['memory', 'search', 'screws', '--to', 'de'])).out).toContain(
    'Entfernen Sie die 4 Schrauben & den Deckel.',
  );
});

test('with --memory, the memory is created, and the next pairs are added to it', async () => {
  const mine = await openProject(app, {
    ...files,
    'new.html': `${files['old.html']}<p>Close valve 12 with key F2.</p>`,
    'neu.html': `<p>${german.join(' ').replace('&', '&amp;')}</p><p>Schließen Sie Ventil 12 mit Taste F2.</p>`,
  });
  const into = ['--to', 'de', '--memory', 'Manuals'];
  const first = await mine.lingualoop(['align', 'old.html', 'alt.md', ...into]);
  expect([first.code, first.out, first.err]).toEqual([
    0,
    '',
    expect.stringContaining('Manuals has 4 segments.\n'),
  ]);
  const second = await mine.lingualoop(['align', 'new.html', 'neu.html', ...into]);
  expect([second.code, second.err]).toEqual([
    0,
    expect.stringContaining('1 segment added to Manuals; it already had 4.\n'),
  ]);
  const [set] = JSON.parse((await mine.lingualoop(['memory', 'list', '--json'])).out);
  expect(set).toMatchObject({ name: 'Manuals', entry_count: 5 });
});

test.each([
  [
    ['align', 'old.html', 'garten.txt', '--to', 'de'],
    1,
    'garten.txt does not seem to be a translation of old.html: their sentences have too little in common',
  ],
  [['align', 'old.html', 'none.docx', '--to', 'de'], 1, 'none.docx does not exist'],
  [['align', 'old.html', 'alt.md', '--to', 'en'], 1, '400 source_lang and target_lang are the same language'],
  [
    ['align', 'old.html', 'alt.md', '--to', 'de', '--accept', '1'],
    1,
    'no pair is good enough; lower --accept',
  ],
  [['align', 'old.html', 'alt.md'], 2, 'the target language is missing: --to de'],
  [
    ['align', 'old.html', 'alt.md', '--to', 'de', '--accept', '90'],
    2,
    '--accept must be a number from 0 to 1',
  ],
])('%j is refused', async (argv, expected, message) => {
  const mine = await openProject(app, files);
  const { code, out, err } = await mine.lingualoop(argv);
  expect([code, out, err]).toEqual([expected, '', expect.stringContaining(`error: ${message}`)]);
});
