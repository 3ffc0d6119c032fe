import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const sdk = join(import.meta.dirname, '..');
const root = join(sdk, '..');

/**
 * Emits the declarations of the sources below `work`, an empty folder, and returns the path of index.d.ts.
 *
 * What `src/types.ts` reads off the service's procedures is written out on the way: the compiler prints each type
 * in full, and takes the place of the server, its database and its schemas, which no consumer has.
 */
export async function emitDeclarations(work: string): Promise<string> {
  const names = exportedTypes(await readFile(join(sdk, 'src/types.ts'), 'utf8'));
  const fromWork = (path: string) => relative(work, path).replaceAll(sep, '/');
  await writeFile(join(work, 'written-out.ts'), writtenOut(names, fromWork(join(sdk, 'src/types.ts'))));
  await writeFile(
    join(work, 'tsconfig.json'),
    JSON.stringify({
      extends: fromWork(join(root, 'tsconfig.json')),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        noErrorTruncation: true,
        rootDir: fromWork(root),
        outDir: 'declarations',
      },
      include: [],
      files: ['written-out.ts', fromWork(join(sdk, 'src/index.ts'))],
    }),
  );
  await compile(work);

  const emitted = (source: string) => join(work, 'declarations', relative(root, source));
  const printed = printedTypes(await readFile(emitted(join(work, 'written-out.d.ts')), 'utf8'));
  const typesFile = emitted(join(sdk, 'src/types.d.ts'));
  await writeFile(typesFile, replaceTypes(await readFile(typesFile, 'utf8'), printed));
  return emitted(join(sdk, 'src/index.d.ts'));
}

function exportedTypes(source: string): string[] {
  return [...source.matchAll(/^export type (\w+) =/gm)].map((match) => match[1]!);
}

/**
 * A module with a constant of each type. The compiler infers the constants' types, and so has to print what they
 * are; of an annotation it would print the annotation.
 */
function writtenOut(names: string[], typesModule: string): string {
  return [
    `import type * as types from '${typesModule}';`,
    // A union of strings anew: as it is, the compiler would print the name under which it was first written.
    'type WrittenOut<T> = [T] extends [string] ? { [K in T]: K }[T] : Inside<T>;',
    'type Inside<T> = T extends Date | Blob | Uint8Array | ((...args: never[]) => unknown) ? T',
    '  : T extends object ? { [K in keyof T]: WrittenOut<T[K]> } : T;',
    'const writeOut = <T>(value: T): WrittenOut<T> => value as WrittenOut<T>;',
    ...names.map((name) => `export const ${name} = writeOut(null! as types.${name});`),
  ].join('\n');
}

/** Name → type, from the declaration of such a module. */
function printedTypes(declaration: string): Map<string, string> {
  const constants = declaration.split(/^export declare const /m).slice(1);
  return new Map(
    constants.map((constant) => {
      const [, name, type] = /^(\w+): (.*);\s*$/s.exec(constant) ?? [];
      if (name === undefined || type === undefined)
        throw new Error(`not the declaration of a constant: ${constant}`);
      return [name, type];
    }),
  );
}

/** The types module's declaration with every type written out; its comments stay. */
function replaceTypes(declaration: string, printed: Map<string, string>): string {
  const replaced = declaration
    .replaceAll(/^(import|type) [^;]*;\n/gm, '')
    // Up to the next statement or its comment: a type may hold semicolons, and every line in it is indented.
    .replaceAll(/^export type (\w+) = .*(?:\n[ }].*)*;$/gm, (_, name: string) => {
      const type = printed.get(name);
      if (type === undefined) throw new Error(`the compiler printed no type for ${name}`);
      return `export type ${name} = ${type};`;
    });
  if (/\b(Inputs|Outputs|import|any)\b|\btypes\./.test(replaced.replaceAll(/\/\*\*.*?\*\//gs, '')))
    throw new Error('a published type would depend on the server, or be any');
  return replaced;
}

async function compile(project: string): Promise<void> {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  try {
    await promisify(execFile)(process.execPath, [join(typescript, '../bin/tsc'), '-p', project]);
  } catch (error) {
    throw new Error(`the declarations do not compile:\n${(error as { stdout?: string }).stdout}`);
  }
}
