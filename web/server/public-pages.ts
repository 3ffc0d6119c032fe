import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { publishPrices } from '#server/billing/prices.ts';
import type { Services } from '#server/context.ts';
import { isCrossSite, readCookie } from '#server/http/cookies.ts';
import { pageHeaders } from '#server/http/response-headers.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { basePathOf, publicAddress, type Settings } from '#server/settings.ts';
import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import { type LandingFacts, landingPage } from './landing.ts';
import { type Locale, localeCookie, localeFor, localeNamed } from './locale.ts';
import { errorWords, notFound, stubNotice } from './page-words.ts';
import { type Page, type PageFacts, type PageFrame, pageDocument, readPage } from './pages.ts';
import { type Theme, themeCookie, themeFor } from './theme.ts';

const pages = ['about', 'privacy', 'terms', 'contact', 'resources'];

/** The response depends on the languages of the browser, and on the cookies with its language and theme. */
export const vary = 'Accept-Language, Cookie';

/** The parts of the public pages that the other routes for browsers use. */
export interface PublicPages {
  pictures: Pictures;
  /** Sends the page for a path that does not exist. */
  sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** Returns the page for the JSON of an error, and sets its headers; other payloads are returned as they are. */
  withErrorPage(request: FastifyRequest, reply: FastifyReply, payload: string): string;
}

/** The language and theme of a response. */
export function preferencesOf({ headers }: FastifyRequest, secure: boolean) {
  return {
    locale: localeFor(readCookie(headers, localeCookie(secure)), headers['accept-language']),
    theme: themeFor(readCookie(headers, themeCookie(secure))),
  };
}

/**
 * Serves the pages that need neither a session nor a script. `?lang=` selects the language of a page; a link of our own
 * pages also stores it, as the application does, so that the next page has the same language.
 */
export function servePublicPages(
  app: FastifyInstance,
  { settings, engine, payments, log }: Pick<Services, 'settings' | 'engine' | 'payments' | 'log'>,
  build: Build | undefined,
): PublicPages {
  const address = publicAddress(settings);
  const secure = address.startsWith('https:');
  const basePath = basePathOf(settings);
  const folder = join(settings.DATA_DIR, 'pages');
  const pictures = servePictures(app, { basePath, sendNotFound });
  const facts: LandingFacts = {
    address,
    basePath,
    signUp: settings.EMAIL_SIGNUP_ENABLED,
    demo: settings.DEMO_WORKSPACE,
    needsPlan: settings.BILLING_ENABLED,
    trial: hasTrial(settings) ? { characters: settings.TRIAL_CHARS, days: settings.TRIAL_DAYS } : null,
  };

  const said: PageFacts = {
    billing: settings.BILLING_ENABLED,
    mail: isMailOn(settings),
    model: engine.live,
    signUp: facts.signUp,
    storage: settings.STORAGE_BINDING_ENABLED,
  };

  const prices = publishPrices({ settings, payments, log });
  const landing = async ({ locale, theme }: ReturnType<typeof preferencesOf>) =>
    landingPage(locale, facts, await prices(), (alt) => pictures.html('editor', alt, theme));

  const noticeFor = ({ locale }: Page) => (engine.live ? '' : stubNotice[locale]);

  app.get('/', { config: { versioned: false } }, async (request, reply) => {
    const preferences = pagePreferencesOf(request);
    const own = await readPage(folder, 'home', preferences.locale, basePath, said);
    const path = '/';
    if (own) return send(request, reply, own, { path, notice: noticeFor(own) });
    const page = await landing(preferences);
    const { parts } = page;
    return send(request, reply, page, { path, notice: noticeFor(page), layout: 'landing', parts });
  });
  for (const name of pages)
    app.get(`/${name}`, { config: { versioned: false } }, (request, reply) => sendPage(request, reply, name));
  app.get('/resources/:name', { config: { versioned: false } }, (request, reply) =>
    sendPage(request, reply, `resources/${(request.params as { name: string }).name}`),
  );

  async function sendPage(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const page = await readPage(folder, name, pagePreferencesOf(request).locale, basePath, said);
    return page ? send(request, reply, page, { path: `/${name}` }) : sendNotFound(request, reply);
  }

  function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { locale } = pagePreferencesOf(request);
    const title = notFound[locale];
    // Not the path of the request, which could be the URL of another site.
    return send(request, reply.code(404), { title, content: `<h1>${title}</h1>`, locale }, { path: '/' });
  }

  function withErrorPage(request: FastifyRequest, reply: FastifyReply, payload: string): string {
    // Without a build, the error names the command that the operator has to run.
    if (!build || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
    const { error_code, request_id } = JSON.parse(payload) as { error_code?: string; request_id?: string };
    if (error_code === undefined || request_id === undefined) return payload;
    const { locale } = preferencesOf(request, secure);
    const { title, ...causes } = errorWords[locale];
    const cause = causes[causeOf(reply.statusCode)];
    const content = `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(cause)}</p>\n<p><small>${reply.statusCode} · <code>${escapeHtml(request_id)}</code></small></p>`;
    reply.headers(pageHeaders()).header('vary', vary).header('cache-control', 'no-store');
    const frame = { build, basePath, signUp: facts.signUp, ...preferencesOf(request, secure), path: '/' };
    return pageDocument({ title, content, locale }, frame);
  }

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: Page,
    more: Pick<PageFrame, 'path' | 'notice' | 'layout' | 'parts'>,
  ): FastifyReply {
    const chosen = chosenLocale(request);
    if (chosen && !isCrossSite(request.headers, settings.BASE_URL))
      reply.header(
        'set-cookie',
        `${localeCookie(secure)}=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax${secure ? '; Secure' : ''}`,
      );
    const frame = { build, basePath, signUp: facts.signUp, ...pagePreferencesOf(request), ...more };
    return reply.headers(pageHeaders()).header('vary', vary).send(pageDocument(page, frame));
  }

  function pagePreferencesOf(request: FastifyRequest) {
    const preferences = preferencesOf(request, secure);
    return { ...preferences, locale: chosenLocale(request) ?? preferences.locale };
  }

  return { pictures, sendNotFound, withErrorPage };
}

/** The words for the status of an error. */
function causeOf(status: number): 'foreign' | 'tooMany' | 'ours' | 'other' {
  if (status === 403) return 'foreign';
  if (status === 429) return 'tooMany';
  return status >= 500 ? 'ours' : 'other';
}

/** Whether visitors can create a workspace that has a free trial. */
function hasTrial(settings: Settings): boolean {
  const { BILLING_ENABLED, EMAIL_SIGNUP_ENABLED, TRIAL_CHARS, TRIAL_DAYS, TRIAL_GRANTS_PER_ADDRESS } =
    settings;
  return (
    BILLING_ENABLED && EMAIL_SIGNUP_ENABLED && Math.min(TRIAL_CHARS, TRIAL_DAYS, TRIAL_GRANTS_PER_ADDRESS) > 0
  );
}

/** The language that a link at the end of a page selects. */
function chosenLocale({ query }: FastifyRequest): Locale | undefined {
  return localeNamed((query as { lang?: unknown }).lang);
}

/** The directory of the pictures of the application, which `npm run screenshots` writes. */
export const pictureDirectory = join(import.meta.dirname, '../../docs/images');

/** The size of every picture on a page, in CSS pixels. The files have more pixels, for sharp screens. */
export const pictureSize = { width: 1440, height: 900 } as const;

/** The pictures of the application: each is a file for light themes and one for dark themes. */
interface Pictures {
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
function servePictures(
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
