import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { LinguaLoop } from '#sdk/index.ts';
import { type FakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { opened, settled, shoot } from './camera.ts';
import { member } from './workspace.ts';

/** The Debian installation guide, of the package installation-guide-amd64 (GPL). The pictures show one of its pages. */
export const guide = process.env['BENCH_GUIDE'] ?? '/usr/share/doc/installation-guide-amd64';
const pageOf = (language: string) => readFileSync(join(guide, language, 'apcs02.html'), 'utf8');

/** The changes of a new version of the page, in each tenth of its sentences and in their translation. */
const changes: readonly (readonly [from: RegExp, to: string, fromTarget: string, toTarget: string])[] = [
  [
    /Mount point for .*temporarily/,
    'Mount point for temporary file systems',
    'un sistema de ficheros',
    'sistemas de ficheros temporales',
  ],
  [/Run-time variable data/, 'Run-time data', 'Datos variables en', 'Datos en'],
  [/usage varies widely given/, 'usage depends on the', 'varía mucho según', 'depende de'],
  [/600–750MB/, '800–900MB', '600–750MB', '800–900MB'],
  [/2 or 3 GB/, '5 or 6 GB', '2 ó 3 GB', '5 o 6 GB'],
  [/40–100MB should/, '500MB should', '40–100MB', '500MB'],
  [/about\s+100MB/, 'about 500MB', 'unos 100 MB', 'unos 500 MB'],
];
/** A segment whose translation is wrong in the old file, with a right one. */
const corrected = {
  source: 'The root level directory is represented simply by the slash /.',
  target: 'El directorio raíz se representa simplemente con la barra /.',
};

/** The directory of the pictures, in which the README shows them. */
export const memoryPictures = join(import.meta.dirname, '../../../docs/gallery/memory');
const look = { name: 'light', viewport: { width: 1280, height: 800 } };
/** The maximum size of a picture, in bytes; together, they have less than 400 kB. */
const maxBytes = 54_000;

/**
 * Follows an old file and its translation in pictures: they are aligned, their memory serves a new version of the file, a
 * reviewer approves that, and a corrected segment is served in the next translation.
 */
export async function recordMemory(
  browser: Browser,
  baseURL: string,
  model: FakeOpenAi,
  directory: string,
): Promise<void> {
  const page = await opened(browser, look, baseURL, member);
  page.setDefaultTimeout(240_000);
  let pictures = 0;
  const picture = async (name: string, limit = maxBytes) => {
    await settled(page);
    await shoot(page, join(directory, `${++pictures}-${name}.webp`), limit);
  };
  const client = new LinguaLoop({ baseUrl: baseURL });
  await client.auth.signIn(member);
  const [english, spanish] = [pageOf('en'), pageOf('es')];
  const file = (name: string, text: string) => ({ name, mimeType: 'text/html', buffer: Buffer.from(text) });

  await page.goto('/app/memories/align');
  await page.getByRole('textbox', { name: 'Name' }).fill('Handbook 2024');
  for (const [side, language, name, text] of [
    ['Source document', 'English', 'directories-2024.en.html', english],
    ['Translation', 'Spanish', 'directories-2024.es.html', spanish],
  ] as const) {
    const group = page.getByRole('group', { name: side });
    await group.getByLabel('Language').selectOption(language);
    await group.locator('input[type=file]').setInputFiles(file(name, text));
  }
  await page.getByRole('button', { name: 'Align' }).click();
  const grid = page.getByRole('grid');
  await grid.focus();
  for (let row = 0; row < 18; row++) await page.keyboard.press('ArrowDown');
  await picture('aligned');
  await page.getByRole('button', { name: /^Add \d+ segments/ }).click();
  await page.getByRole('heading', { name: 'Handbook 2024' }).waitFor();
  const memory = new URL(page.url()).pathname;
  await picture('memory');

  model.otherwise(translatingReply({ translate: await translator(client, english, spanish) }));
  await page.goto('/app/translate?kind=file&from=en&to=["es"]');
  const changed = changes.reduce((text, [from, to]) => text.replace(from, to), english);
  await page.getByLabel('files to translate').setInputFiles(file('directories-2025.en.html', changed));
  await page.getByRole('button', { name: 'Estimate first' }).click();
  await page.waitForURL('**/app/estimates/*');
  const start = page.getByRole('button', { name: 'Start 1 translation' });
  await page.getByText(/Matches and repetitions are billed/).waitFor();
  await start.waitFor();
  await picture('estimate');

  await start.click();
  const id = await finished(client);
  await page.goto(`/app/edit/documents/${id}`);
  const search = page.getByPlaceholder(/^Find in source/);
  await search.fill('disk usage');
  await search.press('Enter');
  await page.getByText('depends on the').last().click();
  // The old translation has two full stops.
  const field = page.locator('textarea[data-edited]');
  await field.fill((await field.inputValue()).replace('..', '.'));
  await picture('draft', 1.3 * maxBytes);
  await page.getByRole('button', { name: 'Side panel', exact: true }).click();
  await page.getByRole('button', { name: 'Approve all' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
  await dialog.getByRole('button', { name: /^Approve/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('42 of 42').waitFor();
  await picture('approved', 1.3 * maxBytes);

  await page.goto(memory);
  await page.getByRole('button', { name: `Edit ${corrected.source}` }).click();
  const target = page.getByRole('textbox', { name: 'Translation' });
  await target.fill(corrected.target);
  await target.evaluate((element) => element.scrollIntoView({ block: 'center' }));
  await picture('correction', 1.1 * maxBytes);
  await page.keyboard.press('Control+Enter');
  await page.getByText(corrected.target).waitFor();

  await page.goto('/app/translate?from=en&to=["es"]');
  await page.locator('main textarea').fill(corrected.source);
  await page.keyboard.press('Control+Enter');
  await page.getByText(corrected.target).waitFor();
  await picture('served');
}

/** Waits until the only document is translated, and returns its ID. */
async function finished(client: LinguaLoop): Promise<string> {
  for (;;) {
    const [document] = await client.documents.list().toArray({ limit: 1 });
    if (document?.status === 'translated') return document.id;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Returns a model's translations: those of the old page, changed like its sentences. */
async function translator(client: LinguaLoop, english: string, spanish: string) {
  const { links } = await client.memory.align(
    { name: 'a.html', data: new Blob([english]) },
    { name: 'b.html', data: new Blob([spanish]) },
    { source_lang: 'en', target_lang: 'es' },
  );
  const pairs = links
    .filter(({ source }) => source)
    .map(({ source, target }) =>
      changes.reduce<readonly [string, string]>(
        ([from, to], [old, now, oldTarget, nowTarget]) =>
          old.test(from) ? [from.replace(old, now), to.replace(oldTarget, nowTarget)] : [from, to],
        [source, target],
      ),
    );
  pairs.sort(([a], [b]) => b.length - a.length);
  return (text: string) => pairs.reduce<string>(translated, text);
}

/** A path, which is code in the page: the model gets a placeholder for it. */
const path = /(?<!\w)\/\w*/g;

/** Replaces a sentence of a text by its translation, with the placeholders of the text. */
function translated(text: string, [from, to]: readonly [string, string]): string {
  const paths: readonly string[] = from.match(path) ?? [];
  const literal = from.split(path).map((part) => RegExp.escape(part));
  return text.replace(new RegExp(literal.join('(<\\d+/>)'), 'g'), (_, ...codes: string[]) =>
    to.replace(path, (found) => codes[paths.indexOf(found)]!),
  );
}
