import type { Finding, PageRectangle, Segment } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { corpusFile } from '#test/corpus/files.ts';

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
  const { segments, findings } = await extract(source);
  const translated = segments.map((segment) => ({ ...segment, target: translate(segment) }));
  const rebuilt = await rebuild(source, translated, { sourceLanguage: 'en', targetLanguage });
  const places = new Map(rebuilt.rectangles?.map(({ regionId, rectangles }) => [regionId, rectangles]));
  return {
    name,
    source,
    bytes: rebuilt.bytes,
    findings: [...findings, ...rebuilt.findings],
    segments: translated.map((segment) => ({
      ...segment,
      page: segment.page!,
      rectangles: segment.rectangles!,
      translatedRectangles: places.get(segment.regionId) ?? [],
    })),
  };
}
