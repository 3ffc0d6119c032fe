import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { testFolder } from '#test/setup/launch.ts';
import { startWorkers, type Workers } from '#workers/run.ts';
import { type Caller, startExample } from './start-example.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let workers: Workers;
const startAgain = async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
};
beforeAll(startAgain);
afterAll(() => workers?.stop());

/** A workspace, and an empty directory for the output. */
async function scene() {
  const { apiKey } = await app.signUp();
  const { address } = app;
  return { out: await testFolder(), apiKey, address, client: new LinguaLoop({ baseUrl: address, apiKey }) };
}

const start = (here: Caller & { out: string }, ...more: string[]) =>
  startExample('translate-document.ts', here, '--out', here.out, ...more);

const files = (folder: string) => readdir(folder).then((names) => names.toSorted());

test('the example file is translated, with a progress bar', async () => {
  const here = await scene();
  const { code, stdout, stderr } = await start(here).ended;
  const output = join(here.out, 'menu.fr.xlsx');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${output}: 5 of 5 texts, 94 characters\n`)]);
  expect(stderr).toMatch(/^(░{30} {3}0 % \w+\n)+(.+\n)*█{30} 100 % translated\n$/);
  expect(await files(here.out)).toEqual(['menu.fr.xlsx']);
  const [job] = (await here.client.documents.listPage()).items;
  const { bytes } = await here.client.documents.download(job!.id);
  expect(new Uint8Array(await readFile(output))).toEqual(await bytes());
});

test.each([
  ['killed', 'SIGKILL', null],
  ['interrupted by Ctrl-C', 'SIGINT', 130],
] as const)('a run that was %s is resumed by the next one', async (_, signal, code) => {
  const here = await scene();
  await workers.stop();
  const first = start(here, '--to', 'de');
  await first.says('%');
  first.child.kill(signal);
  const ended = await first.ended;
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  if (code === 130) expect(ended.stderr).toContain('The service continues');
  expect(await files(here.out)).toEqual(['menu.de.xlsx.job']);

  const second = start(here, '--to', 'de');
  await second.says('%');
  await startAgain();
  expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('5 of 5 texts') });
  expect(await files(here.out)).toEqual(['menu.de.xlsx']);
  expect(await here.client.documents.summary()).toMatchObject({ total: 1 });
});

test.each([
  ['file', ['A new menu', 'of two texts'], [], '2 of 2 texts'],
  ['language', ['The old menu'], ['--from', 'es'], '1 of 1 texts'],
])('a run with another %s than the interrupted one begins again', async (_, texts, languages, told) => {
  const here = await scene();
  const path = join(here.out, 'menu.xlsx');
  await workers.stop();
  await writeFile(path, workbook('The old menu'));
  const first = start(here, path);
  await first.says('%');
  first.child.kill('SIGKILL');
  await first.ended;

  await writeFile(path, workbook(...texts));
  const second = start(here, path, ...languages);
  await second.says('%');
  await startAgain();
  expect(await second.ended).toMatchObject({ code: 0, stdout: expect.stringContaining(told) });
  expect(await here.client.documents.summary()).toMatchObject({ total: 2 });
  expect(await files(here.out)).toEqual(['menu.fr.xlsx', 'menu.xlsx']);
});

test('an error of the service is a sentence, and a wrong command line prints the usage', async () => {
  const here = await scene();
  const stranger = await start({ ...here, apiKey: 'wrong' }).ended;
  expect(stranger).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^401 /) });
  const wrong = await start(here, '--unknown').ended;
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/^Unknown option '--unknown'(.*\n)*usage: translate-document\.ts .*\n$/);
});
