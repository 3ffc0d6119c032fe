import { extractHtml } from '#server/formats/html-segments.ts';

/** What a translator reads of `source`: the texts of its segments, in their order. */
export const texts = (source: string): string[] => extractHtml(source).map((segment) => segment.text);
