import type { Log } from './context.ts';
import { describeForLog } from './errors.ts';
import { createFairShare, type ShareScope } from './fair-share.ts';

const refusal = 'too many exports are under way; try again later';

/** Exports under way in one process: each holds a few pages in memory, for as long as its reader takes. */
const underWay = createFairShare({ slots: 32, places: 300, refusal });

/** Pages in the making, of all of them: a few of the process's connections, so that nobody else waits for one. */
const pages = createFairShare({ slots: 3, places: 300, refusal });

/**
 * Waits until an export may begin; the answer ends it.
 * @throws AppError rate_limit where too many wait already; the signal's reason where it goes off while waiting
 */
export function beginExport(scope: ShareScope): Promise<() => void> {
  return new Promise((begun, refused) => {
    underWay.run(scope, () => new Promise<void>((end) => begun(end))).catch(refused);
  });
}

/** Makes a page when it is its turn. */
export const makePage = pages.run;

/** Characters of a piece: some 64 KB. A connection holds one or two of them that its reader does not take. */
const charactersOfPiece = 32_768;

/** Texts in pieces of about one size, which may be sent one by one: no character is in two of them. */
export function* cutPieces(texts: Iterable<string>): Generator<string, void> {
  let rest = '';
  for (const text of texts) {
    rest += text;
    let from = 0;
    while (rest.length - from >= charactersOfPiece) {
      const end = from + charactersOfPiece;
      // Half of a surrogate pair cannot be sent in UTF-8.
      const splits = /[\ud800-\udbff]/.test(rest[end - 1]!);
      yield rest.slice(from, splits ? end - 1 : end);
      from = splits ? end - 1 : end;
    }
    rest = rest.slice(from);
  }
  if (rest !== '') yield rest;
}

/** Of the request that asks: its id for the log, and what ends the work when its client hangs up. */
export interface ExportRequest {
  requestId: string;
  signal: AbortSignal;
}

/** Says in the log what broke an export off, and no more than that it did to whoever sends it, who logs that again. */
export async function* guardExport(
  log: Log,
  { requestId, signal }: ExportRequest,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  try {
    yield* chunks;
  } catch (error) {
    if (!signal.aborted)
      log.error({ request_id: requestId, error: describeForLog(error) }, 'an export broke off');
    throw new Error('an export broke off');
  }
}
