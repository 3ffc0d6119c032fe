/**
 * What runs in a sandbox, by name. Each entry imports its module when it is first asked for, in the child: a task costs a
 * child only the libraries that it needs, and the service none of them. A task takes one value and answers one, both
 * of what the structured clone algorithm carries; a `Uint8Array` that is the value, or directly in it, travels without
 * being copied into the message.
 */
export const tasks = {
  flatten: async () => (await import('./tasks/flatten.ts')).flattenTask,
  index_memory: async () => (await import('./tasks/index-memory.ts')).indexMemoryTask,
  read_glossary: async () => (await import('./tasks/read-glossary.ts')).readGlossaryTask,
  read_memory: async () => (await import('./tasks/read-memory.ts')).readMemoryTask,
  render_golden: async () => (await import('./tasks/render-golden.ts')).renderGoldenTask,
};

/** Tasks by name: a function that imports one. A task is a function, or a generator that gives its result in pieces. */
export type TaskRegistry = Record<string, () => Promise<(payload: never) => unknown>>;

type Task<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<R[N]>>;

/** What task `N` of registry `R` takes. */
export type Payload<R extends TaskRegistry, N extends keyof R> = Parameters<Task<R, N>>[0];

/** What it answers. */
export type Result<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<Task<R, N>>>;

/** What a generator gives piece by piece. */
export type Piece<R extends TaskRegistry, N extends keyof R> =
  Result<R, N> extends Generator<infer P> ? P : never;
