import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { allReferences, allRules } from '#test/docs/rule-references.ts';
import { sources } from './check-imports.ts';
import { executedByOneJob } from './executed-code.ts';
import { importsOf } from './modules.ts';

/*
 * `npm run structure`: how large the files are, who imports whom, whether rule numbers resolve, and how much of the code
 * one text job executes. `--list` prints the files behind the figures too. It only reports.
 */

const root = join(import.meta.dirname, '../..');

interface SourceFile {
  path: string;
  lines: number;
  /** Source files that it imports, types included. */
  imports: string[];
  /** Source files that import it. */
  importers: string[];
}

function readSourceFiles(): SourceFile[] {
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

/** Groups of files that import each other, directly or not: strongly connected components, by Tarjan's algorithm. */
export function importCycles(files: Pick<SourceFile, 'path' | 'imports'>[]): string[][] {
  const importsByPath = new Map(files.map(({ path, imports }) => [path, imports]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path) as number);
    stack.push(path);
    for (const next of importsByPath.get(path) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(path, Math.min(low.get(path) as number, low.get(next) as number));
      } else if (stack.includes(next))
        low.set(path, Math.min(low.get(path) as number, index.get(next) as number));
    }
    if (low.get(path) !== index.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1) cycles.push(component.sort());
  };
  for (const { path } of files) if (!index.has(path)) visit(path);
  return cycles;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

async function report(): Promise<void> {
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
  const cycles = importCycles(files);
  print('production files', files.length);
  print('median of their lines', median(files.map(({ lines }) => lines)));
  print('of 40 lines or fewer', files.filter(({ lines }) => lines <= 40).length);
  print('below 40 lines', short.length);
  print('below 40 lines, with exactly one importer, in the same folder', appended.length, paths(appended));
  print('above 350 lines', long.length, paths(long));
  print('with exactly one importer', imported.length);
  print(
    'import cycles, types included',
    cycles.length,
    cycles.map((cycle) => cycle.join(' ')),
  );

  const anchors = new Set(allRules().map(({ anchor }) => anchor));
  const references = allReferences();
  const lost = references.filter(({ anchor }) => !anchors.has(anchor));
  const inCode = references.filter(({ file }) => sources.includes(file));
  print('references to rules in code, tests and documents', references.length);
  print('  of them in production files', inCode.length);
  print(
    '  that resolve',
    references.length - lost.length,
    lost.map(({ file, text }) => `${file}: ${text}`),
  );

  for (const [engine, { files, functions }] of Object.entries(await executedByOneJob())) {
    print(`files that one text job executes, ${engine} engine`, files.length, files);
    print(`functions that one text job executes, ${engine} engine`, functions.length);
  }
}

if (import.meta.main) await report();
