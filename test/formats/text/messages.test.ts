import { parse } from '@formatjs/icu-messageformat-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasIcuChoice, readIcu } from '#server/formats/messages/icu.ts';
import {
  categoriesOf,
  describeForm,
  poPluralsOf,
  sourceOfForm,
} from '#server/formats/messages/plural-forms.ts';
import { languageCodes } from '#server/languages.ts';

const parsed = (message: string) => parse(message, { ignoreTag: true });

describe('plural forms in PO files', () => {
  test.each(languageCodes)('%s: each whole number has the category of the CLDR', (language) => {
    const { header, forms } = poPluralsOf(language);
    const [, count, expression] = /^nplurals=(\d); plural=(.+);$/.exec(header)!;
    expect(forms).toHaveLength(Number(count));
    const formOf = new Function('n', `return Number(${expression})`) as (n: number) => number;
    const rules = new Intl.PluralRules(language);
    const wrong = Array.from({ length: 2001 }, (_, n) => n).filter(
      (n) => forms[formOf(n)] !== rules.select(n),
    );
    expect(wrong).toEqual([]);
    // Millions have a category in some languages, which gettext has never had.
    const million = rules.select(1_000_000);
    expect(million === 'many' && !forms.includes('many') ? 'other' : million).toBe(forms[formOf(1_000_000)]);
  });

  test('each category that the CLDR has for whole numbers has a form', () => {
    for (const language of languageCodes) {
      const used = new Set(Array.from({ length: 1000 }, (_, n) => new Intl.PluralRules(language).select(n)));
      expect([language, [...used].sort()]).toEqual([language, [...poPluralsOf(language).forms].sort()]);
    }
  });
});

