import { LinguaLoopError } from '#sdk/errors.ts';
import type { SavedSegments, SegmentSaveRequest, SegmentSearchPage, SegmentSearchQuery } from '#sdk/types.ts';
import {
  createTextFinder,
  replaceRanges,
  searchablePart,
  type TextQuery,
  type TextRange,
} from './find-text.ts';
import type { Segment, SegmentFilter } from './segment-filter.ts';

/** A segment whose translation contains the sought text. */
export interface FoundSegment {
  segment: Segment;
  ranges: readonly TextRange[];
}

/**
 * A replacement that the service would not store, or that would harm other work. `confirmed`: only if the reviewer
 * includes confirmed segments; `unsent`: the reviewer's own text is not stored yet; `held`: a colleague has the segment
 * open; `empty`: nothing would be left; `too_long`: the service stores no text of this length.
 */
export type Obstacle = 'confirmed' | 'unsent' | 'held' | 'empty' | 'too_long';

/** A changed translation, and why it is left out, if it is. */
export interface Replacement {
  segment: Segment;
  before: string;
  after: string;
  matches: number;
  obstacle: Obstacle | undefined;
}

interface Circumstances {
  /** Whether confirmed segments are included. */
  withConfirmed: boolean;
  /** The positions of segments with text that is not stored yet. */
  unsent: { has(position: number): boolean };
  /** The positions of segments that colleagues have open. */
  held: { has(position: number): boolean };
}

/** Segments per request of the search. */
const pageSize = 500;

/** Maximum number of segments in a request that stores them. */
const maxPerRequest = 1000;

/** Maximum UTF-16 units of all texts in a request, so that the service accepts its size. */
const maxUnitsPerRequest = 1_000_000;

/** Maximum UTF-16 units of a translation. */
const maxLength = 50_000;

/**
 * Finds the segments whose translation contains a text, in reading order and page by page.
 * @param search calls the service
 * @throws LinguaLoopError
 */
export async function* findInTranslations(
  search: (query: Omit<SegmentSearchQuery, 'document_id'>) => PromiseLike<SegmentSearchPage>,
  query: TextQuery,
  { text: filterText, ...filter }: SegmentFilter,
  languages: { source: string; target: string },
): AsyncGenerator<FoundSegment[]> {
  const find = createTextFinder(query);
  // The service searches for one text only, so the text of the filter is compared here.
  const passes = filterText === undefined ? () => true : createTextTest(filterText, languages);
  const text = searchablePart(query.text, query.language);
  let cursor: string | null | undefined;
  do {
    const page = await search({
      ...filter,
      text,
      text_in: 'target',
      limit: pageSize,
      ...(cursor && { cursor }),
    });
    yield page.segments.flatMap((segment) => {
      const ranges = find(segment.target_text ?? '');
      return ranges.length > 0 && passes(segment) ? [{ segment, ranges }] : [];
    });
    cursor = page.next_cursor;
  } while (cursor);
}

function createTextTest(text: string, { source, target }: { source: string; target: string }) {
  const [inSource, inTarget] = [source, target].map((language) => createTextFinder({ text, language }));
  return ({ source_text, target_text }: Segment) =>
    (inSource?.(source_text).length ?? 0) + (inTarget?.(target_text ?? '').length ?? 0) > 0;
}

/** Returns the changes of the found segments. Segments that the replacement does not change are omitted. */
export function replacementsOf(
  found: readonly FoundSegment[],
  replacement: string,
  { withConfirmed, unsent, held }: Circumstances,
): Replacement[] {
  return found.flatMap(({ segment, ranges }): Replacement[] => {
    const before = segment.target_text ?? '';
    const after = replaceRanges(before, ranges, replacement);
    if (after === before) return [];
    const { position, confirmed_at } = segment;
    let obstacle: Obstacle | undefined;
    if (after.trim() === '') obstacle = 'empty';
    else if (after.length > maxLength) obstacle = 'too_long';
    else if (unsent.has(position)) obstacle = 'unsent';
    else if (held.has(position)) obstacle = 'held';
    else if (confirmed_at !== null && !withConfirmed) obstacle = 'confirmed';
    return [{ segment, before, after, matches: ranges.length, obstacle }];
  });
}

/** The result of replacements: what was stored, and what was not. */
export interface ReplacementResult {
  /** The number of changed segments. */
  changed: number;
  /** The number of stored requests that changed something. Each of them is undone separately. */
  steps: number;
  /** The positions of segments that someone else has changed since they were searched. */
  conflicts: readonly number[];
  /** The error that ended the replacements; the segments after it are unchanged. */
  error?: unknown;
}

/**
 * Stores replacements as drafts, in as many requests as necessary. A segment that someone else has changed since the
 * search stays as it is. Each stored request is passed to `onSaved`, so that it can be undone even if a later one fails.
 */
export async function storeReplacements(
  replacements: readonly Replacement[],
  save: (request: Omit<SegmentSaveRequest, 'document_id'>) => PromiseLike<SavedSegments>,
  onSaved: (saved: SavedSegments) => void,
): Promise<ReplacementResult> {
  let [changed, steps] = [0, 0];
  const conflicts: number[] = [];
  for (const request of requestsOf(replacements)) {
    let left = request;
    while (left.length > 0) {
      try {
        const saved = await save({
          segments: left.map(({ segment: { position }, before, after }) => ({
            position,
            target_text: after,
            replaces: before,
          })),
          // The repetitions are in the list, too, and the reviewer may have excluded them.
          repeat: false,
        });
        onSaved(saved);
        changed += left.length;
        if (saved.change_id !== null) steps += 1;
        break;
      } catch (error) {
        const moved = conflictsOf(error);
        const rest = left.filter(({ segment }) => !moved.has(segment.position));
        if (rest.length === left.length) return { changed, steps, conflicts, error };
        conflicts.push(...moved);
        left = rest;
      }
    }
  }
  return { changed, steps, conflicts };
}

function requestsOf(replacements: readonly Replacement[]): Replacement[][] {
  const requests: Replacement[][] = [];
  let units = 0;
  for (const replacement of replacements) {
    const length = replacement.before.length + replacement.after.length;
    const last = requests.at(-1);
    if (last && last.length < maxPerRequest && units + length <= maxUnitsPerRequest) {
      last.push(replacement);
      units += length;
    } else {
      requests.push([replacement]);
      units = length;
    }
  }
  return requests;
}

/** The positions of the segments that someone else has changed; empty for other errors. */
function conflictsOf(error: unknown): ReadonlySet<number> {
  if (!(error instanceof LinguaLoopError) || error.code !== 'conflict' || !Array.isArray(error.present))
    return new Set();
  return new Set((error.present as { position: number }[]).map(({ position }) => position));
}
