import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/**
 * Builds the web application if its sources have changed since its last build, so that end-to-end tests run on the
 * current sources.
 */
export default function setup(): void {
  const built = statSync(join(root, 'web/dist/build.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('{web/*.ts,web/{app,preview,locales,public}/**,sdk/src/**,package-lock.json}', {
    cwd: root,
  });
  if (!sources.some((file) => statSync(join(root, file)).mtimeMs > built)) return;
  // The build runs in a separate process: vitest sets NODE_ENV, with which Vite and React would not create a production
  // build.
  execFileSync(process.execPath, [join(root, 'web/build.ts')], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
