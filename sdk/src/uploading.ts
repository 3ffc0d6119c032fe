import { quietly } from './events.ts';
import type { Fetch, Settings, UploadProgress } from './options.ts';

/** The used parts of a browser's XMLHttpRequest; Node has no declarations of it. */
interface BrowserRequest {
  responseType: string;
  readonly response: unknown;
  /** Of the last request, if it was redirected. */
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

/** Bytes of a piece. */
const pieceSize = 65_536;

/**
 * The globals that distinguish the runtimes. Types of one runtime lack those of the others, and the SDK compiles with
 * none.
 */
interface Platform {
  XMLHttpRequest?: new () => BrowserRequest;
  process?: { versions?: { node?: string } };
  Deno?: unknown;
}

/**
 * A `fetch` that reports how much of a request's body has been sent. In browsers it uses XMLHttpRequest, because
 * their `fetch` does not report it; the response is held in memory completely. Elsewhere the body is a stream, and
 * counts as sent as the connection takes it. With a caller's own `fetch` in a browser, only the start and the end are
 * reported.
 */
export function uploadingFetch(
  { fetch, isOwnFetch }: Pick<Settings, 'fetch' | 'isOwnFetch'>,
  onUploadProgress: (progress: UploadProgress) => void,
): Fetch {
  const onProgress = (progress: UploadProgress) => quietly(() => onUploadProgress(progress));
  const { XMLHttpRequest, process, Deno } = globalThis as unknown as Platform;
  if (isOwnFetch && XMLHttpRequest) return byBrowser(XMLHttpRequest, onProgress);
  // Node and Bun, or Deno. Browsers send a stream as text, or only over HTTP/2.
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
      // A piece is requested when the previous one has been taken.
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
      // XMLHttpRequest follows redirects. `fetch` has this response instead.
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
  // A response of these statuses must not be given a body.
  const body = status === 204 || status === 304 ? null : (request.response as ArrayBuffer);
  return new Response(body, { status, headers });
}
