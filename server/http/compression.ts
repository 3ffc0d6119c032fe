import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Smaller responses, in bytes, fit into one packet anyway. */
const smallest = 1024;

/** The types of which a tenth to a third remains. Files such as PDF, DOCX and images are compressed already. */
const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*\b(?:json|xml|javascript|jsonl|yaml)\b)|image\/svg)/i;

/** Levels that cost about as much time as it takes to send what they save. */
const encoders: Readonly<Record<'br' | 'gzip', (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 5 }),
};

/**
 * Compresses responses that are sent whole, in the threads of zlib. Streams stay as they are: they send each piece when it
 * exists. Register it before hooks that look at the size of a response.
 */
export function compressResponses(app: FastifyInstance): void {
  const shared = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const type = String(reply.getHeader('content-type') ?? '');
    if (!compressible.test(type) || reply.hasHeader('content-encoding')) return payload;
    const length = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length;
    if (length < smallest) return payload;
    const vary = String(reply.getHeader('vary') ?? '');
    if (!/\baccept-encoding\b/i.test(vary))
      reply.header('vary', [vary, 'Accept-Encoding'].filter(Boolean).join(', '));
    const encoding = preferredEncoding(request.headers['accept-encoding']);
    const isShared = request.routeOptions.config?.shared === true;
    if (!encoding || request.method === 'HEAD') return payload;
    if (isSentByBrowser(request) && !isShared) return payload;
    reply.removeHeader('content-length');
    reply.header('content-encoding', encoding);
    // A strong ETag stands for the same bytes, which these are not.
    const tag = reply.getHeader('etag');
    if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
    if (!isShared || typeof payload === 'string')
      return encoders[encoding](typeof payload === 'string' ? Buffer.from(payload) : payload);
    const known = shared[encoding].get(payload) ?? encoders[encoding](payload);
    shared[encoding].set(payload, known);
    return known;
  });
}

/**
 * Whether a browser may have added the credential on its own. Another site could then send requests whose responses have a
 * secret next to text of its choice, and guess the secret by their sizes (BREACH). No site can add a header with a
 * credential.
 */
function isSentByBrowser({ headers }: FastifyRequest): boolean {
  return headers.cookie !== undefined && !headers.authorization && !headers['x-api-key'];
}

/** Returns `br` or `gzip`, which the client weights higher, or undefined if it accepts neither (RFC 9110, 12.5.3). */
export function preferredEncoding(accepted: string | string[] | undefined): 'br' | 'gzip' | undefined {
  const weights = new Map<string, number>();
  for (const range of [accepted ?? []].flat().join(',').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.map((one) => /^q=([\d.]+)$/.exec(one)?.[1]).find((one) => one !== undefined);
    if (name) weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 1));
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzipped] = [weightOf('br'), weightOf('gzip')];
  if (br > 0 && br >= gzipped) return 'br';
  return gzipped > 0 ? 'gzip' : undefined;
}
