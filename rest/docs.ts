import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '#server/http/response-headers.ts';
import type { AppRouter } from '#server/router.ts';

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
 * the second document. Each file is read or built at its first request, because building them takes longer than
 * starting the HTTP server. It is then kept as one Buffer for all responses. A client that already has the file
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

/** The page of the API reference: Swagger UI with the document for client generators. */
const page = (at: (path: string) => string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>LinguaLoop API</title>
    <link rel="icon" href="${at('/docs/favicon-32x32.png')}">
    <link rel="stylesheet" href="${at('/docs/swagger-ui.css')}">
    <link rel="stylesheet" href="${at('/docs/page.css')}">
  </head>
  <body>
    <nav class="top" aria-label="LinguaLoop"><a href="${at('/')}">LinguaLoop</a> <a href="${at('/docs/guides/')}">Guides</a></nav>
    <div id="swagger-ui"></div>
    <script src="${at('/docs/swagger-ui-bundle.js')}"></script>
    <script src="${at('/docs/start.js')}"></script>
  </body>
</html>
`;

/**
 * The script that opens Swagger UI. All sections are collapsed; a filter opens the sections that match it. Members
 * enter credentials under "Authorize", and these are not stored. The session cookie has no field and is not sent: a
 * request has the entered key or no credential. The validator badge is off, because it would send a request to
 * another host.
 */
const start = (
  basePath: string,
) => `globalThis.trustedTypes?.createPolicy('default', { createHTML: (sanitized) => sanitized });

const findOperations = (tags, phrase) => {
  const words = phrase.toLowerCase().split(/\\s+/).filter(Boolean);
  const isFound = (tag) => (operation) => {
    const told = operation.get('operation');
    const text = [tag, operation.get('method'), operation.get('path'), told.get('summary'), told.get('operationId')];
    return words.every((word) => text.join(' ').toLowerCase().includes(word));
  };
  return tags
    .map((one, tag) => one.update('operations', (operations) => operations.filter(isFound(tag))))
    .filter((one) => one.get('operations').size > 0);
};

const openWhatIsFound = {
  fn: { opsFilter: findOperations },
  statePlugins: {
    layout: {
      wrapActions: {
        updateFilter: (update, { layoutActions, specSelectors }) => (phrase) => {
          for (const tag of specSelectors.tags().map((one) => one.get('name')))
            layoutActions.show(['operations-tag', tag], Boolean(phrase));
          return update(phrase);
        },
      },
    },
    auth: {
      wrapSelectors: {
        // Browsers do not allow pages to set a cookie header.
        definitionsToAuthorize: (select) => (...given) =>
          select(...given).filterNot((scheme) => scheme.some((one) => one.get('in') === 'cookie')),
      },
    },
  },
};

SwaggerUIBundle({
  url: ${JSON.stringify(`${basePath}/openapi.clients.json`)},
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [openWhatIsFound],
  requestInterceptor(request) {
    request.credentials = 'omit';
    return request;
  },
  onComplete() {
    const field = document.querySelector('.operation-filter-input');
    field.placeholder = 'Filter: words of a path, a name or a summary';
    field.setAttribute('aria-label', 'Filter operations');
  },
});

// The style sheet has a dark theme, by a class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

const pageStyle = `body { margin: 0; }
.dark-mode body { background: #1c2022; }
.top { display: flex; flex-wrap: wrap; gap: 1.5rem; padding: 0.75rem 1.25rem; font: 1rem sans-serif; background: #1b1b1b; }
.top a { color: #fff; }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; width: 100%; max-width: 32rem; }
`;
