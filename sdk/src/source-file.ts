import type { RequestHeaders } from './headers.ts';
import type { RestRequest } from './rest.ts';
import type { FileTranslationRequest } from './types.ts';

/**
 * A file to translate: an object that has a name and content (such as a browser's `File`), or a name together with
 * content.
 */
export type SourceFile = NamedBlob | NamedContent | FileAtPath;

/** A file on the disk. Only in Node.js (20.16 or newer), Bun and Deno. */
export interface FileAtPath {
  /** The path of the file. Its name is the last part of the path. */
  path: string;
  /** The content type, which is used only if the file name has no known extension. */
  contentType?: string | undefined;
}

/** A browser's `File`, or a similar object. */
export type NamedBlob = Blob & {
  /** The file name with its extension. The extension determines how the service reads the file. */
  readonly name: string;
};

/** The content of a file, and its name. */
export interface NamedContent {
  /**
   * The file name with its extension, such as `contract.docx`. The extension determines how the service reads the
   * file.
   */
  name: string;
  /** The bytes, or a stream of them, such as a stream of Node.js. A stream is read completely before the file is sent. */
  data: Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;
  /** The content type, which is used only if the file name has no known extension. Default: the type of the Blob. */
  contentType?: string | undefined;
}

/** A file whose bytes have been read, so that it can be sent several times. */
export interface Upload {
  request: RestRequest;
  /** How many times the timeout of one text the request gets. */
  times: number;
}

const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The characters of a page. */
const pageSize = 5_000;

/**
 * Builds the request that translates a file page by page. For a PDF, DOCX or XLSX in a form, the service would keep
 * the layout and return a different kind of result. So these files are sent as the whole body, with their fields in
 * the query. The file is read only once, here, and all attempts send the same bytes.
 */
export async function uploadOf(
  file: SourceFile,
  request: FileTranslationRequest & { dry_run?: true },
  key: string | undefined,
): Promise<Upload> {
  const headers: RequestHeaders = key === undefined ? {} : { 'idempotency-key': sendableKey(key) };
  const { name, data, contentType } = await contentOf(file);
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
      // These formats are compressed, so the size of the file does not show the length of its text.
      times: maxTimes,
    };
  }
  // Not `file` again: a stream can be read only once.
  const form = await formRequest('/api/translations', fields, 'source_document', { name, data, contentType });
  return {
    request: { ...form, headers: { ...headers, ...form.headers } },
    times: timesOfPages(data.size),
  };
}

/** The content types of Blobs without a type, by file extension. */
export type TypesByExtension = Readonly<Record<string, string>>;

/**
 * Builds a POST request with a form that contains a file in the part named `part`. The file is read only once, here.
 * @param more further files by the names of their parts
 * @param types content types by file extension, for files without a content type; if they are not given, the type of
 * the Blob is used
 */
export async function formRequest(
  path: string,
  fields: [string, string][],
  part: string,
  file: SourceFile,
  types: TypesByExtension = {},
  more: Readonly<Record<string, SourceFile | undefined>> = {},
): Promise<RestRequest & { headers: RequestHeaders }> {
  const form = new FormData();
  for (const [field, value] of fields) form.append(field, value);
  const append = async (field: string, sent: SourceFile) => {
    const { name, data, contentType } = await contentOf(sent, types);
    form.append(field, data.slice(0, data.size, contentType), name);
  };
  await append(part, file);
  for (const [field, sent] of Object.entries(more)) if (sent) await append(field, sent);
  // Encode the form here, because a `fetch` other than the global one may not support the global FormData.
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return { method: 'POST', path, headers, body: await encoded.arrayBuffer() };
}

/** Returns the name of a file and its bytes in base64, for procedures that take a file as part of a JSON body. */
export async function encodedFile(file: SourceFile): Promise<{ file_name: string; content: string }> {
  const { name, data } = await contentOf(file);
  const bytes = new Uint8Array(await data.arrayBuffer());
  let binary = '';
  // In parts, because a call has a maximum number of arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { file_name: name, content: btoa(binary) };
}

/**
 * How often the timeout of one text fits into that of several. The service translates texts side by side, and ends the
 * request itself (REQUEST_DEADLINE_SECONDS). A dead connection ends after this time.
 */
const maxTimes = 4;

/** Returns how many times the timeout of one text several texts get. */
export function timesOf(texts: number): number {
  return Math.min(Math.max(texts, 1), maxTimes);
}

/** Returns the same for the pages of a text with this many characters or bytes. */
export function timesOfPages(size: number): number {
  return timesOf(Math.ceil(size / pageSize));
}

