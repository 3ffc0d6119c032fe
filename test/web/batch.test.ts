import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { breakingEngine } from './breaking-engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { corpusDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

const model = breakingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: model.engine });
const browser = useBrowser(app);

const jobsOf = async (apiKey: string) =>
  (await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } })).body;

describe.skipIf(withoutBrowser)('a batch', () => {
  test('sees the failed item next to its text, resumes, and nothing runs twice', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?kind=batch&from=en&to=["de","ja"]');
    await page.getByRole('textbox', { name: 'Text 1' }).fill('First\nThe broken one\nLast');
    await page.getByRole('button', { name: 'Split lines into 3 texts' }).click();
    await page.getByText('6 translations of at most 50').waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();

    const results = page.getByRole('region', { name: 'Results' });
    const failed = results.getByRole('listitem').filter({ hasText: 'the model could not be reached' });
    await failed.getByText('The broken one').waitFor();
    await failed.getByText('German').waitFor();
    await results.getByText('2 of 6 done').waitFor();
    expect(await results.getByText('Not started').count()).toBe(3);
    const before = await jobsOf(apiKey);
    expect(before).toHaveLength(3);

    model.mend();
    await failed.getByRole('button', { name: 'Resume' }).click();
    await results.getByText('6 of 6 done').waitFor();
    await results.getByText('[ja] Last').waitFor();
    const after = await jobsOf(apiKey);
    expect(after).toHaveLength(6);
    const ids = new Set(after.map(({ id }: { id: string }) => id));
    for (const { id } of before) expect(ids).toContain(id);
  });

  test('continues without an item that keeps failing, and sends it separately later', async () => {
    model.break();
    const { page } = await signedIn(app, browser, '/app/translate?kind=batch&from=en&to=["de"]');
    await page.getByRole('textbox', { name: 'Text 1' }).fill('A broken one\nGood\nAnother broken one\nLast');
    await page.getByRole('button', { name: 'Split lines into 4 texts' }).click();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    const results = page.getByRole('region', { name: 'Results' });
    const leaveOut = (text: string) =>
      results
        .getByRole('listitem')
        .filter({ hasText: text })
        .filter({ hasText: 'the model could not be reached' })
        .getByRole('button', { name: 'Skip and continue' })
        .click();
    await leaveOut('A broken one');
    await leaveOut('Another broken one');
    await results.getByText('2 of 4 done').waitFor();
    await results.getByText('[de] Last').waitFor();
    model.mend();
    await results.getByRole('listitem').filter({ hasText: 'A broken one' }).getByRole('button').click();
    await results.getByText('[de] A broken one').waitFor();
    await results.getByText('3 of 4 done').waitFor();
  });

  test('a list that was requested before the response and arrives after it reverts nothing', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=batch&from=en&to=["de"]');
    const [seen, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const arrived = Promise.withResolvers<void>();
    await page.route(/\/api\/translations\?.*limit=60/, async (route) => {
      const list = await route.fetch();
      const isEarly = (await list.text()).includes('"pending"');
      if (isEarly) seen.resolve();
      if (isEarly) await released.promise;
      await route.fulfill({ response: list });
      if (isEarly) arrived.resolve();
    });
    const goOn = model.hold();
    await page.getByRole('textbox', { name: 'Text 1' }).fill('One');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await seen.promise;
    goOn();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('1 of 1 done').waitFor();
    released.resolve();
    await arrived.promise;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    expect(await results.getByText('1 of 1 done').count()).toBe(1);
    expect(await results.getByText('[de] One').count()).toBe(1);
  });

  test('begins with the lines of a text, and is followed again after a reload', async () => {
    model.mend();
    const { page } = await signedIn(app, browser, '/app/translate?from=en&to=["de"]');
    await page.getByLabel('Text to translate').fill('One\nTwo');
    await page.getByRole('button', { name: 'Split lines into 2 texts' }).click();
    expect(await page.getByRole('textbox', { name: 'Text 2' }).inputValue()).toBe('Two');
    const goOn = model.hold();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('0 of 2 done').waitFor();
    // All jobs are created before the model responds.
    await results.getByText('In progress').nth(1).waitFor();
    await page.reload();
    await results.getByText('0 of 2 done').waitFor();
    goOn();
    await results.getByText('2 of 2 done').waitFor();
    await results.getByText('[de] Two').waitFor();
  });
});

const txt = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
// A page has at most 5,000 characters.
const threePages = txt(
  'three pages.txt',
  ['First page. '.repeat(410), 'A broken page. '.repeat(327), 'Last page. '.repeat(20)].join('\n\n'),
);

