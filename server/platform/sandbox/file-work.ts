import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { FlattenKind } from '#server/formats/document-kind.ts';
import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import type { OperatorFont } from '#server/formats/operator-fonts.ts';
import { SettingsError } from '#server/settings.ts';
import { limitsOfTask, type QueueName, queues } from './limits.ts';
import { type RunLimits, Sandbox, type SandboxOptions } from './sandbox.ts';
import { SandboxError } from './sandbox-error.ts';
import { DeferredTenants, ProvenTenants, TaskQueue, type TaskScope } from './task-queue.ts';
import { type Payload, type Piece, type Result, tasks } from './tasks.ts';

type Tasks = typeof tasks;

/** Runs work on untrusted files in child processes. The processes are shared fairly among tenants. */
export interface FileWork {
  /**
   * Waits for a slot of the tenant and runs a task, within the limits for its kind and size.
   *
   * @throws {SandboxError} if the task gave no result (`busy`: the queue is full); the reason of the scope's signal
   * if that aborts
   */
  run<N extends keyof Tasks>(
    task: N,
    payload: Payload<Tasks, N>,
    scope: TaskScope,
  ): Promise<Result<Tasks, N>>;
  /**
   * Runs a task whose result consists of pieces, and passes the pieces to `take`. The tenant keeps its slot until
   * `take` ends.
   * @returns the result of `take`
   */
  stream<N extends keyof Tasks, T>(
    task: N,
    payload: Payload<Tasks, N>,
    scope: TaskScope,
    take: (pieces: AsyncIterableIterator<Piece<Tasks, N>, void>) => Promise<T>,
  ): Promise<T>;
  /**
   * Runs `work` when it is the tenant's turn among the estimates, analyses and alignments of all tenants. These read whole
   * files and look up all of their texts, which takes processes, connections and time of the service.
   *
   * @throws {SandboxError} `busy` if too many are queued; the reason of the scope's signal if that aborts
   */
  turn<T>(scope: TaskScope, work: () => Promise<T>): Promise<T>;
  /** Ends all processes, with all running and queued tasks. Resolves when the processes have exited. */
  close(): Promise<void>;
  /** The ids of the existing processes. */
  readonly processIds: number[];
  /** The numbers of running and queued tasks, for each queue. */
  readonly counts: Readonly<Record<QueueName, { running: number; waiting: number }>>;
}

interface Queue {
  slots: TaskQueue;
  sandbox: Sandbox<Tasks>;
}

interface OpenFileWork extends FileWork {
  /**
   * Reads and checks the operator's fonts. PDF files are then set in them.
   *
   * @throws {SettingsError} if one of them cannot be used
   */
  loadFonts(): Promise<void>;
}

/** Opens the queues of this process. Child processes start when the first task arrives. */
export function openFileWork(
  {
    fontsDir,
    ...options
  }: Omit<SandboxOptions, 'processes' | 'queued'> & {
    /** The absolute path of the directory with the operator's fonts. */
    fontsDir?: string | undefined;
  } = {},
  deferred = new DeferredTenants(),
): OpenFileWork {
  let fonts: readonly OperatorFont[] = [];
  const isDirectory = fontsDir !== undefined && statSync(fontsDir, { throwIfNoEntry: false })?.isDirectory();
  const readable = isDirectory ? [pathToFileURL(`${fontsDir}/`)] : [];
  const proven = new ProvenTenants();
  const defer = (tenantId: string, share?: number): void => {
    deferred.add(tenantId, share);
    proven.remove(tenantId);
  };
  const opened = openQueues(options, readable, (tenantId) => deferred.has(tenantId));

  /**
   * Waits for a slot and runs `use`. If the task was too expensive, defers the tenant before the slot is free, so that
   * another tenant gets the slot.
   */
  function inSlot<T>(
    { queue, cpuMs }: { queue: QueueName; cpuMs: number },
    scope: TaskScope,
    use: (sandbox: Sandbox<Tasks>) => Promise<T>,
  ): Promise<T> {
    const { slots, sandbox } = opened[queue];
    const read = async (): Promise<T> => {
      const begun = performance.now();
      try {
        const result = await use(sandbox);
        if (isOverLimit(result)) defer(scope.tenantId);
        else if (!isRefusal(result)) proven.add(scope.tenantId, cpuMs);
        return result;
      } catch (error) {
        if (!(error instanceof SandboxError)) {
          // Also defer after an abort: otherwise a client could occupy the queue again and again by disconnecting
          // just before a limit.
          if (scope.signal?.aborted) defer(scope.tenantId, (performance.now() - begun) / cpuMs);
        } else if (error.reason === 'time' || error.reason === 'memory') {
          defer(scope.tenantId);
        }
        throw error;
      }
    };
    return slots.run(scope, read, () => proven.isUnproven(scope.tenantId, cpuMs));
  }

  const fileWork: OpenFileWork = {
    run<N extends keyof Tasks>(task: N, payload: Payload<Tasks, N>, scope: TaskScope) {
      const { queue, ...limits } = limitsOfTask(task, payload);
      const result =
        queue === 'inline'
          ? runInline(task, payload, scope)
          : inSlot({ queue, cpuMs: limits.cpuMs }, scope, (sandbox) =>
              sandbox.run(
                task,
                task === 'rebuild_document' ? Object.assign({}, payload, { fonts }) : payload,
                limitsWithSignal(limits, scope),
              ),
            );
      return result as Promise<Result<Tasks, N>>;
    },
    stream(task, payload, scope, take) {
      const { queue, ...limits } = limitsOfTask(task, payload);
      const where = { queue: queue === 'inline' ? ('light' as const) : queue, cpuMs: limits.cpuMs };
      return inSlot(where, scope, (sandbox) =>
        sandbox.stream(task, payload, limitsWithSignal(limits, scope), take),
      );
    },
    turn: (scope, work) => opened.whole.slots.run(scope, work),
    async loadFonts() {
      if (fontsDir === undefined) return;
      if (!isDirectory) throw new SettingsError(`FONTS_DIR: ${fontsDir} is not a directory`);
      const read = await fileWork.run('read_fonts', fontsDir, { tenantId: '' });
      if ('problem' in read) throw new SettingsError(`FONTS_DIR: ${read.problem}`);
      fonts = read.fonts;
    },
    async close() {
      await Promise.all(Object.values(opened).map(({ sandbox }) => sandbox.close()));
    },
    get counts() {
      const entries = Object.entries(opened).map(([name, { slots }]) => [name, slots.counts]);
      return Object.fromEntries(entries) as FileWork['counts'];
    },
    get processIds() {
      return Object.values(opened).flatMap(({ sandbox }) => sandbox.processIds);
    },
  };
  return fileWork;
}

