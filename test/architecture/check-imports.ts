import { globSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, refusal } from './modules.ts';

const root = join(import.meta.dirname, '../..');

/** All source files of the modules. The entry points are excluded, because they are links to JavaScript files. */
export const sources = globSync(
  [
    'server/**/*.ts',
    'db/**/*.ts',
    'rest/**/*.ts',
    'workers/**/*.ts',
    'sdk/src/**/*.ts',
    'sdk/cli/src/**/*.ts',
    'web/*.ts',
    'web/{app,preview,server}/**/*.{ts,tsx}',
  ],
  { cwd: root },
).filter((file) => !lstatSync(join(root, file)).isSymbolicLink());

/** The forbidden imports of all source files. */
export function refusals(): string[] {
  return sources.flatMap((file) => importsOf(root, file).flatMap((found) => refusal(found) ?? []));
}

/**
 * Groups of files that import each other in a cycle; empty if there is no cycle. Imports of types count, which Biome's
 * rule does not check.
 */
export function cycles(files: readonly string[] = sources, importsOfFile = sourceImports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  // Tarjan's algorithm: the files of a cycle are the part of the stack above the file of the cycle that was visited
  // first.
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    lowest.set(file, own);
    stack.push(file);
    for (const to of importsOfFile(file)) {
      if (!files.includes(to)) continue;
      const reached = order.has(to) ? (stack.includes(to) ? (order.get(to) as number) : own) : visit(to);
      lowest.set(file, Math.min(lowest.get(file) as number, reached));
    }
    if (lowest.get(file) === own) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) found.push(group);
    }
    return lowest.get(file) as number;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

function sourceImports(file: string): string[] {
  return importsOf(root, file).map(({ to }) => to);
}

if (import.meta.main) {
  const found = [
    ...refusals(),
    ...cycles().map((group) => `these files import each other: ${group.join(', ')}`),
  ];
  for (const line of found) console.error(line);
  if (found.length > 0) process.exit(1);
  console.log(`Imports of ${sources.length} files are as docs/decisions/0005 has them, without a cycle.`);
}
