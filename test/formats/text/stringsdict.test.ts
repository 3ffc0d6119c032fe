import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keepTexts } from '#server/formats/existing-target.ts';
import { FileError } from '#server/formats/file-error.ts';
import { texts as readTexts, rebuild } from '#server/formats/stringsdict.ts';
import { hasNoCode, textsOf } from './texts.ts';

const plist = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">\n<dict>\n${content}\n</dict>\n</plist>\n`;

const plural = (forms: string) =>
  `<key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string>${forms}`;

const file = plist(`\t<!-- The title -->
\t<key>found.title</key>
\t<dict>
\t\t<key>NSStringLocalizedFormatKey</key>
\t\t<string>%1$#@files@ in %2$#@folder-count@ found</string>
\t\t<key>files</key>
\t\t<dict>
\t\t\t<key>NSStringFormatSpecTypeKey</key>
\t\t\t<string>NSStringPluralRuleType</string>
\t\t\t<key>NSStringFormatValueTypeKey</key>
\t\t\t<string>lld</string>
\t\t\t<key>zero</key>
\t\t\t<string>No &amp; nothing</string>
\t\t\t<!-- Only one -->
\t\t\t<key>one</key>
\t\t\t<string><![CDATA[%1$lld <b>file</b>]]></string>\r
\t\t\t<key>other</key>
\t\t\t<string>%1$lld files of %@</string>
\t\t</dict>
\t\t<key>folder-count</key>
\t\t<dict>${plural('<key>one</key><string/><key>other</key><string>%arg folders</string>')}</dict>
\t</dict>
\t<key>count</key>
\t<dict>
\t\t<key>NSStringLocalizedFormatKey</key>
\t\t<string>%#@folder-count@</string>
\t\t<key>folder-count</key>
\t\t<dict>${plural('<key>other</key><string>%d</string>')}</dict>
\t</dict>
\t<key>hello</key>
\t<dict>
\t\t<key>NSStringVariableWidthRuleType</key>
\t\t<dict>
\t\t\t<key>1</key><string>Hi</string>
\t\t\t<key>20</key><string> Hello&#33; </string>
\t\t</dict>
\t</dict>
\t<key>tap</key>
\t<dict>
\t\t<key>NSStringDeviceSpecificRuleType</key>
\t\t<dict>
\t\t\t<key>mac</key><string>Click</string>
\t\t\t<key>iphone</key>
\t\t\t<dict>
\t\t\t\t<key>NSStringLocalizedFormatKey</key><string>%#@taps@</string>
\t\t\t\t<key>taps</key><dict>${plural('<key>other</key><string>%d taps</string>')}</dict>
\t\t\t</dict>
\t\t</dict>
\t</dict>`);

describe('strings dictionaries of Apple', () => {
  test('keep the texts of an existing translation by key, also those of single forms', async () => {
    const before = await textsOf('stringsdict', file, 'pl').pseudo();
    const edited = before
      .replace('[Hi]', 'Hej')
      .replace(/(<key>few<\/key>\s*<string>)\[%1\$lld files of %@\]/, '$1%1$lld pliki z %@')
      .replace('<string>%#@folder-count@</string>', '<string>%1$#@folder-count@</string>');
    const options = { sourceLanguage: 'en', targetLanguage: 'pl' };
    const [source, target] = await Promise.all(
      [file, edited].map(async (text) => (await readTexts(new TextEncoder().encode(text), options))!),
    );
    const { kept } = keepTexts({ source: source!, target: target!, written: null, corrected: null });
    const { bytes } = await rebuild(new TextEncoder().encode(file), [], { ...options, kept });
    expect(new TextDecoder().decode(bytes)).toBe(edited);
  });

  test('may be in UTF-16, and have any keys', async () => {
    const utf16 = (text: string) => Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const source = plist(
      '<key>__proto__</key><dict><key>NSStringLocalizedFormatKey</key><string>Hi</string></dict>',
    );
    const { bytes } = await textsOf('stringsdict', utf16(source)).rebuild(() => ['Für 日本']);
    expect(Buffer.from(bytes)).toEqual(utf16(source.replace('Hi', 'Für 日本')));
  });

  test('survive any text as a translation', async () => {
    const own = textsOf(
      'stringsdict',
      plist(
        '<key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>x</string></dict><key>b</key><string><![CDATA[x]]></string>',
      ),
    );
    const text = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 3 }), fc.constantFrom(...`\\"'&;<>[]\n\t `)),
    });
    await fc.assert(
      fc.asyncProperty(text, async (translation) => {
        fc.pre(/\p{L}/u.test(translation) && translation.trim() === translation && hasNoCode(translation));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot contain these; identifiers and colors are kept.
        fc.pre(!/[\x00-\x08\x0b-\x1f\ufffe\uffff]|[a-z0-9]_[a-z0-9]|^#/i.test(translation));
        const { text: written } = await own.rebuild(() => [translation]);
        expect(await textsOf('stringsdict', written).texts()).toEqual([translation, translation]);
      }),
      { numRuns: 300 },
    );
  });

  const format = '<key>NSStringLocalizedFormatKey</key><string>a</string>';
  test.each([
    ['bplist00\xd1\x01\x02', 'plutil -convert xml1'],
    ['<resources/>', 'line 1: the root element of the XML is <resources>'],
    ['<plist/>', 'line 1: <plist> must have one <dict>'],
    ['<plist>\n<array/></plist>', 'line 2: <plist> must have one <dict>'],
    [
      plist('<key>CFBundleName</key><string>App</string>'),
      'line 4: the property list is not a strings dictionary',
    ],
    [plist('<dict/>'), 'line 5: <dict> has no <key> before it'],
    [plist(`<key>a</key><dict>${format}<key>b</key></dict>`), 'line 5: a <key> has no value'],
    [plist('<key>a</key>\n<key>b</key><string>c</string>'), 'line 5: a <key> has no value'],
    [
      plist(`<key>a</key><dict>${format}</dict>\n<key>b</key><string>c<b>d</b></string>`),
      'line 6: <b> is inside <string>',
    ],
    [plist('<key>a</key>\n<dict>'), 'line 8: the XML is not well-formed'],
    ['<!DOCTYPE plist [<!ENTITY a "b">]><plist/>', 'entity declaration'],
    [plist(`<key>a</key><dict>${'<key>b</key><dict>'.repeat(300)}`), 'nested more than 200 deep'],
    [
      plist(
        `<key>${'a'.repeat(100_000)}</key><dict>${'<key>b</key><string>c</string>'.repeat(10_000)}</dict>`,
      ),
      'are too long',
    ],
    ['"a" = "b";', 'not XML'],
  ])('%#: a file is rejected', async (source, message) => {
    const bytes = Buffer.from(source, source.startsWith('bplist') ? 'latin1' : 'utf8');
    const read = textsOf('stringsdict', bytes).extract();
    await expect(read).rejects.toThrow(FileError);
    await expect(read).rejects.toThrow(message);
  });
});
