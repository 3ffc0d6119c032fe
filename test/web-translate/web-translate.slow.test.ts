import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { liveEngine } from '../translations/live.ts';

/** Translates like the stub engine, unless a test replaces the function. */
const stub = async (segment: string, language: string) => `${segment} (${language})`;
let translate = stub;
beforeEach(() => {
  translate = stub;
});
const engine = engineOf(async ({ segments, targetLang }) =>
  answered(await Promise.all(segments.map((segment) => translate(segment, targetLang)))),
);
const app = useTestApp({ engine });

/**
 * A service with a model. The service checks its translations. This model translates into French, and loses a
 * placeholder.
 */
const fake = await useFakeOpenAi();
const french: Record<string, string> = {
  'Review the texts': 'Relire les textes',
  'There are {count} texts waiting': 'Il y a des textes en attente',
  'Now {count} texts are waiting': 'Des textes attendent maintenant',
  '{n, plural, one {# job} many {# jobs} other {# jobs}} under way':
    '{n, plural, one {# tâche} many {# tâches} other {# tâches}} en cours',
};
fake.otherwise(translatingReply({ translate: (segment) => french[segment] ?? segment }));
const live = useTestApp({ engine: liveEngine(fake) });
const root = join(import.meta.dirname, '../..');

const english = {
  'review.json': { title: 'Review the texts', waiting: 'There are {count} texts waiting' },
  'home.json': { jobs: '{n, plural, one {# job} other {# jobs}} under way' },
};

type Texts = Record<string, Record<string, string>>;

/** Creates a directory of catalogs with these files, and a workspace. */
async function scene(files: Record<string, Texts> = { en: english }, at = app) {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-locales-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { tenantId, headers, apiKey } = await at.signUp();
  const path = (locale: string, name: string) => join(folder, locale, name);
  const write = async (locale: string, texts: Texts) => {
    await mkdir(join(folder, locale), { recursive: true });
    for (const [name, content] of Object.entries(texts))
      await writeFile(path(locale, name), JSON.stringify(content, null, 2));
  };
  for (const [locale, texts] of Object.entries(files)) await write(locale, texts);
  const start = (...more: string[]) => {
    const script = join(root, 'web/translate/main.ts');
    const child = spawn(process.execPath, [script, '--locales', folder, '--to', 'fr', ...more], {
      env: { PATH: process.env['PATH'] ?? '', LINGUALOOP_URL: at.address, LINGUALOOP_API_KEY: apiKey },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, errors] = [text(child.stdout), text(child.stderr)];
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      ended: code.then(async (code) => ({ code, out: await out, errors: await errors })),
      interrupt: () => child.kill('SIGINT'),
    };
  };
  return {
    path,
    write,
    start,
    run: (...more: string[]) => start(...more).ended,
    read: async (name: string, locale = 'fr'): Promise<Record<string, string>> =>
      JSON.parse(await readFile(path(locale, name), 'utf8')),
    files: async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('.')),
    /** The number of the workspace's jobs, and the number of its usage records. */
    async stored() {
      const [counts] = await openSuperuser(at.superuserUrl)`
        select (select count(*)::int from translation_jobs where tenant_id = ${tenantId}) as jobs,
          (select count(*)::int from usage_records where tenant_id = ${tenantId}) as billed`;
      return counts;
    },
    review: (id: string, body: Record<string, unknown>) =>
      at.json('POST', `/api/translations/${id}/review`, { headers, body }),
  };
}

const idOf = (out: string) => /\/app\/edit\/texts\?item=([0-9a-f]{32})$/m.exec(out)?.[1] as string;

