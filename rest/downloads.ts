import { Readable } from 'node:stream';
import { encodeExtended } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { FileResponse, StreamResponse } from '#server/trpc.ts';

/** Sends a download; a name beyond ASCII goes into filename* (RFC 6266). */
export function sendFile(reply: FastifyReply, answer: FileResponse | StreamResponse): FastifyReply {
  const { contentType, fileName } = answer;
  const named = reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', attachment(fileName));
  if ('chunks' in answer) return sendChunks(named, answer);
  const { buffer, byteOffset, byteLength } = answer.bytes;
  return named.send(Buffer.from(buffer, byteOffset, byteLength));
}

/** Sends text as it is made, no faster than it is read; the client that hangs up ends its making. */
function sendChunks(reply: FastifyReply, { chunks, cut, end }: StreamResponse): FastifyReply {
  if (reply.raw.closed) end();
  else reply.raw.once('close', end);
  // Fastify would have all of it made for a HEAD.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  const stream = Readable.from(chunks, { highWaterMark: 1 });
  // A connection that merely ended would look like the end of the file to whoever speaks HTTP/1.0, as proxies do.
  const breakOff = () => reply.request.raw.socket.resetAndDestroy();
  stream.once('error', breakOff);
  if (cut.aborted) breakOff();
  else cut.addEventListener('abort', breakOff, { once: true });
  return reply.send(stream);
}

/** Content-Disposition of a download. Its name is always quoted: not every client reads one that is not. */
function attachment(fileName: string): string {
  const ascii = asciiName(fileName);
  const quoted = `attachment; filename="${ascii}"`;
  return ascii === fileName ? quoted : `${quoted}; filename*=${encodeExtended(fileName)}`;
}

/** For clients that read only `filename`: what some of them stumble over is replaced, as B 4.5 says of exports. */
function asciiName(fileName: string): string {
  return fileName.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
}
