import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { testFolder } from '#test/setup/launch.ts';
import { startWorkers, type Workers } from '#workers/run.ts';
import { type Caller, runExample, startExample } from './start-example.ts';

/** With this setting, the six segments of the example are imported in the background. */
const app = useTestApp({ env: { TM_ASYNC_THRESHOLD: '5' } });
const example = 'import-memory.ts';

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

const run = (here: Caller & { out: string }, ...more: string[]) =>
  runExample(example, here, '--out', here.out, ...more);

const memory = 'Memory "Canteen": 6 segments from 8 units (1 without both languages, 1 duplicates).';

describe('the example files', () => {
  test('are imported, and a sentence comes from them, with its unit; nothing is approved yet', async () => {
    const here = await scene();
    const { code, stdout, stderr } = await run(here);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^(Import [0-9a-f]{32}: \w+, 6 segments\n){1,2}$/),
    ]);
    expect(stderr).toContain('completed');
    expect(stdout.split('\n')).toEqual([
      memory,
      'Glossary "Canteen": 5 terms.',
      "The kitchen closes at nine o'clock.",
      '  La cuisine ferme à neuf heures.',
      expect.stringMatching(
        /^ {2}\(tm_exact, "Canteen", unit kitchen-hours, changed 2026-03-02T09:15:00(\.000)?Z\)$/,
      ),
      'Approved translations from en to fr: none yet.',
      '',
    ]);
    expect(await readdir(here.out)).toEqual([]);
    expect(await here.client.memory.list()).toMatchObject([{ name: 'Canteen', entry_count: 6 }]);
    expect(await here.client.terminology.list()).toMatchObject([{ name: 'Canteen', entry_count: 5 }]);
  });

  test('are exported with approved translations', async () => {
    const here = await scene();
    const { translations } = here.client;
    const held = await translations.create({ source_text: 'Agreed.', target_lang: 'fr', domain: 'legal' });
    await translations.review(held.id, { action: 'modify', final_translation: 'Entendu.' });
    const { code, stdout } = await run(here, '--text', 'Tap water is free.');
    expect(code).toBe(0);
    // If two units have the same source, the later one is stored.
    expect(stdout).toMatch(/\n {2}L'eau du robinet est offerte\.\n.*unit water-again/);
    const path = join(here.out, 'golden-approved-en-fr.tmx');
    expect(stdout).toContain(`Approved translations: ${path}\n`);
    expect(await readFile(path, 'utf8')).toContain('<seg>Entendu.</seg>');
  });
});

test('a small file is stored at once; it adds no glossary and no sentence', async () => {
  const here = await scene();
  const path = join(here.out, 'Old texts.tmx');
  const unit = '<tu><tuv xml:lang="en"><seg>One</seg></tuv><tuv xml:lang="de"><seg>Eins</seg></tuv></tu>';
  await writeFile(path, `<tmx version="1.4"><header srclang="en"/><body>${unit}</body></tmx>`);
  expect(await run(here, path, '--to', 'de')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: [
      'Memory "Old texts": 1 segments from 1 units (0 without both languages, 0 duplicates).',
      'Approved translations from en to de: none yet.',
      '',
    ].join('\n'),
  });
});

test('an import that Ctrl-C interrupted is resumed by the next run', async () => {
  const here = await scene();
  await workers.stop();
  const first = startExample(example, here, '--out', here.out);
  await first.says(': running');
  first.child.kill('SIGINT');
  const { code, stdout, stderr } = await first.ended;
  expect([code, stdout]).toEqual([130, '']);
  expect(stderr).toContain('Accepted imports continue at the service');

  const second = startExample(example, here, '--out', here.out);
  await second.says(': running');
  await startAgain();
  const ended = await second.ended;
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/^Import [0-9a-f]{32} into this memory is already running, since 20/);
  expect(ended.stdout).toContain(`${memory}\n`);
  expect(await here.client.memory.imports()).toHaveLength(1);
});

test('an error of the service is a sentence, and a wrong command line prints the usage', async () => {
  const here = await scene();
  const stranger = await run({ ...here, apiKey: 'wrong' });
  expect(stranger).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^401 /) });
  const wrong = await run(here, 'one.tmx', 'two.tmx');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/^expected one file\n(.*\n)*usage: import-memory\.ts .*\n$/);
});
