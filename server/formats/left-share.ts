import type { Includable } from './selection.ts';
import type { TextOutcome } from './text-tally.ts';

/**
 * The texts on the pages of a file that are translated only if a request includes them. Comments, masters and names of
 * sheets are not on the pages, and hidden texts are not seen.
 */
const onPages = [
  'text_boxes',
  'content_controls',
  'footnotes',
  'endnotes',
  'tracked_changes',
  'charts',
  'table_headers',
] as const satisfies readonly Includable[];

/** The share of a file's visible characters above which the texts that a request could include are a warning. */
export const warnedShare = 0.05;

/** The visible characters that a request could include, as shares of all, from 0 to 1. */
export interface LeftShare {
  /** The share of all kinds together. */
  share: number;
  kinds: { by: Includable; share: number }[];
}

/** @param inSegments the number of visible characters of the texts that are translated */
export function leftShare({ kept }: TextOutcome, inSegments: number): LeftShare {
  const seen = kept.filter(({ reason }) => reason !== 'hidden');
  const total = seen.reduce((sum, { characters }) => sum + characters, inSegments);
  const kinds = onPages.flatMap((by) => {
    const own = seen.filter((one) => one.class === 'not_selected' && one.reason === by);
    const characters = own.reduce((sum, one) => sum + one.characters, 0);
    return characters > 0 ? [{ by, share: characters / total }] : [];
  });
  return { share: kinds.reduce((sum, one) => sum + one.share, 0), kinds };
}

/**
 * Returns the kinds of texts that are proposed for a file because it has them. The request decides about tracked changes
 * and about the headers of tables, which formulas name.
 */
export function proposedKinds({ kinds }: LeftShare): Includable[] {
  return kinds.flatMap(({ by }) => (by === 'tracked_changes' || by === 'table_headers' ? [] : [by]));
}
