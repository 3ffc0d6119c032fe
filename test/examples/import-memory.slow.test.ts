import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

/** The example's six segments are imported in the background. */
const app = useTestApp({ env: { TM_ASYNC_THRESHOLD: '5' } });
const script = join(import.meta.dirname, '../../examples/import-memory.ts');

let workers: Workers;
const startAgain = async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
};
beforeAll(startAgain);
afterAll(() => workers?.stop());

/** A workspace, and an empty folder for the output. */
async function scene() {
  const out = await mkdtemp(join(tmpdir(), 'lingualoop-import-'));
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
  const said = Promise.withResolvers<void>();
  child.stderr.on('data', (chunk) => {
    errors += chunk;
    if (errors.includes(': running')) said.resolve();
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout)]).then(([code, out]) => ({ code, out, errors }));
  return { ended, running: said.promise, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

const memory = 'Memory "Canteen": 6 segments from 8 units (1 without both languages, 1 duplicates).';

describe('the example files', () => {
  test('are imported, and a sentence comes from them, with its unit; nothing is approved yet', async () => {
    const here = await scene();
    const { code, out, errors } = await start(here).ended;
    expect([code, errors]).toEqual([
      0,
      expect.stringMatching(/^(Import [0-9a-f]{32}: \w+, 6 segments\n){1,2}$/),
    ]);
    expect(errors).toContain('completed');
    expect(out.split('\n')).toEqual([
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

  test('approved pairs are saved', async () => {
    const here = await scene();
    const { translations } = here.client;
    const held = await translations.create({ source_text: 'Agreed.', target_lang: 'fr', domain: 'legal' });
    await translations.review(held.id, { action: 'modify', final_translation: 'Entendu.' });
    const { code, out } = await start(here, '--text', 'Tap water is free.').ended;
    expect(code).toBe(0);
    // Of two units of one source the later one counts.
    expect(out).toMatch(/\n {2}L'eau du robinet est offerte\.\n.*unit water-again/);
    const path = join(here.out, 'golden-approved-en-fr.tmx');
    expect(out).toContain(`Approved translations: ${path}\n`);
    expect(await readdir(here.out)).toEqual(['golden-approved-en-fr.tmx']);
    expect(await readFile(path, 'utf8')).toContain('<seg>Entendu.</seg>');
  });

  test('another sentence is translated anew', async () => {
    const { code, out } = await start(await scene(), '--text', 'Good evening.').ended;
    expect(code).toBe(0);
    expect(out).toContain('\nGood evening.\n  [fr] Good evening.\n  (translated anew');
  });
});

test('a small file of one’s own is stored at once; it adds no glossary and no sentence', async () => {
  const here = await scene();
  const path = join(here.out, 'Old texts.tmx');
  const unit = '<tu><tuv xml:lang="en"><seg>One</seg></tuv><tuv xml:lang="de"><seg>Eins</seg></tuv></tu>';
  await writeFile(path, `<tmx version="1.4"><header srclang="en"/><body>${unit}</body></tmx>`);
  expect(await start(here, path, '--to', 'de').ended).toEqual({
    code: 0,
    errors: '',
    out: [
      'Memory "Old texts": 1 segments from 1 units (0 without both languages, 0 duplicates).',
      'Approved translations from en to de: none yet.',
      '',
    ].join('\n'),
  });
});

describe('a run that was cut short while its import runs', () => {
  test.each([
    ['killed', 'SIGKILL', null],
    ['by Ctrl-C', 'SIGINT', 130],
  ] as const)('%s is resumed by the next one', async (_, signal, code) => {
    const here = await scene();
    await workers.stop();
    const first = start(here);
    await first.running;
    first.kill(signal);
    const ended = await first.ended;
    expect([ended.code, ended.out]).toEqual([code, '']);
    if (code === 130) expect(ended.errors).toContain('Accepted imports continue at the service');

    const second = start(here);
    await second.running;
    await startAgain();
    const { code: done, out, errors } = await second.ended;
    expect(done).toBe(0);
    expect(errors).toMatch(/^Import [0-9a-f]{32} into this memory is already running, since 20/);
    expect(out).toContain(`${memory}\n`);
    expect(await here.client.memory.imports()).toHaveLength(1);
  });
});

describe('failures', () => {
  test('a refusal of the service, in a sentence', async () => {
    const here = await scene();
    const stranger = await start({ ...here, apiKey: 'wrong' }).ended;
    expect(stranger).toMatchObject({ code: 1, out: '', errors: expect.stringMatching(/^401 /) });
    const wrong = await start(here, script).ended;
    expect(wrong).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^415 tmx_file must be a \.tmx file/),
    });
  });

  test.each([
    [['no-such.tmx'], /no-such\.tmx|open/],
    [['one.tmx', 'two.tmx'], /^expected one file\n/],
    [['--unknown'], /^Unknown option '--unknown'/],
  ])('an invalid command line gets a message: %j', async (parameters, message) => {
    const { code, errors } = await start(await scene(), ...parameters).ended;
    expect(code).toBe(2);
    expect(errors).toMatch(message);
    expect(errors).toMatch(/\nusage: import-memory\.ts .*\n$/);
  });
});
