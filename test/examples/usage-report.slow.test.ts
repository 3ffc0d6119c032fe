import { beforeAll, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { launch } from '#test/setup/launch.ts';

const app = useTestApp();
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

const report = (env: Record<string, string>, ...parameters: string[]) =>
  launch(['examples/usage-report.ts', ...parameters], env).ended;

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
  expect(await report(asAdmin())).toMatchObject({
    code: 0,
    stderr: '',
    // A character of a dense script counts as 3.5 characters.
    stdout: [
      'pair      jobs  characters',
      'en to ja     1          18',
      'en to fr     2          17',
      'total        3          35',
      '',
    ].join('\n'),
  });
  expect(await signedOut()).toBe(before + 1);
});

test('invalid requests, in a sentence', async () => {
  const wrong = await report(asAdmin(), 'February');
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/^422 query\.period: must be a month, YYYY-MM \(request [0-9a-f]{32}\)\n$/);
  const stranger = await report({ ...asAdmin(), LINGUALOOP_PASSWORD: 'not this one' });
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringMatching(/^401 /) });
  expect((await report({})).code).toBe(2);
});
