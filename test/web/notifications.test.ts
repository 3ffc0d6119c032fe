import { describe, expect, test } from 'vitest';
import { unsubscribeToken } from '#server/identity/mail/preferences.ts';
import { type MailFacts, writeMail } from '#server/identity/mail/write-mail.ts';
import { mailLanguages } from '#server/settings/kinds.ts';
import { found, join } from '#test/factories.ts';
import { readPreferences } from '#test/mail/preferences.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { expectAccessible, tooWideOn, violationsOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const mail = { MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}' };
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', ...mail } });
const silent = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);
const silentBrowser = useBrowser(silent);

const languageOf = async (userId: string) => {
  const [row] = await openSuperuser(app.superuserUrl)`
    select language from mail_preferences where user_id = ${userId}`;
  return row?.['language'];
};

describe.skipIf(withoutBrowser)('/app/settings/notifications', () => {
  test('switches the emails of the member off and on, in the language of the interface', async () => {
    const member = await join(app, await found(app));
    const { page } = await browser.person('/app', { member });
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Notifications' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    await page.getByText(member.email, { exact: false }).first().waitFor();
    const digest = page.getByRole('switch', { name: 'Daily summary' });
    await digest.click();
    await expect.poll(() => readPreferences(app, member)).toEqual({ digest: false, documents: true });
    await expectAccessible(page);
    await page.reload();
    await digest.waitFor();
    expect(await digest.isChecked()).toBe(false);
    await digest.click();
    await expect.poll(() => readPreferences(app, member)).toEqual({ digest: true, documents: true });
    await expect.poll(() => languageOf(member.userId)).toBe('en');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByLabel('Interface language').selectOption('ja');
    await expect.poll(() => languageOf(member.userId)).toBe('ja');
  });

  test('the screen of members names the emails', async () => {
    const admin = await found(app);
    const { page } = await browser.person('/app/settings/members', { member: admin });
    await page.getByText('the service also sends the link there').waitFor();
  });

  test('a reset link goes to the confirmed address, and the administrator does not see it', async () => {
    const admin = await found(app);
    const member = await join(app, admin);
    await openSuperuser(
      app.superuserUrl,
    )`update users set email_confirmed_at = now() where user_id = ${member.userId}`;
    const { page } = await browser.person('/app/settings/members', { member: admin });
    await page.getByRole('button', { name: `Manage ${member.email}` }).click();
    const dialog = page.getByRole('dialog', { name: member.email });
    await dialog.getByRole('button', { name: 'Create password reset link' }).click();
    await dialog.getByText(`The link was sent to ${member.email}.`).waitFor();
    expect(await dialog.locator('input').count()).toBe(0);
    expect(await page.content()).not.toContain('reset_token=');
    expect(await dialog.getByRole('button', { name: 'Create password reset link' }).count()).toBe(0);
    await expectAccessible(page);
    // The dialog is in the middle of the window.
    const { top, bottom } = await dialog.evaluate((one) => one.getBoundingClientRect().toJSON());
    const height = await page.evaluate(() => innerHeight);
    expect(Math.abs(top - (height - bottom))).toBeLessThan(2);
  });

  test('the link of a mail switches them off without a session', async () => {
    const member = await join(app, await found(app));
    const { tenantId, userId } = member;
    const token = unsubscribeToken(app.services.secretsKeys, { kind: 'documents', tenantId, userId });
    const { page } = await browser.person(`/mail/unsubscribe/${token}`, {
      viewport: { width: 320, height: 640 },
    });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Switch off these emails' }).click();
    await page.getByRole('heading', { name: 'These emails are off' }).waitFor();
    await expectAccessible(page);
    expect(await readPreferences(app, member)).toEqual({ digest: true, documents: false });
  });

  test('does not exist for members if mail is off, and the application asks for nothing about it', async () => {
    const admin = await found(silent);
    const { page } = await silentBrowser.person('/app/settings/members', { member: admin });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByText('Copy the link and send it yourself').waitFor();
    expect(await page.getByRole('link', { name: 'Notifications' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Security' }).waitFor();
    expect(await page.getByRole('link', { name: 'Notifications' }).count()).toBe(0);
    expect(asked.filter((url) => url.includes('mail.'))).toEqual([]);
    await page.goto('/app/settings/notifications');
    await page.getByText('Email is not enabled here.').waitFor();
  });
});

const expiresAt = new Date('2026-07-31T09:30:00Z');
const token = `${'t'.repeat(32)}.${'s'.repeat(43)}`;
const workspace = 'Übersetzungsbüro & Söhne GmbH, Donaudampfschifffahrtsgesellschaft';
const samples: MailFacts[] = [
  { kind: 'invite', workspace, token, proof: 'proof', by: 'administrator@example.org', expiresAt },
  { kind: 'reset_link', workspace, token, expiresAt },
  { kind: 'digest', workspace, items: 12, assigned: 3, dueSoon: 2, overdue: 1 },
  { kind: 'documents', workspace, items: 12, failedItems: 3, documentId: null },
];

describe.skipIf(withoutBrowser)('the HTML of mails', { timeout: 120_000 }, () => {
  test.each(['light', 'dark'] as const)(
    'is readable at 320 px, in all languages: %s',
    async (colorScheme) => {
      const { page } = await browser.person('/about', { viewport: { width: 320, height: 700 }, colorScheme });
      for (const language of mailLanguages)
        for (const facts of samples) {
          const address = 'https://lingua.example.org';
          const unsubscribeUrl =
            facts.kind === 'digest' ? `${address}/mail/unsubscribe/${'x'.repeat(120)}` : null;
          // The pages of the application allow no inline styles, which mails need.
          await page.goto('about:blank');
          await page.setContent(writeMail(facts, { language, address, unsubscribeUrl }).html);
          // A mail is a part of the page of a mail program, so it has no main landmark.
          const violations = await violationsOn(page);
          expect(violations.filter((one) => !/^(landmark-one-main|region):/.test(one))).toEqual([]);
          expect(await tooWideOn(page)).toEqual([]);
          const folder = process.env['MAIL_PICTURES'];
          if (folder)
            await page.screenshot({
              path: `${folder}/${facts.kind}-${language}-${colorScheme}.png`,
              fullPage: true,
            });
        }
    },
  );
});
