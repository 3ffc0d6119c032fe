import type { Finding, PageRectangle, Segment } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { openFile } from '../opened-file.ts';

/** A file of the corpus and its translation. */
export interface TranslatedFile {
  name: string;
  source: Uint8Array;
  bytes: Uint8Array;
  segments: TranslatedSegment[];
  /** The findings of reading the source and of writing the translation. */
  findings: Finding[];
}

export interface TranslatedSegment extends Segment {
  page: number;
  rectangles: PageRectangle[];
  target: InlineContent;
  /** The places of the translation on the page; empty if the text could not be placed. */
  translatedRectangles: PageRectangle[];
}

export async function translateFile(
  name: string,
  translate: (segment: Segment) => InlineContent,
  targetLanguage = 'fr',
): Promise<TranslatedFile> {
  const source = corpusFile(`pdf/${name}`);
  const file = await openFile('pdf', source);
  const targets = file.segments.map(translate);
  const rebuilt = await file.write((_, index) => targets[index]!, { targetLanguage });
  const places = new Map(rebuilt.rectangles?.map(({ regionId, rectangles }) => [regionId, rectangles]));
  return {
    name,
    source,
    bytes: rebuilt.bytes,
    findings: [...file.findings, ...rebuilt.findings],
    segments: file.segments.map((segment, index) => ({
      ...segment,
      target: targets[index]!,
      page: segment.page!,
      rectangles: segment.rectangles!,
      translatedRectangles: places.get(segment.regionId) ?? [],
    })),
  };
}
