import { describe, expect, test } from 'vitest';
import { addStyleGuide, env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt } from './reviewing.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);
const path = '/app/style-guides';
const open = (person: Person) => memberAt(browser, person, path);

describe.skipIf(withoutBrowser)('/app/style-guides', () => {
  test('creates, changes and deletes a guide', async () => {
    const founder = await found(app);
    const { page } = await open(founder);
    await page.getByText('No style guides yet. Create one').waitFor();

    await page.getByRole('button', { name: 'Create style guide' }).click();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByLabel('Language').selectOption('German');
    await dialog.getByLabel('Rules').fill('Write short sentences.\nUse the active voice.');
    await dialog.getByLabel('Quotation marks').selectOption('„…“');
    await dialog.getByLabel('Form of address').selectOption('Formal');
    await dialog.getByLabel('Forbidden words').fill(`User = Benutzer\n\nHandy\nHandy\n${'x'.repeat(101)}`);
    await save.click();
    await dialog.getByText(/100/).waitFor();
    await dialog.getByLabel('Forbidden words').fill('User = Benutzer\n\nHandy\nHandy');
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const card = page.getByRole('region', { name: 'German' });
    for (const text of ['Use the active voice.', '„…“', 'Formal', 'User = Benutzer', 'Handy', founder.email])
      await card.getByText(text).first().waitFor();

    await card.getByRole('button', { name: 'Edit' }).click();
    expect(await dialog.getByLabel('Forbidden words').inputValue()).toBe('User = Benutzer\nHandy');
    await dialog.getByLabel('Form of address').selectOption('Not set');
    await save.click();
    await card.getByText('Formal').waitFor({ state: 'detached' });

    await card.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No style guides yet.').waitFor();
  });

  test('replaces a guide that another administrator has saved since only by a second save', async () => {
    const founder = await found(app);
    await addStyleGuide(app, founder, { rules: 'First' });
    const { page } = await open(founder);
    const card = page.getByRole('region', { name: 'All languages' });
    await card.getByRole('button', { name: 'Edit' }).click();
    const theirs = await addStyleGuide(app, founder, { rules: 'Theirs' });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Rules').fill('Mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Someone saved this style guide in the meantime').waitFor();
    expect(await dialog.getByLabel('Rules').inputValue()).toBe('Mine');
    const { body } = await app.json('GET', '/trpc/styleGuides.list', { headers: founder.bearer });
    expect(body.result.data.json.guides).toEqual([theirs]);
    await card.getByText('Theirs').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Mine').waitFor();
  });

  test('shows the guides to members, without controls to change them', async () => {
    const founder = await found(app);
    await addStyleGuide(app, founder, { rules: 'For all' });
    const { page } = await open(await join(app, founder));
    await page.getByRole('region', { name: 'All languages' }).getByText('For all').waitFor();
    expect(await page.getByRole('button', { name: /style guide|^Edit|^Delete/ }).count()).toBe(0);
  });
});
