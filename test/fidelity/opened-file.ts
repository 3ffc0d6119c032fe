import type {
  ExtractedDocument,
  ExtractOptions,
  RebuildOptions,
  RebuiltDocument,
  Segment,
} from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';

/** The content of a file as its format reads it, and a function that writes the file with translations. */
export interface OpenedFile extends ExtractedDocument {
  write(
    translate: (segment: Segment, index: number) => InlineContent,
    options: Partial<RebuildOptions> & { targetLanguage: string },
  ): Promise<RebuiltDocument>;
}

/** @throws {FileError} for a file that is rejected */
export async function openFile(
  kind: LayoutKind,
  bytes: Uint8Array,
  options?: ExtractOptions,
): Promise<OpenedFile> {
  const { extract, rebuild } = await layoutFormats[kind]();
  const extracted = await extract(bytes, options);
  return {
    ...extracted,
    write: (translate, to) => {
      const translations = extracted.segments.map((segment, index) => ({
        regionId: segment.regionId,
        cellId: segment.cellId,
        target: translate(segment, index),
      }));
      return rebuild(bytes, translations, { sourceLanguage: 'en', ...to });
    },
  };
}
