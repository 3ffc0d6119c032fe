import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasNoCode, textsOf } from './texts.ts';

const unit = (value: string, state = 'translated') => ({ stringUnit: { state, value } });

const strings = {
  '': {},
  '%@': {},
  Cancel: {},
  'Do it “now”': { comment: 'A button', extractionState: 'manual' },
  brand: { localizations: { en: unit('LinguaLoop Pro') }, shouldTranslate: false },
  device: {
    localizations: {
      en: { variations: { device: { iphone: unit('Tap here'), other: unit('Click here') } } },
    },
  },
  done: { localizations: { de: unit('Fertig'), en: unit('Done', 'new'), fr: unit('Terminé') } },
  files: {
    localizations: {
      en: { variations: { plural: { one: unit('%lld file'), other: unit('%lld files') } } },
    },
  },
  stale: { localizations: { de: unit('Alt', 'needs_review'), en: unit('Old') } },
  'two.plurals': {
    localizations: {
      en: {
        ...unit('%#@files@ in %#@folders@'),
        substitutions: {
          files: {
            argNum: 1,
            formatSpecifier: 'lld',
            variations: { plural: { one: unit('%arg file'), other: unit('%arg files') } },
          },
          folders: {
            argNum: 2,
            formatSpecifier: 'lld',
            variations: { plural: { one: unit('%arg folder'), other: unit('%arg folders') } },
          },
        },
      },
    },
  },
};

/** Writes a catalog as Xcode does. */
function xcode(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *"(?:[^"\\]|\\.)*"):/gm, '$1 :')
    .replace(/^( *)(.*)\{\}/gm, '$1$2{\n\n$1}');
}

const catalog = xcode({ sourceLanguage: 'en', strings, version: '1.0' });

type Localization = { [key: string]: Localization } & { state?: unknown };

/** The localizations of a language, as JSON.parse reads them. */
const localizations = (text: string, language: string): Record<string, Localization> =>
  Object.fromEntries(
    Object.entries(
      JSON.parse(text).strings as Record<string, { localizations?: Record<string, Localization> }>,
    ).flatMap(([key, { localizations: own }]) => (own?.[language] ? [[key, own[language]]] : [])),
  );

describe('string catalogs', () => {
  test('get a localization of the target language, in the formatting of Xcode', async () => {
    const text = await textsOf('xcstrings', catalog).pseudo();
    const plural = (one: string, other: string) => ({
      variations: { plural: { one: unit(one), other: unit(other) } },
    });
    expect(localizations(text, 'de')).toEqual({
      Cancel: unit('[Cancel]'),
      'Do it “now”': unit('[Do it “now”]'),
      device: { variations: { device: { iphone: unit('[Tap here]'), other: unit('[Click here]') } } },
      done: unit('Fertig'),
      files: plural('[%lld file]', '[%lld files]'),
      stale: unit('[Old]'),
      'two.plurals': {
        stringUnit: { state: 'translated', value: '[%#@files@ in %#@folders@]' },
        substitutions: {
          files: { argNum: 1, formatSpecifier: 'lld', ...plural('[%arg file]', '[%arg files]') },
          folders: { argNum: 2, formatSpecifier: 'lld', ...plural('[%arg folder]', '[%arg folders]') },
        },
      },
    });
    expect(text).toBe(xcode(JSON.parse(text)));
    // All other values stay.
    const without = JSON.parse(text);
    for (const [key, entry] of Object.entries<{ localizations?: Record<string, unknown> }>(without.strings)) {
      const before = (strings as Record<string, { localizations?: { de?: unknown } }>)[key]!;
      if (before.localizations?.de) entry.localizations!['de'] = before.localizations.de;
      else if (entry.localizations) {
        delete entry.localizations['de'];
        if (!before.localizations) delete entry.localizations;
      }
    }
    expect(without.strings).toEqual(strings);
  });

  test('keep what is translated, and give comments, devices and forms as context', async () => {
    const { segments, outcome } = await textsOf('xcstrings', catalog).extract();
    const one = 'plural form “one”, for numbers such as 1';
    const other = 'plural form “other”, for numbers such as 0, 2, 3, 4, 5';
    expect(segments.map(({ source, context }) => [source[0], context])).toEqual([
      ['Cancel', undefined],
      ['Do it “now”', 'A button'],
      ['Tap here', 'for the device “iphone”'],
      ['Click here', 'for the device “other”'],
      ['%lld file', one],
      ['%lld files', other],
      ['Old', undefined],
      ['%#@files@ in %#@folders@', undefined],
      ['%arg file', `replaces %#@files@; ${one}`],
      ['%arg files', `replaces %#@files@; ${other}`],
      ['%arg folder', `replaces %#@folders@; ${one}`],
      ['%arg folders', `replaces %#@folders@; ${other}`],
    ]);
    expect(outcome?.unaccounted).toBe(0);
    expect(outcome?.kept.map(({ reason, texts }) => [reason, texts])).toEqual([
      ['number', 1],
      ['not_translatable', 1],
      ['translated_before', 1],
    ]);
  });

  test.each([
    ['ru', ['few', 'many', 'one', 'other']],
    ['pl', ['few', 'many', 'one', 'other']],
    ['ar', ['few', 'many', 'one', 'other', 'two', 'zero']],
    ['fr', ['many', 'one', 'other']],
    ['ja', ['other']],
  ])('%s gets its plural forms in the order of Xcode', async (language, forms) => {
    const text = await textsOf('xcstrings', catalog, language).pseudo();
    expect(text).toBe(xcode(JSON.parse(text)));
    const { files, 'two.plurals': two } = localizations(text, language) as never as Record<
      string,
      { variations: { plural: object }; substitutions: { files: { variations: { plural: object } } } }
    >;
    expect(Object.keys(files!.variations.plural)).toEqual(forms);
    expect(Object.keys(two!.substitutions.files.variations.plural)).toEqual(forms);
  });

  test('mark translations that need a review', async () => {
    const { text } = await textsOf('xcstrings', catalog).rebuild(
      ({ source }) => source,
      () => true,
    );
    expect(localizations(text, 'de')).toMatchObject({
      Cancel: unit('Cancel', 'needs_review'),
      device: { variations: { device: { iphone: unit('Tap here', 'needs_review') } } },
      files: { variations: { plural: { one: unit('%lld file', 'needs_review') } } },
      done: unit('Fertig'),
    });
  });

  test('survive any text as a translation', async () => {
    const file = textsOf('xcstrings', catalog);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (translation) => {
        fc.pre(translation.trim() === translation && translation !== '' && hasNoCode(translation));
        const { text } = await file.rebuild(() => [translation]);
        expect(localizations(text, 'de')).toMatchObject({
          Cancel: unit(translation),
          stale: unit(translation),
        });
      }),
      { numRuns: 200 },
    );
  });
});
