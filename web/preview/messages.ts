/**
 * A paragraph of a Word file: its text, and the number of earlier paragraphs with the same text. Line breaks and spaces do
 * not count.
 */
export interface ParagraphPlace {
  text: string;
  occurrence: number;
}

/** Messages from the application to the frame. The file comes first. */
export type ToFrame =
  | { kind: 'file'; bytes: Uint8Array<ArrayBuffer> }
  /** Marks a paragraph, or none, and shows it. */
  | { kind: 'mark'; place: ParagraphPlace | null };

/** Messages from the frame. It runs code on an untrusted file, so the application accepts only these shapes. */
export type FromFrame =
  | { kind: 'ready' }
  | { kind: 'shown' }
  | { kind: 'failed' }
  /** A paragraph was clicked. */
  | { kind: 'open'; place: ParagraphPlace };

/** A text without characters that formats write differently. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
