import { interrupted } from './attempt-error.ts';
import { Expired, withDeadline } from './deadline.ts';
import { TimeoutError } from './errors.ts';
import type { Piece } from './exchange.ts';
import type { CallOptions, Settings } from './options.ts';
import type { Rest, RestRequest } from './rest.ts';
import type { Call, Send } from './send.ts';

/** A download under way. */
export interface OpenDownload {
  headers: Pick<Headers, 'get'>;
  /**
   * The next piece, as it comes; undefined at the end. Nothing is read ahead: who asks late slows the service down.
   * @throws ConnectionError where it breaks off, TimeoutError where it stands still, the signal's reason
   */
  read(): Promise<Piece | undefined>;
  /** Ends it, and with it the connection. */
  cancel(): void;
}

export interface Downloads {
  /**
   * Opens a download of a media type. What fails before its first piece is tried again, as with any other call; nothing
   * after it.
   */
  open(
    call: Call,
    request: RestRequest,
    type: string,
    options: CallOptions | undefined,
  ): Promise<OpenDownload>;
}

export function createDownloads(rest: Rest, send: Send, settings: Pick<Settings, 'timeoutMs'>): Downloads {
  const open: Downloads['open'] = async (call, request, type, options = {}) => {
    const { signal, timeoutMs = settings.timeoutMs } = options;
    const { headers, firstPiece, body } = await send(
      call,
      (attempt) => rest.beginDownload(request, type, attempt),
      options,
    );
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
    // The wait for a piece listens to the signal itself; this is for when nobody waits for one.
    signal?.addEventListener('abort', cancel, { once: true });

    return {
      headers,
      async read() {
        try {
          // A deadline for each piece, and none for the whole: a long download that moves is a good one.
          const piece = await withDeadline(next, timeoutMs, signal);
          if (!piece) release();
          return piece;
        } catch (thrown) {
          cancel();
          if (signal?.aborted) throw signal.reason;
          if (thrown instanceof Expired)
            throw new TimeoutError(call.name, timeoutMs, 'no more of the answer');
          throw interrupted(call.name, thrown);
        }
      },
      cancel,
    };
  };
  return { open };
}

/** A download as a stream, which reads it no faster than it is read itself. */
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
    // Asks for a piece when one is asked for, and not before.
    { highWaterMark: 0 },
  );
}

/**
 * The file name that a Content-Disposition header gives, in `filename*` before `filename` (RFC 6266); undefined where
 * there is none that a file can have. Folders and control characters are taken off: whoever saves under this name
 * must not be led elsewhere.
 */
export function readFileName(header: string | null): string | undefined {
  if (header === null) return undefined;
  const name = extended(header) ?? plain(header);
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
