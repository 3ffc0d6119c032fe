import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { languageOfName } from '#server/languages.ts';
import { root, snippetsOf } from './snippets.ts';

test('the first change of CONTRIBUTING.md applies, and makes its test pass', async () => {
  const [test, change] = snippetsOf('CONTRIBUTING.md').filter(({ language }) => language === 'diff');
  expect(await changed('test/languages.test.ts', test?.code)).toContain(
    "expect(languageOfName('farsi')).toBe('fa');",
  );
  expect(languageOfName('farsi')).toBeUndefined();

  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-first-change-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'languages.ts');
  await writeFile(file, await changed('server/languages.ts', change?.code));
  const after: { languageOfName: typeof languageOfName } = await import(/* @vite-ignore */ file);
  expect(after.languageOfName('farsi')).toBe('fa');
});

/** The text of a file after a change. The file must have the lines around the change exactly once. */
async function changed(path: string, diff = ''): Promise<string> {
  const lines = diff.trimEnd().split('\n');
  const textOf = (some: string[]) => some.map((line) => `${line.slice(1)}\n`).join('');
  const before = textOf(lines.filter((line) => line.startsWith(' ')));
  const parts = (await readFile(join(root, path), 'utf8')).split(before);
  expect([path, parts.length]).toEqual([path, 2]);
  return parts.join(textOf(lines));
}
