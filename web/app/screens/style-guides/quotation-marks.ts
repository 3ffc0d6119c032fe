import type { StyleGuide } from '#sdk/types.ts';

/** The pairs of quotation marks that a guide can require. A pair that the service accepts and that is missing here fails to compile. */
const pairs: Record<NonNullable<StyleGuide['quotation_marks']>, true> = {
  '“”': true,
  '„“': true,
  '«»': true,
  '»«': true,
  '„”': true,
  '””': true,
  '‘’': true,
  '「」': true,
  '""': true,
};

export const quotationMarks = Object.keys(pairs) as (keyof typeof pairs)[];

/** Returns a pair with an ellipsis between its marks. */
export function shownMarks(pair: string): string {
  return [...pair].join('…');
}
