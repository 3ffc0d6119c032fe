import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { hasNoCode, textsOf } from './texts.ts';

const source = `# Translators
msgid ""
msgstr ""
"Project-Id-Version: x\\n"
"Language: \\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"

#. The button
#: src/a.c:3
msgid "Open"
msgstr ""

#: src/a.c:4
#, c-format
msgctxt "menu"
msgid "Open %s"
msgstr ""

#, fuzzy, c-format
#| msgid "old"
msgid "%d file\\n"
msgid_plural "%d files\\n"
msgstr[0] "old"
msgstr[1] ""

msgid ""
"Long\\n"
"text"
msgstr "Done"

msgid "https://example.org"
msgstr ""

#~ msgid "obsolete"
#~ msgstr "x"
`;

const filled = (language: string) =>
  textsOf('po', source.replace('Language: ', `Language: ${language}`), language);

describe('a PO file', () => {
  test('gets translations in msgstr, and the flag fuzzy for those that need a review', async () => {
    const file = textsOf('po', source, 'pl');
    const { segments, outcome } = await file.extract();
    expect(segments.map(({ context, variant }) => [context, variant])).toEqual([
      ['The button', undefined],
      ['context “menu”', 'menu'],
      ['plural form “one”, for numbers such as 1', 'one'],
      ['plural form “few”, for numbers such as 2, 3, 4, 22, 23', 'few'],
      ['plural form “many”, for numbers such as 0, 5, 6, 7, 8', 'many'],
    ]);
    expect(outcome).toEqual({
      kept: [
        { class: 'kept', reason: 'translated_before', texts: 1, characters: 8 },
        { class: 'kept', reason: 'address', texts: 1, characters: 19 },
      ],
      unaccounted: 0,
    });
    const { text } = await file.rebuild(
      ({ source: [one] }, at) => [`${at} ${one}`],
      ({ source: [one] }) => one === 'Open %s',
    );
    const [, entries] = text.split('\n\n', 2).length > 1 ? [text, text.slice(text.indexOf('#. The'))] : [];
    expect(entries).toBe(`#. The button
#: src/a.c:3
msgid "Open"
msgstr "0 Open"

#: src/a.c:4
#, fuzzy, c-format
msgctxt "menu"
msgid "Open %s"
msgstr "1 Open %s"

#, c-format
msgid "%d file\\n"
msgid_plural "%d files\\n"
msgstr[0] "2 %d file\\n"
msgstr[1] "3 %d files\\n"
msgstr[2] "4 %d files\\n"

msgid ""
"Long\\n"
"text"
msgstr "Done"

msgid "https://example.org"
msgstr ""

#~ msgid "obsolete"
#~ msgstr "x"
`);
  });

  test('the look for keys takes time in proportion to the IDs', async () => {
    const hostile = `msgid "${'_-'.repeat(50_000)}!"\nmsgstr "x"\n`;
    expect(await textsOf('po', hostile, 'pl').texts()).toEqual([]);
  });

  test('survives any text as a translation', async () => {
    const file = textsOf('po', 'msgid "a"\nmsgstr ""\n');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (text) => {
        fc.pre(text.trim() !== '' && !text.includes('\0') && text.isWellFormed() && hasNoCode(text));
        const written = (await file.rebuild(() => [text])).text;
        // As a source that is read again, the text is the same.
        const again = written.replace('msgid "a"\nmsgstr ', 'msgid ').concat('msgstr ""\n');
        expect(
          await textsOf('po', again)
            .extract()
            .then(({ segments, outcome }) => segments[0]?.source[0] ?? outcome?.kept.length),
        ).toEqual(/\p{L}/u.test(text) ? expect.anything() : 1);
      }),
      { numRuns: 300 },
    );
  });
});

const hasMsgfmt = (() => {
  try {
    execFileSync('msgfmt', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!hasMsgfmt) console.warn('msgfmt is not installed: PO files are not checked with it');

test.skipIf(!hasMsgfmt)('msgfmt accepts the translated file in every language, with all checks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'po-'));
  for (const language of languageCodes) {
    const { text } = await filled(language).rebuild(({ source: [one] }) => [`x ${one}`]);
    const path = join(folder, `${language}.po`);
    writeFileSync(path, text);
    execFileSync('msgfmt', ['--check', '--output-file', join(folder, 'out.mo'), path], { stdio: 'pipe' });
    expect(readFileSync(join(folder, 'out.mo')).length).toBeGreaterThan(100);
  }
});
