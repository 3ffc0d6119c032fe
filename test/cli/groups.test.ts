import { createHash } from 'node:crypto';
import { mkdir, rename, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputOf } from '#cli/files/project.ts';
import { useTestApp } from '#test/setup/app.ts';
import { testFolder } from '#test/setup/launch.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const config = (value: object) => ({ 'lingualoop.json': JSON.stringify(value) });

test('each group has its own files, languages, output and codes, and the shared settings', async () => {
  const mine = await openProject(app, {
    ...config({
      to: ['de', 'pt-BR'],
      codes: { 'pt-BR': 'pt_BR' },
      groups: [
        { files: ['web/en.txt'], output: 'web/{lang}{ext}' },
        {
          files: ['app/values/*.txt'],
          output: 'app/values-{lang}/{name}{ext}',
          to: ['zh-Hans'],
          codes: { 'zh-Hans': 'zh-rCN' },
        },
      ],
    }),
    'web/en.txt': 'Hello',
    'app/values/strings.txt': 'Bye',
  });
  expect((await mine.lingualoop(['translate'])).code).toBe(0);
  expect(await mine.files()).toEqual([
    'app/values-zh-rCN/strings.txt',
    'app/values/strings.txt',
    'lingualoop.json',
    'lingualoop.lock.json',
    'web/de.txt',
    'web/en.txt',
    'web/pt_BR.txt',
  ]);
  expect(await mine.read('web/pt_BR.txt')).toBe('[pt-BR] Hello');
  expect((await mine.lingualoop(['translate', '--check'])).code).toBe(0);
});

test('{android_code} is the code of a directory of Android, if codes has none', async () => {
  const mine = await openProject(app, {
    ...config({
      files: ['res/values/*.txt'],
      output: 'res/values-{android_code}/{name}{ext}',
      to: ['de', 'fr-CA', 'id', 'pt-BR', 'zh-Hans', 'zh-Hant'],
      codes: { 'fr-CA': 'fr' },
    }),
    'res/values/a.txt': 'Hello',
  });
  expect((await mine.lingualoop(['translate'])).code).toBe(0);
  const translations = ['de', 'fr', 'in', 'pt-rBR', 'zh-rCN', 'zh-rTW'];
  expect((await mine.files()).filter((path) => path.startsWith('res/'))).toEqual([
    ...translations.map((code) => `res/values-${code}/a.txt`),
    'res/values/a.txt',
  ]);
  expect(await mine.read('res/values-in/a.txt')).toBe('[id] Hello');
});

test.each([
  ['es-419', 'b+es+419'],
  ['sr-Latn', 'b+sr+Latn'],
  ['zh-Hant-HK', 'b+zh+Hant+HK'],
  ['zh-HK', 'zh-rHK'],
  ['zh-hans', 'zh-rCN'],
  ['not_a_tag', 'not_a_tag'],
  ['he', 'iw'],
  ['he-IL', 'iw-rIL'],
  ['yi', 'ji'],
  ['fil', 'fil'],
])('%s is %s in directories of Android', (language, code) => {
  const group = { output: 'values-{android_code}', codes: {} };
  expect(outputOf(group, 'a.xml', language)).toBe(`values-${code}`);
});

const one = { files: ['a.txt'] };
test.each([
  [{ groups: {} }, 'groups must be a list of objects'],
  [{ groups: [1] }, 'groups[0] must be an object'],
  [{ groups: [{}] }, 'groups[0].files is missing'],
  [{ groups: [{ ...one, too: 1 }] }, 'unknown field "groups[0].too"'],
  [{ groups: [{ ...one, groups: [] }] }, 'unknown field "groups[0].groups"'],
  [{ files: ['a.txt'], groups: [one] }, 'files must be in the groups'],
  [{ groups: [one, one] }, 'a.txt is in two groups'],
  [{ ...one, codes: { de: '../de' } }, 'codes must be an object of codes without slashes'],
  [{ ...one, codes: { de: '..' } }, 'codes must be an object of codes without slashes'],
  [{ ...one, to: ['de'], codes: { pt: 'pt_BR' } }, 'codes has "pt", which to lacks'],
  [{ ...one, to: ['de', 'fr'], codes: { fr: 'de' } }, 'gives a.de.txt for a.txt in de and for a.txt in fr'],
  [{ files: ['../**/*.txt'] }, 'is outside of this folder'],
  [{ ...one, output: '{android}.txt' }, 'unknown placeholder in --output'],
  [{ ...one, output: '../{lang}.txt' }, 'leads out of this folder'],
  [{ ...one, output: '/tmp/{lang}.txt' }, 'leads out of this folder'],
  [
    {
      groups: [
        { ...one, output: 'x.{lang}' },
        { files: ['b.txt'], output: 'x.{lang}' },
      ],
    },
    'gives x.de for a.txt in de and for b.txt in de',
  ],
])('%j is an error', async (value, message) => {
  const mine = await openProject(app, { 'sub/a.txt': 'Hello', 'sub/b.txt': 'Bye' });
  await mine.write('c.txt', 'outside');
  await mine.write('sub/lingualoop.json', JSON.stringify({ to: ['de'], ...value }));
  const { code, err } = await mine.lingualoop(['translate'], { cwd: join(mine.folder, 'sub') });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(await mine.billed()).toBe(0);
});

