import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/errors.ts';

/** Bytes; the bodies of as many smaller requests as there can be connections are bounded by that. */
const smallBody = 100_000;

/** Bytes of large bodies that one process holds at a time, answered for or not. */
export const mostHeld = 300_000_000;

/**
 * Bounds what the bodies of all requests together may hold: a caller without a credential can send thirty megabytes, and
 * open many connections. Past the bound a request is refused, and may come again.
 */
export function boundBodies(app: FastifyInstance, budget = mostHeld): void {
  let held = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared <= smallBody) return done(null, payload);

    let counted = 0;
    reply.raw.once('close', () => {
      held -= counted;
      counted = 0;
    });
    const counting = new Transform({
      transform(chunk: Buffer, _encoding, next) {
        counted += chunk.length;
        held += chunk.length;
        // What Fastify compares with its limit.
        Object.assign(counting, { receivedEncodedLength: counted });
        if (held <= budget) next(null, chunk);
        else
          next(
            new AppError('transient_error', 'too many large requests at once; try again later', {
              retryAfter: 5,
            }),
          );
      },
    });
    counting.once('error', () => {
      payload.unpipe(counting);
      // Thrown away, so that the refusal can be read.
      payload.resume();
    });
    payload.once('error', (error) => counting.destroy(error));
    payload.once('close', () => {
      // A client that hung up in the middle: nothing more will come.
      if (!payload.readableEnded) counting.destroy(new AppError('malformed_request', 'the body broke off'));
    });
    done(null, Object.assign(payload.pipe(counting), { receivedEncodedLength: 0 }));
  });
}
