import { FlattenError, type FlattenKind } from '../formats/flatten/index.ts';
import { SandboxError } from './error.ts';
import type { Sandbox } from './sandbox.ts';
import type { tasks } from './tasks.ts';

/** A file of 30 MB that is what it says it is takes a few seconds. */
const timeMs = 20_000;

/**
 * The text of an uploaded file, read in a sandbox.
 *
 * @throws {FlattenError} for a file without text to be had (B 4.1: 400); one that takes too much time or memory is
 * `too_large`, and one that a library dies of is `unreadable`
 * @throws {SandboxError} `busy`, `closed` or `failed`, which say nothing of the file
 */
export async function flattenUpload(
  sandbox: Sandbox<typeof tasks>,
  kind: FlattenKind,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<string> {
  try {
    const answer = await sandbox.run('flatten', { kind, bytes }, { timeMs, signal });
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
