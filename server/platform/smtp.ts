import { type Settings, SettingsError } from '#server/settings.ts';

/** Milliseconds of an attempt, from the connection to the response of the server. */
const maxSendMs = 60_000;
/** Milliseconds without a byte of the server, in each phase of a connection. */
const defaultSilenceMs = 15_000;

/** A mail in all its parts. No header may contain a line break. */
interface OutgoingMail {
  /** The Message-ID without its domain. Systems that get the same ID twice drop the second mail. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  date: Date;
  language: string;
  /** The URL that switches such mails off with one request (RFC 8058). Null for mails that cannot be switched off. */
  unsubscribeUrl: string | null;
}

/**
 * The outcome of an attempt. `retry` means that a later attempt may succeed. The reason is a code of the protocol or
 * of the system, without texts and addresses.
 */
type SendOutcome = { ok: true } | { ok: false; retry: boolean; reason: string };

/** Whether the deployment sends mails. */
export function isMailOn({ MAIL_SERVER }: Pick<Settings, 'MAIL_SERVER'>): boolean {
  return MAIL_SERVER !== undefined;
}

/** An address of one mailbox, without a space, a control character, a list, a name or a route. */
const mailbox = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/**
 * Whether a recipient and headers contain what would add a header or another recipient. The library removes line breaks
 * instead, which makes one address of two. Callers check their values; this is the last check for all of them.
 */
function injects({
  to,
  ...headers
}: Pick<OutgoingMail, 'to' | 'id' | 'subject' | 'language' | 'unsubscribeUrl'>): boolean {
  return !mailbox.test(to) || Object.values(headers).some((value) => /\p{Cc}/u.test(value ?? ''));
}

/** Sends a mail, with a new connection. Refuses one whose recipient or headers contain a line break. */
export async function sendBySmtp(
  settings: Settings,
  mail: OutgoingMail,
  maxSilenceMs = defaultSilenceMs,
): Promise<SendOutcome> {
  const { id, to, unsubscribeUrl, language, ...parts } = mail;
  const { subject } = parts;
  if (injects({ id, to, subject, language, unsubscribeUrl }))
    return { ok: false, retry: false, reason: 'malformed' };
  try {
    const { transport, from } = await openSmtp(settings, maxSilenceMs);
    await transport.sendMail({
      ...parts,
      from,
      // Not a text, which could be read as several addresses.
      to: { name: '', address: to },
      messageId: `<${id}@${/@([^>]+)/.exec(from)?.[1] ?? 'localhost'}>`,
      headers: {
        'Content-Language': language,
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl !== null && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      },
      ...(unsubscribeUrl !== null && { list: { unsubscribe: unsubscribeUrl } }),
      textEncoding: 'base64',
      disableFileAccess: true,
      disableUrlAccess: true,
      signal: AbortSignal.timeout(maxSendMs),
    });
    return { ok: true };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Connects to the server and signs in, but sends nothing. @throws Error of the connection */
export async function checkSmtp(settings: Settings): Promise<void> {
  await (await openSmtp(settings, defaultSilenceMs)).transport.verify();
}

/**
 * Over `smtp://`, TLS begins with STARTTLS if the server offers it, and must begin if there are credentials. A server on
 * this machine needs none, and its certificate is often one that no one trusts.
 */
async function openSmtp({ MAIL_SERVER: server }: Settings, maxSilenceMs: number) {
  if (server === undefined) throw new SettingsError('MAIL_SERVER: is not set');
  // Loaded only by processes that send mails.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isLocal = /^(127\.|localhost$|::1$)/.test(host);
  const transport = createTransport({
    host,
    ...(port !== '' && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ignoreTLS: isLocal,
    requireTLS: username !== '' && !isLocal,
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
      // Without it, a server that offers no sign-in would get the mail without one.
      forceAuth: true,
    }),
    allowInternalNetworkInterfaces: true,
    connectionTimeout: maxSilenceMs,
    dnsTimeout: maxSilenceMs,
    greetingTimeout: maxSilenceMs,
    socketTimeout: maxSilenceMs,
  });
  return { transport, from: server.from };
}

/**
 * Only a rejection of the recipient or of the message is final. A rejection of the sender or of the sign-in is a
 * mistake in the settings, which the operator may correct within a day.
 */
function outcomeOf(error: unknown): SendOutcome {
  const { code, command, responseCode, response } = error as {
    code?: string;
    command?: string;
    responseCode?: number;
    response?: string;
  };
  // The address has a form that no server would accept.
  const isMalformed = code === 'EENVELOPE' && command === 'API';
  const isRejected = /^(RCPT TO|DATA)$/.test(command ?? '') && Math.floor((responseCode ?? 0) / 100) === 5;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1];
  const reason = [command === 'API' ? '' : command, responseCode, status, responseCode ? '' : code]
    .filter(Boolean)
    .join(' ');
  return { ok: false, retry: !isMalformed && !isRejected, reason: reason || 'error' };
}