/**
 * Checks the type of the data at run time, because JavaScript programs may pass a path, bytes without a name, or a
 * stream. A string is never treated as content, because it may be a path.
 * @throws TypeError if the data are not a file
 */
async function contentOf(
  given: SourceFile,
  types: TypesByExtension = {},
): Promise<{ name: string; data: Blob; contentType: string }> {
  const file = isAtPath(given) ? await openPath(given) : given;
  requireFile(file);
  const byExtension = types[/\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? ''];
  if (!('data' in file)) return { name: file.name, data: file, contentType: byExtension ?? file.type };
  const { name } = file;
  const data = isStream(file.data) ? await readStream(file.data) : file.data;
  // Do not check with instanceof: a Blob of another realm, or of a polyfill, would be converted to a string.
  const blob = 'stream' in data ? data : new Blob([data as Uint8Array<ArrayBuffer> | ArrayBuffer]);
  return { name, data: blob, contentType: file.contentType ?? byExtension ?? blob.type };
}

const howToOpen = 'to send the file at a path, use { path }';

function isAtPath(file: unknown): file is FileAtPath {
  const { path, name, data } = (file ?? {}) as { path?: unknown; name?: unknown; data?: unknown };
  // A stream of Node.js has a path, too.
  return typeof path === 'string' && name === undefined && data === undefined && !isStream(file);
}

/** The part of Node's module `fs` that is used here. The SDK is compiled without the types of any runtime. */
interface FileSystem {
  openAsBlob?(path: string): Promise<Blob>;
}

/** @throws TypeError in browsers and in older versions of Node.js; the error of the system if the file cannot be read */
async function openPath({ path, contentType }: FileAtPath): Promise<NamedContent> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => FileSystem | undefined };
  };
  const openAsBlob = process?.getBuiltinModule?.('fs')?.openAsBlob;
  if (!openAsBlob)
    throw new TypeError('this runtime cannot read the file at a path: use { name, data } with its bytes');
  return { name: path.replace(/^.*[\\/]/s, ''), data: await openAsBlob(path), contentType };
}

type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

function isStream(data: unknown): data is ByteStream {
  const { getReader } = (data ?? {}) as { getReader?: unknown };
  return (
    typeof getReader === 'function' ||
    (typeof data === 'object' && data !== null && Symbol.asyncIterator in data)
  );
}

async function readStream(stream: ByteStream): Promise<Blob> {
  if ('getReader' in stream) return new Response(stream).blob();
  const pieces: (Uint8Array<ArrayBuffer> | string)[] = [];
  for await (const piece of stream) pieces.push(piece as Uint8Array<ArrayBuffer> | string);
  return new Blob(pieces);
}

function requireFile(file: unknown): void {
  if (typeof file === 'string') throw new TypeError(`a file is expected, not a string; ${howToOpen}`);
  const { name, data } = (file ?? {}) as { name?: unknown; data?: unknown };
  const content = data ?? file;
  if (typeof content === 'string')
    throw new TypeError(
      `the data of a file must be a Blob or bytes, not a string; ${howToOpen}; to send a string as content, use new TextEncoder().encode(text)`,
    );
  if (!isBytes(content) && !isBlob(content) && !(data !== undefined && isStream(data)))
    throw new TypeError(
      `a file must be a File, or an object whose data is a Blob, bytes or a stream; ${howToOpen}`,
    );
  if (typeof name !== 'string' || name === '')
    throw new TypeError("a file must have a name with an extension: { name: 'menu.xlsx', data }");
}

function isBytes(value: unknown): boolean {
  // Do not check with instanceof: the value may be of another realm.
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

/** Returns the names and values of the fields that have one. A list becomes JSON. */
export function formFields(fields: object): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return [[name, JSON.stringify(value)]];
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [];
  });
}

const layoutTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/x-pdf',
  wordType,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]);

/** Returns the content type for a file that is the whole body. It is never one that the service parses as JSON. */
function rawTypeOf(type: string, extension: string | undefined): string {
  if (extension === 'pdf' || type === 'application/x-pdf' || type === 'application/pdf')
    return 'application/pdf';
  return extension === 'docx' || type === wordType ? wordType : 'application/octet-stream';
}

function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] as string).trim().toLowerCase();
}

/**
 * Percent-encodes a file name for a header, which may contain only ASCII. Halves of surrogate pairs are replaced,
 * because they cannot be encoded.
 */
function headerText(name: string): string {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

/**
 * Returns the idempotency key unchanged.
 * @throws TypeError if the key has characters that a header must not contain
 */
export function sendableKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key;
  throw new TypeError('the idempotency key of a file must be 1 to 255 characters of printable ASCII');
}
