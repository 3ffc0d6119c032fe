import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { useTestApp } from '#test/setup/app.ts';
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
});

describe.skipIf(withoutBrowser)('a text file', () => {
  test('shows the effect on the layout and the failed page, and resumes', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    // A page has at most 5,000 characters.
    const pages = ['First page. '.repeat(410), 'A broken page. '.repeat(327), 'Last page. '.repeat(20)];
    await page.getByLabel('File to translate').setInputFiles({
      name: 'three pages.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(pages.join('\n\n')),
    });
    await page.getByText('The text is extracted and translated page by page.').waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();

    const results = page.getByRole('region', { name: 'Results' });
    const failed = results.getByRole('listitem').filter({ hasText: 'the model could not be reached' });
    await failed.getByText('A broken page.').waitFor();
    await results.getByText('1 of 3 done').waitFor();
    const before = await jobsOf(apiKey);
    expect(before).toHaveLength(2);
    model.mend();
    await failed.getByRole('button', { name: 'Resume' }).click();
    await results.getByText('3 of 3 done').waitFor();
    await results.getByText('[de] Last page.').waitFor();
    const after = await jobsOf(apiKey);
    expect(after).toHaveLength(3);
    const ids = after.map(({ id }: { id: string }) => id);
    for (const { id } of before) expect(ids).toContain(id);
  });

  test('a Word file keeps its layout unless only its text is selected, and both are shown before sending', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    await page.getByLabel('File to translate').setInputFiles({
      name: 'letter.docx',
      mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      buffer: Buffer.from('no Word file'),
    });
    await page.getByText('The file is translated as a document and keeps its layout.').waitFor();
    await page.getByLabel('Text only').check();
    await page.getByText('The layout is lost.').waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByRole('alert').getByText('source_document').waitFor();
    await page.getByLabel('File to translate').setInputFiles({
      name: 'program.exe',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('MZ'),
    });
    await page.getByText('Unsupported file type.').waitFor();
  });

  test('shows the upload progress of a document, and links to it', async () => {
    const { page, context } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["de"]');
    const { name, type } = corpusDocument('docx/two-columns-headers.docx');
    const file = corpusFile('docx/two-columns-headers.docx');
    await page.getByLabel('File to translate').setInputFiles({ name, mimeType: type, buffer: file });
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const uploadThroughput = file.length / 3;
    const rest = { offline: false, latency: 0, downloadThroughput: -1 };
    await network.send('Network.emulateNetworkConditions', { ...rest, uploadThroughput });
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    const bar = page.getByRole('progressbar', { name: 'Uploading…' });
    await expect
      .poll(() => bar.evaluate((element) => (element as HTMLProgressElement).value), { interval: 20 })
      .toSatisfy((sent: number) => sent > 0 && sent < 1);
    await page.getByRole('link', { name: 'Open document' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  });
});
