import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import {
  addDocument,
  addGlossary,
  env,
  type Fields,
  found,
  join,
  type Person,
  submit,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { callAt } from '../translations/workplace/reviewers.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';
import { choose, command } from './kit.ts';
import { field, memberAt, patient, said } from './reviewing.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);

const call = async (person: Person, path: string, input: Fields = {}) => {
  const { status, body } = await callAt(app, path, input, person.bearer);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** A workspace with an administrator, a reviewer of French with a display name, and two texts that await review. */
async function team() {
  const founder = await found(app);
  const mira = await join(app, founder);
  const languages = [{ source_lang: '*', target_lang: 'fr', review: true, second: true }];
  await call(founder, 'assignments.saveProfile', {
    ...{ user_id: mira.userId, display_name: 'Mira Vogel', languages },
  });
  const jobs: string[] = [];
  for (const source_text of ['One', 'Two'])
    jobs.push(await submit(app, founder, { source_text, domain: 'legal' }));
  return { founder, mira, jobs };
}

describe.skipIf(withoutBrowser)('screens of a team', () => {
  test('members have their display name above the email address in reports', async () => {
    const { founder, mira, jobs } = await team();
    await app.json('POST', `/api/translations/${jobs[0]}/review`, {
      ...{ headers: mira.bearer, body: { action: 'approve' } },
    });
    const { page } = await memberAt(browser, founder, '/app/reports');
    const row = page.getByRole('row').filter({ hasText: mira.email });
    await row.filter({ hasText: 'Mira Vogel' }).first().waitFor();
    await expectAccessible(page);
  });

  test('the texts of one assignee are shown, and those of no one', async () => {
    const { founder, mira, jobs } = await team();
    const items = [{ kind: 'job', id: jobs[1] }];
    await call(founder, 'assignments.assign', { items, assignee: mira.userId });
    const { page } = await memberAt(browser, founder, '/app/edit/texts');
    const source = (text: string) => page.getByRole('row').getByText(text, { exact: true });
    for (const [option, shown, hidden] of [
      ['Mira Vogel', 'Two', 'One'],
      ['Unassigned', 'One', 'Two'],
    ] as const) {
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Assigned to').selectOption(option);
      await page.keyboard.press('Escape');
      await source(shown).waitFor();
      await expect.poll(() => source(hidden).count(), patient).toBe(0);
    }
  });

  test('a rule by glossary and size is saved', async () => {
    const { founder } = await team();
    const glossary = await addGlossary(app, founder, { name: 'Lease terms' });
    const { page } = await memberAt(browser, founder, '/app/settings/members');
    const rules = page.getByRole('region', { name: 'Automatic assignment' });
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    for (const condition of ['Glossary', 'At least, in words', 'At most, in words'])
      await command(rules, 'Add a condition', condition);
    await choose(rules, 'Glossary', 'Lease terms');
    await rules.getByRole('spinbutton', { name: 'At least, in words' }).fill('1000');
    await rules.getByRole('spinbutton', { name: 'At most, in words' }).fill('5000');
    await rules.getByRole('button', { name: 'Save the rules' }).click();
    await said(page, 'Rules saved.');
    const stored = { min_words: 1000, max_words: 5000, glossary };
    expect((await call(founder, 'assignments.rules')).rules).toMatchObject([stored]);
    await expectAccessible(page);
  });

  test('a file with the name of an earlier one is a new version that keeps unchanged translations', async () => {
    const founder = await found(app);
    const earlier = await addDocument(app, founder, {
      source_document: workbookFile(['Hello', 'Two'], 'lease.xlsx'),
    });
    const { page } = await memberAt(browser, founder, '/app/translate?kind=file&from=en&to=%5B%22fr%22%5D');
    const buffer = Buffer.from(await workbookFile(['Hello', 'Three'], 'lease.xlsx').arrayBuffer());
    await page
      .getByLabel('files to translate')
      .setInputFiles({ name: 'lease.xlsx', mimeType: 'application/octet-stream', buffer });
    await page.getByRole('radio', { name: 'New version of lease.xlsx' }).waitFor();
    await page.getByText('French: 1 of 2 segments are unchanged.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Translate/ }).click();
    const files = async () =>
      (await app.json('GET', '/api/documents?limit=10', { headers: founder.bearer })).body;
    await expect
      .poll(async () => JSON.stringify(await files()), patient)
      .toContain(`"update_of":"${earlier}"`);
  });

  test('on a phone, a misspelled word is marked and corrected by touch', async () => {
    const { page } = await openDocument(app, browser, ['Hello', 'Two'], {
      targetLang: 'nl',
      before: (narrow) => narrow.setViewportSize({ width: 390, height: 844 }),
    });
    const marked = page.locator('[class*=misspelled]');
    await field(page).fill('Het beginnt nu');
    await expect.poll(() => marked.allTextContents(), { timeout: 30_000 }).toEqual(['beginnt']);
    await field(page).click({ position: { x: 60, y: 14 } });
    const bar = page.getByRole('toolbar', { name: 'Suggestions for “beginnt”' });
    await bar.waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await bar.getByRole('button').first().click();
    await expect.poll(() => field(page).inputValue(), patient).toBe('Het begint nu');
  });
});
