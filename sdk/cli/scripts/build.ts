import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'tsdown';

const cli = join(import.meta.dirname, '..');
const dist = join(cli, 'dist');

/*
 * The program and all packages that it uses, bundled: installing it fetches one package, and starting it reads few files.
 * Parts that only some commands need are separate files.
 */
const bundled = new Set<string>();
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await build({
  cwd: cli,
  config: false,
  entry: { main: 'src/main.ts' },
  outDir: dist,
  clean: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: false,
  logLevel: 'error',
  noExternal: [/.*/],
  fixedExtension: false,
  outputOptions: { chunkFileNames: '[name].js' },
  plugins: [
    {
      name: 'licenses',
      generateBundle(_options, bundle) {
        for (const chunk of Object.values(bundle))
          if (chunk.type === 'chunk') for (const id of chunk.moduleIds) noteLicense(id);
      },
    },
  ],
});
await chmod(join(dist, 'main.js'), 0o755);
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), await licenses());

function noteLicense(id: string): void {
  const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ''))?.[0];
  if (folder) bundled.add(folder);
}

/** The names, versions and licenses of the bundled packages. */
async function licenses(): Promise<string> {
  const parts: string[] = [];
  for (const folder of [...bundled].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    parts.push(`${name} ${version} (${license})\n\n${await licenseText(folder)}`);
  }
  return parts.join(`\n${'-'.repeat(78)}\n\n`);
}

async function licenseText(folder: string): Promise<string> {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'License'])
    try {
      return await readFile(join(folder, name), 'utf8');
    } catch {}
  return `The package has no file with its license; see ${dirname(folder)}.\n`.replace(
    dirname(folder),
    'its page',
  );
}
