import type { RequestHeaders } from './headers.ts';
import type { RestRequest } from './rest.ts';
import type { FileTranslationRequest } from './types.ts';

/** A file to translate: one that has a name (a browser's `File`), or a name with content. */
export type SourceFile = NamedBlob | NamedContent;

/** `File`, or a similar object. */
export type NamedBlob = Blob & {
  /** With its extension, which determines how the file is read. */
  readonly name: string;
};

/** A file's content under a name. */
export interface NamedContent {
  /** With its extension, which determines how the file is read: `contract.docx`. */
  name: string;
  /** The bytes. */
  data: Blob | Uint8Array | ArrayBuffer;
  /** Used if the name has no known extension; the Blob's own type by default. */
  contentType?: string | undefined;
}

/** A file that can be sent repeatedly. */
export interface Upload {
  request: RestRequest;
  /** Approximate number of pages, which the service translates in sequence. */
  pages: number;
}

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The service's limits: characters of a page, pages of a document. */
const pageSize = 5_000;
const maxPages = 50;

/**
 * Builds the request that translates a file page by page. In a form, the service would keep the layout of a PDF, DOCX
 * or XLSX and return another kind of result, so these are sent as the whole body with their fields in the query. The
 * file is read here, once: each attempt sends the same bytes.
 */
export async function uploadOf(
  file: SourceFile,
  request: FileTranslationRequest,
  key: string,
): Promise<Upload> {
  const headers = { 'idempotency-key': sendableKey(key) };
  const { name, data, contentType } = contentOf(file);
  const type = mediaType(contentType);
  const fields = fieldsOf(request);
  const extension = /\.(pdf|docx|xlsx)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension || layoutTypes.has(type)) {
    const rawType = rawTypeOf(type, extension);
    return {
      request: {
        method: 'POST',
        path: `/api/translations?${new URLSearchParams(fields)}`,
        headers: { ...headers, 'content-type': rawType, 'x-source-filename': headerText(name) },
        body: await data.arrayBuffer(),
      },
      // Compressed, so its size does not show its length.
      pages: maxPages,
    };
  }
  const form = await formRequest('/api/translations', fields, 'source_document', file);
  return {
    request: { ...form, headers: { ...headers, ...form.headers } },
    pages: pagesOf(data.size),
  };
}

/** Content types by file extension, for Blobs that lack one. */
export type TypesByExtension = Readonly<Record<string, string>>;

/**
 * Builds the request that posts a form with a file in the part named `part`. The file is read here, once.
 * @param types content types by extension for files that declare none; otherwise the Blob's own type
 */
export async function formRequest(
  path: string,
  fields: [string, string][],
  part: string,
  file: SourceFile,
  types: TypesByExtension = {},
): Promise<RestRequest & { headers: RequestHeaders }> {
  const { name, data, contentType } = contentOf(file, types);
  const form = new FormData();
  for (const [field, value] of fields) form.append(field, value);
  form.append(part, data.slice(0, data.size, contentType), name);
  // Encode to bytes: a `fetch` other than the global one may not support the global FormData.
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { method: 'POST', path, headers, body: await encoded.arrayBuffer() };
}

/** Approximate number of pages of a text with this many characters or bytes. */
export function pagesOf(size: number): number {
  return Math.min(Math.max(Math.ceil(size / pageSize), 1), maxPages);
}

/**
 * @throws TypeError if it is not a file: programs without types pass paths, bytes without a name, or streams. A text
 * is never treated as content, since it may be a path.
 */
function contentOf(
  file: SourceFile,
  types: TypesByExtension = {},
): { name: string; data: Blob; contentType: string } {
  requireFile(file);
  const byExtension = types[/\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? ''];
  if (!('data' in file)) return { name: file.name, data: file, contentType: byExtension ?? file.type };
  const { name, data } = file;
  // Do not use instanceof: a Blob of another realm or a polyfill would be converted to a string.
  const blob = 'stream' in data ? data : new Blob([data as Uint8Array<ArrayBuffer> | ArrayBuffer]);
  return { name, data: blob, contentType: file.contentType ?? byExtension ?? blob.type };
}

const howToOpen =
  "for a path, give { name: basename(path), data: await openAsBlob(path) }, with openAsBlob of Node's fs";

function requireFile(file: unknown): void {
  if (typeof file === 'string') throw new TypeError(`a file is expected, not a text: ${howToOpen}`);
  const { name, data } = (file ?? {}) as { name?: unknown; data?: unknown };
  const content = data ?? file;
  if (typeof content === 'string')
    throw new TypeError(
      `the data of a file must be a Blob or bytes, not a text: ${howToOpen}; for content, new TextEncoder().encode(text)`,
    );
  if (!isBytes(content) && !isBlob(content))
    throw new TypeError(`a file must be a File, or have its data as a Blob or bytes: ${howToOpen}`);
  if (typeof name !== 'string' || name === '')
    throw new TypeError("a file needs a name, with its extension: { name: 'menu.xlsx', data }");
}

function isBytes(value: unknown): boolean {
  // Not by instanceof: it may be of another realm.
  return ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';
}

function isBlob(value: unknown): boolean {
  const { arrayBuffer, size } = (value ?? {}) as { arrayBuffer?: unknown; size?: unknown };
  return typeof arrayBuffer === 'function' && typeof size === 'number';
}

function fieldsOf({ metadata, ...fields }: FileTranslationRequest): [string, string][] {
  const entries = formFields(fields);
  return metadata === undefined ? entries : [...entries, ['metadata', JSON.stringify(metadata)]];
}

/** The fields that have a string value. */
export function formFields(fields: object): [string, string][] {
  return Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string');
}

const layoutTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/x-pdf',
  wordType,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]);

/** The content type of a whole body; never one that the service parses as JSON. */
function rawTypeOf(type: string, extension: string | undefined): string {
  if (extension === 'pdf' || type === 'application/x-pdf' || type === 'application/pdf')
    return 'application/pdf';
  return extension === 'docx' || type === wordType ? wordType : 'application/octet-stream';
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

/** Headers can only have ASCII, so the name is percent-encoded. Half a surrogate pair cannot be encoded. */
function headerText(name: string): string {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

/** @throws TypeError if a header cannot carry the key */
export function sendableKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key;
  throw new TypeError('the idempotency key of a file must be 1 to 255 characters of printable ASCII');
}
