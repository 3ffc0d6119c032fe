import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkers } from '#test/translation-memory/background.ts';
import { paragraph, run, wordFile } from '../formats/docx-file.ts';
import { partsOf } from '../formats/docx-walk.ts';
import { inline, row, shownIn, workbookOf } from '../formats/xlsx-file.ts';
import { openProject } from './cli.ts';

/** Translations that exist already, in a repository in which people and programs work at the same time. */

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
useWorkers(app);
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

async function open(files: Record<string, string>, ...options: string[]) {
  const mine = await openProject(app, files);
  const argv = ['translate', ...Object.keys(files), '--to', 'de', ...options];
  const run = (...more: string[]) => mine.lingualoop([...argv, ...more]);
  return {
    ...mine,
    run,
    /** Neither of these needs a service or a key. */
    check: () => mine.lingualoop([...argv, '--check'], { env: {} }),
    confirm: () => mine.lingualoop([...argv, '--confirm'], { env: {} }),
    client: new LinguaLoop({ baseUrl: app.address, accessToken: mine.accessToken }),
    remove: (path: string) => rm(join(mine.folder, path)),
    move: (from: string, to: string) => rename(join(mine.folder, from), join(mine.folder, to)),
  };
}

test('a correction of a document by a reviewer reaches the repository, and is not an edit by hand', async () => {
  const mine = await open({ 'app.json': json({ a: 'Open', b: 'Close' }) });
  await mine.run();
  const [document] = await mine.client.documents.list().toArray({ limit: 1 });
  const segments = await mine.client.documents.segments(document!.id).toArray({ limit: 2 });
  const { region_id, cell_id } = segments.find(({ source_text }) => source_text === 'Open')!;
  const corrections = [{ region_id, cell_id, target_text: 'Öffnen' }];
  await mine.client.documents.review(document!.id, { corrections });
  const billed = await mine.billed();
  const { err } = await mine.run();
  expect(err).toContain('✓ app.json → de (app.de.json)\n1 translation written, 0 current.\n');
  expect(await mine.read('app.de.json')).toBe(json({ a: 'Öffnen', b: '[de] Close' }));
  expect((await mine.check()).code).toBe(0);
  expect((await mine.run()).err).toContain('0 translations written, 1 current.\n');
  // It counts as written by the program, so a changed source replaces it.
  await mine.write('app.json', json({ a: 'Open it', b: 'Close' }));
  await mine.run();
  expect(await mine.read('app.de.json')).toBe(json({ a: '[de] Open it', b: '[de] Close' }));
  expect((await mine.billed()) - billed).toBe(7);
});

test('corrections of an assigned document reach the repository after its approval, which --fail-on-review awaits', async () => {
  const mine = await open({ 'app.json': json({ a: 'Open' }) }, '--fail-on-review');
  expect((await mine.run()).code).toBe(0);
  const [document] = await mine.client.documents.list().toArray({ limit: 1 });
  const { id } = document!;
  const me = (await mine.client.auth.me()).user.user_id;
  await mine.client.assignments.assign({ items: [{ kind: 'document', id }], assignee: me });
  const segments = [{ position: 0, replaces: '[de] Open', target_text: 'Öffnen', confirmed: true }];
  await mine.client.documents.save({ document_id: id, segments });
  expect(await mine.run()).toMatchObject({ code: 3, err: expect.stringContaining('0 translations written') });
  expect(await mine.read('app.de.json')).toBe(json({ a: '[de] Open' }));
  const { out } = await mine.lingualoop(['review', 'list', '--json']);
  expect(JSON.parse(out).documents.map((one: { id: string }) => one.id)).toEqual([id]);
  await mine.client.documents.approve(id, {});
  expect((await mine.run()).code).toBe(0);
  expect(await mine.read('app.de.json')).toBe(json({ a: 'Öffnen' }));
});

