import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';
import { installPackedSdk } from './packed-sdk.ts';

const root = join(import.meta.dirname, '../..');
const app = useTestApp();
const run = promisify(execFile);

let workers: Workers;
let project: string;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
  project = await mkdtemp(join(tmpdir(), 'lingualoop-stranger-'));
  await writeFile(join(project, 'package.json'), '{"name":"stranger","private":true,"type":"module"}');
  await installPackedSdk(project);
  for (const types of ['@types/node', 'undici-types'])
    await cp(join(root, 'node_modules', types), join(project, 'node_modules', types), { recursive: true });
}, 120_000);
afterAll(async () => {
  await workers?.stop();
  await rm(project, { recursive: true, force: true });
});

test('a strict program with the packed SDK sees both names, a detected language, a warning and a key that was used again', async () => {
  const source = await readFile(join(import.meta.dirname, 'stranger.ts'), 'utf8');
  await writeFile(join(project, 'stranger.ts'), source.replace('#sdk/index.ts', '@lingualoop/sdk'));
  await copyFile(join(root, 'examples/translate-document/menu.xlsx'), join(project, 'menu.en.xlsx'));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: false,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    rootDir: '.',
    outDir: 'out',
  };
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['stranger.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', project]).catch((error) => expect.fail(error.stdout));

  const { apiKey } = await app.signUp();
  const { stdout, stderr } = await run(process.execPath, ['out/stranger.js'], {
    cwd: project,
    env: { PATH: process.env['PATH'], LINGUALOOP_URL: app.address, LINGUALOOP_API_KEY: apiKey },
  });
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toEqual([
    'menu.en.xlsx is saved as menu.fr.xlsx, done: 1',
    'menu.en.xlsx is saved as menu.de.xlsx, done: 1',
    'detected: de',
    expect.stringMatching(/^logged: .*min_quality_scor\b.*min_quality_score/),
    'the service warns: unknown_option metadata.min_quality_scor',
    expect.stringMatching(/^logged: .*\bthis key belongs to an earlier request\b/),
    'IdempotencyMismatchError: the key has the first job',
    expect.stringMatching(/^logged: .*\bthis key belongs to an earlier request\b/),
    'returned: Good evening',
    'the service warns: idempotency_request_differs idempotency_key',
    '',
  ]);
  expect(await readFile(join(project, 'menu.en.xlsx'))).toEqual(
    await readFile(join(root, 'examples/translate-document/menu.xlsx')),
  );
  expect(await readdir(project)).toEqual(expect.arrayContaining(['menu.de.xlsx', 'menu.fr.xlsx']));
}, 120_000);
