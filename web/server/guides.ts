import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from '#server/http/response-headers.ts';
import type { AppRouter } from '#server/router.ts';
import type { Build } from './build.ts';
import type { Guide, GuideBook } from './guide-pages.ts';
import {
  type Found,
  indexGuides,
  maxQueryLength,
  type OperationEntry,
  type SearchIndex,
  searchGuides,
} from './guide-search.ts';
import { brand, escapeHtml } from './html.ts';
import { type PublicPages, preferencesOf, vary } from './public-pages.ts';
import type { Theme } from './theme.ts';

/** The inputs for the pages of guides. */
interface GuideFront {
  /** The service's public URL. */
  address: string;
  /** The path of the service's public URL. */
  basePath: string;
  /** Whether the public URL is https. */
  secure: boolean;
  /** The built files. If undefined, the pages have no style. */
  build: Pick<Build, 'guideStyle'> | undefined;
}

/**
 * Serves the documentation at `/docs/guides/`, next to the API reference at `/docs`, and the search of both. The pages
 * also work without their script, which only adds copy buttons. Guides change only with a release, so they are read and
 * rendered once, at the first request, and so is the search index.
 */
export function serveGuides(
  app: FastifyInstance,
  router: AppRouter,
  { address, basePath, secure, build, pictures, sendNotFound }: GuideFront & PublicPages,
): void {
  const script = scriptOf(basePath);
  const config = { versioned: false, shared: true };
  const book = once(async () => {
    const { readGuides } = await import('./guide-pages.ts');
    return readGuides(address, (name, alt) => pictures.html(name, alt, 'system'));
  });
  const index = once(async () => indexGuides(await book(), await operationsOf(router)));

  const send = (request: FastifyRequest, reply: FastifyReply, guides: GuideBook, page: GuidePage) =>
    reply
      .headers(pageHeaders())
      .header('vary', vary)
      .send(
        guideDocument(guides, page, {
          basePath,
          theme: preferencesOf(request, secure).theme,
          style: build?.guideStyle,
          scriptAddress: script.address,
        }),
      );

  app.get('/docs/guides.js', { config }, (_request, reply) =>
    reply
      .header('content-type', 'text/javascript; charset=utf-8')
      // The URL contains a digest of the content, so the response can be cached forever.
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(script.content),
  );
  for (const url of ['/docs/guides', '/docs/guides/'])
    app.get(url, { config }, async (request, reply) => {
      const guides = await book();
      return send(request, reply, guides, guides.index);
    });
  app.get('/docs/guides/search', { config }, async (request, reply) => {
    const { q } = request.query as { q?: unknown };
    const query = typeof q === 'string' ? q.slice(0, maxQueryLength) : '';
    return send(request, reply, await book(), searchPage(await index(), query, basePath));
  });
  app.get('/docs/guides/:name', { config }, async (request, reply) => {
    const guides = await book();
    const guide = guides.byName.get((request.params as { name: string }).name);
    return guide ? send(request, reply, guides, guide) : sendNotFound(request, reply);
  });
}

/** The script of the pages of guides. Its URL contains a digest, so it changes with the content. */
function scriptOf(basePath: string) {
  const content = readFileSync(join(import.meta.dirname, 'guides.js'), 'utf8');
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return { content, address: `${basePath}/docs/guides.js?${digest}` };
}

/** Returns a function that calls `make` only once. If `make` fails, the next call calls it again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * The operations of the API. Building the OpenAPI document takes longer than rendering all guides, so it is only built
 * for a search.
 */
async function operationsOf(router: AppRouter): Promise<OperationEntry[]> {
  const { buildOpenApiDocument } = await import('#rest/openapi.ts');
  return Object.entries(buildOpenApiDocument(router).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, summary, tags }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      summary,
      anchor: `/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
    })),
  );
}

interface GuidePage extends Pick<Guide, 'name' | 'title' | 'content'> {
  /** The searched text. */
  query?: string;
}

function searchPage(index: SearchIndex, query: string, basePath: string): GuidePage {
  const found = searchGuides(index, query);
  const count =
    query.trim() === ''
      ? 'Enter one or more words.'
      : found.length === 0
        ? 'No results. Try fewer words, or only the first letters of words.'
        : `${found.length} ${found.length === 1 ? 'result' : 'results'}.`;
  return {
    name: 'search',
    title: query === '' ? 'Search' : `Search: ${query}`,
    query,
    content: `<h1>Search</h1>
<p>${count}</p>
<ol class="found">
${found.map((one) => foundItem(one, basePath)).join('\n')}
</ol>
`,
  };
}

function foundItem({ page, heading, address, excerpt }: Found, basePath: string): string {
  const where = page === heading ? '' : `<span>${escapeHtml(page)}</span>`;
  return `<li><a href="${escapeHtml(basePath + address)}">${escapeHtml(heading)}</a> ${where}<p>${escapeHtml(excerpt)}</p></li>`;
}

/**
 * Builds the complete HTML document of a guide. The list of all guides is after the text in the document; wide windows
 * show it at the side.
 */
function guideDocument(
  { sections }: GuideBook,
  { name, title, content, query = '' }: GuidePage,
  {
    basePath,
    theme,
    style,
    scriptAddress,
  }: { basePath: string; theme: Theme; style: string | undefined; scriptAddress: string },
): string {
  const at = (path: string) => escapeHtml(basePath + path);
  const link = (guide: Guide, extra = '') =>
    `<a href="${at(`/docs/guides/${guide.name}`)}"${extra}>${escapeHtml(guide.title)}</a>`;
  const all = sections.flatMap(({ guides }) => guides);
  const here = all.findIndex((guide) => guide.name === name);
  const [before, after] = here < 0 ? [] : [all[here - 1], all[here + 1]];
  const list = sections
    .map(({ title, guides }) => {
      const items = guides.map(
        (guide) => `<li>${link(guide, guide.name === name ? ' aria-current="page"' : '')}</li>`,
      );
      return `<p>${escapeHtml(title)}</p>\n<ul>\n${items.join('\n')}\n</ul>`;
    })
    .join('\n');
  const turn =
    before || after
      ? `<nav class="turn" aria-label="Previous and next">${before ? `<span>← ${link(before, ' rel="prev"')}</span>` : ''}${after ? `<span>${link(after, ' rel="next"')} →</span>` : ''}</nav>`
      : '';
  return `<!doctype html>
<html lang="en"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}">
<title>${escapeHtml(`${title} · LinguaLoop`)}</title>
<link rel="icon" href="${at('/static/icon.svg')}" type="image/svg+xml">
${style ? `<link rel="stylesheet" href="${at(style)}">` : ''}
<script src="${escapeHtml(scriptAddress)}" defer></script>
</head>
<body>
<header>
<a class="skip-link" href="#text">Skip to the text</a>
<a class="brand" href="${at('/')}" translate="no" aria-label="LinguaLoop">${brand}</a>
<nav aria-label="Main"><a href="${at('/docs/guides/')}">Guides</a> <a href="${at('/docs')}">API reference</a> <a class="all" href="#guides">All guides</a></nav>
<form role="search" action="${at('/docs/guides/search')}">
<label for="search">Search</label>
<input id="search" type="search" name="q" maxlength="${maxQueryLength}" value="${escapeHtml(query)}" autocomplete="off" spellcheck="false" accesskey="/">
<button>Find</button>
</form>
</header>
<div class="columns">
<main id="text" tabindex="-1">
${content}
${turn}
</main>
<nav class="guides" id="guides" aria-label="All guides" tabindex="-1">
${list}
</nav>
</div>
</body>
</html>
`;
}
