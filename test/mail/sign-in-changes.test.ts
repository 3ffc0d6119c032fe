import { expect, test } from 'vitest';
import { enrol, regenerate } from '#test/auth/mfa.ts';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';

const app = useTestApp({ env: mailEnv });

test('the owner of an account gets a mail about a new authenticator and about new recovery codes', async () => {
  const smtp = await useSmtp();
  const owner = await found(app);
  await confirmAddresses(app, owner);
  const { secret, recoveryCodes } = await enrol(app, owner);
  const { body } = await regenerate(app, owner.cookie);
  const mails = await attemptAll(app, smtp, owner.tenantId);
  expect(mails.map(({ to, headers }) => [to, headers['subject']])).toEqual([
    [owner.email, 'New authenticator app for your account'],
    [owner.email, 'New recovery codes for your account'],
  ]);
  const sent = mails.map(({ text, html }) => `${text} ${html}`).join(' ');
  for (const hidden of [secret, ...recoveryCodes, ...body.recovery_codes]) expect(sent).not.toContain(hidden);
});

test('a thief who creates codes again and again causes at most ten mails a day', async () => {
  const owner = await found(app);
  await confirmAddresses(app, owner);
  await enrol(app, owner);
  for (let i = 0; i < 12; i++) await regenerate(app, owner.cookie);
  expect(await outboxOf(app, owner.tenantId)).toHaveLength(10);
});
