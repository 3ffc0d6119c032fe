import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAndroid, encodeAndroid } from '#server/formats/android.ts';
import { hasNoCode, textsOf } from './texts.ts';
import { toolkit, unitsOf } from './toolkit.ts';

const resources = (content: string) =>
  `<?xml version="1.0" encoding="utf-8"?>\n<resources xmlns:tools="http://schemas.android.com/tools" xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">\n${content}\n</resources>\n`;

describe('Android string resources', () => {
  test('may be in UTF-16, and have any names', async () => {
    const utf16 = (text: string) => Buffer.from(`\ufeff${text.replace('utf-8', 'utf-16')}`, 'utf16le');
    const source = resources('<string name="__proto__" __proto__="b" constructor="">Hi</string>');
    const { bytes } = await textsOf('android', utf16(source)).rebuild(() => ['Für 日本']);
    expect(Buffer.from(bytes)).toEqual(utf16(source.replace('Hi', 'Für 日本')));
  });

  test.each([
    [String.raw`it\'s \"q\" \u00e9\u0041 \@ \? \\ a\tb`, 'it\'s "q" éA @ ? \\ a\tb'],
    [String.raw`\@me`, '@me'],
    ['a\n   b \\n  c', 'a b \n c'],
    ['"a\n   b"', 'a\n   b'],
    ['x "a  b" y', 'x a  b y'],
    [String.raw`a\u0020 b`, 'a  b'],
  ])('%j is read as %j', (written, text) => {
    expect(decodeAndroid([{ text: written, isCode: false }])).toBe(text);
  });

  test.each([
    ['@me', String.raw`\@me`],
    ['?', String.raw`\?`],
    ['a?@', 'a?@'],
    ['  a  b ', String.raw`\u0020\u0020a \u0020b\u0020`],
    ['l\u00b7\'été"\n', String.raw`l·\'été\"\n`],
  ])('%j is written as %s', (text, written) => {
    expect(encodeAndroid(text, false)).toBe(written);
  });

  test('keep a no-break space between two escapes', async () => {
    const own = textsOf('android', resources('<string name="a">x</string>'));
    const { text: written } = await own.rebuild(() => ["“\u00a0\\ a'\u00a0'"]);
    expect(await textsOf('android', written).texts()).toEqual(["“\u00a0\\ a'\u00a0'"]);
  });

  test('survive any text as a translation', async () => {
    const own = textsOf(
      'android',
      resources(
        '<string name="a">x</string><string name="b">"x"</string><string name="c"><![CDATA[x]]></string>',
      ),
    );
    const text = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3 }), fc.constantFrom(...`\\"'@?<>&]\n\t `)),
    });
    await fc.assert(
      fc.asyncProperty(text, async (translation) => {
        fc.pre(/\p{L}/u.test(translation) && translation.trim() === translation && hasNoCode(translation));
        const { text: written } = await own.rebuild(() => [translation]);
        const expected = translation.replace(/[\ufdd0-\ufdd2]/g, '');
        expect(await textsOf('android', written).texts()).toEqual([expected, expected, expected]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(['us-ascii', 'ASCII'])('of a file that declares %s make it UTF-8', async (encoding) => {
    const file = (declared: string, text: string) =>
      `<?xml version='1.0' encoding='${declared}'?>\n<resources><string name="a">${text}</string></resources>\n`;
    const own = textsOf('android', file(encoding, 'Hallo'));
    expect((await own.rebuild(() => ['Grüße'])).text).toBe(file('UTF-8', 'Grüße'));
    await expect(textsOf('android', file(encoding, 'ü')).extract()).rejects.toThrow(encoding);
  });
});

test.skipIf(!toolkit)('the Translate Toolkit reads the translations of Android strings', async () => {
  // The toolkit drops spaces next to a line end.
  const texts = fc.sample(
    fc
      .string({ unit: fc.constantFrom(...'aé日 \'"\\@?<>&%\n😀') })
      .filter(
        (text) => /\p{L}/u.test(text) && text.trim() === text && !/ [ \n]|\n /.test(text) && hasNoCode(text),
      ),
    100,
  );
  const source = resources(texts.map((_, at) => `<string name="s${at}">x${at}</string>`).join('\n'));
  const { text } = await textsOf('android', source).rebuild((_, at) => [texts[at]!]);
  expect(unitsOf('aresource.AndroidResourceFile', text)).toMatchObject(
    texts.map((one, at) => [`s${at}`, expect.anything(), one]),
  );
});
