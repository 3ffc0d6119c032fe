import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { languages } from '#server/languages.ts';
import { appRouter } from '#server/router.ts';
import { readSettings } from '#server/settings.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/languages.md'), 'utf8');
const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| `'));

test('there are 35 languages, and the page has them with name, direction and weight', () => {
  expect(languages).toHaveLength(35);
  const { DENSE_SCRIPT_WEIGHT } = readSettings({});
  expect(rowsOf(page)).toEqual(
    languages.map(
      ({ code, name, direction, dense }) =>
        `| \`${code}\` | ${name} | ${direction} | ${dense ? DENSE_SCRIPT_WEIGHT : 1} |`,
    ),
  );
});

test('the OpenAPI document has them, too', () => {
  const rows = rowsOf(buildOpenApiDocument(appRouter).info.description);
  expect(rows.map((row) => row.split('`')[1])).toEqual(languages.map(({ code }) => code));
});

test('eight languages are dense, three are written from right to left', () => {
  const codes = (of: typeof languages) => of.map(({ code }) => code).sort();
  expect(codes(languages.filter(({ dense }) => dense))).toEqual(
    ['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne'].sort(),
  );
  expect(codes(languages.filter(({ direction }) => direction === 'rtl'))).toEqual(['ar', 'fa', 'ur']);
});