test('a correction of a text by a reviewer reaches the repository; until then the published text stays', async () => {
  const mine = await open({ 'a.txt': 'One\n\nTwo\n' }, '--domain', 'legal', '--fail-on-review');
  const { texts } = {
    texts: () => mine.client.translations.list({ status: 'awaiting_review' }).toArray({ limit: 9 }),
  };
  expect((await mine.run()).code).toBe(3);
  for (const { id } of await texts()) await mine.client.translations.review(id, { action: 'approve' });
  expect((await mine.run()).code).toBe(0);
  expect(await mine.read('a.de.txt')).toBe('[de] One\n\n[de] Two\n');
  const [one] = await mine.client.translations.list().toArray({ limit: 1 });
  await mine.client.reviews.reopen({ kind: 'job', id: one!.id });
  expect(await mine.run()).toMatchObject({ code: 3, err: expect.stringContaining('1 text awaits review') });
  expect(await mine.read('a.de.txt')).toBe('[de] One\n\n[de] Two\n');
  const final_translation = `Besser: ${one!.id}`;
  await mine.client.translations.review(one!.id, { action: 'modify', final_translation });
  const billed = await mine.billed();
  expect((await mine.run()).err).toContain('1 translation written, 0 current.\n');
  expect(await mine.read('a.de.txt')).toContain(final_translation);
  expect(await mine.billed()).toBe(billed);
});

test('a translation whose job was deleted at the service stays, and is not billed again', async () => {
  const mine = await open({ 'a.txt': 'One\n', 'b.json': json({ b: 'Two' }) });
  await mine.run();
  const billed = await mine.billed();
  for (const { id } of await mine.client.translations.list().toArray({ limit: 9 }))
    await mine.client.translations.delete(id);
  for (const { id } of await mine.client.documents.list().toArray({ limit: 9 }))
    await mine.client.documents.delete(id);
  expect((await mine.run()).err).toContain('0 translations written, 2 current.\n');
  expect(await mine.billed()).toBe(billed);
});

test('an edited text whose source has changed is outdated until it is confirmed or edited again', async () => {
  const mine = await open({ 'app.json': json({ a: 'Open', b: 'Close' }) });
  await mine.run();
  const edit = (a: string) => mine.write('app.de.json', json({ a, b: '[de] Close' }));
  await edit('Öffnen');
  await mine.write('app.json', json({ a: 'Open it', b: 'Close' }));
  const advice = 'app.de.json has texts that were edited by hand before their sources changed';
  for (const _ of [1, 2]) expect((await mine.run()).err).toContain(advice);
  expect(await mine.check()).toEqual({
    code: 1,
    out: 'app.json → de: outdated\n',
    err: '1 translation to correct by hand, or to accept with --confirm.\n',
  });
  expect(await mine.confirm()).toEqual({
    code: 0,
    out: 'app.json → de: confirmed\n',
    err: '1 translation confirmed.\n',
  });
  expect((await mine.check()).code).toBe(0);
  expect((await mine.run()).err).not.toContain(advice);
  expect(await mine.read('app.de.json')).toBe(json({ a: 'Öffnen', b: '[de] Close' }));
  expect((await mine.check()).code).toBe(0);

  await edit('Öffne es');
  await mine.write('app.json', json({ a: 'Open all', b: 'Close' }));
  await mine.run();
  expect((await mine.check()).code).toBe(1);
  await edit('Öffne alles');
  await mine.run();
  expect((await mine.check()).code).toBe(0);
});

test('a file that was edited as a whole is outdated after a change of its source, until it is confirmed', async () => {
  const mine = await open({ 'a.txt': 'Hello' });
  await mine.run();
  await mine.write('a.de.txt', 'Hallo');
  await mine.run();
  await mine.write('a.txt', 'Hello all');
  await mine.run();
  expect((await mine.check()).out).toBe('a.txt → de: outdated\n');
  await mine.confirm();
  expect([(await mine.check()).code, await mine.read('a.de.txt')]).toEqual([0, 'Hallo']);
  await mine.write('a.txt', 'Hello again');
  expect((await mine.check()).code).toBe(1);
});

