import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { describe, expect, test } from 'vitest';
import type { Segment } from '#server/formats/document.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { textsOf } from './texts.ts';

/*
 * Translated files with plural forms, read by the libraries of the programs that have such files: each number from 0 to
 * 120 gets the text that was translated for its category. Slovenian is no language of the service, but has four forms.
 */

const languages = ['ja', 'en', 'pl', 'ru', 'ar', 'sl'] as const;
const numbers = Array.from({ length: 121 }, (_, number) => number);

const categoryOf = (language: string, number: number) => new Intl.PluralRules(language).select(number);

/** Translates each text as itself with its variant, such as `# files ⟦a few⟧`, and returns the file. */
async function translated(kind: LayoutKind, source: string, language: string) {
  const file = textsOf(kind, source, language, language === 'en' ? 'de' : 'en');
  const { segments } = await file.extract();
  const mark = ({ variant = '' }: Segment) => (variant === '' ? '' : `⟦${variant}⟧`);
  const { text, findings } = await file.rebuild((segment) => [...segment.source, mark(segment)]);
  return { text, segments, findings };
}

describe('ICU messages', () => {
  const names = ['pool', 'bar', 'beach', 'door'];
  const plural = (name: string) => `{${name}, plural, one {# ${name}} other {# ${name}s}}`;

  test.each(languages.flatMap((language) => [1, 2, 4].map((count) => ({ language, count }))))(
    '$language: $count plurals show the forms of their numbers',
    async ({ language, count }) => {
      const own = names.slice(0, count);
      const message = `Near us: ${own.map(plural).join(', ')}.`;
      const { text, segments } = await translated('json', JSON.stringify({ message }), language);
      expect(segments.length).toBeLessThanOrEqual(25);
      const i18n = setupI18n({ locale: language, messages: { [language]: {} } });
      i18n.load(language, { message: compileMessage((JSON.parse(text) as { message: string }).message) });
      for (const number of numbers) {
        const values = Object.fromEntries(own.map((name, at) => [name, (number * (at + 1)) % 121]));
        const shown = i18n._('message', values);
        const forms = [...shown.matchAll(/⟦(.+?)⟧/g)].map(([, variant]) => variant).join(', ');
        const expected = own.map((name) => `${name} ${categoryOf(language, values[name]!)}`).join(', ');
        expect(forms).toBe(expected);
        for (const name of own) expect(shown).toContain(`${values[name]} ${name}`);
      }
    },
  );
});
