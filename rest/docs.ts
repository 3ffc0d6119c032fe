import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '#server/http/response-headers.ts';
import type { AppRouter } from '#server/router.ts';
import { page, pageStyle, start } from './docs-page.ts';

const { resolve } = createRequire(import.meta.url);

/** The files of Swagger UI that the page loads, from the copy in @fastify/swagger-ui. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * The Content-Security-Policy of the web application, with one more Trusted Types policy. Swagger UI inserts
 * descriptions as HTML after DOMPurify has sanitized them; the page's default policy allows that, but never makes a
 * script from a text.
 */
const headersOfPage = pageHeaders('default dompurify');

interface PartOptions {
  versioned?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** A response that is the same for every client, and its entity tag. */
interface Part {
  type: string;
  content: Buffer;
  tag: string;
}

/**
 * Serves GET /openapi.json, the same document with security for client generators, and GET /docs, a page that renders
 * the second document. Each file is read or built at its first request, because importing the generator takes longer
 * than starting the HTTP server. It is then kept as one Buffer for all responses. A client that already has the file
 * gets 304.
 * @param basePath the path of the service's public URL, the prefix of each path in the page
 */
export function serveDocs(app: FastifyInstance, router: AppRouter, basePath: string): void {
  const serve = (
    url: string,
    type: string,
    read: () => Promise<string | Buffer>,
    { versioned = false, headers = { 'cache-control': 'no-cache' } }: PartOptions = {},
  ) => {
    let part: Promise<Part> | undefined;
    app.get(url, { config: { versioned, shared: true } }, async (request, reply) => {
      part ??= keep(type, read()).catch((error) => {
        part = undefined;
        throw error;
      });
      reply.headers(headers);
      return sendPart(request, reply, await part);
    });
  };

  const json = 'application/json; charset=utf-8';
  const build = () => import('./openapi.ts');
  serve(
    '/openapi.json',
    json,
    async () => JSON.stringify((await build()).buildOpenApiDocument(router, basePath)),
    {
      versioned: true,
    },
  );
  serve(
    '/openapi.clients.json',
    json,
    async () => JSON.stringify((await build()).buildClientsDocument(router, basePath)),
    { versioned: true },
  );
  const at = (path: string) => (basePath + path).replaceAll('&', '&amp;');
  // @fastify/swagger-ui itself could serve these files, but it takes 45 ms to start, requires @fastify/swagger, and
  // serves the document at two additional paths.
  for (const url of ['/docs', '/docs/'])
    serve(url, headersOfPage['content-type'] as string, async () => page(at), { headers: headersOfPage });
  serve('/docs/start.js', files['swagger-ui-bundle.js'], async () => start(basePath));
  serve('/docs/page.css', files['swagger-ui.css'], async () => pageStyle);
  for (const [name, type] of Object.entries(files))
    serve(`/docs/${name}`, type, () => readFile(resolve(`@fastify/swagger-ui/static/${name}`)), {
      headers: { 'cache-control': 'public, max-age=3600' },
    });
}

async function keep(type: string, read: Promise<string | Buffer>): Promise<Part> {
  const content = Buffer.from(await read);
  return { type, content, tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}

function sendPart(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, content, tag }: Part,
): FastifyReply {
  reply.header('etag', tag);
  if (headers['if-none-match']?.includes(tag)) return reply.code(304).send();
  return reply.header('content-type', type).send(content);
}
