import { describe, expect, test } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';

/** How a file of each format starts and ends around a text. */
const around = {
  android: ['<resources><string name="a">', '</string></resources>'],
  strings: ['"a" = "', '";'],
  stringsdict: [
    '<plist><dict><key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>',
    '</string></dict></dict></plist>',
  ],
  xcstrings: [
    '{"sourceLanguage":"en","strings":{"a":{"localizations":{"en":{"stringUnit":{"state":"new","value":"',
    '"}}}}}}',
  ],
  xliff: [
    '<xliff version="1.2"><file source-language="en"><body><trans-unit id="a"><source>',
    '</source></trans-unit></body></file></xliff>',
  ],
} as const;

type Kind = keyof typeof around;

const kinds = Object.keys(around) as Kind[];
const options = { sourceLanguage: 'en', targetLanguage: 'ar' };
const size = 5_000_000;
const filled = (piece: string) => piece.repeat(Math.ceil(size / piece.length));

/** Reads a file, and translates it if it can be read. Returns the reason of the rejection. */
async function translate(kind: LayoutKind, bytes: Uint8Array): Promise<string | null> {
  const { check, extract, rebuild } = await layoutFormats[kind]();
  try {
    await check(bytes);
    const { segments, outcome } = await extract(bytes, options);
    expect(outcome?.unaccounted).toBe(0);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: ['x', ...source],
    }));
    await rebuild(bytes, translations, options);
    return null;
  } catch (error) {
    if (error instanceof FileError) return error.reason;
    throw error;
  }
}

/** @throws if the format takes longer than a few seconds */
async function within(kind: Kind, content: string | Uint8Array): Promise<string | null> {
  const start = performance.now();
  const reason = await translate(
    kind,
    typeof content === 'string' ? new TextEncoder().encode(content) : content,
  );
  expect(performance.now() - start).toBeLessThan(60_000);
  return reason;
}

describe.each(kinds)('hostile files of the format %s', (kind) => {
  const [start, end] = around[kind];

  test('many units and attributes', async () => {
    const units = {
      android: `<resources>${filled('<string name="a">x</string><plurals name="p"><item quantity="other">%d x</item></plurals>')}</resources>`,
      strings: filled('"a" = "b";\n'),
      stringsdict: `<plist><dict>${filled('<key>a</key><dict><key>NSStringLocalizedFormatKey</key><string>x</string><key>b</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>other</key><string>%d x</string></dict></dict>')}</dict></plist>`,
      xcstrings: `{"sourceLanguage":"en","strings":{${Array.from({ length: 200_000 }, (_, at) => `"k${at} x":{}`).join(',')}}}`,
      xliff: `<xliff version="1.2"><file source-language="en"><body>${filled('<trans-unit id="a"><source>x</source></trans-unit>')}</body></file></xliff>`,
    };
    expect([null, 'too_large']).toContain(await within(kind, units[kind]));
    await within(
      kind,
      `${start}<a ${Array.from({ length: 300_000 }, (_, at) => `a${at}="b"`).join(' ')}/>${end}`,
    );
    await within(kind, `${start}<a b="${filled('c ')}"/>${end}`);
  }, 120_000);

  test('other bytes', async () => {
    expect(await within(kind, new Uint8Array())).toBe(kind === 'strings' ? null : 'unreadable');
    expect(await within(kind, `${start}\0${end}`)).toBe('not_text');
    expect(await within(kind, Uint8Array.from([0xff, 0xff, 0x41]))).toBe('not_text');
    expect(await within(kind, new Uint8Array(size).fill(0x80))).toBe('not_text');
  });
});

const bomb = `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(100)}">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "&a;&a;">`).join('')}]>`;

test.each(['android', 'stringsdict', 'xliff'] as const)(
  'entities in the format %s are rejected',
  async (kind) => {
    const [start, end] = around[kind];
    expect(await within(kind, `${bomb}${start}&a19;${end}`)).toBe('unreadable');
    expect(await within(kind, `<!DOCTYPE a SYSTEM "file:///etc/passwd">${start}x &a;${end}`)).toBe(
      'unreadable',
    );
    expect(await within(kind, `<!DOCTYPE a SYSTEM "file:///etc/passwd">${start}x${end}`)).toBeNull();
  },
);
