import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { placesOf } from './descriptions.ts';
import { printInterfaces } from './interfaces.ts';
import { parseType } from './type-text.ts';

const sdk = join(import.meta.dirname, '..');
const root = join(sdk, '..');

/**
 * Emits the declarations of the sources below `work`, an empty folder, and returns the folder of index.d.ts and
 * testing.d.ts.
 *
 * The types that `src/types.ts` derives from the service's procedures are written out: the compiler prints each type
 * in full, so that nothing depends on the server, which no consumer has. Then they become interfaces, with the
 * descriptions of their schemas.
 */
export async function emitDeclarations(work: string): Promise<string> {
  const types = await readFile(join(sdk, 'src/types.ts'), 'utf8');
  const names = exportedTypes(types);
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
        stripInternal: true,
        noErrorTruncation: true,
        rootDir: fromWork(root),
        outDir: 'declarations',
      },
      include: [],
      files: ['written-out.ts', ...['index', 'testing'].map((name) => fromWork(join(sdk, `src/${name}.ts`)))],
    }),
  );
  await compile(work);

  const emitted = (source: string) => join(work, 'declarations', relative(root, source));
  const printed = printedTypes(await readFile(emitted(join(work, 'written-out.d.ts')), 'utf8'));
  await writeFile(emitted(join(sdk, 'src/types.d.ts')), declarationOf(types, printed));
  return emitted(join(sdk, 'src'));
}

function exportedTypes(source: string): string[] {
  return [...source.matchAll(/^export (?:type (\w+) =|interface (\w+) )/gm)].map(
    ([, type, named]) => (type ?? named) as string,
  );
}

/**
 * A module with a constant of each type. The compiler infers the constants' types, and so has to print them; of an
 * annotation it would print the annotation.
 */
function writtenOut(names: string[], typesModule: string): string {
  return [
    `import type * as types from '${typesModule}';`,
    // A union of strings is built again: otherwise the compiler would print the name under which it was first
    // written. A union that accepts every text is printed in full anyway.
    'type WrittenOut<T> = [T] extends [string] ? [string & {}] extends [T] ? Inside<T> : { [K in T]: K }[T] : Inside<T>;',
    'type Inside<T> = T extends string | Date | Blob | Uint8Array | ((...args: never[]) => unknown) ? T',
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

/** The types module's declaration: every type written out, as an interface if it is an object. */
function declarationOf(source: string, printed: Map<string, string>): string {
  const placeOf = placesOf(source);
  const comments = new Map(
    [...source.matchAll(/^(\/\*\*(?:(?!\*\/).)*\*\/\n)export (?:type|interface) (\w+) /gms)].map(
      ([, comment, name]) => [name, comment],
    ),
  );
  // Types without a procedure are published as in the source.
  const interfaces = new Map(
    [...source.matchAll(/^export interface (\w+) .*?^\}/gms)].map(([text, name]) => [name, text]),
  );
  const text = printInterfaces(
    [...printed].map(([name, type]) => ({
      name,
      comment: comments.get(name) ?? '',
      // The compiler may keep the name of an interface.
      type: parseType(
        type.replaceAll(/\btypes\.(\w+)/g, (whole, own) => (interfaces.has(own) ? own : whole)),
      ),
      place: placeOf(name),
      written: interfaces.get(name),
    })),
  );
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '');
  const foreign = /^.*(?:\b(?:import|any)\b|\btypes\.).*$/m.exec(code);
  if (foreign) throw new Error(`a published type would depend on the server, or be any: ${foreign[0]}`);
  return text;
}

async function compile(project: string): Promise<void> {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  try {
    await promisify(execFile)(process.execPath, [join(typescript, '../bin/tsc'), '-p', project]);
  } catch (error) {
    throw new Error(`the declarations do not compile:\n${(error as { stdout?: string }).stdout}`);
  }
}
