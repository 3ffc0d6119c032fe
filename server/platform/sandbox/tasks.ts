/**
 * The tasks that run in a sandbox, by name. A child imports the module of a task when it runs the task for the first
 * time. So a child loads only the libraries that it needs, and the service loads none of them. A task takes one value
 * and returns one value; both must be suitable for structured cloning. A `Uint8Array` that is the value or one of its
 * properties is sent without serialization.
 */
export const tasks = {
  align_texts: async () => (await import('./tasks/align-texts.ts')).alignTextsTask,
  check_document: async () => (await import('./tasks/layout-document.ts')).checkDocumentTask,
  extract_document: async () => (await import('./tasks/layout-document.ts')).extractDocumentTask,
  find_candidates: async () => (await import('#server/matching/candidates/index.ts')).findCandidates,
  hash_texts: async () => (await import('./tasks/layout-document.ts')).hashTextsTask,
  keep_texts: async () => (await import('./tasks/layout-document.ts')).keepTextsTask,
  flatten: async () => (await import('./tasks/flatten.ts')).flattenTask,
  index_memory: async () => (await import('./tasks/index-memory.ts')).indexMemoryTask,
  rebuild_document: async () => (await import('./tasks/layout-document.ts')).rebuildDocumentTask,
  recognize_page: async () => (await import('./tasks/layout-document.ts')).recognizePageTask,
  read_fonts: async () => (await import('#server/formats/read-fonts.ts')).readFonts,
  read_glossary: async () => (await import('./tasks/read-glossary.ts')).readGlossaryTask,
  read_memory: async () => (await import('./tasks/read-memory.ts')).readMemoryTask,
  read_xliff: async () => (await import('./tasks/read-xliff.ts')).readXliffTask,
  sample_document: async () => (await import('./tasks/layout-document.ts')).sampleDocumentTask,
  render_golden: async () => (await import('./tasks/render-golden.ts')).renderGoldenTask,
};

/** For each task, a function that imports it. A task is a function, or a generator that yields its result in pieces. */
export type TaskRegistry = Record<string, () => Promise<(payload: never) => unknown>>;

type Task<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<R[N]>>;

/** The payload of task `N` of registry `R`. */
export type Payload<R extends TaskRegistry, N extends keyof R> = Parameters<Task<R, N>>[0];

/** The result of task `N` of registry `R`. */
export type Result<R extends TaskRegistry, N extends keyof R> = Awaited<ReturnType<Task<R, N>>>;

/** The pieces that the generator of task `N` yields. */
export type Piece<R extends TaskRegistry, N extends keyof R> =
  Result<R, N> extends Generator<infer P> ? P : never;
