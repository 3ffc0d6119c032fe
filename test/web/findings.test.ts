import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { violationsOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, opened } from './document-editor.ts';
import { field, patient } from './reviewing.ts';

const wrongDay: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation: 'The rent is due at the start of the month.',
  suggestion: null,
};

const engine = engineOf(
  async ({ segments }) =>
    answered(segments.map((text) => (text.includes('rent') ? 'Le loyer est dû' : 'Deux'))),
  {
    assessEach: async ({ segments }) =>
      answered(
        segments.map((text) => ({
          score: 95,
          issues: text.includes('rent') ? [wrongDay] : [],
          summary: 'judged',
        })),
      ),
  },
);
const app = useTestApp({ env: { ...env, AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a finding of the model', { timeout: 120_000 }, () => {
  test('stays after an edit, is resolved by keyboard with a reason, and then lets the segment be confirmed', async () => {
    const { page, segments } = await openDocument(app, browser, ['The rent is due.', 'Two']);
    await opened(page, 1);
    await page.keyboard.press('End');
    await page.keyboard.type('.');
    await page.getByText(/Saved \d/).waitFor();
    await page.getByText('Not rechecked').waitFor();
    await page.getByRole('button', { name: 'Critical 1' }).waitFor();
    expect(await page.getByRole('button', { name: 'Check again' }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Resolve' }).press('Enter');
    const fixed = page.getByRole('radio', { name: 'Fixed' });
    await expect
      .poll(() => fixed.evaluate((element) => element === document.activeElement), patient)
      .toBe(true);
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('It names the right day now.');
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('It names the right day now.').waitFor();
    expect((await segments())[0]).toMatchObject({
      quality: { issues: [{ status: 'fixed' }], needs_review: false },
    });
    await field(page).press('Control+Enter');
    await opened(page, 2);
    await expect.poll(async () => (await segments())[0]?.confirmed_at, patient).not.toBeNull();
  });
});
