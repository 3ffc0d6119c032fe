import { plainText } from '../inline-content.ts';
import type { Edit } from '../office/splice.ts';
import type { TextPlace } from '../text-file.ts';

/**
 * Joins places whose translations are written together, in a copy of the source.
 *
 * @param write receives the changes of all places, which lead from the source to the translation, in order
 */
export function joinPlaces(
  places: readonly TextPlace[],
  write: (edits: Edit[], needsReview: boolean) => Edit[],
): TextPlace {
  return {
    isBilingual: true,
    segments: places.flatMap(({ segments }) => segments),
    original: places
      .map(({ original, segments }) => original ?? segments.map(({ source }) => plainText(source)).join(''))
      .join(''),
    write: (targets) => {
      let at = 0;
      const edits = places.flatMap((place) => {
        const start = at;
        at += place.segments.length;
        return place.write(targets.slice(start, at));
      });
      edits.sort((one, other) => one.start - other.start || one.end - other.end);
      const needsReview = targets.some((target) => target.needsReview);
      return write(edits, needsReview);
    },
  };
}
