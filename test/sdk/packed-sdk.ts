import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '#sdk/index.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Builds the SDK, packs it in the same way as for a release, and installs the tarball in a project. Takes about ten
 * seconds.
 */
export async function installPackedSdk(project: string): Promise<void> {
  await npm(project, join(root, 'sdk'), 'pack', '--pack-destination', project);
  // The package has no dependencies, so no registry is needed.
  await npm(project, project, 'install', '--offline', join(project, `lingualoop-sdk-${version}.tgz`));
}

/**
 * Runs npm as if a person called it: environment variables of a surrounding `npm test` would make it use another
 * directory.
 */
export async function npm(project: string, cwd: string, ...parameters: string[]): Promise<void> {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) if (!/^npm_/i.test(name)) env[name] = value;
  env['PATH'] = [join(root, 'node_modules/.bin'), env['PATH']].join(delimiter);
  const quiet = ['--no-audit', '--no-fund', '--cache', join(project, '.npm')];
  await promisify(execFile)('npm', [...parameters, ...quiet], { cwd, env });
}
