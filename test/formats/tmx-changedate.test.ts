import { describe, expect, it } from 'vitest';
import { tmxUnit } from '#server/formats/tmx/writer.ts';
import { readAll, tmxOfPair } from './tmx-units.ts';

const read = (written: string): string | null =>
  readAll(tmxOfPair('a', 'b', `changedate="${written}"`)).pairs[0]!.changedate;

describe('changedate, as ISO 8601 in UTC to the second', () => {
  it.each([
    ['20240131T093000Z', '2024-01-31T09:30:00Z'],
    ['20240131T093000', '2024-01-31T09:30:00Z'],
    ['20240131t093000z', '2024-01-31T09:30:00Z'],
    ['2024-01-31T09:30:00.999Z', '2024-01-31T09:30:00Z'],
    ['2024-01-31T09:30Z', '2024-01-31T09:30:00Z'],
    ['2024-01-31T00:30:00+02:00', '2024-01-30T22:30:00Z'],
    ['2024-01-31T23:30:00-0130', '2024-02-01T01:00:00Z'],
    ['20240131', '2024-01-31T00:00:00Z'],
    ['2024-01-31', '2024-01-31T00:00:00Z'],
    ['21991231T235959Z', '2199-12-31T23:59:59Z'],
  ])('%s is %s', (written, iso) => {
    expect(read(written)).toBe(iso);
  });

  it.each([
    '',
    'yesterday',
    '20241301T000000Z',
    '20240230T000000Z',
    '20230229T000000Z',
    '20240131T096000Z',
    '20240131T093060Z',
    '20240131T093000+02:60',
    '19691231T235959Z',
    '22000101T000000Z',
    '٢٠٢٤٠١٣١T093000Z',
    '2'.repeat(100_000),
  ])('%.40s is not one', (written) => {
    expect(read(written)).toBeNull();
  });

  it('is written in TMX format', () => {
    const write = (changedate: string): string | undefined =>
      /changedate="(.*?)"/.exec(
        tmxUnit({ source: 'a', target: 'b', sourceLang: 'en', targetLang: 'fr', tuid: null, changedate }),
      )?.[1];
    expect(write('2024-01-31T09:30:00Z')).toBe('20240131T093000Z');
    expect(write('2024-01-31T09:30:00.123+02:00')).toBe('20240131T073000Z');
  });
});