describe.skipIf(withoutBrowser)('files', () => {
  test('a text file shows the effect on the layout and the failed page, and resumes', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    await page.getByLabel('files to translate').setInputFiles(threePages);
    await page.getByText('Only the text is translated, page by page. The layout is lost.').waitFor();
    await page.getByRole('button', { name: 'Translate 1 file' }).click();

    const results = page.getByRole('list', { name: 'Results' });
    const failed = results.locator('ol > li').filter({ hasText: 'the model could not be reached' });
    await failed.getByText('A broken page.').waitFor();
    await results.getByText('1 of 3 done').waitFor();
    const before = await jobsOf(apiKey);
    expect(before).toHaveLength(2);
    model.mend();
    await failed.getByRole('button', { name: 'Resume' }).click();
    await results.getByText('3 of 3 done').waitFor();
    await results.getByText('3 pages').click();
    await results.getByText('[de] Last page.').waitFor();
    const after = await jobsOf(apiKey);
    expect(after).toHaveLength(3);
    const ids = after.map(({ id }: { id: string }) => id);
    for (const { id } of before) expect(ids).toContain(id);
  });

  test('a text file that stopped before a reload continues with the same jobs when it is added again', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    // The browser gives a file that is only in memory a new time at each selection.
    const folder = await mkdtemp(join(tmpdir(), 'pages-'));
    const file = join(folder, threePages.name);
    await writeFile(file, threePages.buffer);
    const results = page.getByRole('list', { name: 'Results' });
    await page.getByLabel('files to translate').setInputFiles(file);
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await results.getByRole('button', { name: 'Resume' }).waitFor();
    const before = await jobsOf(apiKey);
    await page.reload();
    await results.getByText(threePages.name).waitFor();
    await results.getByText('Add the same file again to continue').waitFor();
    model.mend();
    await page.getByLabel('files to translate').setInputFiles(file);
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await results.getByText('3 of 3 done').first().waitFor();
    const after = await jobsOf(apiKey);
    expect(after).toHaveLength(3);
    const ids = after.map(({ id }: { id: string }) => id);
    for (const { id } of before) expect(ids).toContain(id);
    await rm(folder, { recursive: true });
  });

  test('a Word file keeps its layout unless only its text is selected; its row shows the error', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    await page.getByLabel('files to translate').setInputFiles([
      {
        name: 'letter.docx',
        mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        buffer: Buffer.from('no Word file'),
      },
      { name: 'program.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') },
    ]);
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row('program.exe').getByText('Unsupported file type.').waitFor();
    await row('letter.docx').getByText('The file keeps its layout.').waitFor();
    await row('letter.docx').getByLabel('Text only').check();
    await row('letter.docx').getByText('The layout is lost.').waitFor();
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await row('letter.docx').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Remove letter.docx from the list' }).click();
    await row('letter.docx').waitFor({ state: 'detached' });
    await expectAccessible(page);
  });

  test('several files into several languages, each with its progress, then a link to each document', async () => {
    model.mend();
    const { page, context, apiKey } = await signedIn(
      app,
      browser,
      '/app/translate?kind=file&from=en&to=["de","fr"]',
    );
    const { name, type } = corpusDocument('docx/two-columns-headers.docx');
    const file = Buffer.from(corpusFile('docx/two-columns-headers.docx'));
    await page
      .getByLabel('files to translate')
      .setInputFiles([{ name, mimeType: type, buffer: file }, txt('note.txt', 'Good morning')]);
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const rest = { offline: false, latency: 0, downloadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', { ...rest, uploadThroughput: file.length / 3 });
    await page.getByRole('button', { name: 'Translate 2 files' }).click();
    const bar = page.getByRole('progressbar', { name: 'Uploading…' }).first();
    await expect
      .poll(() => bar.evaluate((element) => (element as HTMLProgressElement).value), { interval: 20 })
      .toSatisfy((sent: number) => sent > 0 && sent < 1);
    await network.send('Network.emulateNetworkConditions', { ...rest, uploadThroughput: -1 });
    const results = page.getByRole('list', { name: 'Results' });
    await expect.poll(() => results.getByText('1 of 1 done').count(), { timeout: 20_000 }).toBe(2);
    for (const language of ['German', 'French'])
      await results.getByRole('link', { name: `Open ${name}, ${language}` }).waitFor();
    const { body } = await app.json('GET', '/api/documents', { headers: { 'x-api-key': apiKey } });
    expect(body).toHaveLength(2);
    await page.reload();
    await results.getByText('note.txt').first().waitFor();
    await results.getByRole('link', { name: `Open ${name}, German` }).click();
    await page.getByRole('heading', { level: 1 }).getByText(name).waitFor();
  });

  test('a file whose language cannot be detected is sent with one click on a language', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file&to=["de"]');
    await page.getByLabel('files to translate').setInputFiles(txt('short.txt', 'Hello'));
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    const question = page.getByRole('alert');
    await question.getByText('The source language could not be detected. Select it.').waitFor();
    await question.getByRole('button', { name: 'English' }).click();
    await page.getByText('1 of 1 done').waitFor();
  });
});
