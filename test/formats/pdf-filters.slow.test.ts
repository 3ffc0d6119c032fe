import { describe, expect, it } from 'vitest';
import { flatten } from '#server/formats/flatten.ts';
import { runQpdf } from '#server/formats/pdf/qpdf.ts';
import { extract } from '#server/formats/pdf.ts';
import { decoders } from '#server/formats/pdfjs/stream-decoders.ts';
import { rejectLargeStreams } from '#server/formats/pdfjs/stream-sizes.ts';
import { type ChainedOptions, chainedFilters } from '#test/abuse/chained-filters.ts';

const tooLarge = {
  name: 'FileError',
  reason: 'too_large',
  message: expect.stringMatching(/^the unpacked size in bytes of one stream of the PDF is over the limit/),
};

const hidden: Record<string, ChainedOptions> = {
  'named by their abbreviations': { filter: () => '[/Fl/Fl]' },
  'with coded letters in their names': { filter: () => '[/Fl#61teDecode /#46lateDecode]' },
  'in another object': { filter: () => '5 0 R', objects: ['[/FlateDecode 6 0 R]', '/FlateDecode'] },
  'behind a comment': { filter: () => '% ]\n[%/ASCIIHexDecode\n/FlateDecode/FlateDecode]' },
  'behind a percent sign in a string': { before: '/Note(%)' },
  'behind the end of an object in a string': { before: '/Note(1 0 obj)' },
  'named twice': { before: '/Filter/FlateDecode' },
  'in a dictionary of ten kilobytes': { before: `/Note(${'x'.repeat(10_000)})` },
  'with a filter that does nothing': { filter: () => '[/Crypt/FlateDecode/FlateDecode]' },
};

describe('a PDF whose streams have several filters', () => {
  it.each([
    [['FlateDecode']],
    [['FlateDecode', 'FlateDecode']],
    [['FlateDecode', 'ASCIIHexDecode']],
    [['ASCII85Decode', 'FlateDecode']],
    [['ASCIIHexDecode', 'FlateDecode', 'RunLengthDecode']],
  ] as const)('%s before one more: is refused before a library decodes it', async (filters) => {
    const bytes = chainedFilters({ filters });
    expect(bytes.length).toBeLessThan(3000);
    await expect(flatten('pdf', bytes)).rejects.toMatchObject(tooLarge);
    await expect(extract(bytes)).rejects.toMatchObject(tooLarge);
  });

  it.each(Object.entries(hidden))('%s: is refused just the same', async (_, options) => {
    await expect(rejectLargeStreams(chainedFilters(options))).rejects.toMatchObject(tooLarge);
  });

  it('encrypted without a password: is refused after it was decrypted', async () => {
    const encrypt = ['--encrypt', '', 'owner', '256', '--', '--stream-data=preserve'];
    const { written } = await runQpdf(encrypt, chainedFilters());
    expect(Buffer.from(written!).includes('/Encrypt')).toBe(true);
    await expect(extract(written!)).rejects.toMatchObject(tooLarge);
  });

  it('is refused if they are more than eight, which no file has', async () => {
    const filters = Array.from({ length: 8 }, () => 'ASCIIHexDecode' as const);
    await expect(rejectLargeStreams(chainedFilters({ filters, megabytes: 0 }))).rejects.toMatchObject({
      message: expect.stringContaining('the number of filters of one stream of the PDF'),
    });
  });

  it.each([[['FlateDecode']], [['ASCII85Decode']], [['ASCIIHexDecode', 'RunLengthDecode']]] as const)(
    '%s before one more: is read, if they do not multiply much',
    async (filters) => {
      const bytes = chainedFilters({ filters, megabytes: 1 });
      await rejectLargeStreams(bytes);
      expect((await extract(bytes)).pageCount).toBe(1);
    },
  );
});

describe('a filter', () => {
  it('LZW is decoded as the standard has it, and not beyond what is allowed', async () => {
    // The example in ISO 32000-1, 7.4.4.2.
    const packed = Buffer.from('800b6050220c0c8501', 'hex');
    const decoded = Buffer.from('2d2d2d2d2d412d2d2d42', 'hex');
    expect(Buffer.from(await decoders['LZWDecode']!(packed, 100, true))).toEqual(decoded);
    expect(await decoders['LZWDecode']!(packed, 3, true)).toHaveLength(4);
  });

  it('LZW of a long run of one byte is decoded through all widths of its codes', async () => {
    const { packed, length } = lzwOfZeros(4000);
    const decoded = await decoders['LZWDecode']!(packed, 10_000_000, true);
    expect(decoded).toHaveLength(length);
    expect(Math.max(...decoded.slice(-1000))).toBe(0);
  });

  it.each([
    ['ASCII85Decode', '87cURD]i,"Ebo80~>', 'Hello World!'],
    ['ASCIIHexDecode', '48 65 6c6C 6f>00', 'Hello'],
    ['RunLengthDecode', Buffer.from([1, 0x61, 0x62, 254, 0x63, 128, 0x64]), 'abccc'],
  ])('%s is decoded up to its end', async (name, packed, decoded) => {
    expect(Buffer.from(await decoders[name]!(Buffer.from(packed), 100, true)).toString()).toBe(decoded);
  });
});

/** LZW codes, each of which stands for one zero byte more than the previous one. */
function lzwOfZeros(codes: number): { packed: Uint8Array; length: number } {
  const bits: string[] = [(256).toString(2).padStart(9, '0'), '000000000'];
  let [next, length, width] = [258, 1, 9];
  while (next < 258 + codes && next < 4094) {
    width = next + 1 >= 2048 ? 12 : next + 1 >= 1024 ? 11 : next + 1 >= 512 ? 10 : 9;
    bits.push(next.toString(2).padStart(width, '0'));
    length += next - 258 + 2;
    next++;
  }
  bits.push((257).toString(2).padStart(next + 1 >= 2048 ? 12 : width, '0'));
  const all = bits.join('');
  const packed = Buffer.alloc(Math.ceil(all.length / 8));
  for (const [at, bit] of [...all].entries()) if (bit === '1') packed[at >> 3]! |= 0x80 >> (at & 7);
  return { packed, length };
}
