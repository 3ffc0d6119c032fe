import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cycles, sources } from './check-imports.ts';
import { importsOf, layerOf, modules } from './modules.ts';

/*
 * `npm run structure` prints figures about the code: modules and their dependencies, sizes of files and imports.
 * `--list` also prints the files behind the figures. The program never fails.
 */

const root = join(import.meta.dirname, '../..');

interface SourceFile {
  path: string;
  lines: number;
  /** The source files that this file imports, including imports of types. */
  imports: string[];
  /** The source files that import this file. */
  importers: string[];
}

export function readSourceFiles(): SourceFile[] {
  const files = new Map<string, SourceFile>();
  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8');
    const imports = [...new Set(importsOf(root, path).map(({ to }) => to))].filter((to) => to !== path);
    files.set(path, { path, lines: text.split('\n').length - 1, imports, importers: [] });
  }
  for (const file of files.values()) {
    file.imports = file.imports.filter((path) => files.has(path));
    for (const path of file.imports) files.get(path)?.importers.push(file.path);
  }
  return [...files.values()];
}

/**
 * The directory that counts as the module of a file, such as `server/texts`, `server/http` or `rest`. Each
 * file directly in `server/` is a module, and so are the routers and the program of the workers, which start what is
 * below them.
 */
function moduleOf(path: string): string {
  if (path === 'workers/main.ts' || path.endsWith('router.ts')) return path;
  const [top, second, third] = path.split('/') as [string, string, string?];
  if (top === 'web') return path.split('/').length > 2 ? `${top}/${second}` : 'web';
  if (top !== 'server' || third === undefined) return top === 'server' ? path : top;
  return `${top}/${second}`;
}

/** The imports between modules, and those of them that go upwards in the table of modules. */
export function modulesOf(files: Pick<SourceFile, 'path' | 'imports'>[]) {
  const dependencies = new Map<string, Set<string>>();
  const upward: string[] = [];
  for (const { path, imports } of files) {
    const from = moduleOf(path);
    const to = dependencies.get(from) ?? new Set();
    dependencies.set(from, to);
    for (const other of imports) {
      if (moduleOf(other) !== from) to.add(moduleOf(other));
      if (layerOf(other) < layerOf(path)) upward.push(`${path} -> ${other}`);
    }
  }
  const circles = cycles([...dependencies.keys()], (module) => [...(dependencies.get(module) ?? [])]);
  return { dependencies, upward, circles };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function report(): void {
  const list = process.argv.includes('--list');
  const print = (what: string, count: number | string, names: string[] = []) => {
    console.log(`${what.padEnd(72)} ${count}`);
    if (list) for (const name of names) console.log(`    ${name}`);
  };

  const files = readSourceFiles();
  const paths = (some: SourceFile[]) => some.map(({ path, lines }) => `${path} (${lines})`).sort();
  const short = files.filter(({ lines }) => lines < 40);
  const imported = files.filter(({ importers }) => importers.length === 1);
  const appended = short.filter(
    ({ path, importers }) => importers.length === 1 && dirname(importers[0] as string) === dirname(path),
  );
  const long = files.filter(({ lines }) => lines > 350);
  const importsOfFile = new Map(files.map(({ path, imports }) => [path, imports]));
  const found = cycles([...importsOfFile.keys()], (path) => importsOfFile.get(path) ?? []);
  const { dependencies, upward, circles } = modulesOf(files);
  const entries = readdirSync(join(root, 'server'));
  print('entries directly in server/', entries.length, entries);
  print('modules, each a folder or a file of server/', dependencies.size);
  print('  layers in their table', modules.length);
  print(
    '  dependencies between them',
    [...dependencies.values()].reduce((sum, { size }) => sum + size, 0),
  );
  print(
    '  circles of them',
    circles.length,
    circles.map((circle) => circle.join(' ')),
  );
  print('imports that run upward', upward.length, upward);
  print('production files', files.length);
  print('median of their lines', median(files.map(({ lines }) => lines)));
  print('of 40 lines or fewer', files.filter(({ lines }) => lines <= 40).length);
  print('below 40 lines', short.length);
  print('below 40 lines, with exactly one importer, in the same folder', appended.length, paths(appended));
  print('above 350 lines', long.length, paths(long));
  print('with exactly one importer', imported.length);
  print(
    'import cycles, types included',
    found.length,
    found.map((cycle) => cycle.join(' ')),
  );
}

if (import.meta.main) report();
