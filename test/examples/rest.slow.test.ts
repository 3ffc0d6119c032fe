import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

const app = useTestApp();
const script = join(import.meta.dirname, '../../examples/rest.sh');
const run = promisify(execFile);
const as = (key: string) =>
  run('bash', [script], {
    env: { PATH: process.env['PATH'] ?? '', LINGUALOOP_URL: app.address, LINGUALOOP_API_KEY: key },
  });

let workers: Workers;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(() => workers?.stop());

test('every part of the script answers', async () => {
  const { stdout, stderr } = await as((await app.signUp()).apiKey);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    new RegExp(
      [
        '^== A text\nsent twice, one job: [0-9a-f]{32}\n\\[fr\\] Good morning\n',
        '== A batch.*\n\\[fr\\] Soup of the day\n\\[de\\] Soup of the day\n',
        '== A file.*\npublished\n',
        '== A review\n.*\nhuman_edited\n.*Le bail prend fin en mars\\.\n',
        '== A glossary\nrest-example-.*: \\d+ terms\n',
        '== A document.*\ntranslated: menu\\.fr\\.xlsx, \\d{4,} bytes\n$',
      ].join(''),
    ),
  );
});

test('a refusal ends it with the words of the service', async () => {
  await expect(as('wrong')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('missing or invalid tenant credentials'),
  });
});
