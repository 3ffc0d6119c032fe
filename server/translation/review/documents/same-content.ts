import { formatTagged, type InlineContent } from '#server/formats/inline-content.ts';

/** Whether two translations have the same text and tags. jsonb reorders the keys of objects, so their order is ignored. */
export function isSameContent(one: InlineContent | null, other: unknown[] | null): boolean {
  if (one === null || other === null) return one === other;
  return formatTagged(one) === formatTagged(other as InlineContent);
}
