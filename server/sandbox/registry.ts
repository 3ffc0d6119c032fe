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
