import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { FileError } from '#server/formats/file-error.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { hasNoCode, textsOf } from './texts.ts';

const json = `{
  "menu": { "open": "Open file", "url": "https://example.org", "n": 3, "on": true, "none": null },\r
  "file_one": "{{count}} file",
  "file_other": "{{count}} files",
  "place_ordinal_one": "{{count}}st", "place_ordinal_other": "{{count}}th",
  "list": ["First", ["Second \\u00e9 \\"q\\""]],
  "icu": "{n, plural, one {# cat} other {# cats}} in {place}",
  "id": "snake_case", "only": "{{name}}", "empty": "", "e": " spaced "
}
`;

const yaml = `# top
en: # the language
  # The title of the page
  title: Hello world   # comment
  q: 'It''s'
  d: "Line\\nbreak"
  n: 12
  yes: true
  lit: |
    First line
    second line

  fold: >-
    Folded text
    goes on

    here
  files:
    one: "%{count} file"
    other: "%{count} files"
  flow: { one: a day, other: "%{count} days" }
  list:
    - &a One
    - *a
    - {k: Two, l: [Three, 4]}
`;

describe.each(['json', 'yaml'] as const)('%s', (kind) => {
  const source = kind === 'json' ? json : yaml;
  const read = (text: string) => (kind === 'json' ? JSON.parse(text) : parseYaml(text));

  test('keeps every byte of a file whose translations equal the source, but for the declared language', async () => {
    const same = kind === 'json' ? source : source.replace('en:', 'de:');
    expect(await textsOf(kind, source).identity()).toBe(same);
  });

  test('changes each text once, and no other value', async () => {
    const changed = read(await textsOf(kind, source).pseudo());
    const expectChanged = (before: unknown, after: unknown): void => {
      if (typeof before === 'string' && /^(?:https|snake_case|\{\{name|$)/.test(before))
        expect(after).toBe(before);
      else if (typeof before === 'string' && before.includes(', plural,'))
        expect(after).toBe('{n, plural, one {[# cat in {place}]} other {[# cats in {place}]}}');
      else if (typeof before === 'string') {
        const [, start, text, end] = /^(\s*)([\s\S]*?)(\s*)$/.exec(before)!;
        expect(after).toBe(`${start}[${text}]${end}`);
      } else if (typeof before === 'object' && before !== null) {
        expect(Object.keys(after as object)).toEqual(Object.keys(before));
        for (const [key, value] of Object.entries(before))
          expectChanged(value, (after as Record<string, unknown>)[key]);
      } else expect(after).toBe(before);
    };
    const original = read(source);
    // German has one ordinal form.
    delete original.place_ordinal_one;
    expectChanged(kind === 'json' ? original : { de: original.en }, changed);
  });

  test('accounts for every visible character', async () => {
    for (const language of ['de', 'ru', 'ja'])
      expect((await textsOf(kind, source, language).extract()).outcome?.unaccounted).toBe(0);
  });

  test.each([
    ['ru', ['one', 'other', 'few', 'many'], 5],
    ['ja', ['other'], 2],
    ['ar', ['one', 'other', 'zero', 'two', 'few', 'many'], 7],
  ])('%s gets its plural forms: new ones are added, and others are removed', async (language, forms) => {
    const value = read(await textsOf(kind, source, language).pseudo());
    if (kind === 'json') {
      const keys = Object.keys(value);
      expect(keys.filter((key) => key.startsWith('file_'))).toEqual(forms.map((form) => `file_${form}`));
    } else {
      expect(Object.keys(value[language].files)).toEqual(forms);
      expect(Object.keys(value[language].flow)).toEqual(forms);
    }
  });

  test('survives any text as a translation', async () => {
    const file = textsOf(
      kind,
      kind === 'json'
        ? '{"a": "x", "b": ["y"]}'
        : 'a: x\nb: ["y"]\nc: \'z\'\nd: |\n  w\ne: >\n  v\nf: u # c\n',
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        fc.pre(
          text.trim() !== '' &&
            text.isWellFormed() &&
            !/[\0\x85\u2028\u2029\ufeff]/.test(text) &&
            hasNoCode(text),
        );
        const { text: written } = await file.rebuild(() => [text]);
        const value = read(written);
        expect([value.a, value.b]).toEqual([text, [text]]);
        if (kind === 'yaml') {
          expect([value.c, value.f]).toEqual([text, text]);
          expect([value.d, value.e]).toEqual([`${text}\n`, `${text}\n`]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a JSON file', () => {
  test('with escapes only keeps its letters escaped, and its slashes', async () => {
    const { text } = await textsOf('json', '{"a": "caf\\u00e9 \\/ bar"}').rebuild(() => ['Müll / 日本']);
    expect(text).toBe('{"a": "M\\u00fcll \\/ \\u65e5\\u672c"}');
  });

  test('that is an ARB file declares the target language, and its descriptions are context and stay', async () => {
    const file = textsOf(
      'json',
      '{"@@locale": "en", "hi": "Hello {name}", "@hi": {"description": "A greeting", "placeholders": {"name": {"example": "Ann"}}}}',
      'pt-BR',
    );
    expect((await file.extract()).segments).toMatchObject([
      { place: 'line 1, hi', context: 'A greeting; name is, for example, “Ann”' },
    ]);
    expect(await file.pseudo()).toBe(
      '{"@@locale": "pt_BR", "hi": "[Hello {name}]", "@hi": {"description": "A greeting", "placeholders": {"name": {"example": "Ann"}}}}',
    );
  });

  test.each([
    [
      'of a browser extension',
      '{"hi": {"message": "Hello $USER$", "description": "A greeting", "placeholders": {"user": {"content": "$1", "example": "Ann"}}}}',
      '"[Hello $USER$]"',
      'A greeting; user is, for example, “Ann”',
    ],
    [
      'of FormatJS',
      '{"a1": {"defaultMessage": "Hello {name}", "description": "A greeting"}, "other": {"message": "M", "text": "T"}}',
      '"[Hello {name}]"',
      'A greeting',
    ],
    [
      'of FormatJS, as a list',
      '[{"id": "a.b", "defaultMessage": "Hello {name}", "description": "A greeting", "file": "src/a.tsx"}]',
      '"[Hello {name}]"',
      'A greeting',
    ],
    [
      'of Transifex',
      '{"a": {"string": "Hello", "context": "menu", "developer_comment": "A greeting", "character_limit": 9}}',
      '"[Hello]"',
      'menu; A greeting',
    ],
  ])('%s has descriptions as context, which stay', async (_, source, written, context) => {
    const { segments, outcome } = await textsOf('json', source).extract();
    expect(segments[0]).toMatchObject({ context });
    expect(outcome?.unaccounted).toBe(0);
    const [, own] = /"(Hello[^"]*)"/.exec(source)!;
    const expected = source.replace(`"${own}"`, written).replace('"M"', '"[M]"').replace('"T"', '"[T]"');
    expect(await textsOf('json', source).pseudo()).toBe(expected);
  });

  test('of other shapes has all its texts translated, whatever their names', async () => {
    const source = '{"a": {"message": "One", "title": "Two"}, "locale": "Three", "description": "Four"}';
    expect(await textsOf('json', source).texts()).toEqual(['One', 'Two', 'Three', 'Four']);
  });

  test('of Angular declares the target language, and the metadata of MediaWiki stays', async () => {
    expect(
      await textsOf('json', '{"locale": "en", "translations": {"1": "Hi {$NAME}"}}', 'pt-BR').pseudo(),
    ).toBe('{"locale": "pt-BR", "translations": {"1": "[Hi {$NAME}]"}}');
    const wiki = '{"@metadata": {"authors": ["Ann Lee"]}, "a": "Text"}';
    expect(await textsOf('json', wiki).pseudo()).toBe(wiki.replace('"Text"', '"[Text]"'));
  });

  test.each([
    ['{"a": "x",}', 'line 1'],
    ['{\n"a": "cut \\ud83d emoji"}', 'line 2: a text has half of a character'],
    ['{\n"a": "a \\u0000 NUL"}', 'line 2: a text has a NUL'],
    ['{\n"key \\u0000": "text"}', 'line 2: a text has a NUL'],
    ['{"a": "x"\n "b": 1}', 'line 2'],
    ['', 'line 1'],
    ['['.repeat(100_000), 'nested'],
  ])('number %# is rejected with the line', async (source, message) => {
    const error = await textsOf('json', source)
      .extract()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(FileError);
    expect((error as Error).message).toContain(message);
  });

  test('with a key twice is translated where programs read it, at the last place', async () => {
    expect(await textsOf('json', '{"a": "First", "b": "Other", "a": "Second"}').pseudo()).toBe(
      '{"a": "First", "b": "[Other]", "a": "[Second]"}',
    );
  });

  test('in UTF-16 stays in UTF-16, and a byte order mark stays', async () => {
    for (const mark of ['utf16le', 'utf8'] as const) {
      const bytes = Buffer.from('\ufeff{"a": "Straße"}', mark);
      expect(Buffer.from((await textsOf('json', bytes).rebuild(() => ['Écran'])).bytes).toString(mark)).toBe(
        '\ufeff{"a": "Écran"}',
      );
    }
  });

  test('that is not text is rejected', async () => {
    for (const bytes of [Uint8Array.of(0x7b, 0xff, 0x7d), new TextEncoder().encode('{"a": "\0"}')])
      await expect(textsOf('json', bytes).extract()).rejects.toMatchObject({ reason: 'not_text' });
  });
});

describe('a YAML file', () => {
  test.each([
    ['a: [', 'line 1'],
    ['a: b\n  c: d\n', 'line 1'],
    [`a: ${'['.repeat(50_000)}`, ''],
    [`${'- '.repeat(50_000)}x`, ''],
  ])('number %# is rejected', async (source, message) => {
    const error = await textsOf('yaml', source)
      .extract()
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(FileError);
    expect((error as Error).message).toContain(message);
  });

  test.each([
    'Off',
    'no',
    'y',
    'Yes',
    '2024-05-01',
    '12:30',
    '0o17',
    '017',
    '1_000',
    '.5',
    '~',
    'null',
    '0x1f',
    '=',
  ])('quotes %j, which YAML 1.1 or 1.2 reads as another type', async (text) => {
    const { text: written } = await textsOf(
      'yaml',
      'a: Text\nb:\n  one: A file\n  other: Files\n',
      'de',
    ).rebuild(() => [text]);
    expect(written).toBe(`a: "${text}"\nb:\n  one: "${text}"\n  other: "${text}"\n`);
  });

  test('keeps the symbols of Ruby', async () => {
    const source = 'en:\n  order: [:year, :month]\n  action: :save\n  text: ": a text"\n  other: \':year\'\n';
    expect(await textsOf('yaml', source, 'fr').pseudo()).toBe(
      'fr:\n  order: [:year, :month]\n  action: :save\n  text: "[: a text]"\n  other: \'[:year]\'\n',
    );
  });

  test('with several documents is translated in all', async () => {
    expect(await textsOf('yaml', '---\na: One text\n---\nb: Another\n').pseudo()).toBe(
      '---\na: "[One text]"\n---\nb: "[Another]"\n',
    );
  });
});

describe('a properties file', () => {
  const source =
    "# The title\ntitle = Hello \\\n   world\n\nmsg: It''s {0}\nplain=It's\nesc=caf\\u00e9\\n x\n! c\nempty=\nurl=https://example.org\nkey\\ x Text\n";

  test('keeps every byte of a file whose translations equal the source', async () => {
    expect(await textsOf('properties', source).identity()).toBe(source);
  });

  test('changes each text once, with the escapes of the format', async () => {
    const file = textsOf('properties', source, 'fr');
    expect(await file.texts()).toEqual(['Hello world', "It's {0}", "It's", 'café\n x', 'Text']);
    expect((await file.extract()).outcome?.unaccounted).toBe(0);
    const { text } = await file.rebuild(({ source: [one] }) => [`é' ${one}`]);
    expect(text).toBe(
      "# The title\ntitle = \\u00e9' Hello world\n\nmsg: \\u00e9'' It''s {0}\nplain=\\u00e9' It's\nesc=\\u00e9' caf\\u00e9\\n x\n! c\nempty=\nurl=https://example.org\nkey\\ x \\u00e9' Text\n",
    );
  });

  test('is translated inside of a choice of MessageFormat', async () => {
    expect(await textsOf('properties', 'a={0} {0,choice,0#days|1#day|1<days}\nb={0}\n').texts()).toEqual([
      '{0} days',
      '{0} day',
      '{0} days',
    ]);
  });

  test('in UTF-16 is read and written, and without a byte order mark is rejected by name', async () => {
    const bytes = Buffer.from('\ufeffa=Caf\u00e9\n', 'utf16le');
    const { bytes: written } = await textsOf('properties', bytes).rebuild(({ source }) => [...source, '!']);
    expect(Buffer.from(written).toString('utf16le')).toBe('\ufeffa=Caf\\u00e9!\n');
    for (const encoding of ['utf16le', 'latin1'] as const) {
      const text = encoding === 'latin1' ? 'a=caf\u00e9\nb=x\0y' : 'a=caf\u00e9 and more';
      const error = await textsOf('properties', Buffer.from(text, encoding)).extract().catch(String);
      expect(error).toContain(encoding === 'latin1' ? 'line 2: the text has a NUL' : 'UTF-16');
    }
  });

  test('in ISO 8859-1 is read and written', async () => {
    const bytes = Buffer.from('a=Gr\xfc\xdfe\n', 'latin1');
    expect(await textsOf('properties', bytes).texts()).toEqual(['Grüße']);
    expect((await textsOf('properties', bytes).rebuild(() => ['日本'])).text).toBe('a=\\u65e5\\u672c\n');
  });
});

test.each(['json', 'yaml', 'po', 'properties', 'srt', 'vtt'] as const)(
  'any text as a %s file is read or rejected with an error for the sender, and stays as it is',
  async (kind) => {
    const { extract, rebuild } = await layoutFormats[kind]();
    const options = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const pieces = [
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '\n',
      '\r\n',
      ' ',
      '  ',
      '- ',
      '|',
      '>',
      '&a',
      '*a',
      '#',
      'msgid',
      'msgstr',
      'msgid_plural',
      '[0]',
      '\\',
      'text',
      '00:00:01,000 --> 00:00:02,000',
      'WEBVTT',
      'NOTE',
      '<i>',
      '</i>',
      '1',
      '=',
      '!',
      '\u00e9',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
        const text = (kind === 'vtt' ? 'WEBVTT\n\n' : '') + parts.join('');
        const bytes = new TextEncoder().encode(text);
        try {
          const { outcome } = await extract(bytes, options);
          expect(outcome?.unaccounted).toBe(0);
          const rebuilt = await rebuild(bytes, [], options);
          if (kind !== 'po' && kind !== 'yaml') expect(new TextDecoder().decode(rebuilt.bytes)).toBe(text);
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
        }
      }),
      { numRuns: 1500 },
    );
  },
);
