import type {
  ExtractedDocument,
  RebuildOptions,
  RebuiltDocument,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import type { LayoutKind } from './document-kind.ts';
import { claimedSize } from './office/zip.ts';

/** A format that is translated in place. Its functions are pure. They throw a FileError for a file that they refuse. */
export interface LayoutFormat {
  /**
   * Checks what B 8 refuses before a job exists. Cheaper than `extract`.
   * @param take is given the texts in order, until it returns false
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

/** Imports a format at its first use: only its own libraries are loaded. */
export const layoutFormats: Record<LayoutKind, () => Promise<LayoutFormat>> = {
  pdf: () => import('./pdf.ts'),
  docx: () => import('./docx.ts'),
  xlsx: () => import('./xlsx.ts'),
};

/**
 * The bytes that reading a file means, without reading it: of an Office file the unpacked size that its directory claims,
 * because the same content may be packed a thousandfold. If the directory cannot be read, the file will be refused.
 */
export function sizeToRead(kind: LayoutKind, bytes: Uint8Array): number {
  return kind === 'pdf' ? bytes.length : Math.max(bytes.length, claimedSize(bytes));
}
