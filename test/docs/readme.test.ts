import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings, settingNames } from '#server/settings.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

test('the README names every setting with its default, and none that does not exist', () => {
  const table = readme.slice(readme.indexOf('## Settings'), readme.indexOf('## Contributing'));
  const rows = [...table.matchAll(/^\| (`[A-Z].*?) \| (.*?) \|/gm)];
  const named = rows.flatMap(([, names]) =>
    [...(names as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(named).size).toBe(named.length);

  expect(named.sort()).toEqual([...settingNames].sort());

  const defaults = readSettings({}) as Record<string, unknown>;
  for (const [, names, stated] of rows) {
    const listed = [...(names as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name as string);
    const values = [...(stated as string).matchAll(/`([^`]+)`/g)].map(([, value]) => value);
    if (values.length !== listed.length) continue;
    for (const [i, name] of listed.entries())
      if (name !== 'BASE_URL') expect(`${name}=${String(defaults[name])}`).toBe(`${name}=${values[i]}`);
  }
});

test('the README names every command of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const name of Object.keys(scripts)) expect(readme).toMatch(new RegExp(`npm (run )?${name}\\b`));
});

test('B 4.4: a CSV that the README sends has its content type, which curl does not know', () => {
  const sent = [...readme.matchAll(/=@[\w./-]+\.csv\S*/g)].map(([part]) => part);
  expect(sent.filter((part) => part.includes('terms'))).toEqual(["=@terms.csv;type=text/csv'"]);
});
