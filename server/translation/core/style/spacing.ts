import type { TaskStyle } from '#server/platform/engines/engine.ts';
import type { Range } from '../integrity/found.ts';

/** The end of a word, of a number, or of something in brackets or quotation marks. */
const ending = String.raw`[\p{L}\p{M}\p{N}%€$£)\]»”“"’…]`;

/**
 * A mark at the end of a clause. The characters after it exclude times (10:30), emoticons, operators, and
 * names such as `a::b`; those before it exclude marks that begin a line or follow another mark.
 */
const mark = String.raw`(?:[!?]+(?=$|[\s»”“"’)\]])|[;:](?=$|[\s»”“"]))`;

const marks = {
  /** No space at all, or one at which a line may break. Between digits it is a ratio, and not checked. */
  narrow_no_break: [
    new RegExp(`(?<=${ending}) ?${mark}`, 'gu'),
    /«[ \p{L}\p{N}]/gu,
    /[\p{L}\p{M}\p{N}%.,;:!?…)\]’] ?»/gu,
  ],
  none: [new RegExp(`(?<=${ending})[ \u00A0\u202F]${mark}`, 'gu'), /«[ \u00A0\u202F]|[ \u00A0\u202F]»/gu],
} as const satisfies Record<NonNullable<TaskStyle['spacing']>, readonly RegExp[]>;

/** Maximum UTF-16 units that are shown on each side of a mark. */
const maxShown = 40;

/**
 * Finds marks with another space than the required one, with the words next to them. A no-break space (U+00A0) is
 * accepted in the place of a narrow one.
 * @param prose the result of `proseOf`
 */
export function wrongSpaces(prose: string, spacing: NonNullable<TaskStyle['spacing']>): Range[] {
  return marks[spacing]
    .flatMap((pattern) => [...prose.matchAll(pattern)])
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .filter((range) => !isRatio(prose, range))
    .map(({ start, end }) => ({
      start: start - (/\S*$/.exec(prose.slice(Math.max(0, start - maxShown), start))?.[0].length ?? 0),
      end: end + (/^\S*/.exec(prose.slice(end, end + maxShown))?.[0].length ?? 0),
    }))
    .sort((a, b) => a.start - b.start);
}

/** Whether the range is ` :` in `3 : 1`. */
function isRatio(prose: string, { start, end }: Range): boolean {
  const isDigit = (at: number) => /\d/.test(prose[at] ?? '');
  return prose[end - 1] === ':' && isDigit(start - 1) && prose[end] === ' ' && isDigit(end + 1);
}
