import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The type errors of the SDK and its type test, in a copy of the sources in which `change` was made to `file`. */
async function typeErrors(file: string, change: (source: string) => string): Promise<string[]> {
  const copy = await mkdtemp(join(tmpdir(), 'lingualoop-types-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  for (const path of [
    'server',
    'db',
    'sdk/src',
    'sdk/package.json',
    'test/sdk/types.test-d.ts',
    'package.json',
    'tsconfig.json',
  ])
    await cp(join(root, path), join(copy, path), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const source = await readFile(join(copy, file), 'utf8');
  const changed = change(source);
  await writeFile(join(copy, file), changed);
  await writeFile(
    join(copy, 'tsconfig.types.json'),
    JSON.stringify({ extends: './tsconfig.json', include: [], files: ['test/sdk/types.test-d.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const output = await new Promise<string>((resolve) => {
    const arguments_ = [tsc, '-p', 'tsconfig.types.json', '--pretty', 'false'];
    execFile(process.execPath, arguments_, { cwd: copy }, (_, stdout) => resolve(stdout));
  });
  // The server's own code misses what was taken away, too; that is not the question here.
  return output.split('\n').filter((line) => /^(sdk|test\/sdk)\//.test(line));
}

const schema = 'server/translations/schema.ts';

test('the type test compiles against the current procedures', async () => {
  expect(await typeErrors(schema, (source) => source)).toEqual([]);
});

test('a field removed from an output breaks it', async () => {
  const errors = await typeErrors(schema, (source) =>
    replaceOnce(source, /^ {4}final_translation: .*\n/m, ''),
  );
  expect(errors.join('\n')).toMatch(/types\.test-d\.ts.*'final_translation' is missing/s);
});

test('so does an input field that became required', async () => {
  const errors = await typeErrors(schema, (source) =>
    replaceOnce(source, "source_lang: z.string().default('en')", 'source_lang: z.string()'),
  );
  expect(errors.join('\n')).toMatch(/source_lang/);
});

test('a value that is no longer accepted breaks it', async () => {
  const errors = await typeErrors(schema, (source) =>
    replaceOnce(
      source,
      "z.enum(['save', 'approve', 'modify', 'reject'])",
      "z.enum(['approve', 'modify', 'reject'])",
    ),
  );
  expect(errors.join('\n')).toMatch(/types\.test-d\.ts/);
});

test('so does a new field that a batch requires', async () => {
  const errors = await typeErrors('server/translations/intake/schema.ts', (source) =>
    replaceOnce(source, 'Text: z.string(),', 'Text: z.string(), Region: z.string(),'),
  );
  expect(errors.join('\n')).toMatch(/types\.test-d\.ts.*'Region' is missing/s);
});

test.each([
  ['get', /sdk\/src\/translations\.ts.*'get'/s],
  ['createFromFile', /sdk\/src\/types\.ts.*'createFromFile'/s],
  ['golden', /sdk\/src\/types\.ts.*'golden'/s],
])('a removed procedure breaks the SDK itself: %s', async (name, message) => {
  const errors = await typeErrors('server/translations/router.ts', (source) =>
    replaceOnce(source, new RegExp(`^ {2}${name},\n`, 'm'), ''),
  );
  expect(errors.join('\n')).toMatch(message);
});

function replaceOnce(source: string, pattern: string | RegExp, replacement: string): string {
  const changed = source.replace(pattern, replacement);
  if (changed === source) throw new Error(`${pattern} is not in the source any more`);
  return changed;
}
