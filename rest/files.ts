import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import type { FileAnswer } from '#server/trpc.ts';

/** Sends a download; a name beyond ASCII goes into filename* (RFC 6266). */
export function sendFile(reply: FastifyReply, { bytes, contentType, fileName }: FileAnswer): FastifyReply {
  return reply
    .code(200)
    .header('content-type', contentType)
    .header('content-disposition', contentDisposition(fileName))
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
