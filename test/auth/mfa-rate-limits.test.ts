import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { confirm, enroll, regenerate, verify } from './mfa-members.ts';

const app = useTestApp();

/** The endpoints, and their response to a caller without a credential. */
const endpoints: [name: string, knock: () => ReturnType<typeof verify>, detail: string][] = [
  ['verify', () => verify(app, 'x', '123456'), 'invalid or expired MFA challenge'],
  ['enroll', () => enroll(app), 'authentication required'],
  ['confirm', () => confirm(app, undefined, '123456'), 'authentication required'],
  ['recovery/regenerate', () => regenerate(app, {}), 'authentication required'],
];

test.each(endpoints)('A 5.4: %s allows 30 attempts a minute per address', async (_, knock, detail) => {
  for (let attempt = 0; attempt < 30; attempt += 1)
    expect(await knock()).toMatchObject({ status: 401, body: { detail } });
  const refused = await knock();
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
});
