/** The formats that can be flattened to text. */
export type FlattenKind = 'csv' | 'docx' | 'html' | 'json' | 'md' | 'pdf' | 'txt' | 'xml';

/** The formats that can be translated in place, with their layout kept. */
export type LayoutKind = 'pdf' | 'docx' | 'xlsx';

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

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

const layoutExtensions = new Map<string, LayoutKind>([
  ['pdf', 'pdf'],
  ['docx', 'docx'],
  ['xlsx', 'xlsx'],
]);

const layoutTypes = new Map<string, LayoutKind>([
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  [wordType, 'docx'],
  [spreadsheetType, 'xlsx'],
]);

/**
 * Determines the format of a file that is flattened to text (B 4.1): by its extension, or by its declared content type if the
 * extension is not in the list. Returns undefined for 415 `unsupported source_document type`.
 *
 * @param contentType as declared, parameters included; empty or undefined if none was declared
 */
export function documentKind(fileName: string, contentType: string | undefined): FlattenKind | undefined {
  const type = mediaType(contentType);
  return (
    flattenExtensions.get(extension(fileName)) ??
    flattenTypes.get(type) ??
    (type.startsWith('text/') ? 'txt' : undefined)
  );
}

/** Determines the format of a file whose layout is kept (B 4.3 "Format detection"), by the same rule. Undefined: 415. */
export function layoutKind(fileName: string, contentType: string | undefined): LayoutKind | undefined {
  return layoutExtensions.get(extension(fileName)) ?? layoutTypes.get(mediaType(contentType));
}

/** Control characters, lone surrogates, and what reverses the reading direction: a name must not seem to have another extension. */
const notInNames = /[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Returns a file name as it is stored and shown: without folders and characters that do harm. Joiners stay, which Persian and
 * Indic words and many emoji need.
 */
export function plainFileName(fileName: string): string {
  return fileName.replace(/^.*[\\/]/s, '').replace(notInNames, '');
}

/** Returns the extension in lower case, without the dot; empty if the name has none. */
function extension(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot < 0 ? '' : fileName.slice(dot + 1).toLowerCase();
}

function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}
