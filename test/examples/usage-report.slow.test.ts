import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp();
const script = join(import.meta.dirname, '../../examples/usage-report.ts');
const admin = { email: 'bursar@example.org', password: 'a long enough passphrase' };

let tenantId: string;
beforeAll(async () => {
  const { apiKey, tenantId: id } = await app.signUp(admin);
  tenantId = id;
  const { translations } = new LinguaLoop({ baseUrl: app.address, apiKey });
  for (const source_text of ['Hello', 'Good evening'])
    await translations.create({ source_text, source_lang: 'en', target_lang: 'fr' });
  await translations.create({ source_text: 'Hello', source_lang: 'en', target_lang: 'ja' });
});

async function report(env: Record<string, string>, ...parameters: string[]) {
  const child = spawn(process.execPath, [script, ...parameters], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, errors };
}

const asAdmin = () => ({
  LINGUALOOP_URL: app.address,
  LINGUALOOP_EMAIL: admin.email,
  LINGUALOOP_PASSWORD: admin.password,
});

async function signedOut(): Promise<number> {
  const [found] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as times from audit_log where tenant_id = ${tenantId} and action = 'signed_out'`;
  return found?.['times'];
}

test("this month's use by language pair, the most used first; the session is signed out", async () => {
  const before = await signedOut();
  expect(await report(asAdmin())).toEqual({
    code: 0,
    errors: '',
    // Of a dense script a character counts 3.5 (A 8.1).
    out: [
      'pair      jobs  characters',
      'en to ja     1          18',
      'en to fr     2          17',
      'total        3          35',
      '',
    ].join('\n'),
  });
  expect(await signedOut()).toBe(before + 1);
});

test('a month that was named', async () => {
  const { code, out } = await report(asAdmin(), '2020-02');
  expect([code, out]).toEqual([0, 'pair   jobs  characters\ntotal     0           0\n']);
});

test('invalid requests, in a sentence', async () => {
  const wrong = await report(asAdmin(), 'February');
  expect(wrong).toMatchObject({ code: 1, out: '' });
  expect(wrong.errors).toMatch(/^422 query\.period: must be a month, YYYY-MM \(request [0-9a-f]{32}\)\n$/);
  const stranger = await report({ ...asAdmin(), LINGUALOOP_PASSWORD: 'not this one' });
  expect(stranger).toMatchObject({ code: 1, errors: expect.stringMatching(/^401 /) });
  expect((await report({})).code).toBe(2);
});
