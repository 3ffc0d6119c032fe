import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, addGlossary, env, found, join, type Person, submit } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { judgingEngine } from '../reviews/judging-engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt, patient } from './reviewing.ts';

const app = useTestApp({ env, engine: judgingEngine() });
const browser = useBrowser(app);

const call = (person: Person, path: string, input: Record<string, unknown>) =>
  viaRpc(app, { path, type: 'mutation' }, { input, headers: person.bearer });

const file = (person: Person, name: string, cells: string[], fields = {}) =>
  addDocument(app, person, { source_document: workbookFile(cells, name), ...fields });

/** A workspace with two documents and two groups of texts: critical, a warning, and two that a rule holds. */
async function withTasks() {
  const founder = await found(app);
  const lease = await file(founder, 'lease.xlsx', ['wrong', 'plain'], { domain: 'legal' });
  await file(founder, 'prices.xlsx', ['doubtful', 'plain'], { target_lang: 'de' });
  await file(founder, 'welcome.xlsx', ['plain']);
  for (const source_text of ['One', 'Two'])
    await submit(app, founder, { source_text, domain: 'legal', metadata: { submitter: 'app@example.org' } });
  return { founder, lease };
}

/** The names of the tasks, by section. */
const tasksOn = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main section')]
      .filter((section) => section.querySelector('li a'))
      .map((section) => [
        section.querySelector('h2')?.textContent,
        ...[...section.querySelectorAll('li a')].map(({ textContent }) => textContent),
      ]),
  );

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

describe.skipIf(withoutBrowser)('the inbox', () => {
  test('lists tasks by severity, and opens the first one', async () => {
    const { founder, lease } = await withTasks();
    const { page } = await memberAt(browser, founder, '/app');
    await heading(page, 'Blocked by critical findings 1');
    expect(await tasksOn(page)).toEqual([
      ['Blocked by critical findings 1', 'lease.xlsx'],
      ['Warnings to check 1', 'prices.xlsx'],
      ['Held by a rule 2', 'welcome.xlsx', '2 texts'],
    ]);
    const row = page.getByRole('listitem').filter({ hasText: 'lease.xlsx' });
    for (const text of ['legal', '0 of 2', '1 critical', 'English to French', 'No one'])
      await row.getByText(text).waitFor();
    const group = page.getByRole('listitem').filter({ hasText: '2 texts' });
    for (const text of ['from app@example.org', '2 to review', 'Review required'])
      await group.getByText(text).waitFor();
    await page.getByText('4 tasks').waitFor();
    // The navigation counts tasks, too: five texts and files await review.
    await page.getByRole('link', { name: 'Inbox 4 Awaiting review' }).waitFor();
    await page.getByRole('link', { name: 'Open next' }).click();
    await page.waitForURL(`**/app/edit/documents/${lease}`);
    await page.goBack();
    await page.getByRole('link', { name: '2 texts' }).click();
    await page.waitForURL('**/app/edit/texts?source=en&target=fr&domain=*&submitter=*&item=*');
  });

  test('works by keyboard: a key opens the next task, others move from task to task', async () => {
    const { founder, lease } = await withTasks();
    const { page } = await memberAt(browser, founder, '/app');
    await heading(page, 'Held by a rule 2');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (const [key, name] of [
      ['j', 'lease.xlsx'],
      ['j', 'prices.xlsx'],
      ['j', 'welcome.xlsx'],
      ['k', 'prices.xlsx'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(name);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/edit/documents/*');
    await page.goBack();
    await heading(page, 'Held by a rule 2');
    await page.keyboard.press('g');
    await page.waitForURL(`**/app/edit/documents/${lease}`);
  });

  test('filters by assignee, due date and languages: an assigned file is not unassigned; the filter stays after a reload', async () => {
    const { founder, lease } = await withTasks();
    const colleague = await join(app, founder);
    const languages = [{ source_lang: '*', target_lang: 'fr', review: true, second: true }];
    const profile = { user_id: colleague.userId, display_name: 'Mira Vogel', languages };
    await call(founder, 'assignments.saveProfile', profile);
    await call(founder, 'assignments.assign', {
      items: [{ kind: 'document', id: lease }],
      ...{ assignee: colleague.userId, due_at: '2020-01-01T08:00:00Z' },
    });
    const { page } = await memberAt(browser, founder, '/app');
    const chip = (name: string) => page.getByRole('button', { name, exact: true });
    await chip('Everything 4').waitFor();
    await chip('Mine 0').click();
    await page.getByText('No tasks match these filters.').waitFor();
    await page.getByRole('link', { name: 'Show everything' }).click();
    await chip('Overdue 1').click();
    await expect.poll(() => tasksOn(page)).toEqual([['Blocked by critical findings 1', 'lease.xlsx']]);
    await chip('Unassigned 3').click();
    await heading(page, 'Warnings to check 1');
    expect((await tasksOn(page)).flat()).not.toContain('lease.xlsx');
    await page.getByLabel('Assigned to').selectOption('Mira Vogel');
    await chip('Unassigned 0').waitFor();
    await page.getByLabel('Assigned to').selectOption('All members');
    await page.getByLabel('Languages').selectOption('English → German');
    await chip('Everything 1').waitFor();
    await page.reload();
    await heading(page, 'Warnings to check 1');
    expect(await tasksOn(page)).toEqual([['Warnings to check 1', 'prices.xlsx']]);
    expect(await chip('Unassigned 1').getAttribute('aria-pressed')).toBe('true');
  });

  test('shows comments that mention the member', async () => {
    const { founder, lease } = await withTasks();
    const colleague = await join(app, founder);
    const { status } = await call(colleague, 'reviews.comment', {
      kind: 'document',
      id: lease,
      position: 0,
      body: 'Is this the right tense?',
      mentions: [founder.userId],
    });
    expect(status).toBe(200);
    const { page } = await memberAt(browser, founder, '/app');
    const mentions = page.getByRole('region', { name: 'Mentions' });
    await mentions.getByText('Is this the right tense?').waitFor();
    await mentions.getByText(colleague.email).waitFor();
    await mentions.getByRole('link', { name: 'lease.xlsx' }).click();
    await page.waitForURL(`**/app/edit/documents/${lease}`);
  });

  test('without tasks, shows the first steps and which of them are done', async () => {
    const founder = await found(app);
    const { page } = await memberAt(browser, founder, '/app');
    await heading(page, 'Nothing to review');
    const step = (name: string) => page.getByRole('main').getByRole('link', { name });
    const isDone = async (name: string) => (await step(name).textContent())?.includes('Done');
    for (const [name, path] of [
      ['Translate a file', '/app/translate?kind=file'],
      ['Import a glossary', '/app/glossaries'],
      ['Invite a colleague', '/app/settings/members'],
      ['Connect a model', '/docs/guides/engines'],
    ] as const)
      expect([await isDone(name), await step(name).getAttribute('href')]).toEqual([false, path]);
    expect((await app.request('/docs/guides/engines')).status).toBe(200);
    await addGlossary(app, founder);
    const colleague = await join(app, founder);
    await page.reload();
    await expect.poll(() => isDone('Import a glossary'), patient).toBe(true);
    expect(await isDone('Invite a colleague')).toBe(true);
    expect(await isDone('Translate a file')).toBe(false);
    // Only administrators can invite.
    const { page: theirs } = await memberAt(browser, colleague, '/app');
    await expect.poll(() => theirs.getByRole('main').getByRole('listitem').count(), patient).toBe(3);
  });
});
