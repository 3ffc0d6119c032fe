import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '#sdk/index.ts';

const root = join(import.meta.dirname, '../..');

/** Builds the SDK, packs it as it is published, and installs the tarball in a project. Takes some ten seconds. */
export async function installPackedSdk(project: string): Promise<void> {
  await npm(project, join(root, 'sdk'), 'pack', '--pack-destination', project);
  // It has no dependencies, so nothing is asked of a registry.
  await npm(project, project, 'install', '--offline', join(project, `lingualoop-sdk-${version}.tgz`));
}

/** npm as called by a person: from a surrounding `npm test` it would inherit the folder. */
async function npm(project: string, cwd: string, ...parameters: string[]): Promise<void> {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) if (!/^npm_/i.test(name)) env[name] = value;
  env['PATH'] = [join(root, 'node_modules/.bin'), env['PATH']].join(delimiter);
  const quiet = ['--no-audit', '--no-fund', '--cache', join(project, '.npm')];
  await promisify(execFile)('npm', [...parameters, ...quiet], { cwd, env });
}
