import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LanguageCode, languageName } from '#server/languages.ts';
import { agglutinating } from './forms/agglutinating.ts';
import { germanic } from './forms/germanic.ts';
import { heldOut } from './forms/held-out.ts';
import { judge, type Verdict } from './forms/measure.ts';
import { others } from './forms/others.ts';
import { romance } from './forms/romance.ts';
import { slavic } from './forms/slavic.ts';

const tables = [germanic, romance, slavic, agglutinating, others, heldOut] as const;
const languages = [...new Set(tables.flatMap((table) => Object.keys(table)))] as LanguageCode[];
const document = readFileSync(new URL('../../docs/terminology.md', import.meta.url), 'utf8');

function verdictsOf(language: LanguageCode): Verdict[] {
  return tables.flatMap((table) => {
    const lines = (table as Partial<Record<LanguageCode, string>>)[language];
    return lines === undefined ? [] : judge(lines, language);
  });
}

function share(verdicts: readonly Verdict[]): string {
  return `${verdicts.filter(({ counted }) => counted).length}/${verdicts.length}`;
}

describe.each(languages)('%s: forms of a term count, other words do not', (language) => {
  const verdicts = verdictsOf(language);
  const forms = verdicts.filter(({ isForm }) => isForm);
  const words = verdicts.filter(({ isForm }) => !isForm);

  it('as often as docs/terminology.md says', () => {
    expect(document).toContain(`| ${languageName(language)} | ${share(forms)} | ${share(words)} |`);
  });
});

it('the totals of docs/terminology.md', () => {
  const verdicts = languages.flatMap(verdictsOf);
  const forms = share(verdicts.filter(({ isForm }) => isForm));
  const words = share(verdicts.filter(({ isForm }) => !isForm));
  expect(document).toContain(`| all | ${forms} | ${words} |`);
});
