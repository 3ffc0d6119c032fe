/**
 * Identifies a paragraph of a Word file, or a text between its tabs, by the text and the number of earlier ones with the
 * same text. Line breaks and spaces are ignored in the comparison.
 */
export interface TextPlace {
  text: string;
  occurrence: number;
}

/** Messages from the application to the frame. The first message is the file. */
export type ToFrame =
  | { kind: 'file'; bytes: Uint8Array<ArrayBuffer> }
  /** Marks a paragraph and scrolls to it; null removes the mark. */
  | { kind: 'mark'; place: TextPlace | null };

/**
 * Messages from the frame. The application accepts only these shapes, because the frame runs code on an untrusted file.
 */
export type FromFrame =
  | { kind: 'ready' }
  | { kind: 'shown' }
  | { kind: 'failed' }
  /** The reader has clicked a text. The places are those that contain it, from the smallest. */
  | { kind: 'open'; places: TextPlace[] };

/** Removes all spaces and line breaks, because they may differ between a file and its segments. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
