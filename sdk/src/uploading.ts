import { quietly } from './events.ts';
import type { Fetch, Settings, UploadProgress } from './options.ts';

/** A browser's XMLHttpRequest as far as it is used here; the declarations of Node have none. */
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

/** What tells the runtimes apart. Types of one runtime lack those of the others, and the SDK compiles with none. */
interface Platform {
  XMLHttpRequest?: new () => BrowserRequest;
  process?: { versions?: { node?: string } };
  Deno?: unknown;
}

/**
 * A `fetch` that tells how much of a request's body has been sent. In browsers it is XMLHttpRequest, since none of their `fetch`
 * tells; the response is held in memory whole. Elsewhere the body is a stream, and counts as sent as the connection takes it. A caller's
 * own `fetch` in a browser tells the beginning and the end alone.
 */
export function uploadingFetch(
  { fetch, isOwnFetch }: Pick<Settings, 'fetch' | 'isOwnFetch'>,
  onUploadProgress: (progress: UploadProgress) => void,
): Fetch {
  const onProgress = (progress: UploadProgress) => quietly(() => onUploadProgress(progress));
  const { XMLHttpRequest, process, Deno } = globalThis as unknown as Platform;
  if (isOwnFetch && XMLHttpRequest) return byBrowser(XMLHttpRequest, onProgress);
  // Node and Bun, or Deno. Browsers send a stream as text, or over HTTP/2 alone.
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
      // A piece is asked for when the one before it has been taken.
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
      // XMLHttpRequest follows redirects. This is the response that `fetch` has in place of one.
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
