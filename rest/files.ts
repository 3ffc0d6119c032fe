import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { FileAnswer } from '#server/trpc.ts';

/** Sends a download; a name beyond ASCII goes into filename* (RFC 6266). */
export function sendFile(reply: FastifyReply, { bytes, contentType, fileName }: FileAnswer): FastifyReply {
  return reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', contentDisposition(fileName, { fallback: asciiName(fileName) }))
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/** For clients that read only `filename`: what some of them stumble over is replaced, as B 4.5 says of exports. */
function asciiName(fileName: string): string {
  return fileName.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
}
