import { FlattenError } from '../formats/flatten/error.ts';
import type { FlattenKind } from '../formats/flatten/kind.ts';
import { SandboxError } from './error.ts';
import type { FileWork } from './file-work.ts';
import type { TurnScope } from './turns.ts';

/**
 * The text of an uploaded file, read when it is the tenant's turn.
 *
 * @throws {FlattenError} for a file without text to be had (B 4.1: 400); one that takes too much time or memory is
 * `too_large`, and one that a library dies of is `unreadable`
 * @throws {SandboxError} `busy`, `closed`, `not_started` or `failed`, which say nothing of the file
 */
export async function flattenUpload(
  fileWork: FileWork,
  kind: FlattenKind,
  bytes: Uint8Array,
  scope: TurnScope,
): Promise<string> {
  try {
    const answer = await fileWork.run('flatten', { kind, bytes }, scope);
    if ('text' in answer) return answer.text;
    throw new FlattenError(answer.refused, answer.message);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    throw verdicts[error.reason]?.(error) ?? error;
  }
}

const verdicts: Partial<Record<SandboxError['reason'], (cause: SandboxError) => FlattenError>> = {
  time: (cause) =>
    new FlattenError('too_large', 'reading the file takes too long; split it and send the parts', { cause }),
  memory: (cause) =>
    new FlattenError('too_large', 'reading the file takes too much memory; split it and send the parts', {
      cause,
    }),
  crashed: (cause) => new FlattenError('unreadable', 'the file cannot be read', { cause }),
};
