import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '#server/context.ts';
import { clientAddress } from '#server/http/client-address.ts';
import { pageHeaders } from '#server/http/response-headers.ts';
import { recordEvent } from '#server/identity/audit/audit-log.ts';
import { confirmEmail, findConfirmable } from '#server/identity/mail/confirmation.ts';
import {
  type OptionalMail,
  readUnsubscribeToken,
  type Subscription,
  unsubscribe,
} from '#server/identity/mail/preferences.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { basePathOf, publicAddress } from '#server/settings.ts';
import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import { confirmationWords, unsubscribeWords } from './mail-link-words.ts';
import { pageDocument } from './pages.ts';
import { type PublicPages, preferencesOf, vary } from './public-pages.ts';

/**
 * Serves the pages of two links in mails: one switches mails of a kind off, the other one confirms an email address. GET
 * shows a page with a button, and changes nothing, because some mail systems open all links. POST makes the change,
 * without a session: the button sends it and, to switch mails off, mail programs (RFC 8058). Without MAIL_SERVER, the paths do
 * not exist.
 */
export function serveMailLinks(
  app: FastifyInstance,
  { settings, database, secretsKeys }: Pick<Services, 'settings' | 'database' | 'secretsKeys'>,
  { build, sendNotFound }: { build: Build | undefined } & Pick<PublicPages, 'sendNotFound'>,
): void {
  if (!isMailOn(settings)) return;
  const secure = publicAddress(settings).startsWith('https:');
  const basePath = basePathOf(settings);
  const tokenOf = ({ params }: FastifyRequest) => (params as { token: string }).token;
  const subscriptionOf = (request: FastifyRequest) => readUnsubscribeToken(secretsKeys, tokenOf(request));

  const send = (request: FastifyRequest, reply: FastifyReply, title: string, rest: string) => {
    const { locale, theme } = preferencesOf(request, secure);
    const content = `<h1>${escapeHtml(title)}</h1>\n${rest}`;
    const frame = { build, basePath, path: '/', signUp: settings.EMAIL_SIGNUP_ENABLED, locale, theme };
    return (
      reply
        .headers(pageHeaders())
        .header('vary', vary)
        // With `no-referrer`, browsers send `Origin: null` with the form.
        .header('referrer-policy', 'same-origin')
        .header('x-robots-tag', 'noindex')
        .send(pageDocument({ title, content, locale }, frame))
    );
  };
  const wordsFor = (request: FastifyRequest, { kind }: Subscription) => {
    const words = unsubscribeWords[preferencesOf(request, secure).locale];
    return { ...words, mails: words[kind satisfies OptionalMail] };
  };

  const button = (name: string) =>
    // Without an action, the form is sent to the URL of the page.
    `<form method="post"><button class="button primary">${escapeHtml(name)}</button></form>`;

  const unsubscribeUrl = '/mail/unsubscribe/:token';
  app.get(unsubscribeUrl, { config: { versioned: false } }, (request, reply) => {
    const subscription = subscriptionOf(request);
    if (!subscription) return sendNotFound(request, reply);
    const { title, submit, mails } = wordsFor(request, subscription);
    return send(request, reply, title, `<p>${escapeHtml(mails)}</p>\n${button(submit)}`);
  });

  app.post(unsubscribeUrl, { config: { versioned: false, ignoresBody: true } }, async (request, reply) => {
    const subscription = subscriptionOf(request);
    if (!subscription) return sendNotFound(request, reply);
    await unsubscribe({ database }, subscription);
    const { done, again } = wordsFor(request, subscription);
    return send(request, reply, done, `<p>${escapeHtml(again)}</p>`);
  });

  const originOf = ({ id, headers, socket }: FastifyRequest) => ({
    requestId: id,
    clientAddress: clientAddress(headers, socket.remoteAddress ?? '', settings.TRUST_PROXY),
  });
  const confirmUrl = '/mail/confirm/:token';
  const confirmationOf = async (request: FastifyRequest) => {
    const account = await findConfirmable({ database, secretsKeys }, tokenOf(request));
    if (!account) return undefined;
    const words = confirmationWords[preferencesOf(request, secure).locale];
    // The name of the workspace may be anyone's choice, in any direction of writing.
    const shown = { email: account.email, workspace: account.workspace };
    const fill = (template: string) =>
      escapeHtml(template).replace(
        /\{(email|workspace)\}/g,
        (_match, name: keyof typeof shown) => `<bdi>${escapeHtml(shown[name])}</bdi>`,
      );
    return { account, words, fill };
  };

  app.get(confirmUrl, { config: { versioned: false } }, async (request, reply) => {
    const found = await confirmationOf(request);
    if (!found) return sendNotFound(request, reply);
    const { account, words, fill } = found;
    return account.isConfirmed
      ? send(request, reply, words.done, `<p>${fill(words.doneWhy)}</p>`)
      : send(
          request,
          reply,
          words.title,
          `<p>${fill(words.ask)}</p>\n<p>${fill(words.otherwise)}</p>\n${button(words.submit)}`,
        );
  });

  app.post(confirmUrl, { config: { versioned: false, ignoresBody: true } }, async (request, reply) => {
    const found = await confirmationOf(request);
    if (!found) return sendNotFound(request, reply);
    const { account, words, fill } = found;
    const { tenantId, userId } = account;
    await database.inTenant(tenantId, async (tx) => {
      if (await confirmEmail(tx, account))
        await recordEvent(tx, originOf(request), {
          action: 'email_confirmed',
          tenantId,
          actor: { kind: 'member', userId },
          target: userId,
        });
    });
    return send(request, reply, words.done, `<p>${fill(words.doneWhy)}</p>`);
  });
}
