import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type TsdownBundle } from 'tsdown';
import { emitDeclarations } from './declarations.ts';

const sdk = join(import.meta.dirname, '..');
const dist = join(sdk, 'dist');

/**
 * What goes into the bundle. A consumer then installs one package, and not the compiler that @trpc/client has
 * as a peer; and CommonJS can load it, one copy of the error classes for both kinds of module.
 */
const bundled = ['@trpc/client', '@trpc/server', 'superjson', 'copy-anything'];

await mkdir(dist, { recursive: true });
// Inside dist, which version control ignores, and beside where the files go: a rename is all or nothing.
const work = await mkdtemp(join(dist, 'build-'));
try {
  const options = {
    cwd: sdk,
    outDir: join(work, 'out'),
    clean: false,
    logLevel: 'error',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  } as const;
  const index = await emitDeclarations(work);
  const code = await build({
    ...options,
    config: false,
    entry: { index: 'src/index.ts' },
    dts: false,
    deps: { alwaysBundle: bundled, onlyBundle: bundled },
  });
  await build({ ...options, config: false, entry: { index }, dts: { dtsInput: true, emitDtsOnly: true } });
  await dropRegions(join(work, 'out/index.d.ts'));
  await writeFile(join(work, 'out/THIRD-PARTY-LICENSES.txt'), await licenses(code));
  for (const file of ['index.js', 'index.d.ts', 'THIRD-PARTY-LICENSES.txt'])
    await rename(join(work, 'out', file), join(dist, file));
} finally {
  await rm(work, { recursive: true, force: true });
}

/** The bundler's comments name the folder of this run; without them equal sources give equal files. */
async function dropRegions(file: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/^\/\/#(end)?region.*\n/gm, ''));
}

/** The licenses of the packages whose code is in the bundle: each wants to be passed on with it. */
async function licenses(bundles: TsdownBundle[]): Promise<string> {
  const folders = new Set<string>();
  for (const { chunks } of bundles)
    for (const chunk of chunks)
      for (const module of chunk.type === 'chunk' ? chunk.moduleIds : []) {
        const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(module) ?? [];
        if (folder) folders.add(folder);
      }
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${await readFile(join(folder, 'LICENSE'), 'utf8')}`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
