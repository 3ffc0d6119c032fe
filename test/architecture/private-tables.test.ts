import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sources } from './check-imports.ts';

const root = join(import.meta.dirname, '../..');

test('no source names a private table of graphile-worker, which any version may change', () => {
  expect(sources.length).toBeGreaterThan(1000);
  const naming = sources.filter((file) => /\b_private_\w/.test(readFileSync(join(root, file), 'utf8')));
  expect(naming).toEqual([]);
});
