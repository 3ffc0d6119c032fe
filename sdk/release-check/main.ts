/**
 * Checks the packed SDK as those who install it would: `npm run release:check`. It installs its tools beside this file (their versions are in
 * package-lock.json), which takes 300 MB, so `npm ci` of the repository does not bring them.
 */
import { execFile } from 'node:child_process';
import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const sdk = join(here, '..');
const run = promisify(execFile);

/** The compilers that the types are for: the oldest, the last that was written in JavaScript, and the repository's. */
const compilers = {
  '5.4': join(here, 'node_modules/typescript-5.4/bin/tsc'),
  '5.9': join(here, 'node_modules/typescript-5.9/bin/tsc'),
  '7': join(sdk, '../node_modules/typescript/bin/tsc'),
};

/** Runtimes beside Node, where their packages have brought a program for this machine. */
const runtimes = {
  bun: { program: 'node_modules/{bun/bin/bun.exe,@oven/*/bin/bun}', parameters: [] },
  deno: { program: 'node_modules/@deno/*/deno', parameters: ['run', '--allow-read', '--allow-env'] },
};

interface Problem {
  check: string;
  detail: unknown;
}

const problems: Problem[] = [];
const report = (check: string, found: readonly unknown[]) => {
  console.log(`${found.length === 0 ? 'ok ' : 'BAD'} ${check}`);
  problems.push(...found.map((detail) => ({ check, detail })));
};

const work = await mkdtemp(join(tmpdir(), 'lingualoop-release-'));
try {
  if (!process.argv.includes('--installed'))
    // Not `npm ci`, which refuses a lock file without the Deno of other systems: not every registry has those.
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund'], { cwd: here });
  await run('npm', ['pack', '--pack-destination', work], { cwd: sdk });
  const [tarball = ''] = await Array.fromAsync(glob('*.tgz', { cwd: work }));
  await writeFile(
    join(work, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  );
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(work, tarball)], { cwd: work });
  const bytes = new Uint8Array(await readFile(join(work, tarball)));
  report('publint', await publintOf(bytes));
  report('attw', await attwOf(bytes));
  for (const [version, tsc] of Object.entries(compilers))
    report(`types in TypeScript ${version}: ES module, CommonJS, bundler`, await compile(tsc));
  for (const [name, runtime] of Object.entries(runtimes)) await runIn(name, runtime);
} finally {
  await rm(work, { recursive: true, force: true });
}
for (const { check, detail } of problems) console.error(`${check}:`, detail);
process.exitCode = problems.length > 0 ? 1 : 0;

async function publintOf(bytes: Uint8Array<ArrayBuffer>): Promise<unknown[]> {
  const { publint } = await import('publint' as string);
  const { messages } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  return messages;
}

/** Are the types wrong? In every way to resolve the package: node10, node16 from both kinds of module, bundler. */
async function attwOf(bytes: Uint8Array<ArrayBuffer>): Promise<unknown[]> {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core' as string);
  const { problems: found } = await checkPackage(createPackageFromTarballData(bytes));
  return found;
}

/** What a strict consumer's compiler finds, the package's own declarations included. */
async function compile(tsc: string): Promise<string[]> {
  const consumer = (await readFile(join(sdk, '../test/sdk/consumer.ts'), 'utf8')).replaceAll(
    '#sdk/index.ts',
    '@lingualoop/sdk',
  );
  const testing = `import { createDouble } from '@lingualoop/sdk/testing';\nexport const double = createDouble();\n`;
  const shared = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    noEmit: true,
  };
  const modes = [
    { files: ['consumer.mts', 'consumer.cts'], module: 'nodenext', moduleResolution: 'nodenext' },
    { files: ['consumer.ts'], module: 'esnext', moduleResolution: 'bundler' },
  ];
  const found: string[] = [];
  for (const { files, ...mode } of modes) {
    for (const file of files) await writeFile(join(work, file), consumer + testing);
    await writeFile(
      join(work, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...shared, ...mode }, files }),
    );
    const failure = await run(process.execPath, [tsc, '-p', work]).catch((error) => error);
    if (failure instanceof Error) found.push((failure as Error & { stdout: string }).stdout);
  }
  return found;
}

async function runIn(name: string, { program, parameters }: (typeof runtimes)['deno' | 'bun']) {
  const [found] = await Array.fromAsync(glob(program, { cwd: here }));
  if (found === undefined) return console.log(`--  ${name}: its package has no program for this machine`);
  const script = join(work, 'run.mjs');
  await writeFile(
    script,
    `import { LinguaLoop, NotFoundError } from '@lingualoop/sdk';
    import { createDouble } from '@lingualoop/sdk/testing';
    const { baseUrl, fetch } = createDouble();
    const client = new LinguaLoop({ baseUrl, fetch, apiKey: 'k' });
    const data = new TextEncoder().encode('Hello');
    const [job] = await client.translations.createFromFile({ name: 'a.md', data }, { target_lang: 'fr' });
    const { bytes } = await client.translations.golden(job.id);
    const missing = await client.translations.get('none').catch((error) => error);
    console.log(new TextDecoder().decode(bytes), missing instanceof NotFoundError);`,
  );
  const { stdout } = await run(join(here, found), [...parameters, script]).catch((error) => ({
    stdout: `${error}`,
  }));
  report(`runs in ${name}`, stdout.trim() === '[fr] Hello true' ? [] : [stdout]);
}
