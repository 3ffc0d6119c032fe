import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#server/errors.ts';
import {
  type BodyLimits,
  bodyTooLarge,
  declaredSize,
  isForm,
  mediaType,
} from '#server/http/request-limits.ts';
import { leftOutFields } from '#server/http/unknown-fields.ts';
import type { Upload } from '#server/trpc.ts';
import { isRawType } from './body-parsers.ts';

export function isUpload(request: FastifyRequest, { raw }: Upload): boolean {
  return isForm(request) || (raw && isRawType(mediaType(request.headers['content-type'])));
}

interface ReceivedFile {
  /** The file name; empty if the client sent none. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
  /** Whether the file was a part of a form, or the whole body. */
  via: 'form' | 'raw';
}

/**
 * Reads the input of a route that accepts files, from a form with file parts and fields, or from a file that is the
 * whole body, with its fields in the query. Fields that the input does not have are omitted; for a form, their names
 * are kept for a warning. If the route accepts only forms, any other body counts as a form without parts.
 * @throws AppError 400 for a malformed form; 413 if a size limit is exceeded
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
  // If the first part is absent, its route returns the error.
  const asText = upload.parts.slice(1).find((part) => fields.has(part) && !files.has(part));
  if (asText !== undefined)
    throw new AppError('validation_error', `${asText} must be a file part, with a file name`);
  for (const [name, value] of fields) if (known.has(name)) input[name] = value;
  const leftOut = [...fields.keys()].filter((name) => !names.includes(name));
  return { ...input, ...Object.fromEntries(files), [leftOutFields]: leftOut };
}

function readRaw({ body, headers, query }: FastifyRequest): ReceivedFile {
  const header = headers['x-source-filename'];
  // A name in the query is already percent-decoded; a name in a header is not.
  const named =
    typeof header === 'string' ? readHeaderText(header) : (query as Record<string, unknown>)['filename'];
  const name = typeof named === 'string' ? named.trim() : '';
  const contentType = headers['content-type'] ?? '';
  return { name, contentType, bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0), via: 'raw' };
}

/**
 * Decodes a file name in a header. A name that is not ASCII is percent-encoded, or its UTF-8 bytes arrive as Latin-1
 * characters.
 */
function readHeaderText(value: string): string {
  try {
    if (/%[0-9a-f]{2}/i.test(value)) return decodeURIComponent(value);
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

interface Form {
  /** The value of each field; a list for one that was sent several times and may be. */
  fields: Map<string, string | string[]>;
  files: Map<string, ReceivedFile>;
}

/**
 * Reads a form part by part. Of the file parts with the same name, the first is kept, if the route accepts this name.
 */
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
      // Discard the rest of the body, so that the client can read the error.
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
    // Not derived from `form.files`, which gets a part at its end: another part with the same name may begin before
    // that.
    const taken = new Set<string>();
    body.on('data', (chunk: Buffer) => {
      received += chunk.length;
      partTypes.push(chunk);
      if (received > limits.MAX_UPLOAD_BYTES)
        fail(bodyTooLarge('MAX_UPLOAD_BYTES', limits, declaredSize(request)));
    });
    body.on('error', fail);
    body.on('aborted', () => fail(malformed()));
    parser.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated)
        return fail(malformed(`the field ${name.slice(0, 100)} is too long`));
      const before = upload.lists?.includes(name) ? form.fields.get(name) : undefined;
      form.fields.set(name, before === undefined ? value : [before, value].flat());
    });
    parser.on('file', (field, stream, fileName, _encoding, saidType) => {
      const contentType = partTypes.isDeclared(field) ? saidType : '';
      stream.on('error', fail);
      if (!upload.parts.includes(field) || taken.has(field)) return void stream.resume();
      taken.add(field);
      const name = fileName ?? '';
      if (upload.ceiling({ name, contentType }) === 'MAX_REQUEST_BYTES') {
        if (declaredSize(request) > limits.MAX_REQUEST_BYTES)
          return fail(bodyTooLarge('MAX_REQUEST_BYTES', limits, declaredSize(request)));
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

/**
 * Collects the bytes of a stream in one buffer. Collecting pieces and joining them at the end would need twice the
 * memory.
 */
interface ByteCollector {
  add(piece: Uint8Array): void;
  /** Returns the bytes added so far. Nothing may be added afterwards. */
  finish(): Buffer;
}

/** Maximum bytes that are allocated before any byte has arrived. */
const reserved = 2 ** 20;

/**
 * @param expected the size that the client declared, in bytes; memory for all of it is allocated only after the first
 * `reserved` bytes have arrived
 */
function collectBytes(expected: number): ByteCollector {
  // Node's buffer pool is not used: a small buffer would keep the pool's whole memory block from being freed.
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

/**
 * Bytes of recent data that are kept to search for headers: more than the headers of one part (`headerSize`) and the
 * boundary before them.
 */
const kept = 32_768;

/**
 * Matches the headers of a part after its boundary. The number of headers is limited: otherwise a hostile form would
 * make the regex scan the same bytes repeatedly.
 */
const partHeaders = /\r\n--[^\r\n]*\r\n((?:[^\r\n]+\r\n){1,20})\r\n/g;

function namesOf(field: string): string[] {
  return [` name="${field}"`, ` name=${field}`, `;name="${field}"`, `;name=${field}`];
}

/**
 * Detects parts that declare no content type. Busboy reports text/plain for them, but only a declared type may be
 * compared with the file's name.
 */
function watchPartTypes(): { push(chunk: Buffer): void; isDeclared(field: string): boolean } {
  let recent = '\r\n';
  return {
    push(chunk) {
      recent = recent.slice(-kept) + chunk.toString('latin1');
    },
    /** Whether the part of this name that has just begun declares its content type. */
    isDeclared(field) {
      for (const { 0: whole, 1: headers = '', index } of recent.matchAll(partHeaders)) {
        // Skip fields that have this name and are not files.
        if (!headers.includes('filename') || !namesOf(field).some((name) => headers.includes(name))) continue;
        recent = recent.slice(index + whole.length - 2);
        return /^content-type:[ \t]*\S/im.test(headers);
      }
      return true;
    },
  };
}
