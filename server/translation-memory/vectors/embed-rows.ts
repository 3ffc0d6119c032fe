import type { CallScope, Embedder } from '#server/engines/engine.ts';
import { AppError } from '#server/errors.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { fieldEnd, rowEnd } from '../queries/rows.ts';
import { base64, blockOf, blockSize, embedTexts } from './block.ts';

/** A segment that may be offered. */
interface Segment {
  segmentNo: number;
  sourceText: string;
}

/**
 * The vectors of packed rows of segments, as packed rows in turn: a row is a block. Segments that are too long to be offered, and
 * therefore in no shard, get none.
 * @throws AppError 502 (B 4.5) where the model does not answer
 */
export async function embedRows(embedder: Embedder, rows: string, scope: CallScope): Promise<string> {
  const offered = rows.split(rowEnd).flatMap((row): Segment[] => {
    const [segmentNo, , sourceText, , , , shardNo] = row.split(fieldEnd);
    return sourceText && shardNo !== '-1' ? [{ segmentNo: Number(segmentNo), sourceText }] : [];
  });
  let packed = '';
  for (let from = 0; from < offered.length; from += blockSize)
    packed += await embedBlock(embedder, offered.slice(from, from + blockSize), scope);
  return packed;
}

/**
 * The vectors of a block's worth of segments, as one packed row.
 * @throws AppError 502 (B 4.5) where the model does not answer
 */
export async function embedBlock(
  embedder: Embedder,
  segments: readonly Segment[],
  scope: CallScope,
): Promise<string> {
  const texts = segments.map(({ sourceText }) => normalForm(sourceText));
  const vectors = await embedTexts(embedder, texts, scope).catch((error: unknown) => {
    throw backendUnavailable(error);
  });
  const block = blockOf(segments, vectors);
  return `{${block.segmentNos.join()}}${fieldEnd}${base64(block.codes)}${fieldEnd}${base64(block.vectors)}${rowEnd}`;
}

function backendUnavailable(cause: unknown): AppError {
  return new AppError(
    'import_backend_unavailable',
    'memory import backend unavailable: the embedding model gave no usable answer; nothing was imported, send the file again later',
    { cause },
  );
}
