import { quietly } from './events.ts';
import type { Fetch, Settings, UploadProgress } from './options.ts';

/**
 * The parts of a browser's XMLHttpRequest that are used here. Declared here, because Node's types do not include it.
 */
interface BrowserRequest {
  responseType: string;
  readonly response: unknown;
  /** The URL of the last request, if the request was redirected. */
  readonly responseURL: string;
  readonly status: number;
  readonly upload: {
    onprogress: (event: UploadProgress & { lengthComputable: boolean }) => void;
    onload: () => void;
  };
  onload: () => void;
  onerror: () => void;
  onabort: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}

/** Bytes of each piece of a request's body. */
const pieceSize = 65_536;

/**
 * The global variables that distinguish the runtimes. The types of each runtime lack those of the others, and the SDK
 * is compiled without the types of any runtime.
 */
interface Platform {
  XMLHttpRequest?: new () => BrowserRequest;
  process?: { versions?: { node?: string } };
  Deno?: unknown;
}

/**
 * Returns a `fetch` that reports how much of the request's body has been sent. In browsers, it uses XMLHttpRequest,
 * because their `fetch` does not report progress; the response is then held in memory completely. In other runtimes,
 * it sends the body as a stream, and a piece counts as sent when the connection has accepted it. With the caller's
 * own `fetch` in a browser, it reports only the start and the end.
 */
export function uploadingFetch(
  { fetch, isOwnFetch }: Pick<Settings, 'fetch' | 'isOwnFetch'>,
  onUploadProgress: (progress: UploadProgress) => void,
): Fetch {
  const onProgress = (progress: UploadProgress) => quietly(() => onUploadProgress(progress));
  // A platform has some of these, and the types of Node have no XMLHttpRequest.
  const { XMLHttpRequest, process, Deno } = globalThis as unknown as Platform;
  if (isOwnFetch && XMLHttpRequest) return byBrowser(XMLHttpRequest, onProgress);
  // Only Node, Bun and Deno send streams. Browsers send a stream as text, or only over HTTP/2.
  const takesStreams = !XMLHttpRequest && (process?.versions?.node || Deno);
  return async (url, init) => {
    const { body } = init;
    if (!(body instanceof ArrayBuffer)) return fetch(url, init);
    const total = body.byteLength;
    let loaded = 0;
    if (!takesStreams) {
      onProgress({ loaded, total });
      const response = await fetch(url, init);
      onProgress({ loaded: total, total });
      return response;
    }
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          onProgress({ loaded, total });
          if (loaded === total) return controller.close();
          const size = Math.min(pieceSize, total - loaded);
          controller.enqueue(new Uint8Array(body, loaded, size));
          loaded += size;
        },
      },
      // The connection requests a piece after it has accepted the previous one.
      { highWaterMark: 0 },
    );
    return fetch(url, { ...init, body: stream, duplex: 'half' } as RequestInit);
  };
}

function byBrowser(Request: new () => BrowserRequest, onProgress: (progress: UploadProgress) => void): Fetch {
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Request();
      request.open(method, url);
      request.responseType = 'arraybuffer';
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      let total = 0;
      request.upload.onprogress = (event) => {
        if (!event.lengthComputable) return;
        total = event.total;
        onProgress({ loaded: event.loaded, total });
      };
      request.upload.onload = () => onProgress({ loaded: total, total });
      // XMLHttpRequest has followed redirects. Report a redirect as `fetch` does.
      request.onload = () =>
        resolve(request.responseURL === new URL(url).href ? responseOf(request) : Response.error());
      request.onerror = () => reject(new TypeError('the request could not be sent'));
      request.onabort = () => reject(signal?.reason);
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body);
    });
}

function responseOf(request: BrowserRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = lines.flatMap((line): [string, string][] => {
    const end = line.indexOf(':');
    return end > 0 ? [[line.slice(0, end), line.slice(end + 1).trim()]] : [];
  });
  const { status } = request;
  // A response with one of these statuses must have no body.
  const body = status === 204 || status === 304 ? null : (request.response as ArrayBuffer);
  return new Response(body, { status, headers });
}
