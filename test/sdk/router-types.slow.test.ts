import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

const schema = 'server/translation/texts/schema.ts';
const router = 'server/translation/texts-router.ts';

type Change = readonly [file: string, pattern: string | RegExp, replacement: string];

/** The type errors of the SDK and its type test, in a copy of the sources in which the changes were made. */
async function typeErrors(changes: readonly Change[]): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'lingualoop-types-'));
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
  for (const [file, pattern, replacement] of changes) {
    const source = await readFile(join(copy, file), 'utf8');
    await writeFile(join(copy, file), replaceOnce(source, pattern, replacement));
  }
  await writeFile(
    join(copy, 'tsconfig.types.json'),
    JSON.stringify({ extends: './tsconfig.json', include: [], files: ['test/sdk/types.test-d.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const output = await new Promise<string>((resolve) => {
    const arguments_ = [tsc, '-p', 'tsconfig.types.json', '--pretty', 'false'];
    execFile(process.execPath, arguments_, { cwd: copy }, (_, stdout) => resolve(stdout));
  });
  await rm(copy, { recursive: true, force: true });
  // The server's own code fails to compile, too; that does not matter here.
  const lines = output.split('\n').filter((line) => /^(sdk|test\/sdk)\//.test(line));
  return lines.join('\n');
}

test('the type test compiles against the current procedures', async () => {
  expect(await typeErrors([])).toBe('');
});

/** Changes that break a client's code, and the message that must name each. */
const breaking: readonly [what: string, change: Change, message: RegExp][] = [
  [
    'a field removed from an output',
    [schema, /^ {4}final_translation: .*\n/m, ''],
    /test\/sdk\/types\.test-d\.ts.*'final_translation' is missing/,
  ],
  [
    'an input field that became required',
    [schema, /source_lang: z\s+\.string\(\)\s+\.default\('en'\)/, 'source_lang: z.string()'],
    /test\/sdk\/types\.test-d\.ts.*'source_lang' is missing/,
  ],
  [
    'a value that is no longer accepted',
    [
      'server/translation/core/agent-run-schema.ts',
      "z.enum(['save', 'approve', 'modify', 'reject'])",
      "z.enum(['approve', 'modify', 'reject'])",
    ],
    /test\/sdk\/types\.test-d\.ts.*'"approve" \| "modify" \| "reject" \| "save"' does not satisfy/,
  ],
  [
    'a new field that a batch requires',
    ['server/translation/texts/intake/schema.ts', 'Text: z.string()', 'Region: z.string(), Text: z.string()'],
    /test\/sdk\/types\.test-d\.ts.*'Region' is missing/,
  ],
  [
    'the procedure createFromFile removed',
    [router, /^ {2}createFromFile,\n/m, ''],
    /sdk\/src\/types\.ts.*'createFromFile' does not exist/,
  ],
  [
    'the procedure golden removed',
    [router, /^ {2}golden,\n/m, ''],
    /sdk\/src\/types\.ts.*'golden' does not exist/,
  ],
];

describe('a change that breaks clients does not compile', () => {
  // One compilation sees all of the changes, since each takes seconds: a message names the change that it is about.
  let errors: string;
  beforeAll(async () => {
    errors = await typeErrors(breaking.map(([, change]) => change));
  });

  test.each(breaking)('%s', (_, __, message) => {
    expect(errors).toMatch(message);
  });
});

function replaceOnce(source: string, pattern: string | RegExp, replacement: string): string {
  const changed = source.replace(pattern, replacement);
  if (changed === source) throw new Error(`${pattern} is not in the source any more`);
  return changed;
}
