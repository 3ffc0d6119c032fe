import { frameUnits, groupConsecutive } from './groups.ts';
import { alignPassages } from './passages.ts';

/** UTF-16 units of all versions together that a judge reads with care at once. Its answer is short, so time is no matter. */
const unitsPerJudge = 24_000;

/** A passage of a segment in all versions of the text: the source, then its translations. */
export interface JudgedPassage {
  segment: number;
  source: string;
  translations: readonly string[];
}

/** Consecutive groups of passages, each for one question. Segments that are blank in every version are left out. */
export function groupPassages(
  segments: readonly string[],
  candidates: readonly (readonly string[])[],
): JudgedPassage[][] {
  const passages = segments.flatMap((text, segment) =>
    alignPassages([text, ...candidates.map((candidate) => candidate[segment]!)], units, unitsPerJudge).map(
      ([source, ...translations]): JudgedPassage => ({ segment, source: source!, translations }),
    ),
  );
  return groupConsecutive(
    passages.filter((passage) => versions(passage).some((text) => text.trim() !== '')),
    (passage) => units(versions(passage)) + frameUnits,
    unitsPerJudge + frameUnits,
  );
}

/** What a group's verdict counts for in the whole: the units of its source, and one at least. */
export function weightOf(group: readonly JudgedPassage[]): number {
  return Math.max(1, units(group.map(({ source }) => source)));
}

function versions({ source, translations }: JudgedPassage): string[] {
  return [source, ...translations];
}

function units(texts: readonly string[]): number {
  return texts.reduce((total, { length }) => total + length, 0);
}
