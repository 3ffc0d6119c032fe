import { describe, expect, it } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { type RoundTripFormat, roundTrips } from './round-trip.ts';
import { translateByStub } from './stub-translation.ts';

const samples: Record<RoundTripFormat, string[]> = {
  docx: ['two-columns-headers.docx', 'kitchen-sink.docx', 'toc-fields-german.docx'],
  xlsx: ['rich-text-image-comments.xlsx', 'hebrew-rtl-sheet.xlsx'],
};

describe.each(Object.keys(samples) as RoundTripFormat[])('LibreOffice opens and saves %s', async (format) => {
  const sources = Object.fromEntries(samples[format].map((name) => [name, corpusFile(`${format}/${name}`)]));
  const before = roundTrips(sources, format);
  const translated = await Promise.all(
    Object.entries(sources).map(async ([name, bytes]) => [
      name,
      (await translateByStub(format, bytes)).bytes,
    ]),
  );
  const after = before && roundTrips(Object.fromEntries(translated), format);

  it.skipIf(!after).each(samples[format])('%s loses no more than its source', (name) => {
    const [source, result] = [before!.get(name)!, after!.get(name)!];
    expect(result.texts).toBe(source.texts);
    expect(result.lost).toBeLessThanOrEqual(source.lost);
    expect(result.reformatted).toBeLessThanOrEqual(source.reformatted);
    expect(result.pages).toBe(source.pages);
  });
});
