import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const script = join(import.meta.dirname, '../../examples/translate-document.ts');

let workers: Workers;
const startAgain = async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
};
beforeAll(startAgain);
afterAll(() => workers?.stop());

/** A workspace, and an empty folder for the output. */
async function scene() {
  const out = await mkdtemp(join(tmpdir(), 'lingualoop-document-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const { apiKey } = await app.signUp();
  return { out, apiKey, client: new LinguaLoop({ baseUrl: app.address, apiKey }) };
}

function start({ out, apiKey }: { out: string; apiKey: string }, ...more: string[]) {
  const child = spawn(process.execPath, [script, '--out', out, ...more], {
    env: { PATH: process.env['PATH'] ?? '', LINGUALOOP_URL: app.address, LINGUALOOP_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  const begun = Promise.withResolvers<void>();
  child.stderr.on('data', (chunk) => {
    errors += chunk;
    if (errors.includes('%')) begun.resolve();
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout)]).then(([code, out]) => ({ code, out, errors }));
  return { ended, begun: begun.promise, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

const files = (folder: string) => readdir(folder).then((names) => names.toSorted());

test('the example file is translated, with a progress bar', async () => {
  const here = await scene();
  const { code, out, errors } = await start(here).ended;
  const output = join(here.out, 'menu.fr.xlsx');
  expect([code, out]).toEqual([0, expect.stringContaining(`${output}: 5 of 5 texts, 94 characters\n`)]);
  expect(errors).toMatch(/^(░{30} {3}0 % \w+\n)+(.+\n)*█{30} 100 % translated\n$/);
  expect(await files(here.out)).toEqual(['menu.fr.xlsx']);
  const [job] = (await here.client.documents.listPage()).items;
  const { bytes } = await here.client.documents.download(job!.id);
  expect(new Uint8Array(await readFile(output))).toEqual(await bytes());
});

describe('a run that was cut short while its document is translated', () => {
  test.each([
    ['killed', 'SIGKILL', null],
    ['by Ctrl-C', 'SIGINT', 130],
  ] as const)('%s is resumed by the next one', async (_, signal, code) => {
    const here = await scene();
    await workers.stop();
    const first = start(here, '--to', 'de');
    await first.begun;
    first.kill(signal);
    const ended = await first.ended;
    expect([ended.code, ended.out]).toEqual([code, '']);
    if (code === 130) expect(ended.errors).toContain('The service continues');
    expect(await files(here.out)).toEqual(['menu.de.xlsx.job']);

    const second = start(here, '--to', 'de');
    await second.begun;
    await startAgain();
    expect(await second.ended).toMatchObject({ code: 0, out: expect.stringContaining('5 of 5 texts') });
    expect(await files(here.out)).toEqual(['menu.de.xlsx']);
    expect(await here.client.documents.summary()).toMatchObject({ total: 1 });
  });
});

test.each([
  ['file', ['A new menu', 'of two texts'], [], '2 of 2 texts'],
  ['language', ['The old menu'], ['--from', 'es'], '1 of 1 texts'],
])('a run with another %s than the one that was cut short begins anew', async (_, texts, languages, told) => {
  const here = await scene();
  const path = join(here.out, 'menu.xlsx');
  await workers.stop();
  await writeFile(path, workbook('The old menu'));
  const first = start(here, path);
  await first.begun;
  first.kill('SIGKILL');
  await first.ended;

  await writeFile(path, workbook(...texts));
  const second = start(here, path, ...languages);
  await second.begun;
  await startAgain();
  expect(await second.ended).toMatchObject({ code: 0, out: expect.stringContaining(told) });
  expect(await here.client.documents.summary()).toMatchObject({ total: 2 });
  expect(await files(here.out)).toEqual(['menu.fr.xlsx', 'menu.xlsx']);
});

describe('failures', () => {
  test('a refusal of the service, in a sentence', async () => {
    const here = await scene();
    const stranger = await start({ ...here, apiKey: 'wrong' }).ended;
    expect(stranger).toMatchObject({ code: 1, out: '', errors: expect.stringMatching(/^401 /) });
    const wrong = await start(here, script).ended;
    expect(wrong).toMatchObject({ code: 1, errors: expect.stringMatching(/^415 unsupported/) });
  });

  test.each([
    [['no-such.xlsx'], /no-such\.xlsx|open/],
    [['one.xlsx', 'two.xlsx'], /^expected one file\n/],
    [['--unknown'], /^Unknown option '--unknown'/],
  ])('an invalid command line gets a message: %j', async (parameters, message) => {
    const { code, errors } = await start(await scene(), ...parameters).ended;
    expect(code).toBe(2);
    expect(errors).toMatch(message);
    expect(errors).toMatch(/\nusage: translate-document\.ts .*\n$/);
  });
});
