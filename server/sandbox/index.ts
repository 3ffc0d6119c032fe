/** Runs pure functions over files that nobody vouches for in child processes with limits. */
export { SandboxError, type SandboxReason } from './error.ts';
export { type FileWork, openFileWork } from './file-work.ts';
export { flattenUpload } from './flatten-upload.ts';
export { CurrentBarrier, networkBarrier } from './network-barrier.ts';
export { release } from './release.ts';
export { openSandbox, type RunLimits, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { IndexMemoryPayload } from './tasks/index-memory.ts';
export type { RowPiece } from './tasks/memory/packed-rows.ts';
export type { ReadGlossaryPayload } from './tasks/read-glossary.ts';
export type { MemoryPiece, MemorySummary, ReadMemoryPayload } from './tasks/read-memory.ts';
export type { tasks } from './tasks.ts';
export type { TurnScope } from './turns.ts';
