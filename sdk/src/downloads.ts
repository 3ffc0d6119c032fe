import { type ApiPromise, apiPromise, mapResult } from './api-promise.ts';
import { interrupted } from './attempt-error.ts';
import { Expired, withDeadline } from './deadline.ts';
import { TimeoutError } from './errors.ts';
import type { Piece } from './exchange.ts';
import type { CallOptions, Settings } from './options.ts';
import type { BegunDownload, Rest, RestRequest } from './rest.ts';
import type { Call, Send } from './send.ts';

/** A download in progress. */
export interface OpenDownload {
  headers: Pick<Headers, 'get'>;
  /**
   * Returns the next piece when it has arrived; undefined at the end. Nothing is read ahead, so a slow reader slows
   * down the service.
   * @throws ConnectionError if the download is cut off, TimeoutError if no piece arrives in time, or the signal's
   * reason
   */
  read(): Promise<Piece | undefined>;
  /** Ends the download and its connection. */
  cancel(): void;
}

export interface Downloads {
  /**
   * Opens a download that has one of the given media types. A failure is retried, as in any other call, but only
   * before the first piece has arrived.
   */
  open(
    call: Call,
    request: RestRequest,
    types: string | readonly string[],
    options: CallOptions | undefined,
  ): ApiPromise<OpenDownload>;
}

export function createDownloads(rest: Rest, send: Send, settings: Pick<Settings, 'timeout'>): Downloads {
  const open = (
    call: Call,
    { headers, firstPiece, body }: BegunDownload,
    options: CallOptions,
  ): OpenDownload => {
    const { signal, timeout: timeoutMs = settings.timeout } = options;
    let inHand = firstPiece;
    const next = async () => {
      const piece = inHand ?? (await body.read());
      inHand = undefined;
      return piece;
    };
    const release = () => signal?.removeEventListener('abort', cancel);
    const cancel = () => {
      release();
      body.cancel();
    };
    // Between two reads, this listener ends the download when the signal aborts. During a read, `withDeadline`
    // listens.
    signal?.addEventListener('abort', cancel, { once: true });

    return {
      headers,
      async read() {
        try {
          // Each piece has a deadline. The whole download has none, because a large download may take long and still
          // make progress.
          const piece = await withDeadline(next, timeoutMs, signal);
          if (!piece) release();
          return piece;
        } catch (thrown) {
          cancel();
          if (signal?.aborted) throw signal.reason;
          if (thrown instanceof Expired) throw new TimeoutError(call.name, timeoutMs, 'no further data');
          throw interrupted(call.name, thrown);
        }
      },
      cancel,
    };
  };
  return {
    open(call, request, types, options = {}) {
      const begun = send(call, (attempt) => rest.beginDownload(request, [types].flat(), attempt), options);
      return mapResult(apiPromise(begun), (download) => open(call, download, options));
    },
  };
}

/** Converts a download to a stream. The download is read only as fast as the stream. */
export function streamOf({ read, cancel }: Pick<OpenDownload, 'read' | 'cancel'>): ReadableStream<Piece> {
  return new ReadableStream<Piece>(
    {
      async pull(controller) {
        const piece = await read();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
      cancel,
    },
    // Request a piece only when the stream is read.
    { highWaterMark: 0 },
  );
}

/**
 * Returns the file name of a Content-Disposition header; `filename*` takes precedence over `filename` (RFC 6266).
 * Returns undefined if the header has no valid file name. Directories and control characters are removed, so that a
 * file with this name is never written to another directory.
 */
export function readFileName(header: string | null): string | undefined {
  return header === null ? undefined : savable(extended(header) ?? plain(header));
}

/**
 * Returns the file name of an X-Suggested-Filename header. Directories and control characters are removed, as in
 * `readFileName`.
 */
export function readSuggestedName(header: string | null): string | undefined {
  try {
    return header === null ? undefined : savable(decodeURIComponent(header));
  } catch {
    return undefined;
  }
}

function savable(name: string | undefined): string | undefined {
  const last = name
    ?.replace(/^.*[\\/]/s, '')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return last === '' || last === '.' || last === '..' ? undefined : last;
}

function extended(header: string): string | undefined {
  const [, encoded] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function plain(header: string): string | undefined {
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
}
