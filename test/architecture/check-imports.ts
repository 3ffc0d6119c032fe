import { globSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, refusal } from './rooms.ts';

const root = join(import.meta.dirname, '../..');

/** Every source file that belongs to a room. */
export const sources = globSync(
  ['server/**/*.ts', 'db/**/*.ts', 'rest/**/*.ts', 'workers/**/*.ts', 'sdk/src/**/*.ts'],
  { cwd: root },
);

/** What the sources import and may not. */
export function refusals(): string[] {
  return sources.flatMap((file) => importsOf(root, file).flatMap((found) => refusal(found) ?? []));
}

if (import.meta.main) {
  const found = refusals();
  for (const line of found) console.error(line);
  if (found.length > 0) process.exit(1);
  console.log(`Imports of ${sources.length} files are as docs/decisions/0005 has them.`);
}
