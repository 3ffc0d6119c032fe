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
