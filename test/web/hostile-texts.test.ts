import { describe, expect, test } from 'vitest';
import { type Person as Account, found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { allHostile, harmOn, hostileTexts, refusedUnits } from './hostile.ts';
import { field, opened, patient } from './reviewing.ts';
import { follow, openRequests, sessionCookie, settled } from './screens.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', STORAGE_BINDING_ENABLED: 'true' } });
const browser = useBrowser(app);

/** Creates a workspace, and opens a browser in which its creator is signed in. */
async function signedIn(at = '/app') {
  const me = await found(app);
  const { page, context } = await browser.person('/about', { locale: 'en' });
  await context.addCookies([await sessionCookie(app, me)]);
  await page.goto(at);
  await page.locator('main h1').waitFor();
  return { me, page };
}

/** Submits jobs with the texts in each field of a request. @returns the IDs of the jobs */
async function submitAll({ key: headers }: Account, isHeld: boolean): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, text] of hostileTexts.entries()) {
    const short = text.slice(0, 1000);
    const { status, body } = await app.json('POST', '/api/translations', {
      headers,
      body: {
        source_text: text,
        target_lang: index % 2 ? 'ar' : 'de',
        domain: short,
        tone: short,
        gender: short,
        metadata: { note: short, [short]: short, ...(isHeld && { sensitive: true }) },
      },
    });
    expect([text.slice(0, 60), status]).toEqual([text.slice(0, 60), 200]);
    ids.push(body.id);
  }
  return ids;
}

const excerpts = hostileTexts.map((text) => text.slice(0, 300));

describe.skipIf(withoutBrowser)('30 hostile texts are shown as text', () => {
  test('at home, in the list, and each as a job with its review', async () => {
    const { me, page } = await signedIn();
    const asked = openRequests(page);
    const ids = await submitAll(me, true);
    for (const [index, job_id] of ids.entries()) {
      const notes = hostileTexts[index]?.slice(0, 1000);
      const review = { action: index % 2 ? 'reject' : 'save', notes };
      const path = `/api/translations/${job_id}/review`;
      const { status } = await app.json('POST', path, { headers: me.bearer, body: review });
      expect(status).toBe(200);
    }
    const faults: string[] = [];
    for (const address of ['/app/texts', '/app']) {
      await follow(page, address);
      await settled(page, asked);
      const texts = address === '/app/texts' ? excerpts : [];
      faults.push(...(await harmOn(page, texts)).map((fault) => `${address}: ${fault}`));
    }
    for (const [index, id] of ids.entries()) {
      await page.evaluate((to) => history.pushState({}, '', to), `/jobs/${id}`);
      await page.locator('main').getByText(id, { exact: true }).waitFor();
      faults.push(...(await harmOn(page, [hostileTexts[index] as string], [320])));
    }
    expect(faults).toEqual([]);
  });

  test('in the review: in the queue, in the source, in the field, and as a difference', async () => {
    const { me, page } = await signedIn();
    await submitAll(me, true);
    const faults: string[] = [];
    await page.goto('/app/edit/texts');
    for (const [index, text] of hostileTexts.entries()) {
      await opened(page, text.slice(0, 1000));
      // The translation contains the source text, and differs from it.
      await field(page).fill(`${hostileTexts.at(index - 2)} ${text}`);
      if (index % 5 === 0 || text.includes('\u2069')) faults.push(...(await harmOn(page, [text])));
      await page.keyboard.press('Alt+ArrowDown');
    }
    expect(faults).toEqual([]);
  });

  test('in every field of a form', async () => {
    const { me, page } = await signedIn();
    await submitAll(me, false);
    const faults: string[] = [];
    for (const address of [
      '/app/translate?from=en&to=["de"]',
      '/app/texts',
      '/app/translate?kind=batch&from=en&to=["de"]',
      '/app/edit/texts',
      '/app/settings/members',
      '/app/settings/security',
      '/app/settings/audit',
      '/app/settings/storage',
      '/app/glossaries',
      '/app/memories',
      '/app/concordance?from=en&to=fr',
    ]) {
      await follow(page, address);
      await settled(page, openRequests(page));
      await page.evaluate(() => {
        for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
      });
      const fields = page.locator(
        'main :is(input:not([type]), input[type=text], input[type=search], input[type=url], input[type=email], input[type=password], textarea):visible',
      );
      // A field may disappear when another one is submitted.
      for (let n = 0; n < (await fields.count()); n += 1) {
        const one = fields.nth(n);
        if (!(await one.isEditable({ timeout: 2000 }).catch(() => false))) continue;
        await one.fill(allHostile.slice(0, Number((await one.getAttribute('maxlength')) ?? 5000)));
        await one.press('Enter');
      }
      faults.push(...(await harmOn(page)).map((fault) => `${address}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  test('from a form; and text that cannot be stored is rejected at its field', async () => {
    const { page } = await signedIn('/app/translate?from=en&to=["de"]');
    const text = page.getByLabel('Text to translate');
    const submit = page.getByRole('button', { name: 'Translate', exact: true });
    for (const sent of [allHostile, hostileTexts.at(-1) as string]) {
      await text.fill(sent);
      await submit.click();
      const result = page.getByRole('article').locator('p[lang=de]');
      // A text field normalizes line ends.
      await expect.poll(() => result.textContent(), patient).toBe(`[de] ${sent.replaceAll('\r\n', '\n')}`);
      expect(await harmOn(page)).toEqual([]);
    }
    for (const unit of refusedUnits) {
      await text.fill('');
      // The browser driver cannot transmit this character.
      await text.evaluate((_, code) => {
        document.execCommand('insertText', false, `before ${String.fromCharCode(code)} after`);
      }, unit);
      await submit.click();
      await page.getByText('must not contain').first().waitFor();
      expect(await text.getAttribute('aria-invalid')).toBe('true');
      await text.fill('Hello');
      await submit.click();
      await expect.poll(() => text.getAttribute('aria-invalid'), patient).toBe('false');
    }
  });

  test('as the name of a file', async () => {
    const { page } = await signedIn('/app/translate?kind=file&from=en&to=["de"]');
    await page.getByLabel('files to translate').setInputFiles({
      name: '<img src=x onerror=window.harmed=true> \u2069\u202e.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Hello'),
    });
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await page.getByText('1 of 1 done').waitFor();
    await page.getByText('1 page').click();
    await page.getByText('[de] Hello').waitFor();
    expect(await harmOn(page)).toEqual([]);
  });
});
