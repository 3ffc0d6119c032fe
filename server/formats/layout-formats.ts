import type {
  ExtractedDocument,
  Languages,
  RebuildOptions,
  RebuiltDocument,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { type LayoutKind, layoutKinds } from './layout-kinds.ts';
import { declaredSize } from './office/zip.ts';
import type { Selection } from './selection.ts';

/**
 * A format that is translated with its layout. Its functions are pure. They throw a FileError if they reject the file.
 */
export interface LayoutFormat {
  /**
   * Checks the limits that apply before a job is created. This is faster than `extract`.
   *
   * @param take receives the selected texts of the file in order, until it returns false
   * @throws {FileError} `selection` if the file lacks a selected page or sheet; so do the other functions
   */
  check(bytes: Uint8Array, take?: TakeText, selection?: Selection): Promise<void>;
  /** @param options the target language determines how many plural forms a text has */
  extract(bytes: Uint8Array, options?: Selection & Partial<Languages>): Promise<ExtractedDocument>;
  /** @param translations the translations of some or all segments; the other segments keep their text */
  rebuild(
    bytes: Uint8Array,
    translations: readonly SegmentTranslation[],
    options: RebuildOptions,
  ): Promise<RebuiltDocument>;
}

/** Imports the code of a format when the format is first used, so that only the libraries of this format are loaded. */
export const layoutFormats: Record<LayoutKind, () => Promise<LayoutFormat>> = {
  pdf: () => import('./pdf.ts'),
  docx: () => import('./docx.ts'),
  xlsx: () => import('./xlsx.ts'),
  json: () => import('./json.ts'),
};

/**
 * Estimates how many bytes a reader of the file will process, without reading the file. For an Office file, this is the
 * unpacked size that its zip directory declares, because the content may be compressed a thousandfold. If the directory
 * cannot be read, the estimate is the size of the file, and the file is rejected later.
 */
export function sizeToRead(kind: LayoutKind, bytes: Uint8Array): number {
  return layoutKinds[kind].reader === 'office' ? Math.max(bytes.length, declaredSize(bytes)) : bytes.length;
}
