import { execFile } from 'node:child_process';
import { rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkers } from '#test/translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
useWorkers(app);
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Opens a project with the source `en.json`, and runs in it. */
async function openJson(source: unknown, more: Record<string, string> = {}) {
  const mine = await openProject(app, { 'en.json': json(source), ...more });
  const argv = ['translate', 'en.json', '--to', 'de', '--output', '{lang}.json'];
  const run = (...options: string[]) => mine.lingualoop([...argv, ...options]);
  const check = () => mine.lingualoop([...argv, '--check'], { env: {} });
  return { ...mine, run, check };
}

test('a text that was edited and whose source has changed stays, and is named', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  await mine.write('en.json', json({ a: 'Open it', b: 'Close' }));
  const billed = await mine.billed();
  const { err } = await mine.run();
  expect(err).toContain('line 2, a');
  expect([await mine.read('de.json'), await mine.billed()]).toEqual([
    json({ a: 'Öffnen', b: '[de] Close' }),
    billed,
  ]);
  // The edit belongs to the changed source now, so the next change replaces it.
  await mine.write('en.json', json({ a: 'Open all', b: 'Close' }));
  await mine.run();
  expect(await mine.read('de.json')).toBe(json({ a: '[de] Open all', b: '[de] Close' }));
});

test('a translation that exists before the first run stays, and only missing texts are sent', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' }, { 'de.json': json({ a: 'Öffnen', b: '' }) });
  expect((await mine.check()).code).toBe(1);
  expect((await mine.run('--dry-run')).err).toContain('5 characters would be billed');
  await mine.run();
  expect([await mine.read('de.json'), await mine.billed()]).toEqual([
    json({ a: 'Öffnen', b: '[de] Close' }),
    5,
  ]);
  await mine.run('--force');
  expect(await mine.read('de.json')).toBe(json({ a: '[de] Open', b: '[de] Close' }));
});

test('a key that was renamed keeps its translation, and one that was removed goes', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: 'Zu' }));
  await mine.write('en.json', json({ start: { a: 'Open' } }));
  const billed = await mine.billed();
  await mine.run();
  expect([await mine.read('de.json'), await mine.billed()]).toEqual([
    json({ start: { a: 'Öffnen' } }),
    billed,
  ]);
});

test.each([
  [
    'a key that the source lacks',
    json({ a: 'Auf', own: 'Eigenes' }),
    'de.json: line 3, own: the source has no such text',
  ],
  ['a syntax error', '{"a": "Auf"', 'de.json: the file is not valid JSON: line 1'],
])('%s in a translation is an error, and nothing is written', async (_, content, message) => {
  const mine = await openJson({ a: 'Open' });
  await mine.run();
  await mine.write('de.json', content);
  await mine.write('en.json', json({ a: 'Open it' }));
  const { code, err } = await mine.run();
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  expect(await mine.read('de.json')).toBe(content);
  expect((await mine.check()).code).toBe(1);
});

test.each([
  [
    'the source',
    async ({ write }: Awaited<ReturnType<typeof openJson>>) => write('en.json', json({ a: 'New' })),
    'changed',
  ],
  [
    'the translation',
    async ({ write }: Awaited<ReturnType<typeof openJson>>) => write('de.json', '{}\n'),
    'edited',
  ],
  [
    'the options',
    async ({ write }: Awaited<ReturnType<typeof openJson>>) => write('lingualoop.json', '{"tone": "formal"}'),
    'changed',
  ],
])('--check fails after a change of %s', async (_, change, state) => {
  const mine = await openJson({ a: 'Open' });
  await mine.run();
  expect((await mine.check()).code).toBe(0);
  await change(mine);
  expect(await mine.check()).toMatchObject({ code: 1, out: `en.json → de: ${state}\n` });
  await mine.run();
  expect((await mine.check()).code).toBe(0);
  expect(JSON.parse(await mine.read('de.json'))).toEqual({ a: expect.stringMatching(/^\[de\] /) });
});

