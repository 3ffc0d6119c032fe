/**
 * Identifies a paragraph of a Word file by its text and the number of earlier paragraphs with the same text. Line
 * breaks and spaces are ignored in the comparison.
 */
export interface ParagraphPlace {
  text: string;
  occurrence: number;
}

/** Messages from the application to the frame. The first message is the file. */
export type ToFrame =
  | { kind: 'file'; bytes: Uint8Array<ArrayBuffer> }
  /** Marks a paragraph and scrolls to it; null removes the mark. */
  | { kind: 'mark'; place: ParagraphPlace | null };

/**
 * Messages from the frame. The application accepts only these shapes, because the frame runs code on an untrusted file.
 */
export type FromFrame =
  | { kind: 'ready' }
  | { kind: 'shown' }
  | { kind: 'failed' }
  /** The reader has clicked a paragraph. */
  | { kind: 'open'; place: ParagraphPlace };

/** Removes all spaces and line breaks, because they may differ between a file and its segments. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
