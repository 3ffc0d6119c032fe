import { kindOfExtension, kindOfMediaType, type LayoutKind } from './layout-kinds.ts';

/** The formats that can be flattened to text. */
export type FlattenKind = 'csv' | 'docx' | 'html' | 'json' | 'md' | 'pdf' | 'txt' | 'xml';

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const flattenExtensions = new Map<string, FlattenKind>([
  ['csv', 'csv'],
  ['docx', 'docx'],
  ['htm', 'html'],
  ['html', 'html'],
  ['json', 'json'],
  ['md', 'md'],
  ['pdf', 'pdf'],
  ['txt', 'txt'],
  ['xml', 'xml'],
]);

const flattenTypes = new Map<string, FlattenKind>([
  ['application/json', 'json'],
  ['application/pdf', 'pdf'],
  [wordType, 'docx'],
  ['application/xml', 'xml'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['text/xml', 'xml'],
]);

/**
 * Determines the format of a file that is flattened to text: by the extension of its name, or by its declared content
 * type if the extension is unknown. Returns undefined if the format is not supported; the request then fails with 415
 * `unsupported source_document type`.
 *
 * @param contentType the declared content type, with its parameters; empty or undefined if missing
 */
export function documentKind(fileName: string, contentType: string | undefined): FlattenKind | undefined {
  const type = mediaType(contentType);
  return (
    flattenExtensions.get(extension(fileName)) ??
    flattenTypes.get(type) ??
    (type.startsWith('text/') ? 'txt' : undefined)
  );
}

/**
 * Determines the format of a file that keeps its layout, in the same way as `documentKind`. Returns undefined if the
 * format is not supported; the request then fails with 415.
 */
export function layoutKind(fileName: string, contentType: string | undefined): LayoutKind | undefined {
  const type = mediaType(contentType);
  // Programs also send files of other formats as plain text.
  return kindOfExtension(extension(fileName)) ?? (type === 'text/plain' ? undefined : kindOfMediaType(type));
}

/**
 * Control characters, lone surrogates, and characters that reverse the reading direction. With the last ones, a name
 * could seem to have another extension.
 */
const notInNames = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Returns a file name in the form that is stored and shown: without directories and harmful characters. Zero-width
 * joiners stay, because Persian and Indic words and many emoji need them.
 */
export function plainFileName(fileName: string): string {
  return fileName.replace(/^.*[\\/]/s, '').replace(notInNames, '');
}

/** Returns the extension of a file name in lower case, without the dot; empty if the name has none. */
function extension(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot < 0 ? '' : fileName.slice(dot + 1).toLowerCase();
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