test.each([['--dry-run'], ['--max-characters', '100']])(
  'a broken file is named with %s, and does not stop the others',
  async (...options) => {
    const mine = await open({ 'a.txt': 'Hello', 'b.docx': 'no Word file', 'c.json': '{"a": ' });
    const { code, out, err } = await mine.run(...options);
    expect(code).toBe(1);
    for (const name of ['b.docx', 'c.json']) expect(err).toContain(`✗ ${name} → de: 400`);
    if (options[0] === '--dry-run')
      expect([out, err]).toEqual([
        expect.stringContaining('a.txt'),
        expect.stringContaining('5 characters would be billed for 1 translation.'),
      ]);
    else {
      expect(err).toContain('1 translation written, 0 current, 2 failed.\n');
      expect(await mine.read('a.de.txt')).toBe('[de] Hello');
    }
  },
);

test('the translation of a renamed source moves with its edits, and is not billed', async () => {
  const mine = await open({ 'app.json': json({ a: 'Open', b: 'Close' }), 'b.txt': 'Hello' });
  await mine.run();
  await mine.write('app.de.json', json({ a: 'Öffnen', b: '[de] Close' }));
  await mine.write('b.de.txt', 'Hallo');
  await mine.run();
  // Another edit, after the last run.
  await mine.write('app.de.json', json({ a: 'Öffnen', b: 'Schließen' }));
  await mine.move('app.json', 'shop.json');
  await mine.move('b.txt', 'c.txt');
  const billed = await mine.billed();
  const argv = ['translate', 'shop.json', 'c.txt', '--to', 'de'];
  const check = await mine.lingualoop([...argv, '--check'], { env: {} });
  expect([check.out, check.err]).toEqual([
    'c.txt → de: renamed\nshop.json → de: renamed\n',
    expect.not.stringContaining('no longer exists'),
  ]);
  expect((await mine.lingualoop([...argv, '--dry-run'])).err).toContain('0 characters would be billed');
  expect((await mine.lingualoop(argv)).code).toBe(0);
  expect(await mine.read('shop.de.json')).toBe(json({ a: 'Öffnen', b: 'Schließen' }));
  expect(await mine.read('c.de.txt')).toBe('Hallo');
  expect(await mine.billed()).toBe(billed);
  expect((await mine.lingualoop([...argv, '--check'], { env: {} })).code).toBe(0);
  expect(await mine.files()).toEqual([
    'c.de.txt',
    'c.txt',
    'lingualoop.lock.json',
    'shop.de.json',
    'shop.json',
  ]);
});

test('--prune deletes the translations of lost sources, except edited ones, and leaves no entry', async () => {
  const mine = await open({ 'a.txt': 'One', 'b.txt': 'Two', 'c.txt': 'Three' });
  await mine.run();
  await mine.write('b.de.txt', 'Zwei');
  for (const path of ['a.txt', 'b.txt']) await mine.remove(path);
  const argv = ['translate', 'c.txt', '--to', 'de'];
  expect((await mine.lingualoop(argv)).err).toContain(
    'a.txt no longer exists; its translations are kept; --prune deletes them',
  );
  expect((await mine.lingualoop([...argv, '--prune', '--check'], { env: {} })).code).toBe(0);
  expect(await mine.read('a.de.txt')).toBe('[de] One');
  const { err } = await mine.lingualoop([...argv, '--prune']);
  expect(err).toContain('a.de.txt deleted, because a.txt no longer exists');
  expect(err).toContain('b.de.txt was changed by hand and is kept');
  expect(await mine.files()).toEqual(['b.de.txt', 'c.de.txt', 'c.txt', 'lingualoop.lock.json']);
  await mine.lingualoop([...argv, '--prune', '--force']);
  expect(await mine.files()).toEqual(['c.de.txt', 'c.txt', 'lingualoop.lock.json']);
  const lock = JSON.parse(await readFile(join(mine.folder, 'lingualoop.lock.json'), 'utf8'));
  expect(Object.keys(lock.files)).toEqual(['c.txt']);
});

