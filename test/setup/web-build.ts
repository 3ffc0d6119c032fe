import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Builds the web application if something in it has changed since its last build, so that the journeys test what is in the sources. */
export default function setup(): void {
  const built = statSync(join(root, 'web/dist/build.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('{web/*.ts,web/{app,preview,locales,public}/**,sdk/src/**,package-lock.json}', {
    cwd: root,
  });
  if (!sources.some((file) => statSync(join(root, file)).mtimeMs > built)) return;
  // In a separate process: vitest sets NODE_ENV, which would tell Vite and React that this is not a production build.
  execFileSync(process.execPath, [join(root, 'web/build.ts')], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
