import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import type { Upload } from '#server/trpc.ts';
import { isRawType, mediaType } from './media-types.ts';
import { type BodyLimits, declaredSize, isForm, tooLarge } from './request-limits.ts';

export function isUpload(request: FastifyRequest, { raw }: Upload): boolean {
  return isForm(request) || (raw && isRawType(mediaType(request.headers['content-type'])));
}

/** A file as it came over the wire. */
interface ReceivedFile {
  /** Empty where none was given. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
  /** A part of a form, or the whole body. */
  via: 'form' | 'raw';
}

/**
 * The input of a route that takes files: its file parts, and the fields of its form, or of its query beside a raw body.
 * Fields that the input does not have are left out. Where only forms are taken, another body is one without parts.
 * @throws AppError 400 for a form that is none, 413 past a limit
 */
export async function readUpload(
  request: FastifyRequest,
  names: readonly string[],
  upload: Upload,
  limits: BodyLimits,
): Promise<Record<string, unknown>> {
  const known = new Set(names);
  for (const part of upload.parts) known.delete(part);
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request.query as Record<string, unknown>))
    if (known.has(name)) input[name] = value;
  if (!isForm(request)) return upload.raw ? { ...input, [upload.parts[0]]: readRaw(request) } : input;
  const { fields, files } = await readForm(request, upload, limits);
  for (const [name, value] of fields) if (known.has(name)) input[name] = value;
  return { ...input, ...Object.fromEntries(files) };
}

function readRaw({ body, headers, query }: FastifyRequest): ReceivedFile {
  const named = headers['x-source-filename'] ?? (query as Record<string, unknown>)['filename'];
  const name = typeof named === 'string' ? readHeaderText(named).trim() : '';
  const contentType = headers['content-type'] ?? '';
  return { name, contentType, bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0), via: 'raw' };
}

/** A file name beyond ASCII comes percent-encoded, or as bytes of UTF-8, which Node reads as Latin-1. */
function readHeaderText(value: string): string {
  try {
    if (/%[0-9a-f]{2}/i.test(value)) return decodeURIComponent(value);
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

interface Form {
  fields: Map<string, string>;
  files: Map<string, ReceivedFile>;
}

/** Reads a form part by part; of the file parts, the first of each name that the route takes. */
function readForm(request: FastifyRequest, upload: Upload, limits: BodyLimits): Promise<Form> {
  return new Promise((resolve, reject) => {
    const body = request.body as Readable;
    const form: Form = { fields: new Map(), files: new Map() };
    let parser: BusboyInstance;
    let ended = false;
    const fail = (error: unknown) => {
      if (ended) return;
      ended = true;
      body.unpipe(parser);
      // What still comes is thrown away, so that the refusal can be read.
      body.resume();
      reject(error);
    };
    try {
      parser = new Busboy({
        headers: request.headers as { 'content-type': string },
        limits: {
          fields: 50,
          files: 5,
          parts: 60,
          fieldNameSize: 200,
          fieldSize: 100_000,
          headerPairs: 100,
          headerSize: 16_384,
          fileSize: limits.MAX_UPLOAD_BYTES,
        },
      });
    } catch {
      body.resume();
      reject(malformed());
      return;
    }
    let received = 0;
    const partTypes = watchPartTypes();
    // Not told by form.files: a second part may begin before the first one's end is announced.
    const taken = new Set<string>();
    body.on('data', (chunk: Buffer) => {
      received += chunk.length;
      partTypes.push(chunk);
      if (received > limits.MAX_UPLOAD_BYTES) fail(tooLarge('MAX_UPLOAD_BYTES'));
    });
    body.on('error', fail);
    body.on('aborted', () => fail(malformed()));
    parser.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated)
        return fail(malformed(`the field ${name.slice(0, 100)} is too long`));
      form.fields.set(name, value);
    });
    parser.on('file', (field, stream, fileName, _encoding, saidType) => {
      const contentType = partTypes.isDeclared(field) ? saidType : '';
      stream.on('error', fail);
      if (!upload.parts.includes(field) || taken.has(field)) return void stream.resume();
      taken.add(field);
      const name = fileName ?? '';
      if (upload.ceiling({ name, contentType }) === 'MAX_REQUEST_BYTES') {
        if (declaredSize(request) > limits.MAX_REQUEST_BYTES) return fail(tooLarge('MAX_REQUEST_BYTES'));
      }
      const declared = declaredSize(request);
      const collector = collectBytes(declared <= limits.MAX_UPLOAD_BYTES ? declared : 0);
      stream.on('data', (chunk: Buffer) => collector.add(chunk));
      stream.on('end', () => {
        form.files.set(field, { name, contentType, bytes: collector.finish(), via: 'form' });
      });
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.on(limit, () => fail(malformed('the form has too many parts')));
    parser.on('error', () => fail(malformed()));
    parser.on('finish', () => {
      if (ended) return;
      ended = true;
      resolve(form);
    });
    body.pipe(parser);
  });
}

function malformed(reason = 'the form cannot be read'): AppError {
  return new AppError('malformed_request', `invalid multipart body: ${reason}`);
}

/** Collects the bytes of a stream in one place: pieces that are joined at the end are in memory twice. */
interface ByteCollector {
  add(piece: Uint8Array): void;
  /** What has been added; nothing may be added any more. */
  finish(): Buffer;
}

/** Bytes that are reserved for what has only been announced. */
const reserved = 2 ** 20;

/** @param expected bytes there will be at most, as far as somebody said; believed when a good part has come */
function collectBytes(expected: number): ByteCollector {
  // Not from the pool, which small ones would keep from being freed.
  let bytes = Buffer.allocUnsafeSlow(Math.min(Math.max(expected, 1024), reserved));
  let length = 0;
  return {
    add(piece) {
      const needed = length + piece.length;
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, expected, 2 * bytes.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      bytes.set(piece, length);
      length = needed;
    },
    finish: () => bytes.subarray(0, length),
  };
}

/** More than the headers of one part may be (`headerSize`), and the boundary before them. */
const kept = 32_768;

/** A part's headers, behind its boundary; a bounded number of them, or a hostile form would be read again and again. */
const partHeaders = /\r\n--[^\r\n]*\r\n((?:[^\r\n]+\r\n){1,20})\r\n/g;

function namesOf(field: string): string[] {
  return [` name="${field}"`, ` name=${field}`, `;name="${field}"`, `;name=${field}`];
}

/**
 * Watches a form's bytes for parts that declare no content type: Busboy calls them text/plain, and what is not declared must
 * not be held against what a file is called.
 */
function watchPartTypes(): { push(chunk: Buffer): void; isDeclared(field: string): boolean } {
  let recent = '\r\n';
  return {
    push(chunk) {
      recent = recent.slice(-kept) + chunk.toString('latin1');
    },
    /** Of the part of this name that begins now. */
    isDeclared(field) {
      for (const { 0: whole, 1: headers = '', index } of recent.matchAll(partHeaders)) {
        // A field of that name is no file.
        if (!headers.includes('filename') || !namesOf(field).some((name) => headers.includes(name))) continue;
        recent = recent.slice(index + whole.length - 2);
        return /^content-type:[ \t]*\S/im.test(headers);
      }
      return true;
    },
  };
}
