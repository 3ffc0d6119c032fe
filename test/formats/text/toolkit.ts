import { execFileSync } from 'node:child_process';
import { toolkit } from '#test/xliff/translate-toolkit.ts';

export { toolkit } from '#test/xliff/translate-toolkit.ts';

/** Returns the units that a class of the Translate Toolkit reads from a file: keys, sources and targets. */
export function unitsOf(
  store: string,
  bytes: string | Uint8Array,
): [id: string, source: string, target: string][] {
  const [module] = store.split('.');
  const script = `
import json, sys
from translate.storage import ${module}
store = ${store}()
store.parse(sys.stdin.buffer.read())
print(json.dumps([[u.getid(), str(u.source or ''), str(u.target or '')] for u in store.units if not u.isheader()]))`;
  const input = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return JSON.parse(
    execFileSync(toolkit as string, ['-c', script], { input, encoding: 'utf8', maxBuffer: 1e8 }),
  );
}
