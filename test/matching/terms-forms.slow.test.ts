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
const accuracy = readFileSync(new URL('./forms/accuracy.tsv', import.meta.url), 'utf8').split('\n');
const guide = readFileSync(new URL('../../docs/terminology.md', import.meta.url), 'utf8');

function verdictsOf(language: LanguageCode): Verdict[] {
  return tables.flatMap((table) => {
    const lines = (table as Partial<Record<LanguageCode, string>>)[language];
    return lines === undefined ? [] : judge(lines, language);
  });
}

function share(verdicts: readonly Verdict[]): string {
  return `${verdicts.filter(({ counted }) => counted).length}/${verdicts.length}`;
}

const verdictsByLanguage = new Map(languages.map((language) => [language, verdictsOf(language)]));

describe.each(languages)('%s: forms of a term count, other words do not', (language) => {
  const verdicts = verdictsByLanguage.get(language)!;
  const forms = verdicts.filter(({ isForm }) => isForm);
  const words = verdicts.filter(({ isForm }) => !isForm);

  it('as often as forms/accuracy.tsv has it', () => {
    expect(accuracy).toContain(`${languageName(language)}\t${share(forms)}\t${share(words)}`);
  });
});

it('the totals of forms/accuracy.tsv and docs/terminology.md', () => {
  const verdicts = [...verdictsByLanguage.values()].flat();
  const forms = share(verdicts.filter(({ isForm }) => isForm));
  const words = share(verdicts.filter(({ isForm }) => !isForm));
  expect(accuracy).toContain(`all\t${forms}\t${words}`);
  expect(guide).toContain(`${forms} forms and ${words} other words`);
});
