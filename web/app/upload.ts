import type { Fetch } from '#sdk/options.ts';

/** How much of a request's body has been sent: 0 to 1. */
export type UploadProgress = (sent: number) => void;

/**
 * `fetch` for requests with a large body. It is XMLHttpRequest, since no browser's `fetch` tells how much of a body it has sent. The
 * response is held in memory whole.
 */
export function uploadingFetch(onProgress: UploadProgress): Fetch {
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      request.responseType = 'arraybuffer';
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
        if (lengthComputable) onProgress(total === 0 ? 1 : loaded / total);
      };
      request.upload.onload = () => onProgress(1);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('the request could not be sent'));
      request.onabort = () => reject(signal?.reason);
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit | null | undefined);
    });
}

function responseOf(request: XMLHttpRequest): Response {
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
