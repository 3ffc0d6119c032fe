import { extractHtml } from '#server/formats/html-segments.ts';

/** The texts of the segments in `source`, in order. */
export const texts = (source: string): string[] => extractHtml(source).map((segment) => segment.text);
