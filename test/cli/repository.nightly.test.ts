import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { root } from '#test/setup/launch.ts';
import { withWorkers } from '../translation-memory/background.ts';
import { openProject } from './cli.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', DEFAULT_MONTHLY_CHAR_LIMIT: '100000000' },
});

const sentences = [
  'The ferry leaves at noon.',
  'Dogs must be kept on a lead.',
  'Bring your own cup.',
  'The path is closed in winter.',
];
const paragraphOf = (file: number, n: number) =>
  `${sentences[(file + n) % 4]} This is note ${n} of file ${file}.`;
const fileOf = (file: number, paragraphs = 10) =>
  `${Array.from({ length: paragraphs }, (_, n) => paragraphOf(file, n)).join('\n\n')}\n`;

/** A file of a developers' repository with 40 texts. In a later version, every 20th text of all files has changed. */
const stringsOf = (kind: string, file: number, isLater: boolean) => {
  const texts = Array.from({ length: 40 }, (_, n) => {
    const text = `${sentences[(file + n) % 4]} Text ${n} of file ${file}.`;
    return isLater && (n + file) % 20 === 0 ? text.replace('Text', 'Changed text') : text;
  });
  if (kind === 'json')
    return JSON.stringify(Object.fromEntries(texts.map((text, n) => [`key${n}`, text])), null, 2);
  if (kind === 'md') return texts.map((text) => `- ${text}\n`).join('');
  if (kind === 'yaml') return texts.map((text, n) => `key${n}: "${text}"\n`).join('');
  return texts.map((text) => `msgid "${text}"\nmsgstr ""\n`).join('\n');
};

test('a repository of 100 JSON, YAML, PO and Markdown files: a second run with 5 % of the texts changed, in all files, bills at most 6 %', {
  timeout: 300_000,
}, async () => {
  const kinds = ['json', 'yaml', 'po', 'md'];
  const pathOf = (n: number) => `locales/part-${n % 10}/file-${n}.${kinds[n % 4]}`;
  const version = (isLater: boolean) =>
    Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [pathOf(n), stringsOf(kinds[n % 4]!, n, isLater)]),
    );
  const mine = await openProject(app, version(false));
  const argv = [
    'translate',
    'locales/**/*.{json,yaml,po,md}',
    '--exclude',
    '**/*.de.*',
    '--to',
    'de',
    '--jobs',
    '8',
  ];
  await withWorkers(app, async () => {
    const first = await mine.lingualoop(argv);
    expect([first.code, first.err.includes('100 translations written')]).toEqual([0, true]);
    const billed = await mine.billed();
    expect(billed).toBeGreaterThan(100 * 40 * 30);
    for (const [path, content] of Object.entries(version(true))) await mine.write(path, content);
    const estimated = await mine.lingualoop([...argv, '--dry-run']);
    const second = await mine.lingualoop(argv);
    expect([second.code, second.err.includes('100 translations written')]).toEqual([0, true]);
    const added = (await mine.billed()) - billed;
    expect(added / billed).toBeGreaterThan(0.04);
    expect(added / billed).toBeLessThan(0.06);
    expect(estimated.err).toContain(`${added.toLocaleString('en')} characters would be billed`);
    // A third run has nothing to do.
    expect((await mine.lingualoop(argv)).err).toContain('0 translations written, 100 current');
    expect((await mine.billed()) - billed).toBe(added);
  });
  for (const n of [0, 1, 2, 3]) {
    const text = await mine.read(pathOf(n).replace(/(\.\w+)$/, '.de$1'));
    expect(text.match(/\[de\] /g)).toHaveLength(40);
    expect(text).toContain('Changed text');
  }
});

test('killed at twelve moments, the program bills nothing twice and leaves no half-written file', async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`docs/file-${n}.txt`, fileOf(n)]));
  const mine = await openProject(app, files);
  const main = `${root}/sdk/cli/src/main.ts`;
  const start = () =>
    spawn(process.execPath, [main, 'translate', 'docs', '--to', 'fr', '--jobs', '4'], {
      cwd: mine.folder,
      env: { PATH: process.env['PATH'], ...mine.credentials },
      stdio: 'ignore',
    });
  for (let kill = 0; kill < 12; kill++) {
    const child = start();
    const ended = new Promise((resolve) => child.once('close', resolve));
    await delay(150 + kill * 38);
    child.kill('SIGKILL');
    await ended;
  }
  const { code, err } = await mine.lingualoop(['translate', 'docs', '--to', 'fr']);
  expect(code).toBe(0);
  expect(err).not.toContain('changed by hand');
  const texts = new Set(Object.values(files).flatMap((text) => text.trim().split('\n\n')));
  const characters = [...texts].reduce((sum, { length }) => sum + length, 0);
  expect(await mine.billed()).toBe(characters);
  const [jobs] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as count from translation_jobs where tenant_id = ${mine.tenantId}`;
  expect(jobs?.['count']).toBe(texts.size);
  for (const path of Object.keys(files)) {
    const translation = await mine.read(path.replace('.txt', '.fr.txt'));
    expect(translation.split('\n\n')).toHaveLength(10);
  }
  const left = (await readdir(`${mine.folder}/docs`)).filter((name) => !/^file-\d+(\.fr)?\.txt$/.test(name));
  expect(left).toEqual([]);
});
