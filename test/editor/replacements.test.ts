import { describe, expect, test } from 'vitest';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { SavedSegments, SegmentSearchPage } from '#sdk/types.ts';
import {
  type FoundSegment,
  findInTranslations,
  type Replacement,
  replacementsOf,
  storeReplacements,
} from '#web/app/editor/replacements.ts';

type Segment = SegmentSearchPage['segments'][number];

const languages = { source: 'en', target: 'fr' };
const segment = (position: number, target_text: string, more: Partial<Segment> = {}) =>
  ({ position, source_text: `Source ${position}`, target_text, confirmed_at: null, ...more }) as Segment;
const none = new Set<number>();
const free = { withConfirmed: false, unsent: none, held: none };
/** The positions of the segments on each page. */
async function positionsIn(pages: AsyncIterable<FoundSegment[]>): Promise<number[][]> {
  const positions: number[][] = [];
  for await (const page of pages) positions.push(page.map(({ segment }) => segment.position));
  return positions;
}
const foundIn = (...segments: Segment[]) =>
  segments.map((one) => ({ segment: one, ranges: [{ start: 0, end: 3 }] }));

describe('a search for replacements', () => {
  const pages: Segment[][] = [
    [segment(0, 'Le bail'), segment(1, 'BAIL')],
    [segment(5, 'le loyer'), segment(6, 'Un bailleur')],
  ];
  const asked: object[] = [];
  const search = async (query: { cursor?: string | undefined }) => {
    asked.push(query);
    const page = Number(query.cursor ?? 0);
    return {
      segments: pages[page] ?? [],
      next_cursor: page + 1 < pages.length ? String(page + 1) : null,
    } as SegmentSearchPage;
  };

  test('reads all pages of the translations, and checks each match itself', async () => {
    const query = { text: 'bail', language: 'fr', wholeWords: true };
    const pages = findInTranslations(search, query, { status: 'draft' }, languages);
    expect(await positionsIn(pages)).toEqual([[0, 1], []]);
    expect(asked).toEqual([
      { status: 'draft', text: 'bail', text_in: 'target', limit: 500 },
      { status: 'draft', text: 'bail', text_in: 'target', limit: 500, cursor: '1' },
    ]);
  });

  test('keeps to the text of the filter, in source or translation', async () => {
    const query = { text: 'bail', language: 'fr' };
    const pages = findInTranslations(search, query, { text: 'SOURCE 6' }, languages);
    expect(await positionsIn(pages)).toEqual([[], [6]]);
  });
});

describe('a replacement', () => {
  test('is left out if it would harm other work or could not be stored', () => {
    const segments = [
      segment(0, 'foo bar'),
      segment(1, 'foo', { confirmed_at: '2026-01-01T00:00:00Z' }),
      segment(2, 'foo'),
      segment(3, 'foo'),
    ];
    const given = { ...free, unsent: new Set([2]), held: new Set([3]) };
    const obstacles = (replacement: string, more = {}) =>
      replacementsOf(foundIn(...segments), replacement, { ...given, ...more }).map(
        ({ obstacle }) => obstacle,
      );
    expect(obstacles('baz')).toEqual([undefined, 'confirmed', 'unsent', 'held']);
    expect(obstacles('baz', { withConfirmed: true })).toEqual([undefined, undefined, 'unsent', 'held']);
    expect(obstacles('')).toEqual([undefined, 'empty', 'empty', 'empty']);
    expect(obstacles('x'.repeat(50_001))[0]).toBe('too_long');
  });

  test('that changes nothing is not listed', () => {
    expect(replacementsOf(foundIn(segment(0, 'foo bar')), 'foo', free)).toEqual([]);
  });
});

describe('storing replacements', () => {
  const many = (count: number, length = 3): Replacement[] =>
    Array.from({ length: count }, (_, position) => ({
      segment: segment(position, 'a'.repeat(length)),
      before: 'a'.repeat(length),
      after: 'b'.repeat(length),
      matches: 1,
      obstacle: undefined,
    }));
  const saved = (change_id: string | null = 'c') => ({ change_id, segments: [] }) as unknown as SavedSegments;
  const conflict = (...positions: number[]) =>
    new LinguaLoopError({
      status: 409,
      code: 'conflict',
      detail: 'changed',
      answeredBy: 'service',
      present: positions.map((position) => ({ position, target_text: 'theirs' })),
    } as never);

  test('sends at most 1,000 segments and a million units in a request, as drafts without repetitions', async () => {
    const requests: { segments: object[]; repeat?: boolean | undefined }[] = [];
    const save = async (request: (typeof requests)[number]) => {
      requests.push(request);
      return saved();
    };
    expect(await storeReplacements(many(2500), save, () => undefined)).toEqual({
      changed: 2500,
      steps: 3,
      conflicts: [],
    });
    expect(requests.map(({ segments }) => segments.length)).toEqual([1000, 1000, 500]);
    expect(requests[0]?.segments[0]).toEqual({ position: 0, target_text: 'bbb', replaces: 'aaa' });
    expect(requests.every(({ repeat }) => repeat === false)).toBe(true);
    requests.length = 0;
    await storeReplacements(many(30, 50_000), save, () => undefined);
    expect(requests.map(({ segments }) => segments.length)).toEqual([10, 10, 10]);
  });

  test('leaves segments out that someone else has changed, and stores the others', async () => {
    const sent: number[][] = [];
    const result = await storeReplacements(
      many(4),
      async ({ segments }) => {
        sent.push(segments.map(({ position }) => position));
        if (sent.length === 1) throw conflict(1, 3);
        return saved();
      },
      () => undefined,
    );
    expect(result).toEqual({ changed: 2, steps: 1, conflicts: [1, 3] });
    expect(sent).toEqual([
      [0, 1, 2, 3],
      [0, 2],
    ]);
  });

  test('ends at the first other error, and reports what is stored until then', async () => {
    const stored: (string | null)[] = [];
    const error = new Error('lost');
    const result = await storeReplacements(
      many(1500),
      async () => {
        if (stored.length > 0) throw error;
        return saved('first');
      },
      ({ change_id }) => stored.push(change_id),
    );
    expect(result).toEqual({ changed: 1000, steps: 1, conflicts: [], error });
    expect(stored).toEqual(['first']);
  });
});
