/** Runs pure functions over files that nobody vouches for in child processes with limits. */
export { SandboxError, type SandboxReason } from './error.ts';
export { flattenUpload } from './flatten-upload.ts';
export { openSandbox, type RunLimits, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { IndexedMemory, IndexMemoryPayload } from './tasks/index-memory.ts';
export type { ReadGlossaryPayload } from './tasks/read-glossary.ts';
export type { ReadMemory, ReadMemoryPayload } from './tasks/read-memory.ts';
export type { tasks } from './tasks.ts';