test('other options translate again, except the edited texts', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  const billed = await mine.billed();
  await mine.run('--tone', 'formal');
  expect([await mine.read('de.json'), (await mine.billed()) - billed]).toEqual([
    json({ a: 'Öffnen', b: '[de] Close' }),
    5,
  ]);
});

test('an edit of an earlier run stays with other options, until its source changes', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  for (const tone of ['formal', 'friendly', 'technical']) {
    const { err } = await mine.run('--tone', tone);
    expect([await mine.read('de.json'), err]).toEqual([
      json({ a: 'Öffnen', b: '[de] Close' }),
      expect.stringContaining('1 translation written'),
    ]);
  }
  await mine.write('en.json', json({ a: 'Open it', b: 'Close' }));
  const { err } = await mine.run('--tone', 'technical');
  expect([await mine.read('de.json'), err]).toEqual([
    json({ a: '[de] Open it', b: '[de] Close' }),
    expect.stringContaining(
      'edited by hand and translated again, because the source has changed since: line 2, a',
    ),
  ]);
});

test('edits of Markdown stay if options and the number of paragraphs change', async () => {
  const mine = await openProject(app, { 'page.md': '# One\n\nTwo\n\nThree\n\nFour\n' });
  const run = (...options: string[]) => mine.lingualoop(['translate', 'page.md', '--to', 'de', ...options]);
  await run();
  await mine.write('page.de.md', '# Eins\n\n\\[de] Two\n\nDrei\n\n\\[de] Four\n');
  await mine.write('page.md', '# One\n\nNew\n\nTwo\n\nThree\n');
  await run('--tone', 'formal');
  expect(await mine.read('page.de.md')).toBe('# Eins\n\n\\[de] New\n\n\\[de] Two\n\nDrei\n');
  await run('--tone', 'friendly');
  expect(await mine.read('page.de.md')).toBe('# Eins\n\n\\[de] New\n\n\\[de] Two\n\nDrei\n');
});

test('a translation that was deleted is written again with its edits, and is not billed', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  await mine.run();
  const billed = await mine.billed();
  await rm(join(mine.folder, 'de.json'));
  expect((await mine.check()).out).toBe('en.json → de: missing\n');
  await mine.run();
  expect([await mine.read('de.json'), await mine.billed()]).toEqual([
    json({ a: 'Öffnen', b: '[de] Close' }),
    billed,
  ]);
});

test('a file without separate texts that was edited is current until its source changes', async () => {
  const mine = await openProject(app, { 'a.txt': 'Hello' });
  const argv = ['translate', 'a.txt', '--to', 'de'];
  await mine.lingualoop(argv);
  await mine.write('a.de.txt', 'Hallo');
  expect((await mine.lingualoop([...argv, '--check'])).code).toBe(1);
  await mine.lingualoop(argv);
  expect((await mine.lingualoop([...argv, '--check'])).code).toBe(0);
  await mine.write('a.txt', 'Hello all');
  for (const _ of [1, 2])
    expect((await mine.lingualoop(argv)).err).toContain(
      'a.de.txt was changed by hand and is kept, but its source has changed since; --force replaces it',
    );
  expect((await mine.lingualoop([...argv, '--check'])).out).toBe('a.txt → de: outdated\n');
});

/** Two versions of a source, the edits in its first translation, and the second translation. */
async function merge(file: string, sources: readonly [string, string], edits: [string, string][], to = 'de') {
  const mine = await openProject(app, { [file]: sources[0] });
  const target = file.replace('.', `.${to}.`);
  const run = () => mine.lingualoop(['translate', file, '--to', to]);
  await run();
  let edited = await mine.read(target);
  for (const [from, into] of edits) {
    expect(edited).toContain(from);
    edited = edited.replace(from, () => into);
  }
  await mine.write(target, edited);
  await mine.write(file, sources[1]);
  const { code, err } = await run();
  return { ...mine, run, code, err, merged: await mine.read(target), target };
}
const page = (body: string) => `<html lang="en"><body>${body}</body></html>`;
const poHeader = 'msgid ""\nmsgstr ""\n"Language: en\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n';
const poDays = 'msgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] ""\nmsgstr[1] ""\n';

