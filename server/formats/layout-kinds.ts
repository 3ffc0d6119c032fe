import type { Includable, Output } from './selection.ts';
import type { KeptClass } from './text-tally.ts';

/** The properties of a format that are known without reading a file. */
interface LayoutTraits {
  /** The extensions of file names, without the dot. The first one is added to names that have none of them. */
  extensions: readonly [string, ...string[]];
  /** The media type of the files that the service writes. No two formats have the same. */
  mediaType: string;
  /** Further media types that select the format for a file whose name has no known extension. */
  otherMediaTypes?: readonly string[];
  /** The group of formats with common limits for CPU time and memory. */
  reader: 'pdf' | 'office' | 'text' | 'markdown';
  /**
   * The form of a segment's place: its page, its slide, its sheet or object, its paragraph in a Word file, or its line
   * and key.
   */
  places: 'page' | 'slide' | 'sheet' | 'word' | 'line';
  /** The unit in which a request can select parts. */
  pages: 'ranges' | 'sheets' | null;
  /** The texts that are translated only if a request includes them. */
  include: readonly Includable[];
  output: readonly Output[];
  /** The further fields of a request that the format has. */
  options: readonly ('source_field' | 'line_length' | 'reading_speed')[];
  /** Set for a format whose files are read after the job has been created, because reading may take minutes. */
  readLater?: true;
  /** Set for a format whose files mark translations that need a review. Then a confirmation changes the file. */
  marksReview?: true;
  /** Set for the formats that `POST /api/translations` also translates with their layout, if a form has such a file. */
  inTranslations?: true;
}

/** The common properties of the formats that consist of text. */
const text = {
  reader: 'text',
  places: 'line',
  pages: null,
  include: [],
  output: ['translated'],
  options: [],
} as const;

const subtitles = { ...text, options: ['line_length', 'reading_speed'] } as const;

const traits = {
  pdf: {
    extensions: ['pdf'],
    mediaType: 'application/pdf',
    otherMediaTypes: ['application/x-pdf'],
    reader: 'pdf',
    places: 'page',
    pages: 'ranges',
    include: [],
    output: ['translated', 'bilingual', 'docx'],
    options: [],
    readLater: true,
    inTranslations: true,
  },
  docx: {
    extensions: ['docx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    reader: 'office',
    places: 'word',
    pages: null,
    include: [
      'footnotes',
      'endnotes',
      'comments',
      'text_boxes',
      'content_controls',
      'tracked_changes',
      'charts',
      'hidden',
    ],
    output: ['translated', 'bilingual'],
    options: [],
    inTranslations: true,
  },
  // The cells of hidden sheets, rows and columns are always translated.
  xlsx: {
    extensions: ['xlsx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    reader: 'office',
    places: 'sheet',
    pages: 'sheets',
    include: ['comments', 'text_boxes', 'charts', 'table_headers', 'sheet_names', 'hidden'],
    output: ['translated'],
    options: [],
    inTranslations: true,
  },
  pptx: {
    extensions: ['pptx'],
    mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    reader: 'office',
    places: 'slide',
    pages: 'ranges',
    include: ['comments', 'masters', 'hidden'],
    output: ['translated'],
    options: [],
  },
  odt: {
    ...text,
    reader: 'office',
    include: ['comments', 'hidden'],
    extensions: ['odt'],
    mediaType: 'application/vnd.oasis.opendocument.text',
  },
  ods: {
    ...text,
    reader: 'office',
    places: 'sheet',
    include: ['comments'],
    extensions: ['ods'],
    mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
  },
  odp: {
    ...text,
    reader: 'office',
    places: 'slide',
    include: ['comments', 'masters', 'hidden'],
    extensions: ['odp'],
    mediaType: 'application/vnd.oasis.opendocument.presentation',
  },
  json: { ...text, extensions: ['json', 'arb'], mediaType: 'application/json' },
  yaml: {
    ...text,
    extensions: ['yaml', 'yml'],
    mediaType: 'application/yaml',
    otherMediaTypes: ['application/x-yaml', 'text/yaml'],
  },
  po: {
    ...text,
    extensions: ['po', 'pot'],
    mediaType: 'text/x-gettext-translation',
    options: ['source_field'],
    marksReview: true,
  },
  properties: { ...text, extensions: ['properties'], mediaType: 'text/x-java-properties' },
  srt: { ...subtitles, extensions: ['srt'], mediaType: 'application/x-subrip' },
  vtt: { ...subtitles, extensions: ['vtt'], mediaType: 'text/vtt' },
  android: { ...text, extensions: ['xml'], mediaType: 'application/xml', otherMediaTypes: ['text/xml'] },
  strings: { ...text, extensions: ['strings'], mediaType: 'text/x-apple-strings' },
  stringsdict: { ...text, extensions: ['stringsdict'], mediaType: 'application/x-stringsdict+xml' },
  xcstrings: {
    ...text,
    extensions: ['xcstrings'],
    mediaType: 'application/x-xcstrings+json',
    marksReview: true,
  },
  xliff: { ...text, extensions: ['xlf', 'xliff'], mediaType: 'application/xliff+xml', marksReview: true },
  html: {
    ...text,
    extensions: ['html', 'htm', 'xhtml'],
    mediaType: 'text/html',
    otherMediaTypes: ['application/xhtml+xml'],
  },
  md: { ...text, reader: 'markdown', extensions: ['md', 'markdown'], mediaType: 'text/markdown' },
  mdx: { ...text, reader: 'markdown', extensions: ['mdx'], mediaType: 'text/mdx' },
  // A `.txt` file is rejected, because POST /api/translations translates it by pages.
  txt: { ...text, extensions: ['text'], mediaType: 'text/plain' },
} as const satisfies Record<string, LayoutTraits>;

/** A format that can be translated with its layout. */
export type LayoutKind = keyof typeof traits;

/** All formats that are translated with their layout. `layout-formats.ts` has their code. */
export const layoutKinds: Readonly<Record<LayoutKind, LayoutTraits>> = traits;

export const layoutKindNames = Object.keys(traits) as [LayoutKind, ...LayoutKind[]];

/** The formats by file extension, and by media type. */
const byExtension = new Map(
  layoutKindNames.flatMap((kind) => layoutKinds[kind].extensions.map((extension) => [extension, kind])),
);
const byMediaType = new Map(
  layoutKindNames.flatMap((kind) => {
    const { mediaType, otherMediaTypes = [] } = layoutKinds[kind];
    return [mediaType, ...otherMediaTypes].map((type) => [type, kind] as const);
  }),
);

/** The extensions of all formats, without dots. */
export const allExtensions: readonly string[] = [...byExtension.keys()];

/** Returns the format with a file extension, which has no dot and is in lower case. */
export function kindOfExtension(extension: string): LayoutKind | undefined {
  return byExtension.get(extension);
}

/** Returns the format with a media type, which is in lower case and has no parameters. */
export function kindOfMediaType(type: string): LayoutKind | undefined {
  return byMediaType.get(type);
}

/** Returns the format of the result for a file of a format. */
export function resultFormat(format: LayoutKind, { output }: { output?: Output | undefined }): LayoutKind {
  return output === 'docx' ? 'docx' : format;
}

/** Returns the class of texts that a request does not include: whether it could include them. */
export function classOf(format: LayoutKind, reason: string): KeptClass {
  return (layoutKinds[format].include as readonly string[]).includes(reason) ? 'not_selected' : 'kept';
}
