import type { FlattenKind } from '#server/formats/document-kind.ts';
import { FlattenError, type FlattenReason } from '#server/formats/flatten-error.ts';
import { type Lane, lanes, workOf } from './limits.ts';
import { openSandbox, type RunLimits, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { SandboxError } from './sandbox-error.ts';
import { DeferredTenants, type TurnScope, Turns } from './task-queue.ts';
import { type Payload, type Piece, type Result, tasks } from './tasks.ts';

type Tasks = typeof tasks;

/** Work on files, in child processes, shared among tenants. */
export interface FileWork {
  /**
   * Runs a task for a tenant, when it is its turn, within what its kind and size allow.
   *
   * @throws {SandboxError} where it gave no result (`busy`: too many wait), or the reason of the scope's signal
   */
  run<N extends keyof Tasks>(
    task: N,
    payload: Payload<Tasks, N>,
    scope: TurnScope,
  ): Promise<Result<Tasks, N>>;
  /**
   * The same for a task that answers in pieces, and `take` with them. It is the tenant's turn until all is taken.
   *
   * @returns what `take` does
   */
  stream<N extends keyof Tasks, T>(
    task: N,
    payload: Payload<Tasks, N>,
    scope: TurnScope,
    take: (pieces: AsyncIterableIterator<Piece<Tasks, N>, void>) => Promise<T>,
  ): Promise<T>;
  /** Ends all processes, and what they run and what waits. Settles when they are gone. */
  close(): Promise<void>;
  /** The processes there are now. */
  readonly processIds: number[];
}

interface LaneParts {
  turns: Turns;
  sandbox: Sandbox<Tasks>;
}

/** Opens the lanes of one process. Child processes are started when there is something to run. */
export function openFileWork(
  options: Omit<SandboxOptions, 'processes' | 'queued'> = {},
  deferred = new DeferredTenants(),
): FileWork {
  const parts = Object.fromEntries(
    Object.entries(lanes).map(([name, lane]): [string, LaneParts] => [
      name,
      {
        turns: new Turns(lane, (tenantId) => deferred.has(tenantId)),
        sandbox: openSandbox({ ...options, processes: lane.slots }),
      },
    ]),
  ) as Record<Lane, LaneParts>;

  /** What the task cost is noted while it is still the tenant's turn: the next turn is given by it. */
  function inTurn<T>(
    { lane, cpuMs }: { lane: Lane; cpuMs: number },
    scope: TurnScope,
    use: (sandbox: Sandbox<Tasks>) => Promise<T>,
  ): Promise<T> {
    const { turns, sandbox } = parts[lane];
    return turns.run(scope, async () => {
      const begun = performance.now();
      try {
        const result = await use(sandbox);
        if (isOverLimit(result)) deferred.add(scope.tenantId);
        return result;
      } catch (error) {
        if (!(error instanceof SandboxError)) {
          // Whoever hangs up just before a limit does would otherwise take the lane's time for nothing, again and again.
          if (scope.signal?.aborted) deferred.add(scope.tenantId, (performance.now() - begun) / cpuMs);
        } else if (error.reason === 'time' || error.reason === 'memory') {
          deferred.add(scope.tenantId);
        }
        throw error;
      }
    });
  }

  return {
    run<N extends keyof Tasks>(task: N, payload: Payload<Tasks, N>, scope: TurnScope) {
      const { lane, ...limits } = workOf(task, payload);
      const result =
        lane === 'here'
          ? runHere(task, payload, scope)
          : inTurn({ lane, cpuMs: limits.cpuMs }, scope, (sandbox) =>
              sandbox.run(task, payload, limitsOf(limits, scope)),
            );
      return result as Promise<Result<Tasks, N>>;
    },
    stream(task, payload, scope, take) {
      const { lane, ...limits } = workOf(task, payload);
      const place = { lane: lane === 'here' ? ('light' as const) : lane, cpuMs: limits.cpuMs };
      return inTurn(place, scope, (sandbox) => sandbox.stream(task, payload, limitsOf(limits, scope), take));
    },
    async close() {
      await Promise.all(Object.values(parts).map(({ sandbox }) => sandbox.close()));
    },
    get processIds() {
      return Object.values(parts).flatMap(({ sandbox }) => sandbox.processIds);
    },
  };
}

/** A file that asked for more than its format allows: it cost what it may, and the next one of its sender may as well. */
function isOverLimit(result: unknown): boolean {
  const isAnswer = typeof result === 'object' && result !== null && 'refused' in result;
  return isAnswer && result.refused === ('too_large' satisfies FlattenReason);
}

async function runHere(task: keyof Tasks, payload: unknown, { signal }: TurnScope): Promise<unknown> {
  signal?.throwIfAborted();
  const run = (await tasks[task]()) as (given: unknown) => unknown;
  return run(payload);
}

const limitsOf = (limits: RunLimits, { signal }: TurnScope): RunLimits => ({ ...limits, signal });

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
