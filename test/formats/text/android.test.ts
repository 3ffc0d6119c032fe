import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAndroid, encodeAndroid } from '#server/formats/android.ts';
import { FileError } from '#server/formats/file-error.ts';
import { hasNoCode, textsOf } from './texts.ts';
import { toolkit, unitsOf } from './toolkit.ts';

const resources = (content: string) =>
  `<?xml version="1.0" encoding="utf-8"?>\n<resources xmlns:tools="http://schemas.android.com/tools" xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">\n${content}\n</resources>\n`;

const file = resources(`    <!-- The greeting -->
    <string name="hi">Hello <b>World</b>, you\\'re <xliff:g id="n" example="5">%1$d</xliff:g>!\\nBye</string>
    <string name="link">See <a href="https://example.org?a=1&amp;b=2">our <i>terms</i></a><br/>now</string>\r
    <string name="quoted">"  it's  spaced "</string>
    <string name="lines">
        Two
        lines &amp; more
    </string>
    <string name="cdata"><![CDATA[<p>It\\'s</p> & more]]></string>
    <string name="reference">@string/hi</string>
    <string name="fixed" translatable="false">LinguaLoop</string>
    <string name="empty"/>
    <color name="red">#f00</color>
    <string-array name="days">
        <item>Monday</item>
        <!-- The second -->
        <item>Tuesday</item>
    </string-array>
    <plurals name="files">
        <item quantity="one"><xliff:g id="n">%d</xliff:g> file</item>
        <item quantity="other"><xliff:g id="n">%d</xliff:g> files</item>
    </plurals>`);

describe('Android string resources', () => {
  test('keep every byte if the translations equal the source', async () => {
    expect(await textsOf('android', file).identity()).toBe(file);
  });

  test('get each translation in its place, with all markup', async () => {
    const changed = file
      .replace('>Hello', '>[Hello')
      .replace('\\nBye<', '\\nBye]<')
      .replace('>See', '>[See')
      .replace('now<', 'now]<')
      .replace(`"  it's  spaced "`, `"  [it's  spaced] "`)
      .replace('Two\n        lines &amp; more', '[Two lines &amp; more]')
      .replace('[<p>', '[[<p>')
      .replace('more]]>', 'more]]]>')
      .replace(/>(Monday|Tuesday)</g, '>[$1]<')
      .replace(/(<xliff:g id="n">%d<\/xliff:g> files?)/g, '[$1]');
    expect(await textsOf('android', file).pseudo()).toBe(changed);
  });

  test('give comments as context, and name what they keep', async () => {
    const { segments, outcome } = await textsOf('android', file).extract();
    expect(segments.map(({ context, place }) => [place, context])).toEqual([
      ['line 4, hi', 'The greeting'],
      ['line 5, link', undefined],
      ['line 6, quoted', undefined],
      ['line 7, lines', undefined],
      ['line 11, cdata', undefined],
      ['line 17, days[0]', undefined],
      ['line 19, days[1]', 'The second'],
      ['line 22, files', 'plural form “one”, for numbers such as 1'],
      ['line 23, files', 'plural form “other”, for numbers such as 0, 2, 3, 4, 5'],
    ]);
    expect(outcome).toEqual({
      unaccounted: 0,
      kept: [
        { class: 'kept', reason: 'identifier', texts: 1, characters: 10 },
        { class: 'kept', reason: 'not_translatable', texts: 1, characters: 10 },
      ],
    });
  });

  test.each([
    ['ru', ['one', 'few', 'many', 'other']],
    ['pl', ['one', 'few', 'many', 'other']],
    ['ar', ['zero', 'one', 'two', 'few', 'many', 'other']],
    ['fr', ['one', 'many', 'other']],
    ['ja', ['other']],
  ])('%s gets its plural forms, on lines of their own', async (language, forms) => {
    const text = await textsOf('android', file, language).pseudo();
    const items = /<plurals name="files">\n([\s\S]*?)\n {4}<\/plurals>/.exec(text)![1]!.split('\n');
    expect(items.map((item) => /^ {8}<item quantity="(\w+)">\[.*\]<\/item>$/.exec(item)?.[1])).toEqual(forms);
  });

  test('keep plurals without words, and fill in an empty form', async () => {
    const plurals = (one: string, other: string) =>
      resources(
        `<plurals name="p"><item quantity="one">${one}</item><item quantity="other">${other}</item></plurals>`,
      );
    const { segments, outcome } = await textsOf('android', plurals('', '%d')).extract();
    expect([segments, outcome?.unaccounted]).toEqual([[], 0]);
    expect(await textsOf('android', plurals('', '%d days')).texts()).toEqual(['%d days', '%d days']);
    const withoutEnd = plurals('', '%d days').replace('></item>', '/>');
    expect(await textsOf('android', withoutEnd).identity()).toBe(withoutEnd);
    expect(await textsOf('android', withoutEnd).pseudo()).toContain(plurals('[%d days]', '[%d days]').trim());
  });

  test('may be in UTF-16, and have any names', async () => {
    const utf16 = (text: string) => Buffer.from(`\ufeff${text.replace('utf-8', 'utf-16')}`, 'utf16le');
    const source = resources('<string name="__proto__" __proto__="b" constructor="">Hi</string>');
    const { bytes } = await textsOf('android', utf16(source)).rebuild(() => ['Für 日本']);
    expect(Buffer.from(bytes)).toEqual(utf16(source.replace('Hi', 'Für 日本')));
  });

  test('declare the target language if they declare a language', async () => {
    const declared = file.replace('<resources', '<resources tools:locale="en"');
    expect(await textsOf('android', declared, 'pt-BR').identity()).toContain(
      '<resources tools:locale="pt-BR"',
    );
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

  test.each([
    ['<html/>', 'whose root element is <resources>'],
    ['<!DOCTYPE resources [<!ENTITY a "b">]><resources/>', 'entity declaration'],
    ['<!DOCTYPE resources [<!ELEMENT a ANY>]><resources/>', 'DOCTYPE with declarations'],
    ['<resources><string name="a">&eacute;</string></resources>', 'reference to an entity'],
    ['<?xml version="1.0" encoding="ISO-8859-1"?><resources/>', 'ISO-8859-1'],
    ['<resources><string>', 'not well-formed'],
    ['plain text', 'not XML'],
  ])('%s is rejected', async (source, message) => {
    const read = textsOf('android', source).extract();
    await expect(read).rejects.toThrow(FileError);
    await expect(read).rejects.toThrow(message);
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