test('a text of another kind does not stay', async () => {
  const { err, merged } = await merge(
    'kind.html',
    [page('<title>Name</title><p>One</p>'), page('<p>Name</p><p>One</p>')],
    [['[de] Name', '<img src=x onerror=evil()>']],
  );
  expect(merged).not.toContain('<img');
  expect(err).toContain('edited by hand and translated again');
});

test('the header of a catalog that stays declares the plural forms that are written', async () => {
  const { folder, merged } = await merge(
    'header.po',
    [`${poHeader}${poDays}`, `${poHeader}${poDays}\nmsgid "New"\nmsgstr ""\n`],
    [
      [
        '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n',
        '"Plural-Forms: nplurals=3; plural=0;\\n"\n"X-Own: Ada\\n"\n',
      ],
    ],
  );
  expect(merged).toContain('"X-Own: Ada\\n"');
  await promisify(execFile)('msgfmt', ['--check', '--output-file', '/dev/null', 'header.de.po'], {
    cwd: folder,
  });
});

test('a catalog with three plural forms for French keeps them, also for new entries', async () => {
  const catalog = (forms: string) =>
    `msgid ""\nmsgstr ""\n"Language: fr\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=3; plural=(n == 0 || n == 1) ? 0 : n != 0 && n % 1000000 == 0 ? 1 : 2;\\n"\n\nmsgid "%d day"\nmsgid_plural "%d days"\n${forms}`;
  const kept = 'msgstr[0] "%d jour"\nmsgstr[1] "%d de jours"\nmsgstr[2] "%d jours"\n';
  const mine = await openProject(app, {
    'app.po': `${poHeader}${poDays}\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n`,
    'app.fr.po': catalog(kept),
  });
  const run = () => mine.lingualoop(['translate', 'app.po', '--to', 'fr']);
  expect((await run()).err).toContain('1 translation written');
  const merged = await mine.read('app.fr.po');
  expect(merged).toContain(
    `${kept}\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "[fr] %d file"\nmsgstr[1] "[fr] %d files"\nmsgstr[2] "[fr] %d files"\n`,
  );
  expect(merged).toContain('nplurals=3; plural=(n == 0');
  await promisify(execFile)('msgfmt', ['--check', '--output-file', '/dev/null', 'app.fr.po'], {
    cwd: mine.folder,
  });
  expect((await run()).err).toContain('1 current');
});

test('an entry with more plural forms than its header declares is an error, and nothing is written', async () => {
  const kept = `${poHeader.replace('en\\', 'fr\\')}msgid "%d day"\nmsgid_plural "%d days"\nmsgstr[0] "un"\nmsgstr[1] "deux"\nmsgstr[2] "trois"\n`;
  const mine = await openProject(app, { 'app.po': `${poHeader}${poDays}`, 'app.fr.po': kept });
  const { code, err } = await mine.lingualoop(['translate', 'app.po', '--to', 'fr']);
  expect([code, err]).toEqual([1, expect.stringContaining('line 6, %d day: the source has no such text')]);
  expect(await mine.read('app.fr.po')).toBe(kept);
});

test('a damaged entry of the lock file is named', async () => {
  const mine = await openJson({ a: 'Open' });
  await mine.run();
  await mine.write('lingualoop.lock.json', '{"version": 1, "files": {"en.json": {"de": {"output": 1}}}}');
  expect((await mine.check()).err).toContain('lingualoop.lock.json is damaged at en.json → de');
});

