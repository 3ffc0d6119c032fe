import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
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
  test('stays as it is without translations, but for the header', async () => {
    const { text } = await textsOf('po', source, 'ja').rebuild(() => null);
    expect(text).toBe(
      source
        .replace('Language: ', 'Language: ja')
        .replace('nplurals=INTEGER; plural=EXPRESSION;', 'nplurals=1; plural=0;'),
    );
  });

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

  test('keeps the translations of its language, and replaces those of another one', async () => {
    const [same, other] = ['fr', 'de'].map((language) =>
      textsOf(
        'po',
        'msgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "Yes"\nmsgstr "Oui"\n\nmsgid "No"\nmsgstr ""\n',
        language,
      ),
    );
    expect(await same!.texts()).toEqual(['No']);
    expect(await other!.texts()).toEqual(['Yes', 'No']);
    expect(await other!.pseudo()).toContain('msgid "Yes"\nmsgstr "[Yes]"');
  });

  test('in its own language keeps its number of plural forms', async () => {
    const file = textsOf(
      'po',
      'msgid ""\nmsgstr ""\n"Language: fr\\n"\n"Plural-Forms: nplurals=3; plural=n>1;\\n"\n\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\nmsgstr[1] ""\nmsgstr[2] ""\n',
      'fr',
    );
    expect(await file.pseudo()).toContain('nplurals=3; plural=n>1;');
    expect((await file.pseudo()).match(/^msgstr\[\d\].*$/gm)).toEqual(
      ['msgstr[0] "[b]"', 'msgstr[1] "[b]"', 'msgstr[2] "[b]"'].map((line, at) =>
        at === 0 ? 'msgstr[0] "[a]"' : line,
      ),
    );
  });

  const header = (language: string) =>
    `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n`;
  const read = async (text: string, target = 'pl') =>
    (await textsOf('po', text, target).extract()).segments.map(({ source: [own], place, variant }) => [
      own,
      place.split(', ')[1],
      variant,
    ]);

  test('of the source language has its source in msgstr, with its plural forms; an empty one has it in msgid', async () => {
    const catalog = `${header('en_GB')}msgid "Title"\nmsgstr "Our garden"\n\nmsgid "Buy"\nmsgstr ""\n\nmsgid "tree"\nmsgid_plural "trees"\nmsgstr[0] "%d tree"\nmsgstr[1] "%d trees"\n`;
    expect(await read(catalog)).toEqual([
      ['Our garden', 'Title', undefined],
      ['Buy', undefined, undefined],
      ['%d tree', 'tree', 'one'],
      ['%d trees', 'tree', 'few'],
      ['%d trees', 'tree', 'many'],
    ]);
    expect(await textsOf('po', catalog, 'fr').pseudo()).toContain(
      'msgid "Title"\nmsgstr "[Our garden]"\n\nmsgid "Buy"\nmsgstr "[Buy]"\n\nmsgid "tree"\nmsgid_plural "trees"\nmsgstr[0] "[%d tree]"\nmsgstr[1] "[%d trees]"',
    );
  });

  test('whose IDs are keys has its source in msgstr, and an ID without a text stays', async () => {
    const entries = `msgid "home.title"\nmsgstr "Our garden"\n\nmsgid "home.cta"\nmsgstr ""\n\nmsgid "welcome"\nmsgstr "Hello"\n`;
    const found = [
      ['Our garden', 'home.title', undefined],
      ['Hello', 'welcome', undefined],
    ];
    for (const language of ['', 'en', 'it']) expect(await read(header(language) + entries)).toEqual(found);
    expect((await textsOf('po', header('') + entries).extract()).outcome?.kept).toMatchObject([
      { reason: 'identifier', texts: 1 },
    ]);
    // The look for keys takes time in proportion to the IDs.
    const hostile = `msgid "${'_-'.repeat(50_000)}!"\nmsgstr "x"\n`;
    expect(await read(header('') + hostile)).toEqual([]);
    // In the target language, the texts are translations.
    expect(await read(header('pl') + entries)).toEqual([]);
    // Words without spaces do not count as keys.
    const words = `msgid "Save"\nmsgstr "Salva"\n\nmsgid "e-mail"\nmsgstr "Posta"\n\nmsgid "Close"\nmsgstr ""\n`;
    expect(await read(header('') + words)).toEqual([['Close', undefined, undefined]]);
  });

  test('of Lingui has keys that are marked as such, and ICU messages with the forms of the target', async () => {
    const catalog = `${header('en')}msgid "{n, plural, one {# item} other {# items}}"\nmsgstr ""\n\n#. js-lingui-explicit-id\nmsgid "welcome.title"\nmsgstr "Welcome, {name}"\n\nmsgid "It''s '{'here'}'"\nmsgstr ""\n`;
    expect(await read(catalog)).toEqual([
      ['# item', undefined, 'n one'],
      ['# items', undefined, 'n few'],
      ['# items', undefined, 'n many'],
      ['# items', undefined, 'n other'],
      ['Welcome, {name}', 'welcome.title', undefined],
      ["It's {here}", undefined, undefined],
    ]);
    const { segments } = await textsOf('po', catalog, 'pl').extract();
    expect(segments[4]!.context).toBeUndefined();
    const written = await textsOf('po', catalog, 'pl').pseudo();
    expect(written).toContain(
      'msgstr "{n, plural, one {[# item]} few {[# items]} many {[# items]} other {[# items]}}"',
    );
    expect(written).toContain(`msgstr "[It''s '{'here'}']"`);
  });

  test('loses the flag fuzzy of its header, with which programs skip it, and declares UTF-8', async () => {
    const template = `#, fuzzy, no-wrap\nmsgid ""\nmsgstr "Content-Type: text/plain; charset=CHARSET\\n"\n\nmsgid "Café"\nmsgstr ""\n`;
    expect(await textsOf('po', template, 'fr').pseudo()).toBe(
      '#, no-wrap\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: fr\\n"\n"Plural-Forms: nplurals=2; plural=(n > 1);\\n"\n\nmsgid "Café"\nmsgstr "[Café]"\n',
    );
    const plain = template
      .replace('#, fuzzy, no-wrap', '#, fuzzy')
      .replace('charset=CHARSET', 'charset=us-ascii');
    expect(await textsOf('po', plain, 'fr').pseudo()).toMatch(
      /^msgid ""\nmsgstr ""\n"[^"]*charset=UTF-8\\n"/,
    );
    // An empty line would end the header for many programs.
    const empty = 'msgid ""\nmsgstr ""\n\nmsgid "a b"\nmsgstr ""\n';
    expect(await textsOf('po', empty, 'fr').pseudo()).toMatch(/^msgid ""\nmsgstr ""\n"Language: fr\\n"/);
  });

  test('has bytes in escapes, which are in UTF-8', async () => {
    const catalog = `${header('')}msgid "Caf\\303\\251 \\xe2\\x82\\xac \\101"\nmsgstr ""\n`;
    expect(await read(catalog)).toEqual([['Café € A', undefined, undefined]]);
  });

  test('keeps Windows line ends', async () => {
    const { text } = await textsOf('po', 'msgid "A\\nb"\r\nmsgstr ""\r\n').rebuild(() => ['X\ny']);
    expect(text).toBe('msgid "A\\nb"\r\nmsgstr ""\r\n"X\\n"\r\n"y"\r\n');
  });

  test.each([
    ['msgid "a"', 'line 1: the entry has no msgstr'],
    ['msgid "a"\nmsgstr "b', 'line 2'],
    ['"a"', 'line 1: a string has no keyword'],
    ['msgstr "a"', 'line 1: msgstr has no msgid'],
    ['msgid "a"\nmsgid_plural "b"\nmsgstr[1] ""', 'line 3: msgstr[0] is expected'],
    ['<html>', 'line 1'],
    ['msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n', 'declares ISO-8859-1'],
  ])('%j is rejected with the line', async (text, message) => {
    const error = await textsOf('po', text)
      .extract()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(FileError);
    expect((error as Error).message).toContain(message);
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
