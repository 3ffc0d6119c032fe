import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/errors.ts';
import { notAForm } from './form-body.ts';

/** Hands every body on as bytes, for its route to parse; a multipart form as a stream, to the routes that take files. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', ({ routeOptions: { config } }, body, done) => {
    if (config.bodyCeiling === 'MAX_UPLOAD_BYTES') return done(null, body);
    done(
      config.formOnly
        ? notAForm()
        : new AppError('unsupported_media_type', 'unsupported content type; send application/json'),
    );
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