function openQueues(
  options: Omit<SandboxOptions, 'processes' | 'queued'>,
  readable: readonly URL[],
  isDeferred: (tenantId: string) => boolean,
): Record<QueueName, Queue> {
  const registry = new URL('./tasks.ts', import.meta.url);
  const entries = Object.entries(queues).map(([name, queue]): [string, Queue] => {
    const sandbox = new Sandbox<Tasks>(registry, { ...options, processes: queue.slots }, readable);
    return [name, { slots: new TaskQueue(queue, isDeferred), sandbox }];
  });
  return Object.fromEntries(entries) as Record<QueueName, Queue>;
}

/**
 * Whether the file exceeds a limit of its format. Reading such a file used the whole budget, and the next file of the
 * tenant may do the same.
 */
function isOverLimit(result: unknown): boolean {
  return isRefusal(result) && result.refused === ('too_large' satisfies FileErrorReason);
}

function isRefusal(result: unknown): result is { refused: unknown } {
  return typeof result === 'object' && result !== null && 'refused' in result;
}

async function runInline(task: keyof Tasks, payload: unknown, { signal }: TaskScope): Promise<unknown> {
  signal?.throwIfAborted();
  const run = (await tasks[task]()) as (given: unknown) => unknown;
  return run(payload);
}

const limitsWithSignal = (limits: RunLimits, { signal }: TaskScope): RunLimits => ({ ...limits, signal });

/**
 * Waits for a slot of the tenant and reads the text of an uploaded file.
 *
 * @throws {FileError} for a file without readable text; `too_large` if reading takes too much time or memory,
 * `unreadable` if the file crashes the process
 * @throws {SandboxError} `busy`, `closed`, `not_started` or `failed`; these errors do not depend on the file
 */
export async function flattenUpload(
  fileWork: FileWork,
  kind: FlattenKind,
  bytes: Uint8Array,
  scope: TaskScope,
): Promise<string> {
  try {
    const result = await fileWork.run('flatten', { kind, bytes }, scope);
    if ('text' in result) return result.text;
    throw new FileError(result.refused, result.message);
  } catch (error) {
    throw fileErrorOf(error) ?? error;
  }
}

/**
 * Returns the error for a file that needed too much time or memory, or that crashed its process. Undefined for all
 * other errors.
 */
export function fileErrorOf(error: unknown): FileError | undefined {
  return error instanceof SandboxError ? fileErrors[error.reason]?.(error) : undefined;
}

const fileErrors: Partial<Record<SandboxError['reason'], (cause: SandboxError) => FileError>> = {
  time: (cause) =>
    new FileError('too_large', 'reading the file takes too long; split it and send the parts', { cause }),
  memory: (cause) =>
    new FileError('too_large', 'reading the file takes too much memory; split it and send the parts', {
      cause,
    }),
  crashed: (cause) => new FileError('unreadable', 'the file cannot be read', { cause }),
};
