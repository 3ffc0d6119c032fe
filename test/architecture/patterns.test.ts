import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sources } from './check-imports.ts';
import { importsOf } from './modules.ts';

const root = join(import.meta.dirname, '../..');
const compiler = 'server/matching/patterns/compile.ts';

/** The files that a file loads when it is loaded or runs: not those of which it imports only types. */
function loadedBy(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8').replace(/^(?:import|export) type [^;]*;/gm, '');
  return importsOf(root, file, source).map(({ to }) => to);
}

const loaded = new Map(sources.map((file) => [file, loadedBy(file)]));
const importersOf = (to: string) => sources.filter((file) => loaded.get(file)!.includes(to)).sort();

test('one file compiles the patterns of workspaces and callers', () => {
  expect(importersOf('npm:re2js')).toEqual([compiler]);
});

test('only threads and child processes with a deadline load it', () => {
  const rules = 'server/matching/sentences/srx-rules.ts';
  expect(importersOf(compiler)).toEqual([
    rules,
    'server/platform/patterns/pattern-thread.ts',
    'server/redaction/redaction-thread.ts',
  ]);
  expect(importersOf(rules)).toEqual([
    'server/platform/patterns/pattern-thread.ts',
    'server/platform/sandbox/tasks/align-texts.ts',
  ]);
});

test('the main thread of the service never loads it', () => {
  // Threads are not imported. Tasks are, but those of this file run in the service only if their limits have `inline`.
  const tasks = 'server/platform/sandbox/tasks.ts';
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file) || !loaded.has(file)) return;
    reached.add(file);
    if (file !== tasks) for (const to of loaded.get(file)!) visit(to);
  };
  for (const start of ['server/main.ts', ...sources.filter((file) => file.startsWith('workers/'))])
    visit(start);
  expect(reached.size).toBeGreaterThan(500);
  expect(reached).toContain('server/matching/patterns/index.ts');
  expect(reached).not.toContain(compiler);
});
