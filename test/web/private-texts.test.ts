import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { env, found, type Person } from '#test/factories.ts';
import { startTranslator } from '#test/fakes/translators.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt, patient } from './reviewing.ts';

/* What leaves the workspace: the personal data that models do not get, and the engine that has its own key. */

const deepl = await startTranslator('deepl');
afterAll(() => deepl.close());
const app = useTestApp({ env, engineAddresses: { deepl: deepl.url } });
const browser = useBrowser(app);

let founder: Person;
beforeEach(async () => {
  deepl.reset();
  founder = await found(app);
});

const rules = async () =>
  (await app.json('GET', '/api/auth/me', { headers: founder.bearer })).body.tenant.metadata.redaction;
const setRules = (redaction: unknown) =>
  app.json('PATCH', '/api/tenants/security', { headers: founder.bearer, body: { redaction } });

async function engine(name: 'get' | 'save', input: object = {}) {
  const { status, body } = await viaRpc(
    app,
    { path: `engines.${name}`, type: name === 'get' ? 'query' : 'mutation' },
    { input: { ...input }, headers: founder.bearer },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const key = 'deepl-key-00112233-wxyz';

describe.skipIf(withoutBrowser)('the personal data that models do not get', () => {
  test('is chosen with the keyboard; a pattern that is wrong is named, and saves nothing', async () => {
    const { page } = await memberAt(browser, founder, '/app/settings/security');
    const card = page.getByRole('region', { name: 'Personal data' });
    await card.getByRole('switch').press('Space');
    await expect.poll(async () => (await rules())?.kinds.length, patient).toBe(7);
    await card.getByRole('checkbox', { name: 'Dates of birth' }).press('Space');
    await card.getByLabel('Your own terms').fill(' Falke \n\n🦅 <b>Eagle</b>');
    const patterns = card.getByLabel('Your own patterns');
    await patterns.fill('CN-[0-9]{6}\n(');
    await card.getByRole('button', { name: 'Save' }).press('Enter');
    await card.getByText('(: invalid regular expression').waitFor();
    expect(await patterns.getAttribute('aria-invalid')).toBe('true');
    expect((await rules()).terms).toEqual([]);
    await expectAccessible(page);
    await patterns.fill('CN-[0-9]{6}');
    await card.getByRole('button', { name: 'Save' }).press('Enter');
    await expect.poll(rules, patient).toEqual({
      kinds: ['names', 'addresses', 'emails', 'phones', 'accounts', 'national_numbers'],
      patterns: ['CN-[0-9]{6}'],
      terms: ['Falke', '🦅 <b>Eagle</b>'],
    });
    await page.reload();
    expect(await card.getByLabel('Your own terms').inputValue()).toBe('Falke\n🦅 <b>Eagle</b>');
    await card.getByRole('switch').press('Space');
    await expect.poll(rules, patient).toBeNull();
  });

  test('is not overwritten unseen: a term of another administrator stays until the second save', async () => {
    await setRules({ kinds: ['names'] });
    const { page } = await memberAt(browser, founder, '/app/settings/security');
    const card = page.getByRole('region', { name: 'Personal data' });
    await card.getByLabel('Your own terms').fill('Mine');
    await setRules({ kinds: ['names'], terms: ['Theirs'] });
    const save = card.getByRole('button', { name: 'Save' });
    await save.click();
    await card.getByText('Another administrator changed these settings').waitFor();
    expect((await rules()).terms).toEqual(['Theirs']);
    expect(await card.getByLabel('Your own terms').inputValue()).toBe('Mine');
    await save.click();
    await expect.poll(async () => (await rules()).terms, patient).toEqual(['Mine']);
  });
});

describe.skipIf(withoutBrowser)('the own engine', () => {
  test('is tested, stored, changed and removed; its key is shown nowhere', async () => {
    const { page } = await memberAt(browser, founder, '/app/settings/storage');
    const card = page.getByRole('region', { name: 'Translation engine' });
    await card.getByText('Use your own key').press('Enter');
    const secret = card.getByLabel('Key', { exact: true });
    const works = card.getByRole('button', { name: 'Test the key' });
    expect(await works.isDisabled()).toBe(true);
    await secret.fill(key);
    deepl.enqueue((response) => void response.writeHead(403).end('{}'));
    await works.press('Enter');
    await card.getByText('The service rejected the key.').waitFor();
    await works.press('Enter');
    await card.getByText('The key works').waitFor();
    await expectAccessible(page);
    expect((await engine('get')).kind).toBeNull();
    await card.getByRole('button', { name: 'Save' }).press('Enter');
    await card.getByText('ends in wxyz').waitFor();
    expect(await page.content()).not.toContain('00112233');
    expect(await secret.inputValue()).toBe('');

    await card.getByLabel('Requests at a time').fill('3');
    await engine('save', { kind: 'deepl', concurrency: 5 });
    const save = card.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await card.getByText('Another administrator changed these settings').waitFor();
    expect((await engine('get')).concurrency).toBe(5);
    await save.press('Enter');
    await expect.poll(() => engine('get'), patient).toMatchObject({ concurrency: 3, key_end: 'wxyz' });

    await card.getByRole('button', { name: 'Remove the key' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the key' }).press('Enter');
    await card.getByText('The engines of this deployment translate.').waitFor();
    expect((await engine('get')).kind).toBeNull();
    await expectAccessible(page);
  });
});
