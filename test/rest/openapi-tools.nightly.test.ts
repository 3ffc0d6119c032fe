import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildClientsDocument, buildOpenApiDocument } from '#rest/openapi.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';

const tools = join(import.meta.dirname, '../openapi-tools');
const installed = existsSync(join(tools, 'node_modules/openapi-typescript'));
if (!installed)
  console.log('Linters and generated clients are skipped: run "npm run openapi:tools" to install them.');

const requireTool = createRequire(join(tools, 'package.json'));
const run = promisify(execFile);
const documents = {
  '/openapi.json': JSON.stringify(buildOpenApiDocument(appRouter)),
  '/openapi.clients.json': JSON.stringify(buildClientsDocument(appRouter)),
};

describe.skipIf(!installed).each(Object.entries(documents))('%s, for the linters of others', (name, text) => {
  /**
   * Findings that are accepted: A 1 rule 6 requires a document against these rules, or the specification defines these
   * paths (decision 59).
   */
  const accepted = [
    ...(name === '/openapi.json' ? ['security-defined'] : []),
    'no-ambiguous-paths #/paths/~1api~1tenants~1{tenant_id}~1billing',
    'no-ambiguous-paths #/paths/~1api~1tm~1{set_id}~1export',
  ];

  test('Redocly’s recommended rules hold, save those that the specification rules out', async () => {
    const { createConfig, lintFromString } = requireTool('@redocly/openapi-core');
    const config = await createConfig({ extends: ['recommended'] });
    const problems: { ruleId: string; message: string; location: { pointer?: string }[] }[] =
      await lintFromString({ source: text, absoluteRef: join(tools, 'openapi.json'), config });
    const places = problems
      .map(({ ruleId, location }) =>
        ruleId === 'security-defined' ? ruleId : `${ruleId} ${location[0]?.pointer}`,
      )
      .filter((place) => !accepted.includes(place));
    expect(places).toEqual([]);
  });

  test('Spectral’s recommended rules hold', async () => {
    const { Spectral } = requireTool('@stoplight/spectral-core');
    const { oas } = requireTool('@stoplight/spectral-rulesets');
    const linter = new Spectral();
    linter.setRuleset({ extends: [[oas, 'recommended']] });
    const problems: { code: string; path: string[] }[] = await linter.run(text);
    expect(problems.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([]);
  }, 60_000);
});

describe.skipIf(!installed)('a client that is generated with default options', () => {
  const app = useTestApp();
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lingualoop-clients-'));
    await symlink(join(tools, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'openapi.json'), documents['/openapi.clients.json']);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const seen = {
    held: 'awaiting_review',
    batch: 2,
    reviewed: 'human_edited',
    file: 'Bonjour',
    refusal: 'job not found',
  };
  const node = (script: string, ...args: string[]) =>
    run(process.execPath, [join(tools, 'node_modules', script), ...args], { cwd: folder }).catch(
      ({ stdout, stderr }) => expect.fail(`${script}: ${stdout}${stderr}`),
    );
  const typecheck = (file: string, ...options: string[]) =>
    node(
      'typescript/bin/tsc',
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'esnext',
      ...options,
      file,
    );

  test('openapi-typescript: its types are strict, and the demo runs with them', async () => {
    await node('openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'schema.ts');
    await cp(join(tools, 'demo-of-openapi-fetch.ts'), join(folder, 'demo-of-openapi-fetch.ts'));
    const resolution = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
    await typecheck('demo-of-openapi-fetch.ts', ...resolution);
    const { demo } = await import(join(folder, 'demo-of-openapi-fetch.ts'));
    expect(await demo(app.address)).toEqual(seen);
  }, 120_000);

  test('@hey-api/openapi-ts: its client is strict, and the demo runs with it', async () => {
    await node('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'client');
    const types = await readFile(join(folder, 'client/types.gen.ts'), 'utf8');
    const names = [...types.matchAll(/^export type (\w+)/gm)].map(([, name]) => name as string);
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
    await cp(join(tools, 'demo-of-hey-api.ts'), join(folder, 'demo-of-hey-api.ts'));
    await typecheck('demo-of-hey-api.ts', '--moduleResolution', 'bundler');
    const { demo } = await import(join(folder, 'demo-of-hey-api.ts'));
    expect(await demo(app.address)).toEqual(seen);
  }, 120_000);
});
