import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from './html.ts';
import type { Theme } from './theme.ts';

/** The directory of the pictures of the application, which `npm run screenshots` writes. */
export const pictureDirectory = join(import.meta.dirname, '../../docs/images');

/** The size of every picture on a page, in CSS pixels. The files have more pixels, for sharp screens. */
export const pictureSize = { width: 1440, height: 900 } as const;

/** The pictures of the application: each is a file for light themes and one for dark themes. */
export interface Pictures {
  /**
   * Builds a picture as HTML.
   * @param name the name of the picture, such as `editor`
   * @param alt its description
   * @param theme with `system`, the browser selects the file
   * @returns undefined if the picture does not exist
   */
  html(name: string, alt: string, theme: Theme): string | undefined;
}

/**
 * Serves the pictures of the application at `/docs/images/`, for the landing page and the guides. Their URLs contain a
 * digest of the content, so the responses can be cached forever.
 * @param directory a directory of WebP files, which may be missing
 */
export function servePictures(
  app: FastifyInstance,
  {
    basePath,
    sendNotFound,
    directory = pictureDirectory,
  }: {
    basePath: string;
    sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply;
    directory?: string;
  },
): Pictures {
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.webp')) : [];
  const files = new Map(names.map((name) => [name, readFileSync(join(directory, name))]));
  const addresses = new Map(
    [...files].map(([name, content]) => {
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
      return [name, escapeHtml(`${basePath}/docs/images/${name}?${digest}`)];
    }),
  );
  app.get('/docs/images/:name', { config: { versioned: false, shared: true } }, (request, reply) => {
    const content = files.get((request.params as { name: string }).name);
    if (!content) return sendNotFound(request, reply);
    return reply
      .header('content-type', 'image/webp')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(content);
  });
  return {
    html(name, alt, theme) {
      const [light, dark] = [addresses.get(`${name}-light.webp`), addresses.get(`${name}-dark.webp`)];
      if (!light || !dark) return undefined;
      const image = `<img src="${theme === 'dark' ? dark : light}" width="${pictureSize.width}" height="${pictureSize.height}" alt="${escapeHtml(alt)}">`;
      if (theme !== 'system') return image;
      return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dark}">${image}</picture>`;
    },
  };
}
