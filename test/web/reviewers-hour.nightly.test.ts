import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#sdk/types.ts';
import { env, found, type Person } from '#test/factories.ts';
import { paragraph, run, wordFile } from '#test/formats/docx-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { opened } from './document-editor.ts';
import { sendDocument } from './document-files.ts';
import { field, patient, said } from './reviewing.ts';
import { sessionCookie } from './screens.ts';

const segmentCount = 60;

/** Each sixth text has an amount, which the engine translates wrongly. */
const isCritical = (index: number) => index % 6 === 5;
const amountOf = (index: number) => `${1200 + 13 * index}`;
const sourceOf = (index: number) =>
  isCritical(index)
    ? `${amountOf(index)} euros are due on delivery.`
    : `The parties agree on ${words[index]}.`;
/** Texts without digits differ in letters. */
const words = Array.from(
  { length: segmentCount },
  (_, n) => `matter ${String.fromCharCode(97 + (n % 26))}${'x'.repeat(n / 26)}`,
);
const criticals = words.keys().filter(isCritical).toArray();

const wrongAmount: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation: 'The amount is wrong.',
  suggestion: null,
};
const judgementOf = (issues: QualityIssue[]) => ({
  score: issues.length ? 40 : 95,
  issues,
  summary: 'judged',
});

const engine = engineOf(
  async ({ segments }) =>
    answered(
      segments.map((text) =>
        text.includes('euros')
          ? '9 euros sont dus à la livraison.'
          : text.replace('The parties agree on', 'Les parties conviennent de'),
      ),
    ),
  {
    assessEach: async ({ segments }) =>
      answered(segments.map((text) => judgementOf(text.includes('euros') ? [wrongAmount] : []))),
  },
);
const app = useTestApp({ env: { ...env, AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const browser = useBrowser(app);

/** A keyboard that counts its keys. */
function countedKeys(page: Page) {
  let count = 0;
  return {
    count: () => count,
    async press(key: string, times = 1) {
      for (let n = 0; n < times; n++) await page.keyboard.press(key);
      count += times;
    },
    async type(text: string) {
      await page.keyboard.type(text);
      count += text.length;
    },
    /** Replaces the wrong amount at the start of the open translation. */
    async fixAmount(index: number) {
      await this.press('Control+Home');
      await this.press('Control+Shift+ArrowRight');
      await this.type(amountOf(index));
    },
  };
}

/** A document of 60 paragraphs, ten of them with a critical finding, and a page in which its reviewer is signed in. */
async function contract() {
  const founder: Person = await found(app);
  const body = words.map((_, index) => paragraph(run(sourceOf(index)))).join('');
  const apiKey = founder.key['x-api-key'] as string;
  const id = await sendDocument(app, { apiKey }, new File([new Uint8Array(wordFile(body))], 'Contract.docx'));
  const segments = async (): Promise<{ target_text: string; confirmed_at: string | null }[]> =>
    (await app.json('GET', `/api/documents/${id}/segments?limit=100`, { headers: founder.key })).body
      .segments;
  expect((await segments()).length).toBe(segmentCount);
  const { page, context } = await browser.person('/about', { viewport: { width: 1440, height: 900 } });
  await context.addCookies([await sessionCookie(app, founder)]);
  return {
    page,
    id,
    founder,
    segments,
    confirmed: async () =>
      (await segments()).flatMap(({ confirmed_at }, index) => (confirmed_at === null ? [] : [index])),
  };
}

/** Presses Tab until an element that matches the selector has the focus. */
async function tabTo(page: Page, keys: ReturnType<typeof countedKeys>, selector: string): Promise<void> {
  for (let n = 0; n < 30; n++) {
    await keys.press('Tab');
    if (await page.locator(selector).and(page.locator(':focus')).count()) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}

const tell = (what: string, keys: number, milliseconds: number) =>
  console.log(
    `${what}: ${(keys / segmentCount).toFixed(1)} keys and ${(milliseconds / segmentCount / 1000).toFixed(2)} s per segment`,
  );

describe.skipIf(withoutBrowser)('a reviewer of 60 segments, ten of them critical', () => {
  test('in the editor: decides by keyboard only, takes each decision back, and publishes no critical segment in bulk', {
    timeout: 180_000,
  }, async () => {
    const { page, id, founder, segments, confirmed } = await contract();
    const keys = countedKeys(page);
    await page.goto(`/app/edit/documents/${id}`);
    await opened(page, 1);

    // In bulk, only segments without findings are confirmed, and the file is not approved.
    await page.getByRole('button', { name: 'Approve all…' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('10 critical segments stay open').waitFor();
    await dialog.getByRole('button', { name: 'Confirm 50 segments', disabled: false }).press('Enter');
    await expect.poll(async () => (await confirmed()).length, patient).toBe(50);
    expect((await confirmed()).filter(isCritical)).toEqual([]);
    const { body: document } = await app.json('GET', `/api/documents/${id}`, { headers: founder.key });
    expect(document.approved_at).toBeNull();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await said(page, 'Undone: 50 segments.');
    expect(await confirmed()).toEqual([]);

    // Each segment by keyboard: critical ones are not confirmed before they are correct.
    await page.reload();
    await opened(page, 1);
    const begun = performance.now();
    for (let index = 0; index < segmentCount; index++) {
      await opened(page, index + 1);
      await keys.press('Control+Enter');
      if (!isCritical(index)) continue;
      await page.getByText('Not confirmed.').waitFor();
      await field(page).focus();
      if (index !== criticals[1]) {
        await keys.fixAmount(index);
        await page.getByText('Not confirmed.').waitFor({ state: 'detached' });
        await keys.press('Control+Enter');
        await page.getByText('Not confirmed.').waitFor();
        await field(page).focus();
      }
      // The model's finding stays when the text changes, so it is overruled with a reason.
      await tabTo(page, keys, 'input[type=radio]');
      await keys.press('Space');
      await keys.press('Tab');
      await keys.type('The client changed it.');
      await keys.press('Control+Shift+Enter');
    }
    await page.getByText('60 of 60').waitFor();
    tell('editor', keys.count(), performance.now() - begun);
    await expect.poll(async () => (await confirmed()).length, patient).toBe(segmentCount);
    expect((await segments())[5]?.target_text).toBe(`${amountOf(5)} euros sont dus à la livraison.`);

    // Undo reverts each decision once, and redo repeats the first ones.
    await page.keyboard.press('Escape');
    for (let left = segmentCount - 1; left >= 0; left--) {
      await page.keyboard.press('Control+z');
      await page.getByText(`${left} of 60`, { exact: true }).waitFor();
    }
    expect(await confirmed()).toEqual([]);
    for (let done = 1; done <= 3; done++) {
      await page.keyboard.press('Control+Shift+z');
      await page.getByText(`${done} of 60`, { exact: true }).waitFor();
    }
    expect(await confirmed()).toEqual([0, 1, 2]);
  });
});
