import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { installPackedSdk, npm } from './packed-sdk.ts';

const root = join(import.meta.dirname, '../..');
const app = useTestApp();
const run = promisify(execFile);

let project: string;
let installed: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'lingualoop-consumer-'));
  installed = join(project, 'node_modules/@lingualoop/sdk');
  await write('package.json', { name: 'consumer', private: true });
  await installPackedSdk(project);
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe('the package', () => {
  test('contains the expected files, and nothing else', async () => {
    expect((await readdir(installed, { recursive: true })).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'dist/index.cjs',
      'dist/index.d.cts',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/testing.cjs',
      'dist/testing.d.cts',
      'dist/testing.d.ts',
      'dist/testing.js',
      'package.json',
    ]);
    expect(await readdir(join(project, 'node_modules/@lingualoop'))).toEqual(['sdk']);
    expect((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      '@lingualoop',
    ]);
  });

  test('its version is the one it reports, and it is built with the versions that the service runs on', async () => {
    const own = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(own.version).toBe(version);
    expect({ ...dependencies, ...devDependencies }).toMatchObject(own.devDependencies);
  });

  test('its declarations import nothing, and hold no any', async () => {
    for (const name of ['index', 'testing']) {
      const declarations = await readFile(join(installed, `dist/${name}.d.ts`), 'utf8');
      const code = declarations.replaceAll(/\/\*\*.*?\*\//gs, '');
      expect(code).not.toMatch(/\bimport\b|\bany\b|\brequire\b|<reference/);
      expect(code).toContain('final_translation: string | null');
    }
  });

  test('every type, property and method of its declarations is described', async () => {
    const undescribed: string[] = [];
    for (const file of ['index.d.ts', 'testing.d.ts']) {
      const lines = (await readFile(join(installed, 'dist', file), 'utf8')).split('\n');
      let type = '';
      for (const [n, line] of lines.entries()) {
        const [, declared] = /^(?:declare )?(?:interface|class|type) (\w+)/.exec(line) ?? [];
        if (declared !== undefined) type = declared;
        const [, member] =
          /^ {2,6}(?:readonly |static )?(\w+)\??(?:<[^>]*>)?(?:\(|: ).*[;{(]$/.exec(line) ?? [];
        const isMember = member !== undefined && member !== 'constructor';
        if ((declared !== undefined || isMember) && !lines[n - 1]?.trim().endsWith('*/'))
          undescribed.push(isMember ? `${type}.${member}` : type);
      }
    }
    expect(undescribed).toEqual([]);
  });

  test('its types are what the procedures take and return', async () => {
    const source = await readFile(join(root, 'sdk/src/types.ts'), 'utf8');
    const names = [...source.matchAll(/^export type (\w+) =/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(100);
    await write(
      'equal.mts',
      `import type * as own from '${join(root, 'sdk/src/types.ts')}';
      import type * as published from '@lingualoop/sdk';
      type Equal<A, B> = [A] extends [B] ? ([B] extends [A] ? true : 'narrower') : 'wider';
      ${names.map((name) => `const ${name}: Equal<own.${name}, published.${name}> = true;`).join('\n')}
      export const all = [${names.join(', ')}];`,
    );
    const compilerOptions = { noEmit: true, rootDir: '/', typeRoots: [join(root, 'node_modules/@types')] };
    const files = ['../equal.mts'];
    await write('equal/tsconfig.json', {
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files,
    });
    await compile('equal');
  });

  test('its code imports nothing, names no path, and is ours alone', async () => {
    for (const file of ['index.js', 'index.cjs', 'testing.js', 'testing.cjs']) {
      const code = await readFile(join(installed, 'dist', file), 'utf8');
      expect(code).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(|node:|node_modules/m);
      expect(code).not.toContain(root);
    }
  });

  test.each([
    ['the whole client', 23, "export { LinguaLoop } from '@lingualoop/sdk';"],
    ['translations alone', 15, "export { connect, translations } from '@lingualoop/sdk';"],
  ])('%s is at most %i kB gzip in a bundle', async (_, most, source) => {
    const entry = join(project, 'bundled.js');
    await writeFile(entry, source);
    const bundle = await rolldown({ input: entry, logLevel: 'silent' });
    const { output } = await bundle.generate({ minify: true });
    expect(gzipSync(output[0].code).length).toBeLessThan(most * 1000);
    // Code that the program does not import is not in the bundle.
    expect(output[0].code).not.toContain('Norwegian');
  });

  test('an error of one build is an instance of the other’s class of that name, and of no other class', async () => {
    await write(
      'both.mjs',
      `import { createRequire } from 'node:module';
      import * as esm from '@lingualoop/sdk';
      const cjs = createRequire(import.meta.url)('@lingualoop/sdk');
      class Own extends esm.NotFoundError {}
      const failure = { status: 404, detail: 'none' };
      const seen = [[esm, cjs], [cjs, esm]].map(([one, other]) => {
        const error = new one.NotFoundError(failure);
        return [other.NotFoundError, other.LinguaLoopError, other.ConflictError, Own].map((type) => error instanceof type);
      });
      const own = new Own(failure);
      const others = [{ name: 'NotFoundError' }, new Error('x'), null, 'x'].map((value) => value instanceof cjs.NotFoundError);
      console.log(JSON.stringify([esm.NotFoundError !== cjs.NotFoundError, seen, own instanceof cjs.NotFoundError, own instanceof Own, others]));`,
    );
    const { stdout } = await run(process.execPath, [join(project, 'both.mjs')]);
    const expected = [true, true, false, false];
    expect(JSON.parse(stdout)).toEqual([
      true,
      [expected, expected],
      true,
      true,
      [false, false, false, false],
    ]);
  });

  test('runs with only the APIs that browsers have', async () => {
    const code = (await readFile(join(installed, 'dist/index.js'), 'utf8')).replace(/^export \{.*\};?$/m, '');
    const names = ['AbortController', 'Blob', 'FormData', 'Headers', 'Response', 'URL', 'URLSearchParams'];
    names.push('clearTimeout', 'crypto', 'fetch', 'setTimeout', 'TextEncoder', 'TextDecoder');
    const web = Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));
    const useInBrowser = runInContext(
      `${code}; async (baseUrl, apiKey) => {
        const { translations, system } = new LinguaLoop({ baseUrl, apiKey });
        const { status } = await system.health();
        const data = new TextEncoder().encode('The plan');
        const [job] = await translations.createFromFile({ name: 'plan.txt', data }, { target_lang: 'fr' });
        const { bytes } = await translations.golden(job.id);
        return [status, new TextDecoder().decode(bytes)];
      }`,
      createContext({ ...web, document: {} }),
    );
    const { apiKey } = await app.signUp();
    expect(await useInBrowser(app.address, apiKey)).toEqual(['ok', '[fr] The plan']);
  });
});

describe('a consumer outside', () => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noPropertyAccessFromIndexSignature: true,
    isolatedModules: true,
    skipLibCheck: false,
    target: 'es2022',
  };

  beforeAll(async () => {
    for (const name of ['consumer.ts', 'types.test-d.ts']) {
      const source = await readFile(join(import.meta.dirname, name), 'utf8');
      const outside = source.replaceAll('#sdk/index.ts', '@lingualoop/sdk');
      const [stem] = name.split('.');
      for (const file of [`nodenext/${stem}.mts`, `nodenext/${stem}.cts`, `bundler/${stem}.ts`])
        await write(file, outside);
    }
    const readme = await readFile(join(installed, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```ts\b.*?\n(.*?)^```$/gms)].map((match) => match[1]);
    expect(examples.length).toBeGreaterThan(4);
    for (const [n, example] of examples.entries()) await write(`nodenext/readme-${n}.mts`, example ?? '');
    await cp(join(root, 'node_modules/@types/node'), join(project, 'types/node'), { recursive: true });
    await cp(join(root, 'node_modules/undici-types'), join(project, 'node_modules/undici-types'), {
      recursive: true,
    });
  });

  test('compiles with nodenext, as ESM and as CommonJS, the examples of the README too, and runs as both', async () => {
    await write('nodenext/tsconfig.json', {
      compilerOptions: {
        ...strict,
        module: 'nodenext',
        // The README uses `process.env.KEY`, like most programs, which this option would forbid.
        noPropertyAccessFromIndexSignature: false,
        lib: ['es2023'],
        typeRoots: ['../types'],
        types: ['node'],
        outDir: '../out',
      },
    });
    await compile('nodenext');
    expect(await readFile(join(project, 'out/consumer.cjs'), 'utf8')).toContain('require("@lingualoop/sdk")');
    await write('out/esm.mjs', runner("import { useThePackage } from './consumer.mjs';"));
    await write('out/commonjs.cjs', runner("const { useThePackage } = require('./consumer.cjs');"));
    for (const file of ['esm.mjs', 'commonjs.cjs']) {
      const { stdout, stderr } = await run(process.execPath, [
        join(project, 'out', file),
        app.address,
        `${file}@example.org`,
      ]);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({
        version,
        signedIn: true,
        signedOut: true,
        translation: '[fr] Hello',
        listed: true,
        file: ['plan.de.txt', '[de] The plan'],
        missing: 'job not found',
      });
    }
  });

  test('compiles for a bundler and browsers', async () => {
    await write('bundler/tsconfig.json', {
      compilerOptions: {
        ...strict,
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2022', 'dom'],
        types: [],
        noEmit: true,
      },
    });
    await compile('bundler');
  });

  test('compiles with the oldest TypeScript that the README names, without skipLibCheck', async () => {
    // Not a dependency of the repository: its program `tsc` would replace that of the present version.
    const older = join(project, 'older');
    await mkdir(older, { recursive: true });
    const [, minor] = /TypeScript (\d+\.\d+) or newer/.exec(
      await readFile(join(installed, 'README.md'), 'utf8'),
    )!;
    await npm(older, older, 'install', '--prefix', older, `typescript@~${minor}.0`);
    const tsc = join(older, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '--version']);
    expect(stdout).toContain(`${minor}.`);
    await compile('bundler', tsc);
  });
});

async function write(path: string, content: string | object): Promise<void> {
  const file = join(project, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

function runner(load: string): string {
  return `${load}\nuseThePackage(process.argv[2], process.argv[3]).then((seen) => console.log(JSON.stringify(seen)));\n`;
}

const present = join(root, 'node_modules/typescript/bin/tsc');

async function compile(folder: string, tsc = present): Promise<void> {
  await run(process.execPath, [tsc, '-p', join(project, folder)]).catch((error) => expect.fail(error.stdout));
}
