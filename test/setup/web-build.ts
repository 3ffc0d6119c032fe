import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from '../../web/build.ts';

const root = join(import.meta.dirname, '../..');

/** Builds the web application if something in it has changed since its last build, so that the journeys test what is in the sources. */
export default async function setup(): Promise<void> {
  const built = statSync(join(root, 'web/dist/build.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('{web/*.ts,web/{app,preview,locales,public}/**,sdk/src/**,package-lock.json}', {
    cwd: root,
  });
  if (sources.some((file) => statSync(join(root, file)).mtimeMs > built)) await buildWeb();
}