test('a link that leads out of the folder is neither read nor written', async () => {
  const outside = await testFolder();
  const mine = await openProject(app, { 'en/a.txt': 'Hello', 'b.txt': 'Bye' });
  await mkdir(join(outside, 'de'));
  await symlink(join(outside, 'de'), join(mine.folder, 'de'));
  await symlink('/etc/hostname', join(mine.folder, 'b.de.txt'));
  for (const argv of [
    ['en/a.txt', '--output', '{lang}/{name}{ext}'],
    ['b.txt', '--output', '{name}.{lang}{ext}'],
  ]) {
    const { code, err } = await mine.lingualoop(['translate', ...argv, '--to', 'de']);
    expect([code, err]).toEqual([1, expect.stringContaining('is a link that leads out of this folder')]);
  }
  expect(await mine.billed()).toBe(0);
});

test('a file that a link of a folder shows a second time is translated once', async () => {
  const mine = await openProject(app, { 'docs/v2/a.txt': 'Hello' });
  await symlink('v2', join(mine.folder, 'docs/current'));
  const argv = ['translate', 'docs', '--to', 'de'];
  expect((await mine.lingualoop(argv)).err).toContain('1 translation written, 0 current.\n');
  expect(await mine.files()).toEqual(['docs/v2/a.de.txt', 'docs/v2/a.txt', 'lingualoop.lock.json']);
  expect((await mine.lingualoop(argv)).err).toContain('0 translations written, 1 current.\n');
});

/** A run that was killed after the lock file was written, and before the translation got its name. */
async function killedRun() {
  const mine = await openProject(app, { 'a.json': '{"a":"Hello"}' });
  const argv = ['translate', 'a.json', '--to', 'de'];
  const run = () => withWorkers(app, () => mine.lingualoop(argv));
  await run();
  const before = await mine.read('a.de.json');
  const hash = createHash('sha256').update(before).digest('hex').slice(0, 12);
  await mine.write('a.json', '{"a":"Good day"}');
  await run();
  const unfinished = join(mine.folder, `a.de.json.${hash}.lingualoop.tmp`);
  await rename(join(mine.folder, 'a.de.json'), unfinished);
  await utimes(unfinished, 1, 1);
  await mine.write('a.de.json', before);
  return { ...mine, argv, run };
}

test('the next run finishes what a killed one has left, and bills nothing', async () => {
  const mine = await killedRun();
  const billed = await mine.billed();
  expect((await mine.run()).err).toContain('0 translations written, 1 current');
  expect([await mine.read('a.de.json'), await mine.billed()]).toEqual(['{"a":"[de] Good day"}', billed]);
  expect(await mine.files()).toEqual(['a.de.json', 'a.json', 'lingualoop.lock.json']);
});

test('a translation that was edited after a killed run is not replaced', async () => {
  const mine = await killedRun();
  await mine.write('a.de.json', '{"a":"Hallo"}');
  const { code, err } = await mine.run();
  expect([code, err]).toEqual([1, expect.stringContaining('a.de.json was changed after an interrupted run')]);
  expect(await mine.read('a.de.json')).toBe('{"a":"Hallo"}');
});

test('two runs at the same time write both translations, and both are in the lock file', async () => {
  const mine = await openProject(app, { 'a.txt': 'Hello', 'b.txt': 'Bye' });
  await Promise.all(['a.txt', 'b.txt'].map((file) => mine.lingualoop(['translate', file, '--to', 'de'])));
  expect((await mine.lingualoop(['translate', '.', '--to', 'de', '--check'])).code).toBe(0);
});

test('a translation that is edited during the run is kept', async () => {
  const mine = await openProject(app, { 'a.json': '{"a":"Hello"}' });
  const argv = ['translate', 'a.json', '--to', 'de'];
  const running = mine.lingualoop(argv);
  await expect.poll(async () => mine.queued()).toBe(1);
  await mine.write('a.de.json', '{"a":"Hallo"}');
  const { code, err } = await withWorkers(app, () => running);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('a.de.json was changed during the run, and is kept'),
  ]);
  await withWorkers(app, () => mine.lingualoop(argv));
  expect(await mine.read('a.de.json')).toBe('{"a":"Hallo"}');
});
