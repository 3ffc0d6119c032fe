import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppRouter } from '#server/router.ts';

const { resolve } = createRequire(import.meta.url);

const page = (at: (path: string) => string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>LinguaLoop API</title>
    <link rel="icon" href="${at('/docs/favicon-32x32.png')}">
    <link rel="stylesheet" href="${at('/docs/swagger-ui.css')}">
    <link rel="stylesheet" href="${at('/docs/page.css')}">
  </head>
  <body>
    <p class="credential">
      <a href="${at('/docs/guides/')}">Guides</a>
      <label for="credential">API key or access token for the calls of this page</label>
      <input id="credential" type="password" autocomplete="off" spellcheck="false">
    </p>
    <div id="swagger-ui"></div>
    <script src="${at('/docs/swagger-ui-bundle.js')}"></script>
    <script src="${at('/docs/start.js')}"></script>
  </body>
</html>
`;

/**
 * The document declares no security (A 1 rule 6), so Swagger UI has no field for a credential: the page has one, and its calls carry what is
 * in it. It is kept nowhere, and the session cookie stays out: a call acts as the key that is shown, or as nobody. No validator badge: it
 * would call another host.
 */
const start = (basePath: string) => `SwaggerUIBundle({
  url: ${JSON.stringify(`${basePath}/openapi.json`)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor(request) {
    const credential = document.getElementById('credential').value.trim();
    request.credentials = 'omit';
    if (credential !== '' && new URL(request.url, location.href).origin === location.origin)
      request.headers.Authorization = 'Bearer ' + credential;
    return request;
  },
});
`;

const pageStyle = `body { margin: 0; }
.credential { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; margin: 0; padding: 0.75rem 1.25rem;
  font: 1rem sans-serif; color: #fff; background: #1b1b1b; }
.credential a { color: #fff; }
.credential input { flex: 1 1 20rem; max-width: 32rem; padding: 0.5rem; font: 1rem monospace; }
`;

/** The files of Swagger UI that the page loads, from the copy in @fastify/swagger-ui. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Everything comes from this origin and nothing is inline, except the images that the style sheet embeds. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A response that is the same for every client, with its entity tag. */
interface Part {
  type: string;
  content: Buffer;
  tag: string;
}

/**
 * Serves GET /openapi.json and GET /docs, which renders it (A 1 rule 6). Each file is read or built on its first
 * request: importing the generator alone takes longer than starting the HTTP server. It is then kept as one Buffer for
 * all responses; a client that already has it gets 304.
 * @param basePath the path of the service's public address, which stands before each address in the page
 */
export function serveDocs(app: FastifyInstance, router: AppRouter, basePath: string): void {
  const serve = (
    url: string,
    type: string,
    read: () => Promise<string | Buffer>,
    { versioned = false, cache = 'no-cache' } = {},
  ) => {
    let part: Promise<Part> | undefined;
    app.get(url, { config: { versioned, shared: true } }, async (request, reply) => {
      part ??= keep(type, read()).catch((error) => {
        part = undefined;
        throw error;
      });
      reply.header('cache-control', cache);
      return sendPart(request, reply, await part);
    });
  };

  serve('/openapi.json', 'application/json; charset=utf-8', () => serializeDocument(router, basePath), {
    versioned: true,
  });
  const at = (path: string) => (basePath + path).replaceAll('&', '&amp;');
  // Fastify's own plugin could do this, but it takes 45 ms to start, requires @fastify/swagger, and serves the document
  // at two more addresses.
  for (const url of ['/docs', '/docs/']) serve(url, 'text/html; charset=utf-8', async () => page(at));
  serve('/docs/start.js', files['swagger-ui-bundle.js'], async () => start(basePath));
  serve('/docs/page.css', files['swagger-ui.css'], async () => pageStyle);
  for (const [name, type] of Object.entries(files))
    serve(`/docs/${name}`, type, () => readFile(resolve(`@fastify/swagger-ui/static/${name}`)), {
      cache: 'public, max-age=3600',
    });
}

async function serializeDocument(router: AppRouter, basePath: string): Promise<string> {
  const { buildOpenApiDocument } = await import('./openapi.ts');
  return JSON.stringify(buildOpenApiDocument(router, basePath));
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
  return reply
    .header('content-type', type)
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .send(content);
}
