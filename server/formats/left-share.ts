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

/** The reasons of texts that no reader sees, whose pages a request does not select, or whose characters are unknown. */
const unseen: ReadonlySet<string> = new Set([
  'hidden',
  'invisible',
  'covered',
  'clipped',
  'tiny',
  'pages',
  'indirect',
]);

/** The share of a file's visible characters above which the texts that stay are a warning. */
export const warnedShare = 0.05;

/**
 * The visible characters that stay although they have words, because a request does not include them or because they
 * cannot be set again, as shares of all, from 0 to 1.
 */
export interface LeftShare {
  /** The share of all kinds together. */
  share: number;
  kinds: {
    reason: string;
    /** The name by which a request could include the texts; undefined if it cannot. */
    by: Includable | undefined;
    share: number;
  }[];
}

/** @param inSegments the number of visible characters of the texts that are translated */
export function leftShare({ kept }: TextOutcome, inSegments: number): LeftShare {
  const seen = kept.filter(({ reason }) => !unseen.has(reason));
  const total = seen.reduce((sum, { characters }) => sum + characters, inSegments);
  const kinds = seen.flatMap(({ class: kind, reason, characters }) => {
    const by = kind === 'not_selected' ? onPages.find((one) => one === reason) : undefined;
    // The texts of annotations are on the pages of a PDF. The values of form fields are not its author's.
    const isLeft = by !== undefined || kind === 'unreadable' || reason === 'annotations';
    return isLeft && characters > 0 ? [{ reason, by, share: characters / total }] : [];
  });
  return { share: kinds.reduce((sum, one) => sum + one.share, 0), kinds };
}

/** Returns a share of the visible characters as a finding states it. */
export function shareText(share: number): string {
  return `${share < 0.01 ? 'less than 1' : Math.round(100 * share)}% of the visible characters`;
}

/**
 * Returns the kinds of texts that are proposed for a file because it has them. The request decides about tracked changes
 * and about the headers of tables, which formulas name.
 */
export function proposedKinds({ kinds }: LeftShare): Includable[] {
  return kinds.flatMap(({ by }) => (!by || by === 'tracked_changes' || by === 'table_headers' ? [] : [by]));
}
