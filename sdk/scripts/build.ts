import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'tsdown';
import { emitDeclarations } from './declarations.ts';

const sdk = join(import.meta.dirname, '..');
const dist = join(sdk, 'dist');

/**
 * Each is one file without imports, as ES module and as CommonJS: a consumer installs one package, with any loader.
 */
const entries = ['index', 'testing'] as const;

await mkdir(dist, { recursive: true });
// Inside dist, which version control ignores, and next to the target of the files: a rename is atomic.
const work = await mkdtemp(join(dist, 'build-'));
const out = join(work, 'out');
try {
  const options = {
    cwd: sdk,
    outDir: out,
    clean: false,
    logLevel: 'error',
    platform: 'neutral',
    target: 'es2022',
    config: false,
  } as const;
  const declarations = await emitDeclarations(work);
  for (const name of entries) {
    await build({ ...options, format: ['esm', 'cjs'], entry: { [name]: `src/${name}.ts` }, dts: false });
    await build({
      ...options,
      format: 'esm',
      entry: { [name]: join(declarations, `${name}.d.ts`) },
      dts: { dtsInput: true, emitDtsOnly: true },
    });
    await tidy(join(out, `${name}.d.ts`));
    // They import nothing and export only names, so both have the same text.
    await copyFile(join(out, `${name}.d.ts`), join(out, `${name}.d.cts`));
    for (const kind of ['js', 'cjs', 'd.ts', 'd.cts'])
      await rename(join(out, `${name}.${kind}`), join(dist, `${name}.${kind}`));
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/**
 * The bundler's comments name the folder of this run; without them equal sources give equal files. The compiler
 * repeats how a function destructures its connection, whose members are not published.
 */
async function tidy(file: string): Promise<void> {
  const declarations = (await readFile(file, 'utf8'))
    .replaceAll(/^\/\/#(end)?region.*\n/gm, '')
    .replaceAll(/\(\{[^{}]*\}: Connection\)/g, '(connection: Connection)');
  await writeFile(file, declarations);
}
