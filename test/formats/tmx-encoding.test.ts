import { describe, expect, it } from 'vitest';
import { readAll, tmxOf, tmxOfPair } from './tmx-units.ts';

const pair =
  '<tmx><body><tu><tuv lang="en"><seg>Größe 🌍</seg></tuv><tuv lang="fr"><seg>世界</seg></tuv></tu></body></tmx>';

function utf16(text: string, order: 'le' | 'be', mark = true): Buffer {
  const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

describe('a TMX file is UTF-8, or UTF-16 with a byte order mark (C 7)', () => {
  it.each<[encoding: string, file: Buffer]>([
    ['UTF-16 big-endian with its mark', utf16(pair, 'be')],
    ['UTF-8 that is declared as UTF-16', Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${pair}`)],
    ['UTF-16 that is declared as UTF-8', utf16(`<?xml version="1.0" encoding="utf-8"?>${pair}`, 'le')],
    ['XML 1.1', Buffer.from(`<?xml version="1.1"?>${pair}`)],
  ])('%s is read', (_, file) => {
    expect(readAll(file).pairs).toMatchObject([{ source: 'Größe 🌍', target: '世界' }]);
  });

  it.each<[encoding: string, file: Buffer]>([
    ['Latin-1', Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${tmxOfPair('Größe')}`, 'latin1')],
    ['UTF-16 without a mark', utf16(pair, 'le', false)],
    ['half a character at the end', Buffer.concat([Buffer.from(pair), Buffer.from([0xc3])])],
    ['half a surrogate pair', utf16(pair.replace('🌍', '\ud83c'), 'le')],
    ['a NUL', Buffer.from(tmxOfPair('a\0b'))],
  ])('%s is rejected', (_, file) => {
    expect(() => readAll(file)).toThrow(
      expect.objectContaining({ reason: 'encoding', message: expect.stringMatching(/UTF-8 .*UTF-16/) }),
    );
  });
});

describe('a file is read in slices', () => {
  const long = 'é世🌍&amp;<hi>\r\n</hi><![CDATA[]]]]>';
  const text = 'é世🌍&\n]]';

  it.each([0, 1, 2, 3])('and a slice ends anywhere, even %i bytes into a character', (shift) => {
    const source = 'x'.repeat(shift) + long.repeat(8000);
    const { pairs } = readAll(tmxOfPair(source));
    expect(pairs[0]!.source === 'x'.repeat(shift) + text.repeat(8000)).toBe(true);
    const wide = readAll(utf16(tmxOfPair(source), 'be'));
    expect(wide.pairs[0]!.source === pairs[0]!.source).toBe(true);
  });

  it.each([65_535, 65_536, 65_537])('half a character as the last of %i bytes is refused', (length) => {
    const file = Buffer.alloc(length, ' ');
    file.write(pair);
    file[length - 1] = 0xc3;
    expect(() => readAll(file)).toThrow(expect.objectContaining({ reason: 'encoding' }));
  });

  it.each([65_535, 65_536, 65_537, 131_072])('a file of %i bytes is read to its end', (length) => {
    const empty = tmxOf('');
    const file = tmxOf(' '.repeat(length - empty.length));
    expect(file).toHaveLength(length);
    expect(readAll(file).summary.units).toBe(0);
    expect(() => readAll(file.slice(0, -1))).toThrow(expect.objectContaining({ reason: 'malformed' }));
  });
});
