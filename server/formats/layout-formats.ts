import type {
  ExtractedDocument,
  RebuildOptions,
  RebuiltDocument,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import type { LayoutKind } from './document-kind.ts';
import { declaredSize } from './office/zip.ts';

/** A format that is translated with its layout. Its functions are pure. They throw a FileError for a file that they reject. */
export interface LayoutFormat {
  /**
   * Checks the limits that reject a file before a job exists. Faster than `extract`.
   * @param take receives the texts in order until it returns false
   */
  check(bytes: Uint8Array, take?: TakeText): Promise<void>;
  extract(bytes: Uint8Array): Promise<ExtractedDocument>;
  /** @param translations of some or all segments; the others keep their text */
  rebuild(
    bytes: Uint8Array,
    translations: readonly SegmentTranslation[],
    options: RebuildOptions,
  ): Promise<RebuiltDocument>;
}

/** Imports a format at its first use, so that only the libraries of that format are loaded. */
export const layoutFormats: Record<LayoutKind, () => Promise<LayoutFormat>> = {
  pdf: () => import('./pdf.ts'),
  docx: () => import('./docx.ts'),
  xlsx: () => import('./xlsx.ts'),
};

/**
 * Estimates the bytes to read without reading the file. For an Office file it is the unpacked size from its directory, because
 * content may be compressed a thousandfold. If the directory cannot be read, the file will be rejected.
 */
export function sizeToRead(kind: LayoutKind, bytes: Uint8Array): number {
  return kind === 'pdf' ? bytes.length : Math.max(bytes.length, declaredSize(bytes));
}
