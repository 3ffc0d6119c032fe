import { expect, test } from 'vitest';
import { type CachedGlossary, createGlossaryCache } from '#server/language/terminology/glossary.ts';

/**
 * Stores glossaries with names such as `<tenant> <number>` and sizes in megabytes. Returns those that are still in the
 * cache afterwards.
 */
function keptOf(...uses: (string | [key: string, megabytes: number])[]): string[] {
  const kept = createGlossaryCache<CachedGlossary>();
  const keys = new Set<string>();
  for (const use of uses) {
    if (typeof use === 'string') kept.get(use);
    else {
      const [key, megabytes] = use;
      keys.add(key);
      kept.keep(key, { tenantId: key.split(' ')[0]!, bytes: megabytes * 1_000_000 });
    }
  }
  return [...keys].filter((key) => kept.get(key));
}

test('each tenant has a share: its own least recently used goes, and nobody else’s', () => {
  expect(keptOf(['bob 1', 10], ['ann 1', 10], ['ann 2', 10], 'ann 1', ['ann 3', 10])).toEqual([
    'bob 1',
    'ann 1',
    'ann 3',
  ]);
});

test('one above its tenant’s share is kept as the tenant’s only one', () => {
  expect(keptOf(['bob 1', 15], ['ann 1', 15], ['ann 2', 80])).toEqual(['bob 1', 'ann 2']);
  expect(keptOf(['ann 1', 80], ['ann 2', 15])).toEqual(['ann 2']);
});

test('if all together are too many, one of the largest tenant goes, however recently it was used', () => {
  expect(
    keptOf(['ann 1', 5], ['bob 1', 10], ['bob 2', 10], ['c 1', 50], ['d 1', 15], ['e 1', 15], 'c 1'),
  ).toEqual(['ann 1', 'bob 1', 'bob 2', 'd 1', 'e 1']);
});

test('a thousand tenants with a full share each do not evict a small one’s', () => {
  const crowd = Array.from({ length: 1000 }, (_, n): [string, number] => [`crowd${n} 1`, 24]);
  expect(keptOf(['ann 1', 5], ...crowd)).toContain('ann 1');
});

test('one above the whole cache is not kept, and evicts nothing', () => {
  expect(keptOf(['bob 1', 15], ['ann 1', 15], ['ann 2', 101])).toEqual(['bob 1', 'ann 1']);
});

test('kept again it counts once', () => {
  expect(keptOf(['ann 1', 10], ['ann 1', 10], ['ann 1', 10], ['ann 2', 10])).toEqual(['ann 1', 'ann 2']);
});
