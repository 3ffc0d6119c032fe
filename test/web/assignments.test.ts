import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, type Fields, found, join, type Person, submit } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { callAt } from '../translations/workplace/reviewers.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { choose } from './kit.ts';
import { field, memberAt, patient, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);

const call = async (person: Person, path: string, input: Fields = {}) => {
  const { status, body } = await callAt(app, path, input, person.bearer);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const french = () => ({
  languages: [{ source_lang: '*', target_lang: 'fr', review: true, second: true }],
});
const named = (as: Person, display_name: string, fields: Fields, by: Person) =>
  call(by, 'assignments.saveProfile', { user_id: as.userId, display_name, ...fields });
const file = (person: Person, name: string, fields: Fields = {}) =>
  addDocument(app, person, { source_document: workbookFile(['Hello'], name), ...fields });
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const dialog = (page: Page) => page.getByRole('dialog');
const assignmentsOf = async (as: Person, ...ids: string[]) => {
  const items = ids.map((id) => ({ kind: 'document', id }));
  return (await call(as, 'assignments.list', { items })).items;
};

/** Expects that the open text cannot be edited, rejected or confirmed. */
async function expectReadOnly(page: Page): Promise<void> {
  expect(await field(page).isEditable()).toBe(false);
  expect(await page.getByRole('button', { name: 'Reject', exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: /^Confirm / }).isDisabled()).toBe(true);
}

/** A workspace with an administrator and two members who review French: Mira and Lenna. */
async function team() {
  const founder = await found(app);
  const [mira, lenna] = [await join(app, founder), await join(app, founder)];
  await named(mira, 'Mira', french(), founder);
  await named(lenna, 'Lenna', french(), founder);
  return { founder, mira, lenna };
}

describe.skipIf(withoutBrowser)('assignments', () => {
  test('an administrator assigns a file to two reviewers; the first passes it on, and the second approves it', async () => {
    const { founder, mira, lenna } = await team();
    const id = await file(founder, 'lease.xlsx');
    const { page } = await memberAt(browser, founder, '/app');
    await page.getByRole('checkbox', { name: 'Select lease.xlsx' }).check();
    await page.keyboard.press('a');
    await dialog(page).getByLabel('First review').selectOption({ label: 'Mira' });
    // The second reviewer is another member.
    const second = dialog(page).getByLabel('Second review');
    expect(await second.locator('option:enabled').allTextContents()).not.toContain('Mira');
    await second.selectOption({ label: 'Lenna' });
    await dialog(page).getByLabel('Due date').fill('2099-12-03T17:00');
    await dialog(page).getByLabel('Comment').fill('Mind the names.');
    await expectAccessible(page);
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 translation assigned.').waitFor();
    await row(page, 'lease.xlsx').getByText('then').waitFor();
    expect((await assignmentsOf(founder, id))[0]).toMatchObject({
      ...{
        assignee: { user_id: mira.userId },
        second: { user_id: lenna.userId },
        comment: 'Mind the names.',
      },
      due_at: new Date('2099-12-03T17:00').toISOString(),
    });

    await page.goto('/app/files');
    await row(page, 'French').getByText('Mira').waitFor({ state: 'attached' });

    // It is in the work of the first reviewer; the second one sees that it is not open yet.
    const { page: theirs } = await memberAt(browser, lenna, '/app');
    await theirs.getByRole('heading', { name: 'Awaiting the first review 1' }).waitFor();
    const { page: first } = await memberAt(browser, mira, '/app');
    await first.getByRole('heading', { name: 'Due later 1' }).waitFor();
    await row(first, 'lease.xlsx').getByText('Mind the names.').waitFor();
    await expectAccessible(first);
    await first.getByRole('link', { name: 'lease.xlsx' }).click();
    await first.getByText('Needs a second review (four eyes) by').waitFor();
    await first.getByRole('button', { name: 'Pass to second review' }).click();
    await dialog(first).getByLabel('Comment').fill('Title checked.');
    await dialog(first).getByRole('button', { name: 'Pass to second review' }).click();
    await first.getByText('Awaits the second review by').waitFor();
    expect(await first.getByRole('button', { name: 'Pass back' }).count()).toBe(0);
    // A segment that a colleague has open is not confirmed together with others.
    await first.locator('#main a[href="/app"]').first().click();
    await first.getByText('Nothing is assigned to you.').waitFor();

    await theirs.reload();
    await theirs.getByRole('link', { name: 'lease.xlsx' }).click();
    await theirs.getByText('Your second review (four eyes)').waitFor();
    await theirs.getByText('Mira: Title checked.').waitFor();
    await expectAccessible(theirs);
    await theirs.getByRole('button', { name: 'Approve all' }).click();
    await theirs.getByRole('button', { name: 'Approve the file' }).click();
    await expect.poll(() => assignmentsOf(founder, id), patient).toEqual([]);
  });

  test('the approval of the first reviewer passes the file on, and the second one passes it back', async () => {
    const { founder, mira, lenna } = await team();
    const id = await file(founder, 'lease.xlsx');
    const items = [{ kind: 'document', id }];
    await call(founder, 'assignments.assign', { items, assignee: mira.userId, second: lenna.userId });
    const { page: first } = await memberAt(browser, mira, `/app/edit/documents/${id}`);
    await first.getByRole('button', { name: 'Approve all' }).click();
    await first.getByText('Then the file goes to the second review (four eyes).').waitFor();
    await first.getByRole('button', { name: 'Confirm and pass to second review' }).click();
    await first.getByText('Awaits the second review by').waitFor();
    const { page: second } = await memberAt(browser, lenna, `/app/edit/documents/${id}`);
    await second.getByRole('button', { name: 'Pass back' }).click();
    await dialog(second).getByRole('button', { name: 'Pass back' }).click();
    await second.getByText('Assigned to').waitFor();
    expect((await assignmentsOf(founder, id))[0]).toMatchObject({
      step: 'first',
      assignee: { name: 'Mira' },
    });
  });

  test('a member takes an unassigned item, and can undo it; someone else may be faster', async () => {
    const { founder, mira, lenna } = await team();
    const ids = [await file(founder, 'one.xlsx'), await file(founder, 'other.xlsx')] as const;
    // It is not in the languages of the member.
    await file(founder, 'german.xlsx', { target_lang: 'de' });
    const { page } = await memberAt(browser, mira, '/app');
    await page.getByRole('heading', { name: 'Unassigned, in your languages 2' }).waitFor();
    await row(page, 'one.xlsx').getByRole('button', { name: 'Take it' }).click();
    await page.getByRole('heading', { name: 'No due date 1' }).waitFor();
    expect((await assignmentsOf(mira, ids[0]))[0].assignee).toMatchObject({ name: 'Mira' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Unassigned, in your languages 2' }).waitFor();
    expect((await assignmentsOf(mira, ids[0]))[0].assignee).toBeNull();
    const items = [{ kind: 'document', id: ids[1] }];
    await call(lenna, 'assignments.assign', { items, assignee: lenna.userId });
    await row(page, 'other.xlsx').getByRole('button', { name: 'Take it' }).click();
    await page.getByText('Now assigned to').waitFor();
    expect((await assignmentsOf(mira, ids[1]))[0].assignee).toMatchObject({ name: 'Lenna' });
  });

  test('a task of five texts opens these five, and "all" means them: a text that arrives later is not part of it', async () => {
    const { founder, mira, lenna } = await team();
    const jobs = await waitingJobs(app, founder.key, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
    const assign = (from: number, to: number, fields: Fields) => {
      const items = jobs.slice(from, to).map(({ id }) => ({ kind: 'job', id }));
      return call(founder, 'assignments.assign', { items, ...fields });
    };
    const due_at = '2099-12-03T17:00:00.000Z';
    await assign(0, 5, { assignee: mira.userId, due_at });
    await assign(5, 6, { assignee: mira.userId });
    await assign(6, 7, { assignee: lenna.userId, due_at });
    await assign(7, 8, { assignee: mira.userId, second: lenna.userId, due_at });
    const { page } = await memberAt(browser, mira, '/app');
    await page.getByRole('link', { name: '5 texts', exact: true }).click();
    await page.getByRole('heading', { name: '5 texts', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve all 5 texts…' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: One assignment' }).waitFor();
    await page.getByRole('button', { name: 'Reject all 5 texts…' }).click();
    const asked = dialog(page).filter({ hasText: 'Reject 5 translations' });
    await asked.waitFor();
    // The list behind the dialog grows.
    await assign(8, 9, { assignee: mira.userId, due_at });
    await page.getByRole('heading', { name: '6 texts', exact: true }).waitFor({ timeout: 40_000 });
    await asked.getByRole('textbox').fill('Not what was asked for.');
    await page.keyboard.press('Control+Enter');
    const statuses = async () =>
      Promise.all(
        jobs.map(async ({ id }) => {
          const { body } = await app.json('GET', `/api/translations/${id}`, { headers: founder.key });
          return body.status;
        }),
      );
    const [gone, stays] = ['rejected', 'awaiting_review'];
    await expect
      .poll(statuses, patient)
      .toEqual([...Array.from({ length: 5 }, () => gone), stays, stays, stays, stays]);
  }, 120_000);

  test('an item that someone else assigned since then stays in the dialog with the new name, and the others are sent', async () => {
    const { founder, lenna } = await team();
    const ids = [await file(founder, 'one.xlsx'), await file(founder, 'other.xlsx')] as const;
    const { page } = await memberAt(browser, founder, '/app?view=members');
    const button = page.getByRole('button', { name: 'Assign the 2 unassigned' });
    await button.click();
    await dialog(page).getByLabel('First review').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    await button.click();
    await dialog(page).getByLabel('First review').selectOption({ label: 'Mira' });
    const items = [{ kind: 'document', id: ids[1] }];
    await call(lenna, 'assignments.assign', { items, assignee: lenna.userId });
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/assignments\.assign/, async (route) => {
      await isAnswered;
      await route.continue();
    });
    await dialog(page).getByRole('button', { name: 'Assign' }).click();
    // Browsers let a page refuse only the first of two Escapes.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    answer();
    await dialog(page).getByRole('alert').getByText('Now assigned to').waitFor();
    const names = async () => (await assignmentsOf(founder, ...ids)).map(({ assignee }: Fields) => assignee);
    expect(await names()).toMatchObject([{ name: 'Mira' }, { name: 'Lenna' }]);
    expect(await dialog(page).getByText('one.xlsx').count()).toBe(0);
    // An administrator who has seen the new name can assign it.
    await dialog(page).getByRole('button', { name: 'Assign' }).click();
    await expect.poll(names, patient).toMatchObject([{ name: 'Mira' }, { name: 'Mira' }]);
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^Mira/ }).getByRole('cell').nth(1).getByText('2').waitFor();
  });

  test('a first reviewer who confirms a text passes it on with the draft; others learn whose turn it is', async () => {
    const { founder, mira, lenna } = await team();
    const id = await submit(app, founder, { domain: 'legal' });
    const items = [{ kind: 'job', id }];
    await call(founder, 'assignments.assign', { items, assignee: mira.userId, second: lenna.userId });
    const { page } = await memberAt(browser, mira, `/app/edit/texts?item=${id}`);
    await page.getByRole('button', { name: 'Pass to second review' }).waitFor();
    await field(page).fill('Bonjour');
    await field(page).press('Control+Enter');
    await page.getByText('Awaits the second review by').waitFor();
    expect((await call(founder, 'assignments.list', { items })).items).toMatchObject([{ step: 'second' }]);
    // The turn is another member's: the text cannot be changed before it is taken over, which only administrators can.
    await page.reload();
    await page.getByText('Awaits the second review by').waitFor();
    await expectReadOnly(page);
    expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    const { page: above } = await memberAt(browser, founder, `/app/edit/texts?item=${id}`);
    await above.getByRole('button', { name: 'Take over' }).waitFor();
    await expectReadOnly(above);
    await expectAccessible(above);
    await above.getByRole('button', { name: 'Take over' }).click();
    await above.getByText('Your second review (four eyes)').waitFor();
    expect(await field(above).isEditable()).toBe(true);
    await call(founder, 'assignments.assign', { items, second: lenna.userId });
    const { page: theirs } = await memberAt(browser, lenna, `/app/edit/texts?item=${id}`);
    await theirs.getByText('Your second review (four eyes)').waitFor();
    expect(await field(theirs).inputValue()).toBe('Bonjour');
    await field(theirs).press('Control+Enter');
    await expect
      .poll(async () => (await call(founder, 'assignments.list', { items })).items, patient)
      .toEqual([]);
  });

  test('an approval of what others have changed since shows the changes, and approves them without a reload', async () => {
    const { founder, mira, lenna } = await team();
    const id = await file(founder, 'lease.xlsx');
    const item = { kind: 'document', id };
    const save = (replaces: string, target_text: string, as: Person) =>
      call(as, 'documents.save', { document_id: id, segments: [{ position: 0, replaces, target_text }] });
    await call(founder, 'assignments.assign', { items: [item], assignee: mira.userId, second: lenna.userId });
    await call(mira, 'assignments.pass', item);
    const { page } = await memberAt(browser, lenna, `/app/edit/documents/${id}`);
    await field(page).waitFor();
    await call(lenna, 'assignments.pass', { ...item, back: true });
    await save('[fr] Hello', 'Bonsoir', mira);
    await call(mira, 'assignments.pass', item);
    await page.getByRole('button', { name: 'Approve all' }).click();
    const approve = dialog(page).getByRole('button', { name: 'Approve the file' });
    await approve.click();
    await dialog(page).getByText('1 segment has changed since you opened the file.').waitFor();
    expect(await dialog(page).locator('del, ins').allTextContents()).toEqual(['[fr] Hello', 'Bonsoir']);
    await expectAccessible(page);
    expect(await assignmentsOf(founder, id)).toHaveLength(1);
    await approve.click();
    await expect.poll(() => assignmentsOf(founder, id), patient).toEqual([]);
    await expect.poll(() => field(page).inputValue(), patient).toBe('Bonsoir');
  });

  test('a file that was changed after its approval is marked in the list of files', async () => {
    const { founder } = await team();
    const id = await file(founder, 'lease.xlsx');
    await call(founder, 'documents.approve', { document_id: id, confirm_critical: true });
    const segments = [{ position: 0, replaces: '[fr] Hello', target_text: 'Bonjour' }];
    const { page } = await memberAt(browser, founder, '/app/files');
    const shown = page.getByRole('link', { name: /^French/ });
    expect(await shown.textContent()).not.toContain('changed since');
    await call(founder, 'documents.save', { document_id: id, segments });
    await page.reload();
    await shown.getByText('changed since').waitFor();
    await expectAccessible(page);
  });

  test('a due date that is incomplete or not of this century is not sent, and removes none', async () => {
    const { founder } = await team();
    const id = await file(founder, 'lease.xlsx');
    const items = [{ kind: 'document', id }];
    await call(founder, 'assignments.assign', { items, due_at: '2099-12-03T17:00:00Z' });
    const { page } = await memberAt(browser, founder, '/app?view=all');
    await page.getByRole('checkbox', { name: 'Select lease.xlsx' }).check();
    await page.keyboard.press('d');
    const due = dialog(page).getByLabel('Due date');
    await due.press('Backspace');
    await dialog(page).getByLabel('First review').selectOption({ label: 'Mira' });
    await page.keyboard.press('Control+Enter');
    expect(await due.evaluate((input: HTMLInputElement) => input.validity.badInput)).toBe(true);
    await due.fill('20991-12-03T17:00');
    await page.keyboard.press('Control+Enter');
    expect(await due.evaluate((input: HTMLInputElement) => input.validity.rangeOverflow)).toBe(true);
    expect(await assignmentsOf(founder, id)).toMatchObject([
      { assignee: null, due_at: '2099-12-03T17:00:00.000Z' },
    ]);
  });

  test('a member who hands an item over is offered no undo, which would fail; a second reviewer cannot take the first review', async () => {
    const { founder, mira, lenna } = await team();
    const id = await file(founder, 'lease.xlsx');
    const items = [{ kind: 'document', id }];
    await call(founder, 'assignments.assign', { items, assignee: mira.userId });
    const other = [{ kind: 'document', id: await file(founder, 'other.xlsx') }];
    await call(founder, 'assignments.assign', { items: other, assignee: mira.userId });
    const { page } = await memberAt(browser, mira, '/app');
    await page.getByRole('checkbox', { name: 'Select lease.xlsx' }).check();
    await page.keyboard.press('a');
    await dialog(page).getByLabel('First review').selectOption({ label: 'Lenna' });
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 translation assigned.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    // The row is gone. The next one has the focus.
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('#main a:focus').textContent(), patient).toBe('other.xlsx');
    await call(founder, 'assignments.assign', { items, assignee: null, second: mira.userId });
    await page.reload();
    await page.getByRole('heading', { name: 'Awaiting the first review 1' }).waitFor();
    expect(await page.getByRole('button', { name: 'Take it' }).count()).toBe(0);
    await call(lenna, 'assignments.assign', { items, assignee: lenna.userId });
  });

  test('a dialog to pass an item on does not become one to pass it back', async () => {
    const { founder, mira, lenna } = await team();
    const id = await file(founder, 'lease.xlsx');
    const item = { kind: 'document', id };
    await call(founder, 'assignments.assign', { items: [item], assignee: mira.userId, second: lenna.userId });
    const { page } = await memberAt(browser, founder, `/app/edit/documents/${id}`);
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Pass to second review' }).click();
    await call(mira, 'assignments.pass', item);
    // The editor reads the assignments again after 15 seconds.
    await page.clock.fastForward(16_000);
    await page.getByText('Awaits the second review by').waitFor({ state: 'attached' });
    await dialog(page).getByRole('button', { name: 'Pass to second review' }).click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await assignmentsOf(founder, id)).toMatchObject([{ step: 'second' }]);
  });

  test('a saved profile keeps what someone else has changed since the dialog was opened', async () => {
    const { founder, mira } = await team();
    const { page } = await memberAt(browser, founder, '/app/settings/members');
    await page.getByRole('button', { name: 'Edit Mira' }).click();
    await call(mira, 'assignments.saveProfile', { away_from: '2099-01-01', away_to: '2099-01-31' });
    await dialog(page).getByLabel('Display name').fill('Mira B.');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit Mira B.' }).waitFor();
    const { members } = await call(founder, 'assignments.profiles', { user_id: mira.userId });
    expect(members).toMatchObject([{ away_to: '2099-01-31', languages: [{ target_lang: 'fr' }] }]);
  });

  test('an administrator sets languages, an absence and rules in Members', async () => {
    const { founder, mira } = await team();
    const { page } = await memberAt(browser, founder, '/app/settings/members');
    await page.getByRole('button', { name: 'Edit Mira' }).click();
    await dialog(page).getByRole('button', { name: 'Add languages' }).click();
    await dialog(page).getByRole('combobox', { name: 'To' }).last().selectOption('de');
    await dialog(page).getByLabel('First day').fill('2099-01-01');
    expect(await dialog(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Last day').fill('2099-01-31');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Away Jan 1, 2099').waitFor();
    const { members } = await call(founder, 'assignments.profiles', { user_id: mira.userId });
    expect(members).toMatchObject([
      { languages: [{ target_lang: 'fr' }, { target_lang: 'de' }], away_to: '2099-01-31' },
    ]);
    const rules = page.getByRole('region', { name: 'Automatic assignment' });
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    await choose(rules, 'To', 'French');
    await choose(rules, 'First review', 'Lenna');
    await choose(rules, 'Due', 'After working days, at 18:00');
    await expectAccessible(page);
    await rules.getByRole('button', { name: 'Save the rules' }).click();
    await said(page, 'Rules saved.');
    expect((await call(founder, 'assignments.rules')).rules).toMatchObject([
      { target_lang: 'fr', second: null, due: { working_days: 1 } },
    ]);
  });
});
