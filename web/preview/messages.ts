/** A paragraph of a Word file: its text, and how many paragraphs before it have the same. Line breaks and spaces do not count. */
export interface ParagraphPlace {
  text: string;
  occurrence: number;
}

/** What the application says to the frame. The file comes first. */
export type ToFrame =
  | { kind: 'file'; bytes: Uint8Array<ArrayBuffer> }
  /** Marks a paragraph, or none, and shows it. */
  | { kind: 'mark'; place: ParagraphPlace | null };

/** What the frame says. It runs code on a stranger's file, so the application believes nothing but these shapes. */
export type FromFrame =
  | { kind: 'ready' }
  | { kind: 'shown' }
  | { kind: 'failed' }
  /** The person has clicked a paragraph. */
  | { kind: 'open'; place: ParagraphPlace };

/** A text without what formats write in different ways. */
export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
