import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasNoCode, textsOf } from './texts.ts';
import { toolkit, unitsOf } from './toolkit.ts';

describe('Apple strings files', () => {
  test.each(['utf-16le', 'utf-16be'] as const)('keep the encoding %s', async (encoding) => {
    const encode = (text: string) => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return encoding === 'utf-16le' ? bytes : bytes.swap16();
    };
    const { bytes } = await textsOf('strings', encode('"a" = "Hi";')).rebuild(() => ['日本 😀']);
    expect(Buffer.from(bytes)).toEqual(encode('"a" = "日本 😀";'));
  });

  test('survive any text as a translation', async () => {
    const own = textsOf('strings', `"a" = "x"; b = 'x'; c = x; "d";`);
    const text = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3 }), fc.constantFrom(...`\\"'\n\r\t;=`)),
    });
    await fc.assert(
      fc.asyncProperty(text, async (translation) => {
        fc.pre(
          /\p{L}/u.test(translation) &&
            translation.trim() === translation &&
            translation.isWellFormed() &&
            hasNoCode(translation),
        );
        const { text: written } = await own.rebuild(() => [translation]);
        expect(await textsOf('strings', written).texts()).toEqual(Array(4).fill(translation));
      }),
      { numRuns: 300 },
    );
  });
});

test.skipIf(!toolkit)('the Translate Toolkit reads the translations of Apple strings', async () => {
  // The toolkit reads a value that ends with a backslash wrong.
  const texts = fc.sample(
    fc
      .string({ unit: fc.constantFrom(...'aé日 \'"\\%@\n\t😀;=') })
      .filter(
        (text) => /\p{L}/u.test(text) && text.trim() === text && !text.endsWith('\\') && hasNoCode(text),
      ),
    100,
  );
  const source = texts.map((_, at) => `"s${at}" = "x${at}";\n`).join('');
  const { text } = await textsOf('strings', source).rebuild((_, at) => [texts[at]!]);
  expect(unitsOf('properties.stringsutf8file', text).map(([, read]) => read)).toEqual(texts);
});
