import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allReferences, allRules, filesThatNameRules, misspeltIn, referencesIn } from './rule-references.ts';

const root = join(import.meta.dirname, '../..');
const anchors = new Set(allRules().map(({ anchor }) => anchor));

describe('docs/rules', () => {
  test('has an entry for every rule that code, tests and documents name', () => {
    const found = allReferences();
    expect(found.length).toBeGreaterThan(100);
    const lost = found.filter(({ anchor }) => !anchors.has(anchor));
    expect(lost.map(({ file, text, anchor }) => `${file}: ${text} (${anchor})`)).toEqual([]);
  });

  test('is named in one spelling only', () => {
    const misspelt = filesThatNameRules()
      .filter((file) => !file.startsWith('test/docs/'))
      .flatMap((file) =>
        misspeltIn(readFileSync(join(root, file), 'utf8')).map((found) => `${file}: ${found}`),
      );
    expect(misspelt).toEqual([]);
  });

  test('has each anchor once', () => {
    expect(anchors.size).toBe(allRules().length);
  });

  test('names for each rule the files that hold it, and all of them exist', () => {
    for (const { anchor, files } of allRules()) {
      expect(files, anchor).not.toEqual([]);
      for (const file of files) expect(existsSync(join(root, file)), `${anchor} names ${file}`).toBe(true);
    }
  });
});

describe('a reference', () => {
  test.each([
    ['B 8 rule 1', ['b-8-rule-1']],
    ['see A 4.3 rules 1 to 3.', ['a-4-3-rule-1', 'a-4-3-rule-2', 'a-4-3-rule-3']],
    ['A 4.5 checks 7 and 8', ['a-4-5-check-7', 'a-4-5-check-8']],
    ["(A 5.3's rule 4)", ['a-5-3-rule-4']],
    ['A 7.1 and 7.3', ['a-7-1', 'a-7-3']],
    ['A 5.2 "Tenant admin"', ['a-5-2-tenant-admin']],
    [' * as A 8.2\n   * rule 1 has it', ['a-8-2-rule-1']],
    ['A 9 rule 99', ['a-9-rule-99']],
    ['A 422 with entries', []],
  ])('%j', (text, expected) => {
    expect(referencesIn('x.ts', text).map(({ anchor }) => anchor)).toEqual(expected);
  });

  test.each(['A5.2', 'B-8.1', 'C § 7', 'Part B'])('%s is refused', (text) => {
    expect(misspeltIn(text)).toEqual([text]);
  });

  test.each(['A 5.9', 'A 8.2 rule 17', 'B 4.1 gate 8', 'A 5.2 "Nobody"', 'C 99', 'B 12.1'])(
    '%s resolves to nothing',
    (text) => {
      const [reference] = referencesIn('x.ts', text);
      expect(anchors.has(reference?.anchor ?? '')).toBe(false);
    },
  );
});
