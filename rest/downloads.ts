import { Readable } from 'node:stream';
import { encodeExtended } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { FileResponse, StreamResponse } from '#server/trpc.ts';

/**
 * Sends a download. A file name that is not ASCII is sent as filename* (RFC 6266). A suggested name is
 * percent-encoded, like the names that clients send in X-Source-Filename.
 */
export function sendFile(reply: FastifyReply, file: FileResponse | StreamResponse): FastifyReply {
  const { contentType, fileName, suggestedName } = file;
  const named = reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', attachment(fileName));
  if (suggestedName !== undefined) named.header('x-suggested-filename', encodeURIComponent(suggestedName));
  if ('chunks' in file) return sendChunks(named, file);
  const { buffer, byteOffset, byteLength } = file.bytes;
  return named.send(Buffer.from(buffer, byteOffset, byteLength));
}

/**
 * Sends a file while it is read or generated, no faster than the client reads it. If the client disconnects, reading
 * or generating stops.
 */
function sendChunks(reply: FastifyReply, { chunks, length, cut, end }: StreamResponse): FastifyReply {
  if (reply.raw.closed) end();
  else reply.raw.once('close', end);
  if (length !== undefined) reply.header('content-length', length);
  // HEAD needs no body, but Fastify would generate all of it.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  const stream = Readable.from(chunks, { highWaterMark: 1 });
  // Reset the connection: to an HTTP/1.0 client, such as a proxy, a normal close would look like the end of the file.
  const breakOff = () => reply.request.raw.socket.resetAndDestroy();
  stream.once('error', breakOff);
  if (cut.aborted) breakOff();
  else cut.addEventListener('abort', breakOff, { once: true });
  return reply.send(stream);
}

/** Returns the Content-Disposition of a download. The name is always quoted: some clients cannot read an unquoted one. */
function attachment(fileName: string): string {
  const ascii = asciiName(fileName);
  const quoted = `attachment; filename="${ascii}"`;
  return ascii === fileName ? quoted : `${quoted}; filename*=${encodeExtended(fileName)}`;
}

/**
 * Returns a file name for clients that read only `filename`: characters that some of them cannot handle are replaced.
 */
function asciiName(fileName: string): string {
  return fileName.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
}
