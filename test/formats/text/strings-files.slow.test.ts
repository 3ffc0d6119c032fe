import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { FileError } from '#server/formats/file-error.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import { hasNoCode, textsOf } from './texts.ts';

describe.each(['json', 'yaml'] as const)('%s', (kind) => {
  const read = (text: string) => (kind === 'json' ? JSON.parse(text) : parseYaml(text));

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
  test('that is nested too deeply is rejected', async () => {
    await expect(textsOf('json', '['.repeat(100_000)).extract()).rejects.toThrow('nested');
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
  test.each([`a: ${'['.repeat(50_000)}`, `${'- '.repeat(50_000)}x`])('%.9s… is rejected', async (source) => {
    await expect(textsOf('yaml', source).extract()).rejects.toThrow(FileError);
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
});

describe('a properties file', () => {
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
      ...`" ' { } [ ] : , | > &a *a # msgid msgstr msgid_plural [0] \\ text WEBVTT NOTE <i> </i> 1 = ! é`.split(
        ' ',
      ),
      ...['\n', '\r\n', ' ', '  ', '- ', '00:00:01,000 --> 00:00:02,000'],
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