describe('an ICU message', () => {
  test.each(languageCodes)(
    '%s: a translated plural has the categories of the CLDR and no others',
    (language) => {
      const message = readIcu('{n, plural, one {# file} other {# files}}', language)!;
      const written = message.write(message.texts.map(({ text }) => `x ${text}`));
      const [element] = parsed(written) as unknown as [{ options: object }];
      expect(Object.keys(element.options).sort()).toEqual(
        [...new Intl.PluralRules(language).resolvedOptions().pluralCategories].sort(),
      );
    },
  );

  test('has whole sentences as texts, with what stands around the choice', () => {
    const message = readIcu(
      'Hi {name}, {n, plural, =0 {no cats} one {# cat} other {# cats}} in {place}.',
      'ru',
    )!;
    expect(message.texts.map(({ text }) => text)).toEqual([
      'Hi {name}, no cats in {place}.',
      'Hi {name}, # cat in {place}.',
      'Hi {name}, # cats in {place}.',
      'Hi {name}, # cats in {place}.',
      'Hi {name}, # cats in {place}.',
    ]);
    expect(message.texts.map(({ variant }) => variant)).toEqual([
      'n =0',
      'n one',
      'n few',
      'n many',
      'n other',
    ]);
    expect(message.texts[2]!.note).toBe('n: plural form “few”, for numbers such as 2, 3, 4, 22, 23');
  });

  test('a form without a number is not the source of a form that is for several numbers', () => {
    const texts = (language: string) =>
      readIcu('{n, plural, one {a cat} other {# cats}}', language)!.texts.map(({ text }) => text);
    expect(texts('de')).toEqual(['a cat', '# cats']);
    expect(texts('ru')).toEqual(['# cats', '# cats', '# cats', '# cats']);
    const forms = new Map([
      ['one', 'a cat'],
      ['other', '%d cats'],
    ]);
    expect(sourceOfForm(forms, 'one', 'de')).toBe('a cat');
    expect(sourceOfForm(forms, 'one', 'uk')).toBe('%d cats');
  });

  test('the number of an outer plural keeps its argument inside of an inner one', () => {
    const message = readIcu('{n, plural, other {# of {m, plural, other {# pages}}}}', 'ja')!;
    expect(message.texts.map(({ text }) => text)).toEqual(['{n, number} of # pages']);
    expect(message.write(['# / {n, number}'])).toBe(
      '{n, plural, other {{m, plural, other {# / {n, number}}}}}',
    );
  });

  test('the number of a plural remains a number in a select inside of it, and other signs remain text', () => {
    const shown = (elements: ReturnType<typeof parsed>): string =>
      elements
        .map((element) => {
          if (element.type === 7 || element.type === 2) return 'NUMBER';
          return 'options' in element
            ? shown(element.options['other']!.value)
            : (element as { value: string }).value;
        })
        .join('');
    for (const source of [
      '{n, plural, other {# new {g, select, other {men}}}}',
      "{n, plural, other {{g, select, other {big # it''s}}}}",
      '{g, select, other {{n, plural, other {# men}}}}, #1',
    ]) {
      const message = readIcu(source, 'ja')!;
      const written = message.write(message.texts.map(({ text }) => `${text}!`));
      expect(shown(parsed(written))).toBe(`${shown(parsed(source))}!`);
    }
    // With an offset, the number cannot be moved, so the choice keeps its place.
    const offset = readIcu('{n, plural, offset:1 other {# {g, select, other {men}}}}', 'ja')!;
    expect(offset.texts.map(({ text }) => text)).toEqual(['{n}', '# {g}', 'men']);
    expect(offset.write(['{n}', '{g} #', 'MEN'])).toBe(
      '{n, plural, offset:1 other {{g, select, other {MEN}} #}}',
    );
  });

  test.each([
    ["l'heure", 'l’ordre', "{n, plural, other {l'heure}}"],
    ["it's {x}", "l'{x}", "{n, plural, other {l''{x}}}"],
    ['a', 'curly {brace}', "{n, plural, other {curly '{'brace'}'}}"],
    ['a', "'", "{n, plural, other {''}}"],
    ['a', "{'}", "{n, plural, other {'{''}'}}"],
  ])('%j translated as %j is valid', (source, target, expected) => {
    const message = readIcu(`{n, plural, other {${source.replaceAll("'", "''")}}}`, 'ja')!;
    expect(message.texts[0]!.text).toBe(source);
    const written = message.write([target === 'l’ordre' ? source : target]);
    expect(written).toBe(expected);
    expect(() => parsed(written)).not.toThrow();
  });

  test('whatever a translation has, the message is valid and has this text', () => {
    const text = fc.string({
      unit: fc.constantFrom("'", '{', '}', '#', '|', '<', 'a', ' ', '{x}', '{n, number}'),
    });
    fc.assert(
      fc.property(text, (translation) => {
        const message = readIcu('{n, plural, one {a {x} #} other {b}}', 'en')!;
        const written = message.write([translation, translation]);
        const [element] = parsed(written) as unknown as [
          { options: Record<string, { value: { value?: string; type: number }[] }> },
        ];
        const shown = element.options['one']!.value.map((item) =>
          item.type === 7 ? '#' : item.type === 1 ? `{${item.value}}` : item.value,
        ).join('');
        expect(shown).toBe(translation);
      }),
      { numRuns: 2000 },
    );
  });

  test('is not read if its syntax is invalid', () => {
    expect(readIcu('{{name}} {n', 'de')).toBeNull();
    expect(readIcu('{n, plural,'.repeat(10_000), 'de')).toBeNull();
    expect([
      hasIcuChoice('{n, plural, other {x}}'),
      hasIcuChoice('{n, plural}'),
      hasIcuChoice('{name}'),
    ]).toEqual([true, false, false]);
  });

  test('with more than 16 sentences, each choice keeps its place, with the words around it as context', () => {
    const plural = (name: string) => `{${name}, plural, one {# ${name}} other {# ${name}s}}`;
    expect(readIcu(`${plural('dog')} and ${plural('cat')}`, 'pl')!.texts).toHaveLength(16);
    const message = readIcu(`${plural('dog')}, {dog}, ${plural('dog')} and ${plural('cat')}`, 'pl')!;
    expect(message.texts).toHaveLength(13);
    expect(message.texts[0]).toEqual({
      text: '{dog_2}, {dog}, {dog_3} and {cat}',
      note: '{dog_2} is, for example, “# dogs”; {dog_3} is, for example, “# dogs”; {cat} is, for example, “# cats”',
    });
    expect(message.texts[2]).toEqual({
      text: '# dogs',
      variant: 'dog few',
      note: 'dog: plural form “few”, for numbers such as 2, 3, 4, 22, 23; a part of “{dog_2}, {dog}, {dog_3} and {cat}”',
    });
    expect(message.write(message.texts.map(({ text }) => text))).toContain(
      'few {# dogs} many {# dogs} other {# dogs}}, {dog}, {dog, plural, one',
    );
  });

  test('its texts are as many as the choices need, and within choices too many forms are those of the source', () => {
    const inside = (levels: number): string =>
      levels === 0
        ? 'x'
        : `{a${levels}, plural, one {# ${inside(levels - 1)}} other {# of ${inside(levels - 1)}}}`;
    const two = readIcu(inside(2), 'ar')!;
    // The outer choice has 6 forms. The inner choices of its two sources have 6 each.
    expect(two.texts.filter(({ text }) => text.includes('#'))).toHaveLength(18);
    expect(two.hasFormsOfSource).toBeUndefined();
    expect(readIcu(inside(3), 'ar')!.hasFormsOfSource).toBeUndefined();
    const five = readIcu(inside(5), 'ar')!;
    expect(five.hasFormsOfSource).toBe(true);
    expect(five.texts.length).toBeLessThanOrEqual(64);
    const choices = Array.from({ length: 300 }, (_, at) => `c${at} {in the country ${at}}`).join(' ');
    expect(readIcu(`{c, select, ${choices} other {here}}`, 'ar')!.texts).toHaveLength(302);
  });
});

test('English has one and other, Arabic six categories, Japanese one', () => {
  expect(categoriesOf('en')).toEqual(['one', 'other']);
  expect(categoriesOf('en', 'ordinal')).toEqual(['one', 'two', 'few', 'other']);
  expect(categoriesOf('ar')).toHaveLength(6);
  expect(categoriesOf('ja')).toEqual(['other']);
});

test('the form `zero` of Rails and i18next is described as the one for 0', () => {
  expect(describeForm('ru', 'zero')).toBe('plural form “zero”, for the number 0');
  expect(describeForm('ru', 'other')).toBe('plural form “other”, for fractions');
});