describe('npm run web:translate', () => {
  test('writes missing messages in the order of the English, and nothing the second time', async () => {
    const here = await scene({
      en: english,
      fr: { 'review.json': { old: 'Vieux', waiting: '{count} textes' } },
    });
    const { code, out } = await here.run();
    expect([code, out]).toEqual([0, '2 written, 0 awaiting review, 0 failed.\n']);
    const review = await here.read('review.json');
    expect(Object.entries(review)).toEqual([
      ['title', 'Review the texts (fr)'],
      ['waiting', '{count} textes'],
      ['old', 'Vieux'],
    ]);
    expect((await here.read('home.json'))['jobs']).toBe(
      '{n, plural, one {# job} many {# jobs} other {# jobs}} under way (fr)',
    );
    const again = await here.run();
    expect([again.code, again.out]).toEqual([0, '0 to translate.\n']);
    expect(await here.stored()).toEqual({ jobs: 2, billed: 2 });
  });

  test('translates a message again if its English has changed, unless it was translated by hand', async () => {
    const here = await scene();
    await here.run();
    await here.write('en', { 'review.json': { title: 'Review', waiting: '{count} texts' } });
    const review = await here.read('review.json');
    await here.write('fr', { 'review.json': { ...review, waiting: '{count} textes attendent' } });
    const { out } = await here.run();
    expect(out).toBe('1 written, 0 awaiting review, 0 failed.\n');
    expect(await here.read('review.json')).toEqual({
      title: 'Review (fr)',
      waiting: '{count} textes attendent',
    });
    // The manual translation is recorded with the current English text, so that the next change of that text is
    // noticed.
    await here.write('en', { 'review.json': { title: 'Review', waiting: '{count} texts wait' } });
    expect((await here.run('--list')).out).toMatch(/fr\/review\.json: waiting\n1 to translate\.\n$/);
    expect((await here.run('--adopt')).out).toBe('0 to translate.\n');
    expect((await here.run()).out).toBe('0 to translate.\n');
  });

  test('a translation that lost a placeholder awaits review, and is written after the approval', async () => {
    const here = await scene({ en: english }, live);
    const held = await here.run();
    expect(held.code).toBe(0);
    expect(held.out).toMatch(/^2 written, 1 awaiting review, 0 failed\.\n/);
    expect(held.out).toMatch(/fr\/review\.json: waiting: .*\{count\}/);
    expect(held.out).toContain(`${live.address}/app/edit/texts?item=`);
    expect(Object.keys(await here.read('review.json'))).toEqual(['title']);
    const still = await here.run();
    expect(still.out).toMatch(/^0 written, 1 awaiting review/);

    const approval = { action: 'approve', final_translation: "Il y a {count} textes d'{count}" };
    expect((await here.review(idOf(held.out), approval)).status).toBe(200);
    const last = await here.run();
    expect([last.code, last.out]).toEqual([0, '1 written, 0 awaiting review, 0 failed.\n']);
    expect((await here.read('review.json'))['waiting']).toBe('Il y a {count} textes d’{count}');
    expect(await here.stored()).toEqual({ jobs: 3, billed: 3 });
  });

  test('a translation that was rejected, or approved without a placeholder, is a failure that names file and key', async () => {
    const here = await scene({ en: english }, live);
    const held = await here.run();
    await here.review(idOf(held.out), { action: 'approve' });
    const unusable = await here.run();
    expect(unusable.code).toBe(1);
    expect(unusable.out).toMatch(
      /fr\/review\.json: waiting: its translation cannot be used: it lacks \{count\}/,
    );
    expect(Object.keys(await here.read('review.json'))).toEqual(['title']);

    await here.write('en', {
      'review.json': { title: 'Review the texts', waiting: 'Now {count} texts are waiting' },
    });
    const other = await here.run();
    await here.review(idOf(other.out), { action: 'reject', notes: 'No placeholder' });
    const rejected = await here.run();
    expect(rejected.code).toBe(1);
    expect(rejected.out).toMatch(/waiting: its translation was rejected \(No placeholder\)/);
  });

  test('one that fails is listed and does not affect the others; the next run tries it again', async () => {
    const here = await scene();
    translate = async (segment, language) => {
      if (segment.startsWith('There are')) throw new AppError('content_filtered', 'the model refused');
      return stub(segment, language);
    };
    const { code, out } = await here.run();
    expect(code).toBe(1);
    expect(out).toMatch(
      /^2 written, 0 awaiting review, 1 failed\.\n\nFailed:\n.*fr\/review\.json: waiting: 422 the model refused/,
    );
    translate = stub;
    const again = await here.run();
    expect([again.code, again.out]).toEqual([0, '1 written, 0 awaiting review, 0 failed.\n']);
    expect(await here.stored()).toMatchObject({ jobs: 3 });
  });

  test('Ctrl-C leaves complete files; the next run continues and nothing is billed twice', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`key${n}`, `Text number ${n} of the page`]),
    );
    const here = await scene({ en: { 'home.json': many } });
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    translate = async (segment, language) => {
      if (segment.startsWith('Text number 7')) {
        reached.resolve();
        await released.promise;
      }
      return stub(segment, language);
    };
    const first = here.start();
    await reached.promise;
    first.interrupt();
    const { code, out } = await first.ended;
    released.resolve();
    expect(code).toBe(130);
    expect(out).toMatch(/0 failed, \d+ not translated \(interrupted\)\.\n$/);
    expect((await here.files()).filter((name) => name.endsWith('.part'))).toEqual([]);
    const done = Object.keys(await here.read('home.json')).length;
    const again = await here.run();
    expect([again.code, again.out]).toEqual([0, `${12 - done} written, 0 awaiting review, 0 failed.\n`]);
    expect(Object.keys(await here.read('home.json'))).toEqual(Object.keys(many));
    expect(await here.stored()).toEqual({ jobs: 12, billed: 12 });
  });

  test.each([
    ['a file that is no JSON', { 'home.json': '{' }, /en\/home\.json: /],
    [
      'a message that is none',
      { 'home.json': '{"jobs": "{n, plural, one {#}"}' },
      /en\/home\.json: jobs is not a valid ICU/,
    ],
    [
      'a text that is none',
      { 'home.json': '{"jobs": 1}' },
      /en\/home\.json: it must be a JSON object whose values are strings/,
    ],
  ])('%s is named before anything is sent', async (_, files, problem) => {
    const here = await scene();
    for (const [name, content] of Object.entries(files)) await writeFile(here.path('en', name), content);
    const { code, errors } = await here.run();
    expect(code).toBe(2);
    expect(errors).toMatch(problem);
    expect(await here.stored()).toEqual({ jobs: 0, billed: 0 });
  });

  test('a language that the interface does not have is rejected; a wrong credential stops the run immediately', async () => {
    const here = await scene();
    expect(await here.run('--to', 'tlh')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('fr, de, es, pt, ar, ja'),
    });
    await openSuperuser(app.superuserUrl)`delete from credential_directory`;
    const { code, out } = await here.run();
    expect(code).toBe(1);
    expect(out).toMatch(/^0 written, 0 awaiting review, \d failed/);
  });
});
