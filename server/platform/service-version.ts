import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the version of the service, from package.json. */
export async function serviceVersion(): Promise<string> {
  const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