test('a source that was renamed keeps the entry of its translation', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  await rm(join(mine.folder, 'en.json'));
  await mine.write('app.json', json({ a: 'Open', b: 'Close it' }));
  const argv = ['translate', 'app.json', '--to', 'de', '--output', '{lang}.json'];
  await mine.lingualoop(argv);
  expect(await mine.read('de.json')).toBe(json({ a: 'Öffnen', b: '[de] Close it' }));
  expect(Object.keys(JSON.parse(await mine.read('lingualoop.lock.json')).files)).toEqual(['app.json']);
});

test('links in place of temporary files are not followed', async () => {
  const mine = await openJson({ a: 'Open' });
  for (const name of ['de.json.new.lingualoop.tmp', 'lingualoop.lock.json.tmp'])
    await symlink(join(mine.folder, 'elsewhere'), join(mine.folder, name));
  expect((await mine.check()).code).toBe(1);
  expect((await mine.run()).code).toBe(0);
  expect(await mine.files()).toEqual(['de.json', 'en.json', 'lingualoop.lock.json']);
});

test('the unfinished file of a run that lives stays, and so does every one during a check', async () => {
  const mine = await openJson({ a: 'Open' });
  await mine.write('de.json.new.lingualoop.tmp', 'of another run');
  await mine.run();
  expect(await mine.read('de.json.new.lingualoop.tmp')).toBe('of another run');
  await utimes(join(mine.folder, 'de.json.new.lingualoop.tmp'), 1, 1);
  await mine.check();
  expect(await mine.read('de.json.new.lingualoop.tmp')).toBe('of another run');
  await mine.run();
  expect(await mine.files()).not.toContain('de.json.new.lingualoop.tmp');
});

test('a link that leads out of the folder does not prevent other translations', async () => {
  const mine = await openProject(app, { 'a.json': json({ a: 'Open' }), 'b.json': json({ b: 'Close' }) });
  await symlink('/tmp', join(mine.folder, 'out'));
  await mine.write(
    'lingualoop.json',
    json({ files: ['*.json'], exclude: ['lingualoop*'], to: ['de'], output: '{lang}/{name}.json' }),
  );
  await symlink('/etc/hostname', join(mine.folder, 'c.json'));
  const { code, err } = await mine.lingualoop(['translate']);
  expect([code, err]).toEqual([1, expect.stringContaining('2 translations written')]);
  expect(err).toContain('c.json is a link that leads out of this folder');
});

test('names and messages cannot control the terminal', async () => {
  const mine = await openJson({ a: 'Open' });
  await mine.run();
  await mine.write('de.json', json({ a: 'Auf', '\u001b[2J\u0000\ud800': 'x' }));
  await mine.write('en.json', json({ a: 'Open it' }));
  const { code, err } = await mine.run();
  expect([code, err]).toEqual([1, expect.stringContaining('the source has no such text')]);
  expect([...err].filter((sign) => /[\p{Cc}\p{Cs}]/u.test(sign) && sign !== '\n')).toEqual([]);
});

test('a folder in place of the temporary lock file is named', async () => {
  const mine = await openJson({ a: 'Open' }, { 'lingualoop.lock.json.tmp/a': '' });
  const { code, err } = await mine.run();
  expect([code, err]).toEqual([1, expect.stringContaining('lingualoop.lock.json.tmp prevents writing')]);
});

test('an edited translation in a lock file without texts is merged if its source has not changed', async () => {
  const mine = await openJson({ a: 'Open', b: 'Close' });
  await mine.run();
  const lock = JSON.parse(await mine.read('lingualoop.lock.json'));
  delete lock.files['en.json'].de.texts;
  await mine.write('lingualoop.lock.json', json(lock));
  await mine.write('de.json', json({ a: 'Öffnen' }));
  await mine.run();
  expect(await mine.read('de.json')).toBe(json({ a: 'Öffnen', b: '[de] Close' }));
});

test('without a lock file, the program warns that all existing texts stay', async () => {
  const mine = await openJson({ a: 'Open' }, { 'de.json': json({ a: 'Auf' }) });
  expect((await mine.run()).err).toContain('all texts stay, whether their sources have changed or not');
});
