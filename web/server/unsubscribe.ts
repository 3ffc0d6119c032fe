import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '#server/context.ts';
import { pageHeaders } from '#server/http/response-headers.ts';
import type { OptionalMail } from '#server/identity/mail/preferences.ts';
import { readUnsubscribeToken, type Subscription, unsubscribe } from '#server/identity/mail/unsubscribe.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { basePathOf, publicAddress } from '#server/settings.ts';
import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import type { Locale } from './locale.ts';
import { pageDocument } from './page-document.ts';
import { type PublicPages, preferencesOf, vary } from './public-pages.ts';
import { unsubscribeWords } from './unsubscribe-words.ts';

/**
 * Serves the pages of the links in mails that members can switch off. GET shows a page with a button, and changes
 * nothing, because some mail systems open all links. POST switches the mails off, without a session: the button sends it,
 * and so do mail programs (RFC 8058). Without SMTP_URL, the path does not exist.
 */
export function serveUnsubscribe(
  app: FastifyInstance,
  { settings, database, secretsKeys }: Pick<Services, 'settings' | 'database' | 'secretsKeys'>,
  { build, sendNotFound }: { build: Build | undefined } & Pick<PublicPages, 'sendNotFound'>,
): void {
  if (!isMailOn(settings)) return;
  const secure = publicAddress(settings).startsWith('https:');
  const basePath = basePathOf(settings);
  const url = '/mail/unsubscribe/:token';

  const subscriptionOf = ({ params }: FastifyRequest) =>
    readUnsubscribeToken(secretsKeys, (params as { token: string }).token);

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    title: string,
    contentOf: (locale: Locale) => string,
  ) => {
    const { locale, theme } = preferencesOf(request, secure);
    const content = `<h1>${escapeHtml(title)}</h1>\n${contentOf(locale)}`;
    const frame = { build, basePath, path: '/', signUp: settings.EMAIL_SIGNUP_ENABLED, locale, theme };
    return reply
      .headers(pageHeaders())
      .header('vary', vary)
      .header('x-robots-tag', 'noindex')
      .send(pageDocument({ title, content, locale }, frame));
  };
  const wordsFor = (request: FastifyRequest, { kind }: Subscription) => {
    const words = unsubscribeWords[preferencesOf(request, secure).locale];
    return { ...words, mails: words[kind satisfies OptionalMail] };
  };

  app.get(url, { config: { versioned: false } }, (request, reply) => {
    const subscription = subscriptionOf(request);
    if (!subscription) return sendNotFound(request, reply);
    const { title, button, mails } = wordsFor(request, subscription);
    // Without an action, the form is sent to the URL of the page.
    return send(
      request,
      reply,
      title,
      () => `<p>${escapeHtml(mails)}</p>
<form method="post"><button class="button primary">${escapeHtml(button)}</button></form>`,
    );
  });

  app.post(url, { config: { versioned: false, ignoresBody: true } }, async (request, reply) => {
    const subscription = subscriptionOf(request);
    if (!subscription) return sendNotFound(request, reply);
    await unsubscribe({ database }, subscription);
    const { done, again } = wordsFor(request, subscription);
    return send(request, reply, done, () => `<p>${escapeHtml(again)}</p>`);
  });
}
