import { describe, expect, it } from 'vitest';
import { decodeText, TextEncodingError } from '#server/formats/text.ts';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const utf16le = (text: string, ...mark: number[]): Uint8Array =>
  Buffer.concat([bytes(...mark), Buffer.from(text, 'utf16le')]);
const utf16be = (text: string, ...mark: number[]): Uint8Array =>
  Buffer.concat([bytes(...mark), Buffer.from(text, 'utf16le').swap16()]);

const text = 'Grüße, 世界 🌍';

describe('text is UTF-8, or UTF-16 with a byte order mark (B 4.1)', () => {
  it.each<[rule: string, file: Uint8Array]>([
    ['UTF-8 with its mark', Buffer.concat([bytes(0xef, 0xbb, 0xbf), Buffer.from(text)])],
    ['UTF-16 little-endian with its mark', utf16le(text, 0xff, 0xfe)],
    ['UTF-16 big-endian with its mark', utf16be(text, 0xfe, 0xff)],
  ])('%s is read, its mark dropped', (_, file) => {
    expect(decodeText(file)).toBe(text);
  });

  it.each<[rule: string, file: Uint8Array]>([
    ['Latin-1', Buffer.from('café', 'latin1')],
    ['a cut-off sequence', bytes(0x61, 0xe4, 0xb8)],
    ['half a pair in UTF-16', bytes(0xff, 0xfe, 0x3d, 0xd8, 0x61, 0x00)],
    ['half a unit in UTF-16', bytes(0xff, 0xfe, 0x61, 0x00, 0x62)],
    ['UTF-32 little-endian', bytes(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)],
    ['a NUL', bytes(0x61, 0, 0x62)],
  ])('%s is rejected', (_, file) => {
    expect(() => decodeText(file)).toThrow(TextEncodingError);
  });

  it('the error says what is accepted', () => {
    expect(() => decodeText(bytes(0xff))).toThrow(/UTF-8 .*UTF-16 with a byte order mark/);
  });

  it('line ends of every system become \\n', () => {
    expect(decodeText(Buffer.from('a\r\nb\rc\nd\r\r\n'))).toBe('a\nb\nc\nd\n\n');
  });

  it('an empty file is an empty text', () => {
    expect(decodeText(bytes())).toBe('');
    expect(decodeText(bytes(0xff, 0xfe))).toBe('');
  });
});
