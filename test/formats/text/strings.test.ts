import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import { hasNoCode, textsOf } from './texts.ts';
import { toolkit, unitsOf } from './toolkit.ts';

const file = `/* The title
   of the window */
"title" = "My \\"window\\"";
// A button
ok.button = "It\\U2019s OK\\n%@";\r

"url" = "https://example.org"; /* after */ "key only";
'single' = 'it\\'s';
"number" = "%d"; bare = Word;
"empty" = "";
`;

describe('Apple strings files', () => {
  test('keep every byte if the translations equal the source', async () => {
    expect(await textsOf('strings', file).identity()).toBe(file);
  });

  test('get each translation in its place', async () => {
    const changed = file
      .replace('"My \\"window\\""', '"[My \\"window\\"]"')
      .replace('It\\U2019s OK\\n%@', '[It’s OK\\n%@]')
      .replace('"key only"', '"key only" = "[key only]"')
      .replace(`'it\\'s'`, `'[it\\'s]'`)
      .replace('= Word', '= "[Word]"');
    expect(await textsOf('strings', file).pseudo()).toBe(changed);
  });

  test('give comments as context', async () => {
    const { segments, outcome } = await textsOf('strings', file).extract();
    expect(segments.map(({ place, context, source }) => [place, context, source[0]])).toEqual([
      ['line 3, title', 'The title of the window', 'My "window"'],
      ['line 5, ok.button', 'A button', 'It’s OK\n%@'],
      ['line 7, key only', 'after', 'key only'],
      ['line 8, single', undefined, "it's"],
      ['line 9, bare', undefined, 'Word'],
    ]);
    expect(outcome?.unaccounted).toBe(0);
  });

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

  test.each([
    ['"a" = "b"', 'line 1: ";" is expected'],
    ['\n"a" = ;', 'line 2: a value is expected'],
    ['"a" = "b\\";\n', 'line 1: a string has no closing quote'],
    ['/* a', 'line 1: a comment has no end'],
    ['{ a = b; }', 'line 1: a key is expected'],
    ['<?xml version="1.0"?><plist/>', 'property list'],
  ])('%j is rejected', async (source, message) => {
    const read = textsOf('strings', source).extract();
    await expect(read).rejects.toThrow(FileError);
    await expect(read).rejects.toThrow(message);
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
