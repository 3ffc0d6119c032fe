/** Tasks by name: a function that imports one. */
export type TaskRegistry = Record<string, () => Promise<(payload: never) => unknown>>;

type Task<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<R[N]>>;

/** What task `N` of registry `R` takes. */
export type Payload<R extends TaskRegistry, N extends keyof R> = Parameters<Task<R, N>>[0];

/** What it answers. */
export type Result<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<Task<R, N>>>;
