import { brokenOff } from './attempt-error.ts';
import type { OpenDownload } from './downloads.ts';
import { LinguaLoopError } from './errors.ts';
import type { TenantUsageRecord } from './types.ts';

/** Characters. No record comes near it: what is longer is none, and must not fill the memory. */
const longestLine = 1_048_576;

/**
 * The records of a jsonl export, one a line, as they come; whoever stops reading ends the download. The service ends every
 * line, the last one too: an export that ends elsewhere was cut, even where the connection did not tell.
 * @throws LinguaLoopError where a line is no record; ConnectionError where it breaks off
 */
export async function* readRecords(
  open: () => Promise<OpenDownload>,
  call: string,
): AsyncGenerator<TenantUsageRecord, void, undefined> {
  const download = await open();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 0;
  let begun = '';
  const fail = (): never => {
    const requestId = download.headers.get('x-request-id');
    const detail = `${call}: line ${lines + 1} is no usage record`;
    throw new LinguaLoopError({ status: 200, detail, requestId, answeredBy: 'other' });
  };
  const decode = (piece: Uint8Array | undefined): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      return fail();
    }
  };
  try {
    for (;;) {
      const piece = await download.read();
      const ended = decode(piece).split('\n');
      ended[0] = begun + ended[0];
      begun = ended.pop() as string;
      for (const line of ended) {
        yield recordOf(line) ?? fail();
        lines += 1;
      }
      if (begun.length > longestLine) fail();
      if (!piece) break;
    }
    if (begun !== '') throw brokenOff(call, new Error('it ends within a record'));
  } finally {
    download.cancel();
  }
}

function recordOf(line: string): TenantUsageRecord | undefined {
  if (line.length > longestLine) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Enough to tell it from anything else: a page that a proxy put in the way, an error. */
function isRecord(value: unknown): value is TenantUsageRecord {
  const { job_id, billable_chars } = (value ?? {}) as Record<string, unknown>;
  return typeof job_id === 'string' && typeof billable_chars === 'number';
}
