import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { compareSections } from './compare.ts';
import { cutPages, readStrangers } from './strangers.ts';

const folder = mkdtempSync(join(tmpdir(), 'strangers-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

describe('the sample of pages', () => {
  const strangers = readStrangers();

  it('has 60 pages of many files, half of which are tagged', () => {
    expect(strangers).toHaveLength(60);
    expect(new Set(strangers.map(({ sha256 }) => sha256)).size).toBeGreaterThanOrEqual(40);
    for (const { commit, sha256, page } of strangers)
      expect([commit, sha256, page]).toEqual([
        expect.stringMatching(/^[0-9a-f]{40}$/),
        expect.stringMatching(/^[0-9a-f]{64}$/),
        expect.stringMatching(/^\d+$/),
      ]);
  });

  it('is skipped with a reason for each file that is absent or has changed', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: join(folder, 'owner+name/repo'),
        encoding: 'utf8',
      }).trim();
    mkdirSync(join(folder, 'owner+name/repo'), { recursive: true });
    git('init', '-q');
    writeFileSync(join(folder, 'owner+name/repo/form.pdf'), 'another content');
    git('add', 'form.pdf');
    git('commit', '-qm', 'Add a form');
    const changed = {
      ...strangers[0]!,
      repository: 'owner/name',
      path: 'form.pdf',
      commit: git('rev-parse', 'HEAD'),
    };
    const absent = { ...changed, number: '02', path: 'other.pdf' };
    expect(cutPages([changed, absent], folder, join(folder, 'pages'))).toEqual([]);
    const reasons = warn.mock.calls.map(([message]) => `${message}`);
    if (!reasons[0]!.includes('qpdf'))
      expect(reasons).toEqual([
        'page 01 is skipped: owner/name form.pdf has another content',
        'page 02 is skipped: owner/name other.pdf is not in the folder',
      ]);
  });
});

it('lists the figures that have changed', () => {
  const section = (rows: string[][], head = ['page', 'small', 'lost']) => ({
    title: 'The sample',
    tables: [{ title: 'By page', head, rows }],
  });
  const before = section(
    [
      ['01.pdf 1', '3'],
      ['02.pdf 1', '0'],
      ['03.pdf 1', '1'],
    ],
    ['page', 'small'],
  );
  const after = section([
    ['01.pdf 1', '1', '2'],
    ['02.pdf 1', '0', '0'],
    ['04.pdf 1', '1', '0'],
  ]);
  expect(compareSections(before, after)).toEqual(['By page, 01.pdf 1: small 3 → 1']);
});
