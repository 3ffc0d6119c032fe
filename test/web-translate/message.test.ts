import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalLanguage } from '#server/languages.ts';
import { languageOf, locales } from '#web/server/locale.ts';
import { messageFor, readTranslation } from '#web/translate/message.ts';

test.each(locales)('the service translates into %s', (locale) => {
  expect(canonicalLanguage(languageOf(locale))).toBe(languageOf(locale));
});

describe('the text of a message for a translator', () => {
  test.each([
    ['a text, as it is', "It's {name}'s turn: {count, number}", 'ar', "It's {name}'s turn: {count, number}"],
    [
      'six forms in Arabic',
      '{n, plural, one {# job} other {# jobs}}',
      'ar',
      forms('zero', 'one', 'two', 'few', 'many', 'other'),
    ],
    ['one form in Japanese', '{n, plural, one {# job} other {# jobs}}', 'ja', '{n, plural, other {# jobs}}'],
    [
      'numbers of their own, everywhere',
      '{n, plural, =0 {none} one {# job} other {# jobs}}',
      'ja',
      '{n, plural, =0 {none} other {# jobs}}',
    ],
    [
      'the text around a choice',
      'In {place}: {n, plural, one {# job} other {# jobs}}, now',
      'de',
      `In {place}: ${forms('one', 'other')}, now`,
    ],
    [
      'a choice within another',
      '{is, select, yes {all} other {{n, plural, one {# job} other {# jobs}}}}',
      'ja',
      '{is, select, yes {all} other {{n, plural, other {# jobs}}}}',
    ],
    [
      'ordinals by their own rules',
      '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
      'de',
      '{n, selectordinal, other {#th}}',
    ],
    [
      'braces that are text',
      "{n, plural, one {'{x}'} other {'{y}' of #}}",
      'de',
      "{n, plural, one {'{'x'}'} other {'{'y'}' of #}}",
    ],
    [
      'a select without plurals, as it is',
      '{is, select, yes {all}  other {none}}',
      'ar',
      '{is, select, yes {all}  other {none}}',
    ],
  ])('%s', (_, message, language, expected) => {
    expect(messageFor(message, language)).toBe(expected);
  });

  test('is a valid message for all messages of the interface, and accepts a translation that keeps its syntax', () => {
    const folder = join(import.meta.dirname, '../../web/locales/en');
    for (const file of readdirSync(folder))
      for (const text of Object.values(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
        for (const locale of locales) {
          const sent = messageFor(text as string, locale);
          expect(readTranslation(sent, sent), file).toEqual({ message: expect.any(String) });
        }
  });
});

describe('a translation of a message', () => {
  const sent = '{n, plural, one {# job of {who}} other {# jobs of {who}}}';

  test('with other words, even with an apostrophe before a placeholder, is accepted', () => {
    expect(readTranslation('The {name}', "L'{name}")).toEqual({ message: 'L’{name}' });
    const message = '{n, plural, one {un travail de {who}} other {# travaux de {who}}}';
    expect(readTranslation(sent, message)).toEqual({ message });
  });

  test.each([
    ['a lost placeholder', 'The {name}', 'Le nom', 'it lacks {name}'],
    ['a translated placeholder', 'The {name}', 'Le {nom}', 'it lacks {name}'],
    ['a placeholder more', 'The', 'Le {name}', 'it has {name}, which the English message does not have'],
    ['a form less', sent, '{n, plural, other {# de {who}}}', 'it lacks {n, plural, … one}'],
    [
      'a translated selector',
      sent,
      '{n, plural, un {# de {who}} other {# de {who}}}',
      /not a valid ICU message|it lacks/,
    ],
    ['another format', '{n, number}', '{n}', 'it lacks {n, number}'],
    ['an open brace', 'The {name}', 'Le {name', /^it is not a valid ICU message: /],
  ])('with %s cannot be used', (_, english, translated, problem) => {
    expect(readTranslation(english, translated)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

function forms(...names: string[]): string {
  return `{n, plural, ${names.map((name) => `${name} {${name === 'one' ? '# job' : '# jobs'}}`).join(' ')}}`;
}