test('--prune deletes nothing outside of the folder, and no source', async () => {
  const mine = await open({ 'a.txt': 'One', 'c.txt': 'Three' });
  await mine.run();
  await mine.remove('a.txt');
  const path = join(mine.folder, 'lingualoop.lock.json');
  const lock = JSON.parse(await readFile(path, 'utf8'));
  const { target } = lock.files['a.txt'].de;
  const outside = join(mine.config, 'kept.txt');
  await writeFile(outside, '[de] One');
  const argv = ['translate', 'c.txt', '--to', 'de', '--prune'];
  for (const output of [`../${mine.config.split('/').at(-1)}/kept.txt`, 'c.txt']) {
    lock.files['a.txt'] = { de: { source: 'x', target, output } };
    await writeFile(path, JSON.stringify(lock));
    await mine.lingualoop(argv);
    expect([await readFile(outside, 'utf8'), await mine.read('c.txt')]).toEqual(['[de] One', 'Three']);
  }
});

test('two runs at the same time both succeed, and nothing is billed twice', async () => {
  const names = Array.from({ length: 6 }, (_, n) => n);
  const mine = await open(
    Object.fromEntries(
      names.flatMap((n) => [
        [`${n}.txt`, `Text ${n}`],
        [`${n}.json`, json({ n: `Key ${n}` })],
      ]),
    ),
  );
  const runs = await Promise.all([mine.run(), mine.run(), mine.run()]);
  expect(runs.map(({ code, err }) => [code, err.includes('failed')])).toEqual(runs.map(() => [0, false]));
  for (const n of names) expect(await mine.read(`${n}.de.txt`)).toBe(`[de] Text ${n}`);
  expect([(await mine.check()).code, await mine.billed()]).toEqual([0, 72 - 6]);
  // With the same source and other options, each run has another result.
  const other = await Promise.all([mine.run('--tone', 'formal'), mine.run('--tone', 'friendly')]);
  expect(other.map(({ code }) => code)).toEqual([0, 0]);
});

test('translates text boxes that a Word file has, unless --include names other texts', async () => {
  const box = `<w:r><w:pict><w:txbxContent>${paragraph(run('In the box'))}</w:txbxContent></w:pict></w:r>`;
  const mine = await openProject(app, { 'a.docx': wordFile(paragraph(run('Outside'), box)) });
  const textOf = async () => partsOf(await readFile(join(mine.folder, 'a.fr.docx')))['word/document.xml'];
  const { code, err } = await mine.lingualoop(['translate', 'a.docx', '--to', 'fr']);
  expect(code).toBe(0);
  expect(err).toContain('a.docx has text boxes, which are translated, too; --include none leaves them out');
  expect(await textOf()).toContain('[fr] In the box');
  const without = await mine.lingualoop(['translate', 'a.docx', '--to', 'fr', '--include', 'none']);
  expect([without.code, without.err.includes('text boxes')]).toEqual([0, false]);
  expect(await textOf()).not.toContain('[fr] In the box');
});

test('keeps the columns that --exclude-columns or lingualoop.json names', async () => {
  const rows = row(inline('<t>btn.start</t>'), inline('<t>Start</t>'));
  const mine = await openProject(app, { 'a.xlsx': workbookOf([{ name: 'Labels', rows }]) });
  const texts = async () => shownIn(await readFile(join(mine.folder, 'a.fr.xlsx')));
  const argv = ['translate', 'a.xlsx', '--to', 'fr'];
  expect((await mine.lingualoop(argv)).code).toBe(0);
  expect(await texts()).toEqual(['[fr] btn.start', '[fr] Start']);
  expect((await mine.lingualoop([...argv, '--exclude-columns', 'Labels!A'])).code).toBe(0);
  expect(await texts()).toEqual(['btn.start', '[fr] Start']);
  await writeFile(join(mine.folder, 'lingualoop.json'), json({ exclude_columns: ['B'] }));
  expect((await mine.lingualoop(argv)).code).toBe(0);
  expect(await texts()).toEqual(['[fr] btn.start', 'Start']);
});
