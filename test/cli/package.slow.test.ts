import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const run = promisify(execFile);

/** Runs npm as a person does: without the variables of a surrounding `npm test`. */
async function npm(project: string, cwd: string, ...parameters: string[]): Promise<void> {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) if (!/^npm_/i.test(name)) env[name] = value;
  env['PATH'] = [join(root, 'node_modules/.bin'), env['PATH']].join(delimiter);
  await run('npm', [...parameters, '--no-audit', '--no-fund', '--cache', join(project, '.npm')], {
    cwd,
    env,
  });
}

test('the packed program is installed without a registry, and translates a file', async () => {
  const project = await testFolder();
  await npm(project, join(root, 'sdk/cli'), 'pack', '--pack-destination', project);
  const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(project, 'package.json'), '{"private": true}');
  await npm(project, project, 'install', '--offline', join(project, tarball));
  const bin = join(project, 'node_modules/.bin/lingualoop');
  const { apiKey } = await app.signUp();
  const env = { PATH: process.env['PATH'], LINGUALOOP_URL: app.address, LINGUALOOP_API_KEY: apiKey };
  await mkdir(join(project, 'docs'));
  await writeFile(join(project, 'docs/a.txt'), 'Hello\n');
  const lingualoop = (...argv: string[]) => run(bin, argv, { cwd: project, env });
  const manifest = JSON.parse(
    await readFile(join(project, 'node_modules/@lingualoop/cli/package.json'), 'utf8'),
  );
  expect((await lingualoop('--version')).stdout).toBe(`${manifest.version}\n`);
  expect((await lingualoop('--help')).stdout).toContain('translate');
  expect((await lingualoop('translate', 'docs', '--to', 'fr')).stderr).toContain('1 translation written');
  expect(await readFile(join(project, 'docs/a.fr.txt'), 'utf8')).toBe('[fr] Hello\n');
  // A reader such as `head` may close the pipe of the messages. The translation continues.
  await run('sh', ['-c', `'${bin}' translate docs --to de 2>&1 | true`], { cwd: project, env });
  expect(await readFile(join(project, 'docs/a.de.txt'), 'utf8')).toBe('[de] Hello\n');
  const refused = await lingualoop('translate', 'none', '--to', 'fr').catch((error) => error);
  expect([refused.code, refused.stderr]).toEqual([2, 'error: no file matches "none"\n']);
  const licenses = await readFile(
    join(project, 'node_modules/@lingualoop/cli/dist/THIRD-PARTY-LICENSES.txt'),
    'utf8',
  );
  expect(licenses).toContain('tinyglobby');
});
