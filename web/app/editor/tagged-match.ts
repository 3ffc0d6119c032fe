import type { InlineContent } from '#server/formats/inline-content.ts';
import { placeTags } from '#server/formats/tag-placing.ts';
import { writeContent } from './tagged-text.ts';

/** A plain translation as in a field, with the tags of the source as far as their places are known. */
export function taggedMatch(translation: string, source: InlineContent): string {
  return writeContent(placeTags(translation, source).content);
}
