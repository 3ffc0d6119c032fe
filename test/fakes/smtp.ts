import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A mail that the server has accepted, or whose content it has received. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** The SMTP parameters of MAIL FROM, such as `SMTPUTF8`. */
  parameters: string;
  /** The message as sent, with CRLF. */
  raw: string;
  /** The headers by their lowercase names, unfolded and with encoded words decoded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

/** The places at which a server can fail. `message` is after the content of a mail. */
export type SmtpStage = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message';

/**
 * What the server does at a stage instead of accepting: a response line such as `451 4.3.0 try later`; `close` closes the
 * connection; `silence` never responds; `lost` accepts the mail, but closes the connection before its response.
 */
export type SmtpFault = `${number} ${string}` | 'close' | 'silence' | 'lost';

export interface SmtpFake {
  /** `smtp://127.0.0.1:PORT` */
  url: string;
  port: number;
  /** The accepted mails, in the order of their arrival. */
  received: ReceivedMail[];
  /** Called at each stage. A mail is known from `message` on. */
  fault: (stage: SmtpStage, mail?: ReceivedMail) => SmtpFault | undefined;
  /** Milliseconds before each response. */
  delayMs: number;
  /** All lines that clients have sent, without the content of mails. */
  commands: string[];
  /** The number of connections. */
  connections: number;
  close(): Promise<void>;
}

/** Starts a mail server that keeps the mails in memory. @param options extensions that it offers, such as `AUTH PLAIN` */
export async function startSmtp(
  { extensions = ['8BITMIME', 'SMTPUTF8'] }: { extensions?: string[] } = {},
  host = '127.0.0.1',
): Promise<SmtpFake> {
  const sockets = new Set<Socket>();
  const fake: SmtpFake = {
    url: '',
    port: 0,
    received: [],
    fault: () => undefined,
    delayMs: 0,
    commands: [],
    connections: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    fake.connections += 1;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    converse(fake, socket, extensions);
  });
  server.listen(0, host);
  await once(server, 'listening');
  fake.port = (server.address() as AddressInfo).port;
  fake.url = `smtp://127.0.0.1:${fake.port}`;
  return fake;
}

function converse(fake: SmtpFake, socket: Socket, extensions: string[]): void {
  const respond = async (stage: SmtpStage, accepted: string, mail?: ReceivedMail): Promise<boolean> => {
    const fault = fake.fault(stage, mail);
    if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs));
    if (fault === 'close' || fault === 'lost') {
      socket.destroy();
      return fault === 'lost';
    }
    if (fault === 'silence') return false;
    socket.write(`${fault ?? accepted}\r\n`);
    return fault === undefined;
  };
  let buffer = '';
  let inMessage = false;
  let from = '';
  let parameters = '';
  let to = '';
  let working = respond('greeting', '220 fake ESMTP').then(() => {});

  const handle = async (line: string) => {
    fake.commands.push(line);
    const [verb = ''] = line.toUpperCase().split(' ');
    if (verb === 'EHLO')
      await respond(
        'EHLO',
        ['fake', ...extensions]
          .map((one, at, all) => `250${at < all.length - 1 ? '-' : ' '}${one}`)
          .join('\r\n'),
      );
    else if (verb === 'AUTH') await respond('AUTH', '235 2.7.0 ok');
    else if (verb === 'MAIL') {
      [, from = '', parameters = ''] = /^MAIL FROM:<([^>]*)> ?(.*)$/i.exec(line) ?? [];
      await respond('MAIL', '250 ok');
    } else if (verb === 'RCPT') {
      to = /^RCPT TO:<([^>]*)>/i.exec(line)?.[1] ?? '';
      await respond('RCPT', '250 ok');
    } else if (verb === 'DATA') inMessage = await respond('DATA', '354 go ahead');
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else socket.write('502 unknown command\r\n');
  };
  const accept = async (raw: string) => {
    const mail = { from, to, parameters, raw, ...readMessage(raw) };
    if (await respond('message', '250 2.0.0 accepted', mail)) fake.received.push(mail);
  };
  const read = async () => {
    for (;;) {
      if (inMessage) {
        const end = buffer.indexOf('\r\n.\r\n');
        if (end < 0) return;
        const raw = buffer.slice(0, end + 2).replace(/^\.\./gm, '.');
        buffer = buffer.slice(end + 5);
        inMessage = false;
        await accept(raw);
      } else {
        const end = buffer.indexOf('\r\n');
        if (end < 0) return;
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        await handle(line);
      }
    }
  };
  socket.on('data', (chunk) => {
    buffer += chunk.toString('utf8');
    working = working.then(read);
  });
}

/** Reads a message with a text and an HTML part. */
function readMessage(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => splitPart(part.replace(/^\r\n/, '')));
  const contentOf = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return part ? Buffer.from(part.body, 'base64').toString('utf8') : '';
  };
  return { headers, text: contentOf('text/plain'), html: contentOf('text/html') };
}

function splitPart(part: string): { headers: Record<string, string>; body: string } {
  const end = part.indexOf('\r\n\r\n');
  const lines = part
    .slice(0, Math.max(end, 0))
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name.toLowerCase(), decodeWords(value)]];
    }),
  );
  return { headers, body: part.slice(end + 4) };
}

/** Decodes encoded words (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_all, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : Buffer.from(
            text
              .replaceAll('_', ' ')
              .replace(/=([0-9A-F]{2})/gi, (_hex, code: string) =>
                String.fromCharCode(Number.parseInt(code, 16)),
              ),
            'latin1',
          ).toString('utf8'),
    );
}
