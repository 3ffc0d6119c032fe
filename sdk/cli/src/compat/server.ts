import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LinguaLoop } from '../../../src/index.ts';
import { foreignSite } from '../own-site.ts';
import { deeplApi, deeplFailure } from './deepl.ts';
import { libreFailure, libreTranslateApi } from './libretranslate.ts';
import { CompatError, type CompatResponse, readBody, readHead, send } from './request.ts';

export interface CompatServerOptions {
  port: number;
  host: string;
  /** Creates the client for a caller's key. */
  open: (apiKey: string) => LinguaLoop;
  /** The key for callers of LibreTranslate's API without one. */
  fallbackKey: string | undefined;
  heldIsError: boolean;
  /** The public URL of this program, for links; by default the address of the request. */
  publicUrl: string | undefined;
  /** Called for each request that failed for an unexpected reason. */
  failed: (error: unknown) => void;
}

/** Maximum clients that are kept, one for each key. */
const maxClients = 1000;

/** Serves the API of DeepL below `/v2`, and that of LibreTranslate. */
export async function serveCompat(options: CompatServerOptions): Promise<{ url: string; server: Server }> {
  const { port, host, open, fallbackKey, heldIsError, publicUrl, failed } = options;
  const clients = new Map<string, LinguaLoop>();
  const clientOf = (key: string) => {
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CompatError(401, 'the API key has characters that no key has');
    const known = clients.get(key) ?? open(key);
    if (clients.size >= maxClients) clients.clear();
    clients.set(key, known);
    return known;
  };
  const deepl = deeplApi({ clientOf, heldIsError });
  const libre = libreTranslateApi({ clientOf, heldIsError, fallbackKey });

  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<CompatResponse> => {
    const stop = new AbortController();
    response.once('close', () => stop.abort(new Error('the client has disconnected')));
    const isDeepl = /^\/v\d/.test(incoming.url ?? '');
    const api = isDeepl ? deepl : libre;
    try {
      const { port: bound } = server.address() as AddressInfo;
      const foreign = foreignSite(incoming.headers, { host, port: bound, publicUrl });
      if (foreign) throw new CompatError(403, foreign);
      const head = readHead(incoming, publicUrl ?? `http://${incoming.headers.host}`, stop.signal);
      const { hasKey } = api.expect(head);
      return await api.handle(await readBody(incoming, head, hasKey));
    } catch (error) {
      const failure = isDeepl ? deeplFailure(error) : libreFailure(error);
      if (failure.status === 500 && !stop.signal.aborted) failed(error);
      const { headers = {} } = failure;
      return { ...api.errorOf(failure.status, failure.message), headers };
    }
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response)
      .then((answer) => {
        // The rest of a body that was not read is not read either.
        if (!incoming.complete) response.setHeader('connection', 'close');
        send(response, answer);
      })
      .catch((error) => {
        failed(error);
        response.destroy();
      });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, server };
}
