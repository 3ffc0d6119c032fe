import { create } from 'content-disposition';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFileName } from '#sdk/downloads.ts';

test.each([
  ['attachment; filename="plan.fr.txt"', 'plan.fr.txt'],
  ['attachment; filename=plan.fr.txt', 'plan.fr.txt'],
  ['attachment; FILENAME = plan.txt ; size=3', 'plan.txt'],
  [String.raw`attachment; filename="a \"quoted\" plan.txt"`, 'a "quoted" plan.txt'],
  ['attachment; filename="?.txt"; filename*=UTF-8\'\'%E2%82%AC.txt', '€.txt'],
  ['attachment; filename*=utf-8\'en\'%E2%82%AC.txt; filename="?.txt"', '€.txt'],
  ['attachment; filename="filename*=.txt"', 'filename*=.txt'],
])('%s', (header, name) => {
  expect(readFileName(header)).toBe(name);
});

test('filename* that cannot be read leaves it to filename', () => {
  expect(readFileName('attachment; filename="plan.txt"; filename*=UTF-8\'\'%FF%FE')).toBe('plan.txt');
  expect(readFileName('attachment; filename="plan.txt"; filename*=ISO-8859-1\'\'%A3')).toBe('plan.txt');
});

test.each([
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  [String.raw`attachment; filename="C:\\Windows\\plan.txt"`, 'plan.txt'],
  ["attachment; filename*=UTF-8''..%2F..%2Fplan.txt", 'plan.txt'],
  ["attachment; filename*=UTF-8''plan%00%0A.txt", 'plan.txt'],
  ["attachment; filename*=UTF-8''dir%2F..", undefined],
  ['attachment; filename=".."', undefined],
  ['attachment; filename=""', undefined],
  ['attachment', undefined],
  [null, undefined],
])('a name never leads out of its folder: %s', (header, name) => {
  expect(readFileName(header)).toBe(name);
});

test('what the service writes is read back as it was', () => {
  const character = fc.constantFrom(...'aZ9 .-_()\'"%&;=*,€éя漢😀');
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1, maxLength: 40 }), (stem) => {
      const name = `x${stem}.txt`;
      expect(readFileName(create(name))).toBe(name);
    }),
  );
});
